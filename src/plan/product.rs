//! The elements of one message or local copy: a product of index sets, one a dimension.

use super::Piece;
use crate::layout::Axis;
use crate::overlap::{Family, Runs};
use crate::problem::Part;
use std::ops::Range;

/// One dimension of a product: the same positions as indices of the section and as local indices of `D` arrays.
#[derive(Clone, Debug)]
pub struct Share<const D: usize> {
    /// Indices of the section.
    pub indices: Runs<1>,
    /// Local indices.
    pub local: Runs<D>,
}

impl<const D: usize> Share<D> {
    /// The indices `indices` of a section, which each of `axes` has on one process.
    pub fn new(indices: Runs<1>, axes: [&Axis; D]) -> Self {
        let local = |i: u64| axes.map(|axis| axis.local(i).0);
        let local = if axes.iter().all(|axis| axis.is_steady()) {
            indices.map(local)
        } else {
            indices.map_runs(local, |start, len, out| stretches(axes, start, len, out))
        };
        Self { indices, local }
    }
}

/// Appends where `len` section indices from `start` on live, each stretch of them that has equal distances on all axes.
fn stretches<const D: usize>(axes: [&Axis; D], start: u64, len: u64, out: &mut Vec<Family<D>>) {
    let (end, steps) = (start + len, axes.map(Axis::step));
    let mut i = start;
    while i < end {
        let stretch = axes.iter().fold(end - i, |len, axis| len.min(axis.stretch(i)));
        let at = axes.map(|axis| axis.local(i).0);
        out.push(match (stretch, steps.iter().all(|&step| step == 1)) {
            (_, true) => Family::run(at, stretch),
            (1, false) => Family::run(at, 1),
            (count, false) => Family { start: at, stride: steps, len: 1, count },
        });
        i += stretch;
    }
}

/// An index set for each dimension, out of tables of them. The elements travel in ascending order of the section's
/// indices, those of the first dimension fastest.
#[derive(Clone, Copy, Debug)]
pub struct Product<'a, const D: usize> {
    /// Of each dimension, the index sets to choose from.
    pub shares: &'a [Vec<Share<D>>],
    /// Of each dimension, which one.
    pub which: &'a [u32],
}

impl<const D: usize> Product<'_, D> {
    /// The index sets, dimension by dimension.
    pub fn dims(&self) -> impl Iterator<Item = &Share<D>> {
        self.shares.iter().zip(self.which).map(|(shares, &k)| &shares[k as usize])
    }

    /// All of its positions, dimension by dimension.
    pub fn whole(&self) -> impl Iterator<Item = Range<u64>> {
        self.dims().map(|share| 0..share.local.total())
    }

    /// Elements of `piece` that move.
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

    /// Calls `strip` with local indices, dimension by dimension, that make up `piece`, in the order in which elements
    /// travel. `scratch` saves allocations; what it holds does not matter.
    pub fn for_each_strip(
        &self,
        piece: &Piece,
        part: &Part,
        scratch: &mut Strips<D>,
        mut strip: impl FnMut(&[Vec<Family<D>>]),
    ) {
        let rank = self.which.len();
        if scratch.0.len() < rank {
            scratch.0.resize_with(rank, Vec::new);
        }
        let dims = &mut scratch.0[..rank];
        match part {
            Part::Whole => {
                self.slice(piece.ranges().iter().cloned(), dims);
                strip(dims);
            }
            _ => self.for_each_column(piece, part, |col, rows| {
                self.slice([rows, col..col + 1].into_iter(), dims);
                strip(dims);
            }),
        }
    }

    /// The local indices at these positions.
    fn slice(&self, ranges: impl Iterator<Item = Range<u64>>, dims: &mut [Vec<Family<D>>]) {
        for ((share, range), families) in self.dims().zip(ranges).zip(dims) {
            families.clear();
            share.local.slice(range, families);
        }
    }

    /// Calls `column` with each column position of `piece` and the row positions that move in it, if there are any.
    fn for_each_column(&self, piece: &Piece, part: &Part, mut column: impl FnMut(u64, Range<u64>)) {
        let mut dims = self.dims().zip(piece.ranges().iter().cloned());
        let (Some((rows, row_range)), Some((cols, col_range))) = (dims.next(), dims.next()) else {
            panic!("a part of a section has rows and columns");
        };
        let mut families = Vec::new();
        cols.indices.slice(col_range.clone(), &mut families);
        let runs = families.iter().flat_map(|f| (0..f.count).map(|k| (f.start[0] + k * f.stride[0], f.len)));
        for (col, j) in col_range.zip(runs.flat_map(|(start, len)| start..start + len)) {
            let kept = part.positions(&rows.indices, j);
            let rows = kept.start.max(row_range.start)..kept.end.min(row_range.end);
            if rows.start < rows.end {
                column(col, rows);
            }
        }
    }
}

/// Room for the families of one strip.
#[derive(Debug, Default)]
pub struct Strips<const D: usize>(Vec<Vec<Family<D>>>);
