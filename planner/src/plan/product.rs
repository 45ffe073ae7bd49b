//! Elements of a message or of a self copy: a product of index sets, one per dimension.

use super::Piece;
use crate::layout::distribution::{Axis, AxisWalk, Local};
use crate::layout::intersect::{Builder, Family, Runs, Slice};
use crate::layout::problem::Part;
use std::ops::Range;

/// Maximum number of runs of either set to pair one by one; beyond it, the sets are intersected.
const MAX_PAIRED_RUNS: u64 = 32;

/// One dimension of a product: a sequence of positions. Each has a section index and a local index in each of `D`
/// arrays.
#[derive(Clone, Debug)]
pub struct Share<const D: usize> {
    /// Section indices; `None` if only local indices are known (then all elements move). Boxed, since a rank may have
    /// 100,000 shares without them.
    indices: Option<Box<Runs<1>>>,
    /// Local indices in each of the arrays.
    pub local: Runs<D>,
}

impl<const D: usize> Share<D> {
    /// Creates a share without section indices.
    pub fn local(local: Runs<D>) -> Self {
        Self { indices: None, local }
    }

    /// Returns the section indices, if they are known.
    pub fn indices(&self) -> Option<&Runs<1>> {
        self.indices.as_deref()
    }

    /// Returns the section indices, of which only a part may move.
    pub fn indices_to_cut(&self) -> &Runs<1> {
        self.indices().expect("shares of a part of a section have section indices")
    }

    /// Computes the local indices of the section indices `indices`. Along each of `axes`, one process must have all of
    /// them.
    pub fn new(indices: Runs<1>, axes: [&Axis; D]) -> Self {
        let local = |i: u64| axes.map(|axis| axis.local(i).0);
        let local = if axes.iter().all(|axis| axis.preserves_spacing()) {
            indices.map(local)
        } else {
            let (mut walks, steps) = (axes.map(AxisWalk::new), axes.map(Axis::step));
            indices.map_runs(local, |family, out| match map_family(&mut walks, axes, family) {
                Some(whole) => out.push(whole),
                None => (0..family.count).for_each(|k| {
                    let start = family.start[0] + k * family.stride[0];
                    push_stretches(&mut walks, steps, start..start + family.len, out);
                }),
            })
        };
        Self { indices: Some(Box::new(indices)), local }
    }
}

impl Share<2> {
    /// Pairs the share `a` of the source with the share `b` of the destination. Both belong to one process and have the
    /// same elements; `shared` returns their section indices.
    pub fn of_both([a, b]: [&Share<1>; 2], axes: [&Axis; 2], shared: impl FnOnce() -> Runs<1>) -> Self {
        // Pairing looks at each run of both sets, and a periodic set may have any number of runs.
        let has_many_runs = || a.local.runs().max(b.local.runs()) > MAX_PAIRED_RUNS;
        match a.indices() {
            Some(indices) => Self::new(indices.clone(), axes),
            None if has_many_runs() && axes.iter().all(|axis| axis.preserves_spacing()) => {
                Self::new(shared(), axes)
            }
            None => Self::local(Runs::of_both(&a.local, &b.local)),
        }
    }
}

