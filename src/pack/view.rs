//! WHICH part of a storage is an array by itself? A rank's tiles lie in one storage, each with its own strides.

use super::array::{Destination, Source};
use crate::layout::strides::ArrayView;

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
