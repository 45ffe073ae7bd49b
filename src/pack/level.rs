//! One loop of a copy, over a dimension or several merged ones: the selected indices and the strides on both sides.

use super::column::index;
use super::listed::ListedLevel;
use super::short::ShortRuns;
use crate::layout::intersect::{Family, Slice};

#[derive(Clone, Copy, Debug)]
pub(super) enum Indices<'a> {
    Both(&'a Slice<2>),
    /// Indices of the array that is read; the destination has no gaps.
    Packed(&'a Slice<1>),
    /// Indices of the array that is written; the source has no gaps.
    Unpacked(&'a Slice<1>),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Level<'a> {
    pub indices: Indices<'a>,
    /// Elements per index: the elements of the loops merged into this one.
    pub scale: u64,
    /// Bytes between neighbouring elements on both sides.
    pub stride: [isize; 2],
}

/// A [`Family`] of elements in both arrays: coordinate 0 is the source's, coordinate 1 the destination's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct PairedRuns {
    pub start: [u64; 2],
    /// Elements from the start of a run to the start of the next one.
    pub stride: [u64; 2],
    /// Number of elements in each run, at least 1.
    pub len: u64,
    /// Number of runs, at least 1.
    pub count: u64,
}

impl From<Family<2>> for PairedRuns {
    fn from(f: Family<2>) -> Self {
        Self { start: f.start(), stride: f.stride(), len: f.run_len(), count: f.count() }
    }
}

impl Level<'_> {
    pub fn each(&self, body: impl FnMut(PairedRuns)) {
        let scaled = |at: [u64; 2]| at.map(|a| a * self.scale);
        let scale = |f: PairedRuns| PairedRuns {
            start: scaled(f.start),
            stride: scaled(f.stride),
            len: f.len * self.scale,
            count: f.count,
        };
        match self.indices {
            Indices::Both(slice) => slice.each().map(PairedRuns::from).map(scale).for_each(body),
            Indices::Packed(slice) => packed(slice).map(scale).for_each(body),
            Indices::Unpacked(slice) => unpacked(slice).map(scale).for_each(body),
        }
    }

    /// Adds `elements` elements to `offset`, on each side.
    pub fn move_by(&self, offset: &mut [isize; 2], elements: [u64; 2]) {
        for d in 0..2 {
            offset[d] += self.stride[d] * signed(elements[d]);
        }
    }

    pub fn stride(&self) -> [isize; 2] {
        self.stride
    }

    /// Returns (first element, number of elements) if the loop is a single run.
    pub fn run(&self) -> Option<([u64; 2], u64)> {
        let (start, len, count) = match self.indices {
            Indices::Both(slice) => slice.single().map(|f| (f.start(), f.run_len(), f.count()))?,
            Indices::Packed(slice) => slice.single().map(|f| ([f.first(0), 0], f.run_len(), f.count()))?,
            Indices::Unpacked(slice) => slice.single().map(|f| ([0, f.first(0)], f.run_len(), f.count()))?,
        };
        (count == 1).then(|| (start.map(|s| s * self.scale), len * self.scale))
    }

    pub fn is_empty(&self) -> bool {
        match self.indices {
            Indices::Both(slice) => slice.is_empty(),
            Indices::Packed(slice) | Indices::Unpacked(slice) => slice.is_empty(),
        }
    }

    pub fn total(&self) -> u64 {
        self.scale
            * match self.indices {
                Indices::Both(slice) => slice.total(),
                Indices::Packed(slice) | Indices::Unpacked(slice) => slice.total(),
            }
    }

    /// Returns the number of contiguous runs in one pass of the loop; elements have `element` bytes.
    pub fn runs(&self, element: usize) -> u64 {
        if !self.contiguous(element) {
            return self.total();
        }
        match self.indices {
            Indices::Both(slice) => slice.runs(),
            Indices::Packed(slice) | Indices::Unpacked(slice) => slice.runs(),
        }
    }

    /// Returns the list of runs and the bytes per index, if the indices are stored as a list and neighbouring elements
    /// are contiguous on both sides.
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

    /// Calls `add` with the families in bytes. Unless neighbouring elements are contiguous on both sides, each element
    /// is a run of its own.
    #[inline]
    pub fn in_bytes(&self, element: usize, mut add: impl FnMut(ShortRuns)) {
        let within = self.contiguous(element);
        let stride = self.stride.map(distance);
        let unit = stride.map(|stride| stride.wrapping_mul(index(self.scale)));
        let bytes = |at: [u64; 2]| [0, 1].map(|d| unit[d].wrapping_mul(index(at[d])));
        let len = index(self.scale) * element;
        let short = |f: PairedRuns| ShortRuns {
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
                Indices::Both(slice) => slice.each().map(PairedRuns::from).map(short).for_each(add),
                Indices::Packed(slice) => packed(slice).map(short).for_each(add),
                Indices::Unpacked(slice) => unpacked(slice).map(short).for_each(add),
            };
        }
        self.each(|f| {
            let first = |k: u64| [0, 1].map(|d| stride[d].wrapping_mul(index(f.start[d] + k * f.stride[d])));
            let one = ShortRuns { len: element, within, ..ShortRuns::default() };
            if f.len == 1 {
                let stride = [0, 1].map(|d| stride[d].wrapping_mul(index(f.stride[d])));
                add(ShortRuns { start: first(0), stride, count: index(f.count), ..one });
            } else {
                let run = |k| ShortRuns { start: first(k), stride, count: index(f.len), ..one };
                (0..f.count).map(run).for_each(&mut add);
            }
        });
    }
}

/// Pairs the families of the array that is read with their positions in the packed destination.
fn packed(slice: &Slice<1>) -> impl Iterator<Item = PairedRuns> + '_ {
    let mut next = 0;
    slice.each().map(move |f| {
        let start = [f.first(0), next];
        next += f.total();
        PairedRuns { start, stride: [f.stride()[0], f.run_len()], len: f.run_len(), count: f.count() }
    })
}

/// Pairs the positions in the packed source with the families of the array that is written.
fn unpacked(slice: &Slice<1>) -> impl Iterator<Item = PairedRuns> + '_ {
    let swap = |[array, position]: [u64; 2]| [position, array];
    packed(slice).map(move |f| PairedRuns { start: swap(f.start), stride: swap(f.stride), ..f })
}

/// Calls `body` with the offsets in bytes, counted from `at`, of each combination of indices of `levels`. The last
/// level is the outermost loop.
pub(super) fn for_each_offset(levels: &[Level<'_>], at: [isize; 2], body: &mut impl FnMut([isize; 2])) {
    let Some((level, inner)) = levels.split_last() else { return body(at) };
    let stride = level.stride();
    level.each(|f| {
        for (k, i) in (0..f.count).flat_map(|k| (0..f.len).map(move |i| (k, i))) {
            let index = |d: usize| signed(f.start[d] + k * f.stride[d] + i) * stride[d];
            for_each_offset(inner, [at[0] + index(0), at[1] + index(1)], body);
        }
    });
}

/// Converts a distance in bytes to the operand of `wrapping_add`; a negative one wraps around.
pub(super) fn distance(bytes: isize) -> usize {
    usize::from_ne_bytes(bytes.to_ne_bytes())
}

/// Converts an index into memory to `isize`. Panics if it does not fit, which no index into existing memory does.
pub(super) fn signed(i: u64) -> isize {
    isize::try_from(i).expect("an index into memory fits in isize")
}
