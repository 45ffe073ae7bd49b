//! This rank's array among those that were allocated together, for arrays that the library owns.

use super::Arrays;
use crate::layout::strides::Shape;
use crate::pack::{Destination, Source, Uses};
use std::sync::Arc;

/// The array of one rank. Other ranks only read it, while this one lends it.
pub struct OwnArray {
    arrays: Arc<Arrays>,
    /// Bytes that were asked for.
    bytes: usize,
    uses: Uses,
}

impl OwnArray {
    /// The first `bytes` bytes of this rank's array, of which there was no storage before.
    pub(crate) fn new(arrays: Arc<Arrays>, bytes: usize) -> Self {
        assert!(bytes <= arrays.bytes() && arrays.claim(), "a second storage of an array, or one beyond it");
        Self { arrays, bytes, uses: Uses::default() }
    }

    /// What it is one of.
    pub(crate) fn arrays(&self) -> &Arc<Arrays> {
        &self.arrays
    }

    /// Where it is.
    pub fn address(&self) -> *mut u8 {
        self.arrays.own()
    }

    /// Its bytes, when nobody writes it.
    pub fn bytes(&mut self) -> &[u8] {
        assert!(self.uses.none_writes(), "somebody writes the array");
        // SAFETY: the memory is mapped as long as `arrays` lives; only who has it from this value writes it, which is nobody
        // now (asserted), and a later one needs this value mutably.
        unsafe { std::slice::from_raw_parts(self.arrays.own(), self.bytes) }
    }

    /// Its bytes, to write, when nobody else reads or writes it.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        assert!(self.uses.are_none(), "somebody reads or writes the array");
        // SAFETY: the same, of who reads it (asserted); other ranks read it only while a source of it is lent, in calls that
        // this rank takes part in.
        unsafe { std::slice::from_raw_parts_mut(self.arrays.own(), self.bytes) }
    }

    /// An array of that shape to read, whose first element is `at` bytes behind the start; `None` unless it lies within
    /// and nobody writes the storage.
    pub fn source(&mut self, at: i64, shape: &Shape) -> Option<Source<'static>> {
        let base = self.within(at, shape)?;
        let keeper = Arc::new((self.arrays.clone(), self.uses.read()?));
        // SAFETY: the array lies within the storage, which the value keeps and which nobody writes as long as it lives.
        Some(unsafe { Source::new(base, shape.clone()) }.kept_by(keeper))
    }

    /// An array of that shape to write, whose first element is `at` bytes behind the start; `None` unless it lies within
    /// and nobody else reads or writes the storage.
    pub fn destination(&mut self, at: i64, shape: &Shape) -> Option<Destination<'static>> {
        let base = self.within(at, shape)?;
        let keeper = Arc::new((self.arrays.clone(), self.uses.write()?));
        // SAFETY: the array lies within the storage, which the value keeps and which nobody else uses as long as it lives.
        Some(unsafe { Destination::new(base, shape.clone()) }.kept_by(keeper))
    }

    /// One array of that shape to read and to write, as by `pack::in_place`: whoever gets it must not read what is written
    /// through it, nor write anything twice at a time. `None` as for [`OwnArray::destination`].
    pub fn in_place(&mut self, at: i64, shape: &Shape) -> Option<(Source<'static>, Destination<'static>)> {
        let base = self.within(at, shape)?;
        let keeper = Arc::new((self.arrays.clone(), self.uses.write()?));
        // SAFETY: the array lies within the storage, which both values keep and which nobody else uses as long as they live.
        let (source, destination) =
            unsafe { (Source::new(base, shape.clone()), Destination::new(base, shape.clone())) };
        Some((source.kept_by(keeper.clone()), destination.kept_by(keeper)))
    }

    fn within(&self, at: i64, shape: &Shape) -> Option<*mut u8> {
        // What is before the start is outside, but for an array that has no element.
        let at = u64::try_from(at).unwrap_or(u64::MAX);
        let range = shape.within(at, self.bytes)?;
        let first = if range.is_empty() { 0 } else { usize::try_from(at).ok()? };
        Some(self.arrays.own().wrapping_add(first))
    }
}
