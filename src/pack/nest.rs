//! IN WHICH ORDER are the dimensions of a copy looped over, and which of them can be merged?
//!
//! A copy is a product of index sets, one per dimension, with a stride on either side. Dimensions in which there is one
//! index only are an offset. The others are looped over so that the destination is written in the order of its addresses,
//! whatever order the dimensions came in. Neighbouring dimensions that are contiguous on both sides are merged: one is a
//! single run, and the next one continues exactly where the run ends. It knows indices and strides; it never touches memory.

use super::column::index;
use super::listed::ListedLevel;
use super::shape::MOST_DIMS;
use super::short::Short;
use crate::overlap::{Family, Slice};
use std::mem::MaybeUninit;

/// Fewest elements of a loop that are worth turning together with those of another one.
const SQUARE: u64 = 4;

/// The index sets of one dimension on both sides.
#[derive(Clone, Copy, Debug)]
enum Indices<'a> {
    /// Of both arrays.
    Both(&'a Slice<2>),
    /// Of the array that is read; what is written has no gaps.
    Packed(&'a Slice<1>),
    /// Of the array that is written; what is read has no gaps.
    Unpacked(&'a Slice<1>),
}

/// One loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'a> {
    indices: Indices<'a>,
    /// Elements that each index stands for.
    scale: u64,
    /// Bytes from one element to the next, on either side.
    stride: [isize; 2],
}

/// All loops, the innermost first.
pub(super) struct Nest<'a> {
    /// The first `used` ones are there. (To fill the others, or to ask for memory, would take as long as a short copy.)
    levels: [MaybeUninit<Level<'a>>; MOST_DIMS],
    used: usize,
    /// Bytes to where the indices count from.
    pub offset: [isize; 2],
}

impl<'a> Nest<'a> {
    /// No loop yet.
    #[inline]
    pub fn new() -> Self {
        Self { levels: [const { MaybeUninit::uninit() }; MOST_DIMS], used: 0, offset: [0; 2] }
    }

    /// The loops of a copy between two arrays: (bytes between neighbours, index sets) of each dimension.
    pub fn both(&mut self, dims: impl Iterator<Item = ([i64; 2], &'a Slice<2>)>) {
        dims.for_each(|(stride, slice)| self.push(stride, Indices::Both(slice)));
        self.arrange();
    }

    /// The loops of a copy from an array, of which `dims` are (bytes between neighbours, index sets), to memory without
    /// gaps.
    pub fn pack(&mut self, element: usize, dims: impl Iterator<Item = (i64, &'a Slice<1>)>) {
        each_dense(element, dims, |array, dense, slice| self.push([array, dense], Indices::Packed(slice)));
        self.arrange();
    }

    /// The loops of a copy from memory without gaps to an array, of which `dims` are (bytes between neighbours, index
    /// sets).
    pub fn unpack(&mut self, element: usize, dims: impl Iterator<Item = (i64, &'a Slice<1>)>) {
        each_dense(element, dims, |array, dense, slice| {
            self.push([dense, array], Indices::Unpacked(slice));
        });
        self.arrange();
    }

    /// One more loop, outside the others; what has one index only becomes an offset.
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

    /// The loops, the innermost first.
    pub fn levels(&self) -> &[Level<'a>] {
        // SAFETY: `push` wrote the first `used` ones.
        unsafe { std::slice::from_raw_parts(self.levels.as_ptr().cast(), self.used) }
    }

    /// Calls `add` with the families of the innermost loop in bytes; with the one element, where there is no loop.
    #[inline]
    pub fn rows_in_bytes(&self, element: usize, mut add: impl FnMut(Short)) {
        match self.levels().first() {
            Some(rows) => rows.in_bytes(element, add),
            None => add(Short { len: element, within: true, ..Short::default() }),
        }
    }

    fn levels_mut(&mut self) -> &mut [Level<'a>] {
        // SAFETY: as in `levels`.
        unsafe { std::slice::from_raw_parts_mut(self.levels.as_mut_ptr().cast(), self.used) }
    }

    /// Whether no element is named.
    pub fn is_empty(&self) -> bool {
        self.levels().iter().any(Level::is_empty)
    }

    /// Runs in memory that the copy makes, of elements of `element` bytes.
    pub fn runs(&self, element: usize) -> u64 {
        let Some((rows, others)) = self.levels().split_first() else { return 1 };
        others.iter().map(Level::total).fold(rows.runs(element), u64::saturating_mul)
    }

    /// Brings the loops into the best order, as few as possible.
    fn arrange(&mut self) {
        self.levels_mut().sort_by_key(|level| level.stride[1].unsigned_abs());
        // A loop that is one run, and the next one if that goes on where the run ends, become one.
        let mut k = 0;
        while let [inner, outer, ..] = self.levels()[k..] {
            let goes_on = |d: usize, len| inner.stride[d].checked_mul(signed(len)) == Some(outer.stride[d]);
            match inner.run().filter(|&(_, len)| goes_on(0, len) && goes_on(1, len)) {
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
        // Of what the source has in another order, its innermost loop comes second, so that both sides' are next to each other.
        let nearest =
            self.levels().iter().enumerate().min_by_key(|(_, level)| level.stride[0].unsigned_abs());
        if let Some((k @ 2.., _)) = nearest {
            self.levels_mut()[1..=k].rotate_right(1);
        }
    }

    /// Whether neighbours in the destination are those of the innermost loop, and neighbours in the source those of the next.
    pub fn is_turned(&self, element: usize) -> bool {
        let one = signed(element as u64);
        let [rows, cols, ..] = self.levels() else { return false };
        rows.stride[1] == one
            && cols.stride[0] == one
            && [rows, cols].iter().all(|level| level.total() >= SQUARE)
    }
}

/// Calls `body` with (stride in the array, stride in memory without gaps, index sets) of each dimension.
fn each_dense<'a>(
    element: usize,
    dims: impl Iterator<Item = (i64, &'a Slice<1>)>,
    mut body: impl FnMut(i64, i64, &'a Slice<1>),
) {
    let mut dense = i64::try_from(element).expect("a few bytes");
    for (array, slice) in dims {
        body(array, dense, slice);
        dense *= i64::try_from(slice.total()).expect("a buffer fits in memory");
    }
}

impl Level<'_> {
    /// Calls `body` with each family of elements: coordinate 0 is the source's, coordinate 1 the destination's.
    pub fn each(&self, body: impl FnMut(Family<2>)) {
        let scaled = |at: [u64; 2]| at.map(|a| a * self.scale);
        let scale = |f: Family<2>| Family {
            start: scaled(f.start),
            stride: scaled(f.stride),
            len: f.len * self.scale,
            count: f.count,
        };
        match self.indices {
            Indices::Both(slice) => slice.each().map(scale).for_each(body),
            Indices::Packed(slice) => packed(slice).map(scale).for_each(body),
            Indices::Unpacked(slice) => unpacked(slice).map(scale).for_each(body),
        }
    }

    /// Moves `offset` by so many elements.
    fn move_by(&self, offset: &mut [isize; 2], elements: [u64; 2]) {
        for d in 0..2 {
            offset[d] += self.stride[d] * signed(elements[d]);
        }
    }

    /// Bytes from one element to the next, on either side.
    pub fn stride(&self) -> [isize; 2] {
        self.stride
    }

    /// (first element, elements), if it is one run.
    fn run(&self) -> Option<([u64; 2], u64)> {
        let (start, len, count) = match self.indices {
            Indices::Both(slice) => slice.single().map(|f| (f.start, f.len, f.count))?,
            Indices::Packed(slice) => slice.single().map(|f| ([f.start[0], 0], f.len, f.count))?,
            Indices::Unpacked(slice) => slice.single().map(|f| ([0, f.start[0]], f.len, f.count))?,
        };
        (count == 1).then(|| (start.map(|s| s * self.scale), len * self.scale))
    }

    fn is_empty(&self) -> bool {
        match self.indices {
            Indices::Both(slice) => slice.is_empty(),
            Indices::Packed(slice) | Indices::Unpacked(slice) => slice.is_empty(),
        }
    }

    /// Elements in all families.
    fn total(&self) -> u64 {
        self.scale
            * match self.indices {
                Indices::Both(slice) => slice.total(),
                Indices::Packed(slice) | Indices::Unpacked(slice) => slice.total(),
            }
    }

    /// Runs in memory that one pass over this level makes, of elements of `element` bytes.
    fn runs(&self, element: usize) -> u64 {
        if !self.contiguous(element) {
            return self.total();
        }
        match self.indices {
            Indices::Both(slice) => slice.runs(),
            Indices::Packed(slice) | Indices::Unpacked(slice) => slice.runs(),
        }
    }

    /// The list that it is, and the bytes of an index, where neighbours touch on both sides.
    pub fn listed(&self, element: usize) -> Option<(ListedLevel<'_>, usize)> {
        let lists = match self.indices {
            Indices::Both(slice) => ListedLevel::Both(slice.listed()?),
            Indices::Packed(slice) => ListedLevel::Packed(slice.listed()?),
            Indices::Unpacked(slice) => ListedLevel::Unpacked(slice.listed()?),
        };
        self.contiguous(element).then(|| (lists, index(self.scale) * element))
    }

    fn contiguous(&self, element: usize) -> bool {
        self.stride == [signed(element as u64); 2]
    }

    /// Calls `add` with the families in bytes. Where neighbours do not touch on either side, each element is a run.
    #[inline]
    pub fn in_bytes(&self, element: usize, mut add: impl FnMut(Short)) {
        let within = self.contiguous(element);
        let stride = self.stride.map(distance);
        let unit = stride.map(|stride| stride.wrapping_mul(index(self.scale)));
        let bytes = |at: [u64; 2]| [0, 1].map(|d| unit[d].wrapping_mul(index(at[d])));
        let len = index(self.scale) * element;
        let short = |f: Family<2>| Short {
            start: bytes(f.start),
            stride: bytes(f.stride),
            len: index(f.len) * len,
            count: index(f.count),
            step: [0; 2],
            times: 1,
            within,
        };
        if within {
            return match self.indices {
                Indices::Both(slice) => slice.each().map(short).for_each(add),
                Indices::Packed(slice) => packed(slice).map(short).for_each(add),
                Indices::Unpacked(slice) => unpacked(slice).map(short).for_each(add),
            };
        }
        self.each(|f| {
            let first = |k: u64| [0, 1].map(|d| stride[d].wrapping_mul(index(f.start[d] + k * f.stride[d])));
            let one = Short { len: element, within, ..Short::default() };
            if f.len == 1 {
                let stride = [0, 1].map(|d| stride[d].wrapping_mul(index(f.stride[d])));
                add(Short { start: first(0), stride, count: index(f.count), ..one });
            } else {
                let run = |k| Short { start: first(k), stride, count: index(f.len), ..one };
                (0..f.count).map(run).for_each(&mut add);
            }
        });
    }
}

/// Families of the array that is read, with their positions as those of what is written.
fn packed(slice: &Slice<1>) -> impl Iterator<Item = Family<2>> + '_ {
    let mut next = 0;
    slice.each().map(move |f| {
        let start = [f.start[0], next];
        next += f.total();
        Family { start, stride: [f.stride[0], f.len], len: f.len, count: f.count }
    })
}

/// Families of the array that is written, with their positions as those of what is read.
fn unpacked(slice: &Slice<1>) -> impl Iterator<Item = Family<2>> + '_ {
    let swap = |[array, position]: [u64; 2]| [position, array];
    packed(slice).map(move |f| Family { start: swap(f.start), stride: swap(f.stride), ..f })
}

/// A distance in bytes as `wrapping_add` takes it: modulo 2^64 (or what a usize has).
pub(super) fn distance(bytes: isize) -> usize {
    usize::from_ne_bytes(bytes.to_ne_bytes())
}

/// Indices into memory that exists fit in isize.
pub(super) fn signed(i: u64) -> isize {
    isize::try_from(i).expect("an index into memory fits in isize")
}

#[cfg(test)]
mod tests;
