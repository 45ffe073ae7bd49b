//! Storage of one rank among arrays that the ranks of a node allocated together.

use super::Arrays;
use crate::layout::strides::Shape;
use crate::pack::{Destination, Source, Uses};
use std::sync::Arc;

/// The storage of one rank. Other ranks read it only while this rank exposes it.
pub struct OwnArray {
    arrays: Arc<Arrays>,
    bytes: usize,
    uses: Uses,
}

impl OwnArray {
    /// Creates the storage from the first `bytes` bytes of this rank's array. Panics if the array already has a storage
    /// or is smaller.
    pub(crate) fn new(arrays: Arc<Arrays>, bytes: usize) -> Self {
        assert!(bytes <= arrays.bytes() && arrays.claim(), "a second storage of an array, or one beyond it");
        Self { arrays, bytes, uses: Uses::default() }
    }

    /// Returns the group of arrays that this one belongs to.
    pub(crate) fn arrays(&self) -> &Arc<Arrays> {
        &self.arrays
    }

    /// Returns the address of the first byte.
    pub fn address(&self) -> *mut u8 {
        self.arrays.own()
    }

    /// Returns the bytes for reading. Panics if the storage has a writer.
    pub fn bytes(&mut self) -> &[u8] {
        assert!(self.uses.none_writes(), "the array has a writer");
        // SAFETY: the memory is mapped as long as `arrays` lives. Only users that this value registered write it; there
        // is none now (asserted), and a later one needs this value mutably.
        unsafe { std::slice::from_raw_parts(self.arrays.own(), self.bytes) }
    }

    /// Returns the bytes for writing. Panics if the storage has another user.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.uses.are_none(), "the array has another user");
        // SAFETY: as in `bytes`, and there is no reader (asserted). Other ranks read it only while a source of it is
        // exposed, in calls that this rank takes part in.
        unsafe { std::slice::from_raw_parts_mut(self.arrays.own(), self.bytes) }
    }

    /// Returns an array of that shape for reading, whose first element lies `at` bytes behind the start. `None` unless
    /// it lies within the storage and the storage has no writer.
    pub fn source(&mut self, at: i64, shape: &Shape) -> Option<Source<'static>> {
        let base = self.within(at, shape)?;
        let keeper = Arc::new((self.arrays.clone(), self.uses.read()?));
        // SAFETY: the array lies within the storage, which the value keeps alive and which has no writer meanwhile.
        Some(unsafe { Source::new(base, shape.clone()) }.kept_by(keeper))
    }

    /// Returns an array of that shape for writing, whose first element lies `at` bytes behind the start. `None` unless
    /// it lies within the storage and the storage has no other user.
    pub fn destination(&mut self, at: i64, shape: &Shape) -> Option<Destination<'static>> {
        let base = self.within(at, shape)?;
        let keeper = Arc::new((self.arrays.clone(), self.uses.write()?));
        // SAFETY: the array lies within the storage, which the value keeps alive and which has no other user meanwhile.
        Some(unsafe { Destination::new(base, shape.clone()) }.kept_by(keeper))
    }

    /// Returns one array of that shape as both source and destination, as `pack::in_place` does. The user must not read
    /// elements that it has written, nor write an element twice at the same time. `None` as for
    /// [`OwnArray::destination`].
    pub fn in_place(&mut self, at: i64, shape: &Shape) -> Option<(Source<'static>, Destination<'static>)> {
        // SAFETY: the array lies within the storage, which both values keep alive and which has no other user
        // meanwhile.
        self.destination(at, shape).map(|destination| unsafe { destination.with_source() })
    }

    fn within(&self, at: i64, shape: &Shape) -> Option<*mut u8> {
        // A place before the start is outside, unless the array has no elements.
        let at = u64::try_from(at).unwrap_or(u64::MAX);
        let range = shape.within(at, self.bytes)?;
        let first = if range.is_empty() { 0 } else { usize::try_from(at).ok()? };
        Some(self.arrays.own().wrapping_add(first))
    }
}
