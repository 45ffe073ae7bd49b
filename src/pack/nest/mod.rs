//! Orders and merges the loops of a copy.
//!
//! A copy is a product of index sets, one per dimension, each with a stride in the source and a stride in the
//! destination. A dimension with a single index only adds an offset. The others are loops, sorted by their stride in
//! the destination. Two neighbouring loops are merged if the inner one is a single run and the outer one continues it
//! in both arrays. This module never accesses memory.

use super::level::{Indices, Level, signed};
use super::short::ShortRuns;
use crate::layout::intersect::Slice;
use crate::layout::strides::{MAX_DIMS, Shape};
use std::mem::MaybeUninit;

/// Minimum number of elements of each of the two innermost loops of a transposition.
const MIN_TRANSPOSED: u64 = 4;

pub(super) struct Nest<'a> {
    /// The first `used` levels are initialized. (Initializing all, or allocating, takes as long as a short copy.)
    levels: [MaybeUninit<Level<'a>>; MAX_DIMS],
    used: usize,
    /// Bytes from the first element to the place where the loops start, in the source and in the destination.
    pub offset: [isize; 2],
}

impl<'a> Nest<'a> {
    #[inline]
    pub fn new() -> Self {
        Self { levels: [const { MaybeUninit::uninit() }; MAX_DIMS], used: 0, offset: [0; 2] }
    }

    /// Adds the loops of a copy between two arrays; `dims` has (bytes between neighbours, index set) of each
    /// dimension.
    pub fn add_copy(&mut self, dims: impl Iterator<Item = ([i64; 2], &'a Slice<2>)>) {
        dims.for_each(|(stride, slice)| self.push(stride, Indices::Both(slice)));
        self.arrange();
    }

    /// Adds the loops of a copy from an array to memory without gaps; `dims` has (bytes between neighbours, index set)
    /// of each dimension of the array.
    pub fn add_pack(&mut self, element: usize, dims: impl Iterator<Item = (i64, &'a Slice<1>)>) {
        each_dense(element, dims, |array, dense, slice| self.push([array, dense], Indices::Packed(slice)));
        self.arrange();
    }

    /// Adds the loops of a copy from memory without gaps to an array; `dims` has (bytes between neighbours, index set)
    /// of each dimension of the array.
    pub fn add_unpack(&mut self, element: usize, dims: impl Iterator<Item = (i64, &'a Slice<1>)>) {
        each_dense(element, dims, |array, dense, slice| {
            self.push([dense, array], Indices::Unpacked(slice));
        });
        self.arrange();
    }

    /// Adds a loop outside the others; a dimension with a single index only moves the offset.
    fn push(&mut self, stride: [i64; 2], indices: Indices<'a>) {
        let stride = stride.map(|s| isize::try_from(s).expect("a stride in memory fits in isize"));
        let level = Level { indices, scale: 1, stride };
        match level.run() {
            Some((start, 1)) => level.move_by(&mut self.offset, start),
            _ => {
                self.levels[self.used].write(level);
                self.used += 1;
            }
        }
    }

    /// Returns the loops, the innermost first.
    pub fn levels(&self) -> &[Level<'a>] {
        // SAFETY: `push` wrote the first `used` levels.
        unsafe { std::slice::from_raw_parts(self.levels.as_ptr().cast(), self.used) }
    }

    /// Calls `add` with the families of the innermost loop in bytes, or with the single element if there is no loop.
    #[inline]
    pub fn rows_in_bytes(&self, element: usize, mut add: impl FnMut(ShortRuns)) {
        match self.levels().first() {
            Some(rows) => rows.in_bytes(element, add),
            None => add(ShortRuns { len: element, within: true, ..ShortRuns::default() }),
        }
    }

    fn levels_mut(&mut self) -> &mut [Level<'a>] {
        // SAFETY: as in `levels`.
        unsafe { std::slice::from_raw_parts_mut(self.levels.as_mut_ptr().cast(), self.used) }
    }

    pub fn is_empty(&self) -> bool {
        self.levels().iter().any(Level::is_empty)
    }

    /// Returns the number of contiguous runs that are copied one by one; elements have `element` bytes.
    pub fn runs(&self, element: usize) -> u64 {
        let Some((rows, others)) = self.levels().split_first() else { return 1 };
        others.iter().map(Level::total).fold(rows.runs(element), u64::saturating_mul)
    }

    /// Sorts the loops and merges neighbours.
    fn arrange(&mut self) {
        self.levels_mut().sort_by_key(|level| level.stride[1].unsigned_abs());
        let mut k = 0;
        while let [inner, outer, ..] = self.levels()[k..] {
            let continues = |d: usize, len| inner.stride[d].checked_mul(signed(len)) == Some(outer.stride[d]);
            match inner.run().filter(|&(_, len)| continues(0, len) && continues(1, len)) {
                None => k += 1,
                Some((start, len)) => {
                    inner.move_by(&mut self.offset, start);
                    let levels = self.levels_mut();
                    levels[k + 1] = Level { scale: outer.scale * len, stride: inner.stride, ..outer };
                    levels.copy_within(k + 1.., k);
                    self.used -= 1;
                }
            }
        }
        // The loop with the smallest stride in the source becomes the second, unless it is the first: the two innermost
        // loops are then close to contiguous in both arrays.
        let levels = self.levels_mut();
        let smallest = (0..levels.len()).min_by_key(|&k| levels[k].stride[0].unsigned_abs()).unwrap_or(0);
        if smallest > 1 {
            levels[1..=smallest].rotate_right(1);
        }
    }

    /// Returns whether the copy is a transposition: the innermost loop is contiguous in the destination, the next one
    /// in the source, and both have at least [`MIN_TRANSPOSED`] elements.
    pub fn is_transposition(&self, element: usize) -> bool {
        let one = signed(element as u64);
        let [rows, cols, ..] = self.levels() else { return false };
        rows.stride[1] == one
            && cols.stride[0] == one
            && [rows, cols].iter().all(|level| level.total() >= MIN_TRANSPOSED)
    }
}

/// Panics unless all indices of `dims`, in coordinate `d`, lie in an array of this shape.
pub(super) fn assert_holds<const D: usize>(shape: &Shape, d: usize, dims: &[Slice<D>]) {
    let inside = shape.dims().iter().zip(dims).all(|(dim, slice)| slice.end(d) <= dim.extent);
    assert!(inside && dims.len() == shape.dims().len(), "indices outside a local array {shape:?}");
}

/// Returns (bytes between neighbours, index set) of each dimension.
pub(super) fn dimensions<'a>(
    shape: &Shape,
    dims: &'a [Slice<1>],
) -> impl Iterator<Item = (i64, &'a Slice<1>)> {
    shape.dims().iter().map(|dim| dim.stride).zip(dims)
}

/// Calls `body` with (stride in the array, stride in memory without gaps, index set) of each dimension.
fn each_dense<'a>(
    element: usize,
    dims: impl Iterator<Item = (i64, &'a Slice<1>)>,
    mut body: impl FnMut(i64, i64, &'a Slice<1>),
) {
    let mut dense = i64::try_from(element).expect("the size of an element fits in i64");
    for (array, slice) in dims {
        body(array, dense, slice);
        dense *= i64::try_from(slice.total()).expect("a buffer fits in memory");
    }
}

#[cfg(test)]
mod tests;
