//! The elements of one message or local copy: a set of rows times a set of columns.

use super::Piece;
use crate::overlap::{Family, Runs};
use crate::problem::Part;
use std::ops::Range;

/// One dimension of a rectangle: the same positions as indices of the section and as local indices of `D` arrays.
#[derive(Clone, Debug)]
pub struct Share<const D: usize> {
    /// Indices of the section.
    pub indices: Runs<1>,
    /// Local indices.
    pub local: Runs<D>,
}

impl<const D: usize> Share<D> {
    /// `local` tells where each section index lives.
    pub fn new(indices: Runs<1>, local: impl Fn(u64) -> [u64; D]) -> Self {
        Self { local: indices.map(local), indices }
    }
}

/// Rows times columns. Its elements travel column by column, in ascending order of the section's indices.
#[derive(Clone, Copy, Debug)]
pub struct Rectangle<'a, const D: usize> {
    /// The rows.
    pub rows: &'a Share<D>,
    /// The columns.
    pub cols: &'a Share<D>,
}

impl<const D: usize> Rectangle<'_, D> {
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

    /// Calls `strip` with local (rows, columns) that make up `piece`, in the order in which elements travel.
    /// `scratch` saves allocations; what it holds does not matter.
    pub fn for_each_strip(
        &self,
        piece: &Piece,
        part: &Part,
        scratch: &mut Strips<D>,
        mut strip: impl FnMut(&[Family<D>], &[Family<D>]),
    ) {
        let Strips { rows, cols } = scratch;
        let mut show = |row_positions: Range<u64>, col_positions: Range<u64>| {
            rows.clear();
            cols.clear();
            self.rows.local.slice(row_positions, rows);
            self.cols.local.slice(col_positions, cols);
            strip(rows, cols);
        };
        match part {
            Part::Whole => show(piece.rows.clone(), piece.cols.clone()),
            _ => self.for_each_column(piece, part, |col, rows| show(rows, col..col + 1)),
        }
    }

    /// Calls `column` with each column position of `piece` and the row positions that move in it, if there are any.
    fn for_each_column(&self, piece: &Piece, part: &Part, mut column: impl FnMut(u64, Range<u64>)) {
        let mut families = Vec::new();
        self.cols.indices.slice(piece.cols.clone(), &mut families);
        let runs = families.iter().flat_map(|f| (0..f.count).map(|k| (f.start[0] + k * f.stride[0], f.len)));
        for (col, j) in piece.cols.clone().zip(runs.flat_map(|(start, len)| start..start + len)) {
            let kept = part.positions(&self.rows.indices, j);
            let rows = kept.start.max(piece.rows.start)..kept.end.min(piece.rows.end);
            if rows.start < rows.end {
                column(col, rows);
            }
        }
    }
}

/// Room for the families of one strip.
#[derive(Debug)]
pub struct Strips<const D: usize> {
    rows: Vec<Family<D>>,
    cols: Vec<Family<D>>,
}

impl<const D: usize> Default for Strips<D> {
    fn default() -> Self {
        Self { rows: Vec::new(), cols: Vec::new() }
    }
}
