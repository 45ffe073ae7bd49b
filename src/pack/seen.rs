//! HOW is a local array seen as another one in the same memory? From another element, with other indices, or with one index many
//! times.

use super::array::{Destination, Source};
use super::column::index;
use crate::layout::strides::Shape;
use std::marker::PhantomData;

impl<'a> Source<'a> {
    /// The same memory as an array of another shape, whose first element is `by` bytes from this one's. Panics unless all of it lies
    /// within this array.
    pub fn seen_from(&self, by: i64, shape: Shape) -> Self {
        let base = self.base.wrapping_offset(self.shape.step_to(by, &shape));
        Self { base, shape, memory: PhantomData, keeper: self.keeper.clone() }
    }
}

impl<'a> Destination<'a> {
    /// The same memory as several arrays of other shapes, (bytes from this one's first element to theirs, shape), that are written one
    /// after the other, at different elements. Panics unless all of them lie within this array.
    pub(crate) fn shared_by(self, arrays: impl Iterator<Item = (i64, Shape)>) -> Vec<Self> {
        let one = |(by, shape): (i64, Shape)| {
            let base = self.base.wrapping_offset(self.shape.step_to(by, &shape));
            // SAFETY: `step_to` has found all of it within this array; the arrays are written one after the other, at different elements.
            unsafe { self.part(base, shape) }
        };
        arrays.map(one).collect()
    }
}

impl Source<'_> {
    /// The same array with indices that begin at `starts`, one a dimension, and not at 0. Smaller ones must not be named.
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

    /// The same array seen as one that has its one index of some dimensions so many times: (dimension, times).
    #[must_use]
    pub fn repeated(mut self, dims: impl Iterator<Item = (usize, u64)>) -> Self {
        for (d, times) in dims {
            self.shape = self.shape.repeated(d, times);
        }
        self
    }
}

/// A stride as `wrapping_sub` takes it.
fn distance(stride: i64) -> usize {
    isize::try_from(stride).map_or(usize::MAX, |stride| usize::from_ne_bytes(stride.to_ne_bytes()))
}
