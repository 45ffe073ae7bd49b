//! Views of single tiles: a rank's storage may have several tiles, each an array with its own strides.

use super::array::{Destination, Source};
use crate::layout::strides::ArrayView;

impl Source<'_> {
    /// Returns the array of this storage that `view` describes.
    pub fn seen(&self, view: &ArrayView) -> Source<'_> {
        let base = self.base().wrapping_add(view.place_in(self.shape()));
        // SAFETY: the array lies within the storage, which is readable as long as this value is borrowed.
        unsafe { Source::new(base, view.shape.clone()) }
    }
}

impl Destination<'_> {
    /// Returns the array of this storage that `view` describes.
    pub fn seen(&mut self, view: &ArrayView) -> Destination<'_> {
        let base = self.base().wrapping_add(view.place_in(self.shape()));
        // SAFETY: the array lies within the storage, which is writable through this value, and the value is borrowed
        // mutably.
        unsafe { self.part(base, view.shape.clone()) }
    }
}
