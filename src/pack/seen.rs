//! Other views of a local array's memory: from another element on, with shifted indices, or with one index repeated.

use super::array::{Destination, Source};
use super::column::index;
use crate::layout::strides::Shape;
use std::marker::PhantomData;

impl<'a> Source<'a> {
    /// Returns an array of another shape in the same memory, whose first element lies `by` bytes from this array's.
    /// Panics unless all of it lies within this array.
    pub fn seen_from(&self, by: i64, shape: Shape) -> Self {
        let base = self.base.wrapping_offset(self.shape.step_to(by, &shape));
        Self { base, shape, memory: PhantomData, keeper: self.keeper.clone() }
    }
}

impl<'a> Destination<'a> {
    /// Returns several arrays in the same memory, each given by the distance in bytes from this array's first element
    /// to its own, and its shape. They are written one after the other, at different elements. Panics unless all of
    /// them lie within this array.
    pub(crate) fn shared_by(self, arrays: impl Iterator<Item = (i64, Shape)>) -> Vec<Self> {
        let one = |(by, shape): (i64, Shape)| {
            let base = self.base.wrapping_offset(self.shape.step_to(by, &shape));
            // SAFETY: `step_to` found all of it within this array; the arrays are written in turn, at different
            // elements.
            unsafe { self.part(base, shape) }
        };
        arrays.map(one).collect()
    }
}

impl Source<'_> {
    /// Returns this array with indices that begin at `starts`, one per dimension, instead of 0. Smaller indices must
    /// not be used.
    pub(super) fn counted_from(mut self, starts: impl Iterator<Item = u64>) -> Self {
        let mut dims = self.shape.dims().to_vec();
        for (dim, start) in dims.iter_mut().zip(starts) {
            let before = index(start).wrapping_mul(distance(dim.stride));
            self.base = self.base.wrapping_sub(before);
            dim.extent += start;
        }
        self.shape = Shape::new(self.shape.element(), &dims);
        self
    }

    /// Returns this array with the single index of some dimensions repeated; each item is (dimension, repetitions).
    #[must_use]
    pub fn repeated(mut self, dims: impl Iterator<Item = (usize, u64)>) -> Self {
        for (d, times) in dims {
            self.shape = self.shape.repeated(d, times);
        }
        self
    }
}

/// Returns a stride as the operand of `wrapping_sub`.
fn distance(stride: i64) -> usize {
    isize::try_from(stride).map_or(usize::MAX, |stride| usize::from_ne_bytes(stride.to_ne_bytes()))
}
