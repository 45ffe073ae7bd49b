//! This rank's array among those that were allocated together, for arrays that the library owns.

use super::Arrays;
use crate::pack::{Destination, Shape, Source};
use std::sync::Arc;

/// The array of one rank. Other ranks only read it, while this one lends it.
pub struct Storage {
    arrays: Arc<Arrays>,
    /// Bytes that were asked for.
    bytes: usize,
}

impl Storage {
    /// The first `bytes` bytes of this rank's array. Nobody else makes one for it.
    pub fn new(arrays: Arc<Arrays>, bytes: usize) -> Self {
        assert!(bytes <= arrays.bytes());
        Self { arrays, bytes }
    }

    /// What it is one of.
    pub fn arrays(&self) -> &Arc<Arrays> {
        &self.arrays
    }

    /// Where it is.
    pub fn address(&self) -> *mut u8 {
        self.arrays.own()
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the memory is mapped as long as `arrays` lives; nobody writes it but through this value.
        unsafe { std::slice::from_raw_parts(self.arrays.own(), self.bytes) }
    }

    /// Its bytes, to write.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: the same; other ranks read it only while it is lent, in calls that this rank takes part in.
        unsafe { std::slice::from_raw_parts_mut(self.arrays.own(), self.bytes) }
    }

    /// An array of that shape to read, whose first element is `at` bytes behind the start; `None` unless it lies within.
    pub fn source(&self, at: i64, shape: &Shape) -> Option<Source<'static>> {
        let base = self.within(at, shape)?;
        // SAFETY: the array lies within the storage, which the value keeps.
        Some(unsafe { Source::new(base, shape.clone()) }.kept_by(self.arrays.clone()))
    }

    /// An array of that shape to write, whose first element is `at` bytes behind the start; `None` unless it lies within.
    pub fn destination(&mut self, at: i64, shape: &Shape) -> Option<Destination<'static>> {
        let base = self.within(at, shape)?;
        // SAFETY: the array lies within the storage, which the value keeps and of which this is the only writer.
        Some(unsafe { Destination::new(base, shape.clone()) }.kept_by(self.arrays.clone()))
    }

    fn within(&self, at: i64, shape: &Shape) -> Option<*mut u8> {
        // What is before the start is outside, but for an array that has no element.
        let at = u64::try_from(at).unwrap_or(u64::MAX);
        let range = shape.within(at, self.bytes)?;
        let first = if range.is_empty() { 0 } else { usize::try_from(at).ok()? };
        Some(self.arrays.own().wrapping_add(first))
    }
}
