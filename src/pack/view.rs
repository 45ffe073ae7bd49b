//! WHICH part of a storage is an array by itself? A rank's tiles lie in one storage, each with its own strides.

use super::array::{Destination, Source};
use crate::layout::strides::Shape;

/// A local array within a storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayView {
    /// Bytes from the start of the storage to the array's first element.
    pub offset: u64,
    /// The array.
    pub shape: Shape,
}

impl ArrayView {
    /// Bytes from the storage's start to the array's first element, all of which lies within `storage`. Panics if it does not.
    fn place_in(&self, storage: &Shape) -> usize {
        let within = storage.behind().and_then(|bytes| self.shape.within(self.offset, bytes));
        assert!(within.is_some(), "an array outside its storage");
        usize::try_from(self.offset).expect("a place in memory")
    }
}

impl Source<'_> {
    /// One of the arrays in this storage.
    pub fn seen(&self, view: &ArrayView) -> Source<'_> {
        let base = self.base().wrapping_add(view.place_in(self.shape()));
        // SAFETY: the array lies within the storage, which is readable as long as this value is borrowed.
        unsafe { Source::new(base, view.shape.clone()) }
    }
}

impl Destination<'_> {
    /// One of the arrays in this storage.
    pub fn seen(&mut self, view: &ArrayView) -> Destination<'_> {
        let base = self.base().wrapping_add(view.place_in(self.shape()));
        // SAFETY: the array lies within the storage, which is writable through this value, and that is borrowed mutably.
        unsafe { self.part(base, view.shape.clone()) }
    }
}