/// Maps a family of section indices to one family of local indices. Its runs stay equidistant on a steady axis, and on
/// any other axis if one stretch contains them all; otherwise returns `None`. Also returns `None` for fewer than 3
/// runs, or if the section has a step.
fn map_family<const D: usize>(
    walks: &mut [AxisWalk<'_>; D],
    axes: [&Axis; D],
    family: &Family<1>,
) -> Option<Family<D>> {
    if family.count < 3 || axes.iter().any(|axis| axis.step() != 1) {
        return None;
    }
    let (first, apart) = (family.start[0], family.stride[0]);
    let (mut start, mut stride) = ([0; D], [apart; D]);
    for (d, (walk, axis)) in walks.iter_mut().zip(axes).enumerate() {
        if axis.preserves_spacing() {
            start[d] = axis.local(first).0;
            stride[d] = axis.local(first + apart).0 - start[d];
            continue;
        }
        let (Local(own), alike) = walk.at(first);
        if family.end(0) - first > alike {
            return None;
        }
        start[d] = own;
    }
    Some(Family { start, stride, len: family.len, count: family.count })
}

/// Appends the local indices of the section indices `span`, stretch by stretch. Within a stretch, consecutive section
/// indices are `steps` apart in the local arrays.
#[inline]
fn push_stretches<const D: usize>(
    walks: &mut [AxisWalk<'_>; D],
    steps: [u64; D],
    span: Range<u64>,
    out: &mut Builder<D>,
) {
    let mut i = span.start;
    while i < span.end {
        let mut stretch = span.end - i;
        let at = std::array::from_fn(|d| {
            let (Local(own), alike) = walks[d].at(i);
            stretch = stretch.min(alike);
            own
        });
        out.push(match (stretch, steps.iter().all(|&step| step == 1)) {
            (_, true) => Family::run(at, stretch),
            (1, false) => Family::run(at, 1),
            (count, false) => Family { start: at, stride: steps, len: 1, count },
        });
        i += stretch;
    }
}

/// A product of index sets, one per dimension. Each is an entry of a table. Elements travel in ascending order of
/// section indices, the first dimension fastest.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, const D: usize> {
    /// Table of index sets of each dimension.
    pub shares: &'a [Vec<Share<D>>],
    /// Entry of the table, per dimension.
    pub which: &'a [u32],
}

impl<const D: usize> Product<'_, D> {
    /// Iterates over the index sets, dimension by dimension.
    pub fn dims(&self) -> impl Iterator<Item = &Share<D>> {
        self.shares.iter().zip(self.which).map(|(shares, &k)| &shares[k as usize])
    }

    /// Returns the range of all positions, per dimension.
    pub fn whole(&self) -> impl Iterator<Item = Range<u64>> {
        self.dims().map(|share| 0..share.local.total())
    }

    /// Returns the number of elements of `piece` that move.
    pub fn elements(&self, piece: &Piece, part: &Part) -> u64 {
        match part {
            Part::Whole => piece.count(),
            _ => {
                let mut sum = 0;
                self.for_each_column(piece, part, |_, rows| sum += rows.end - rows.start);
                sum
            }
        }
    }

    /// Calls `strip` with the local indices of each strip of `piece`, one set per dimension, in travelling order. If
    /// the whole section moves, a piece is one strip. `scratch` is reused memory; its contents are ignored.
    pub fn for_each_strip(
        &self,
        piece: &Piece,
        part: &Part,
        scratch: &mut Strips<D>,
        mut strip: impl FnMut(&[Slice<D>]),
    ) {
        let rank = self.which.len();
        if scratch.0.len() < rank {
            scratch.0.resize_with(rank, Slice::default);
        }
        let dims = &mut scratch.0[..rank];
        match part {
            Part::Whole => {
                self.slice(piece.ranges().iter().cloned(), dims);
                strip(dims);
            }
            _ => {
                // Neighbouring columns with equal rows are joined into one strip.
                let mut alike = (0..0, 0..0);
                let mut add = |cols: Range<u64>, rows: Range<u64>| {
                    if alike.0.end == cols.start && alike.1 == rows {
                        alike.0.end = cols.end;
                        return;
                    }
                    let (cols, rows) = std::mem::replace(&mut alike, (cols, rows));
                    if !cols.is_empty() {
                        self.slice([rows, cols].into_iter(), dims);
                        strip(dims);
                    }
                };
                self.for_each_column(piece, part, |col, rows| add(col..col + 1, rows));
                add(0..0, 0..0);
            }
        }
        // Releases the lists of runs, but keeps the allocation.
        dims.iter_mut().for_each(Slice::clear);
    }

    /// Returns the smallest range with all local indices of `piece` in dimension `d`, in array number `coordinate`.
    pub fn local_range(&self, piece: &Piece, d: usize, coordinate: usize) -> Range<u64> {
        let mut slice = Slice::default();
        let share = self.dims().nth(d).zip(piece.ranges().get(d));
        share.inspect(|(share, range)| share.local.slice((*range).clone(), &mut slice));
        if slice.is_empty() { 0..0 } else { slice.start(coordinate)..slice.end(coordinate) }
    }

    /// Sets `dims` to the local indices at the positions `ranges`.
    fn slice(&self, ranges: impl Iterator<Item = Range<u64>>, dims: &mut [Slice<D>]) {
        for ((share, range), slice) in self.dims().zip(ranges).zip(dims) {
            share.local.slice(range, slice);
        }
    }

    /// Calls `column` for each column of `piece` with elements that move: its position, and the range of their row
    /// positions.
    fn for_each_column(&self, piece: &Piece, part: &Part, mut column: impl FnMut(u64, Range<u64>)) {
        let mut dims = self.dims().zip(piece.ranges().iter().cloned());
        let (Some((rows, row_range)), Some((cols, col_range))) = (dims.next(), dims.next()) else {
            panic!("a part of a section has rows and columns");
        };
        let mut slice = Slice::default();
        cols.indices_to_cut().slice(col_range.clone(), &mut slice);
        let runs =
            slice.each().flat_map(|f| (0..f.count).map(move |k| (f.start[0] + k * f.stride[0], f.len)));
        for (col, j) in col_range.zip(runs.flat_map(|(start, len)| start..start + len)) {
            let kept = part.positions(rows.indices_to_cut(), j);
            let rows = kept.start.max(row_range.start)..kept.end.min(row_range.end);
            if rows.start < rows.end {
                column(col, rows);
            }
        }
    }
}

/// Reusable memory for the index sets of one strip.
#[derive(Debug, Default)]
pub struct Strips<const D: usize>(Vec<Slice<D>>);
