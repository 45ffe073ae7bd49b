//! Copies or updates rows of one array with rows of another, by lists of row numbers.
//!
//! A row is the part of an array at one index of one dimension.
//!
//! ```text
//! for each row of the destination: copy the row of the source that has its number
//! ```
//! Deviations from that text:
//! 1. A row consists of contiguous pieces; the loops over the pieces of a row are outermost.
//! 2. The loop over rows is chosen once, by the bytes of a piece. So a short piece is one block, without a branch.
//! 3. If consecutive rows of the destination are updated, as many pieces of the source as fit in the first-level cache
//!    are first copied to a buffer, side by side. Then they update the destination as one row.
//! 4. If rows in any order are updated and have one number each, one loop reads, combines and writes them. It computes
//!    two results, for a first value of the row and for a later one, and selects one without a branch: the processor
//!    could not predict which.

mod loops;
mod numbers;

pub use numbers::{RowNumbers, RowPairs};

use super::array::{Destination, Source};
use super::column::index;
use super::combine::{RowUpdate, RowUpdates};
use super::instructions::Instructions;
use super::level::distance;
use super::update::Update;
use crate::layout::strides::Shape;
use loops::{
    ConsecutiveRows, NumberedRows, PART_BYTES, PairedRows, copy_rows, update_in_order, write_in_order,
    write_listed, write_run,
};
use numbers::{PairWords, RowNumber, Words};
use std::ops::Range;

/// Rows of two arrays along one dimension: their distances and pieces.
struct RowPair {
    /// Bytes of a piece, which is contiguous in both arrays.
    piece: usize,
    /// Bytes from row to row, in the source and in the destination.
    strides: [usize; 2],
    /// Number of rows of the source, and of the destination.
    rows: [u64; 2],
    /// The dimensions that number the pieces of a row: extent, and bytes from piece to piece in both arrays.
    outer: Vec<(u64, [usize; 2])>,
}

impl RowPair {
    /// Computes the pieces. Panics unless both arrays have the same extents except in dimension `dim`.
    fn new(from: &Shape, to: &Shape, dim: usize) -> Self {
        let (a, b) = (from.dims(), to.dims());
        let alike = a.len() == b.len() && (0..a.len()).all(|d| d == dim || a[d].extent == b[d].extent);
        assert!(alike && from.element() == to.element(), "rows of {from:?} and {to:?}");
        let bytes = |stride: i64| distance(isize::try_from(stride).expect("strides are within memory"));
        let (mut piece, mut outer) = (from.element(), Vec::new());
        for d in (0..a.len()).filter(|&d| d != dim) {
            let strides = [a[d].stride, b[d].stride].map(bytes);
            match usize::try_from(a[d].extent) {
                Ok(extent) if strides == [piece; 2] && outer.is_empty() && d < dim => piece *= extent,
                _ => outer.push((a[d].extent, strides)),
            }
        }
        let strides = [a[dim].stride, b[dim].stride].map(bytes);
        Self { piece, strides, rows: [a[dim].extent, b[dim].extent], outer }
    }

    /// Calls `body` with the offset of each piece of row 0 in both arrays.
    fn each_piece(&self, mut body: impl FnMut([usize; 2])) {
        if self.piece == 0 || self.outer.iter().any(|&(extent, _)| extent == 0) {
            return;
        }
        let mut at = vec![0; self.outer.len()];
        loop {
            let places = at.iter().zip(&self.outer);
            body(places.fold([0; 2], |sum, (&k, (_, strides))| {
                [0, 1].map(|d| strides[d].wrapping_mul(index(k)).wrapping_add(sum[d]))
            }));
            let Some(d) = (0..at.len()).find(|&d| at[d] + 1 < self.outer[d].0) else { return };
            at[..d].fill(0);
            at[d] += 1;
        }
    }
}

/// Consecutive rows of a source, and their targets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPart {
    /// Index of the source, 0 or 1.
    pub source: usize,
    /// First row of the source.
    pub from: u64,
    /// Target rows in the destination.
    pub to: RowTargets,
}

/// Target rows of a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowTargets {
    /// Consecutive rows of the destination.
    Run {
        /// First row of the run.
        start: u64,
        /// Number of rows in the run.
        len: u64,
        /// Whether all rows are marked; otherwise none is.
        marked: bool,
    },
    /// The rows in this range of the list of row numbers.
    Numbers(Range<usize>),
}

impl RowTargets {
    fn len(&self) -> u64 {
        match self {
            Self::Run { len, .. } => *len,
            Self::Numbers(range) => range.len() as u64,
        }
    }

    /// Returns an upper bound, exclusive, of the rows; listed numbers are below `end`. `None` if it exceeds 64 bits.
    fn end(&self, end: u64) -> Option<u64> {
        match self {
            Self::Run { start, len, .. } => start.checked_add(*len),
            Self::Numbers(_) => Some(end),
        }
    }
}

impl Destination<'_> {
    /// Writes row `numbers[k]` of `from` to row `k` of this array, for each `k`. Rows are numbered along dimension
    /// `dim`.
    pub fn take_rows(&mut self, from: &Source<'_>, dim: usize, numbers: &RowNumbers) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = numbers.end <= pair.rows[0] && numbers.len() as u64 == pair.rows[1];
        assert!(inside, "{} rows below {}, of {:?}", numbers.len(), numbers.end, pair.rows);
        if numbers.is_empty() {
            return;
        }
        let update = self.update().map(|update| RowUpdate::new(update, Instructions::best()));
        let (update, element) = (update.as_ref(), self.element());
        pair.each_piece(|[a, b]| {
            let from = NumberedRows(from.base().wrapping_add(a).cast_mut(), pair.strides[0]);
            let to = ConsecutiveRows(self.base().wrapping_add(b), pair.strides[1]);
            // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
            unsafe {
                match &numbers.words {
                    Words::Narrow(words) => take(from, to, words, (&pair, element), update),
                    Words::Wide(words) => take(from, to, words, (&pair, element), update),
                }
            }
        });
    }

    /// Writes rows of `from` to rows of this array along dimension `dim`, for each (row of this array, row of `from`)
    /// of `pairs` in order. Combines them by `update`, if it is given.
    pub fn write_rows(&mut self, from: &Source<'_>, dim: usize, pairs: &RowPairs, update: Option<&Update>) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = pairs.ends[0] <= pair.rows[1] && pairs.ends[1] <= pair.rows[0];
        assert!(inside, "rows below {:?}, of {:?}", pairs.ends, pair.rows);
        let element = self.element();
        let update = update.filter(|update| !update.is_copy()).map(|update| row_update(update, element));
        pair.each_piece(|[a, b]| {
            let from = PairedRows::<1>(NumberedRows(from.base().wrapping_add(a).cast_mut(), pair.strides[0]));
            let to = PairedRows::<0>(NumberedRows(self.base().wrapping_add(b), pair.strides[1]));
            let bytes = (pair.piece, element);
            // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
            unsafe {
                match &pairs.words {
                    PairWords::Narrow(words) => write_in_order(from, to, words, bytes, update.as_ref()),
                    PairWords::Wide(words) => write_in_order(from, to, words, bytes, update.as_ref()),
                }
            }
        });
    }

    /// Writes rows of `from` to rows of this array along dimension `dim`, part by part and in order. The target of a
    /// part is a run of rows or a range of `numbers`. The first of `updates` applies to marked rows, the second to
    /// others; without updates rows are copied.
    pub fn send_rows(
        &mut self,
        from: [Option<&Source<'_>>; 2],
        dim: usize,
        (numbers, parts): (&RowNumbers, &[RowPart]),
        updates: Option<[Update; 2]>,
    ) {
        let element = self.element();
        let updates = updates.filter(|updates| !updates.iter().all(Update::is_copy));
        let updates =
            updates.map(|updates| RowUpdates::new(updates.map(|update| row_update(&update, element))));
        let end = numbers.end;
        let pairs = from.map(|from| from.map(|from| (from, RowPair::new(from.shape(), self.shape(), dim))));
        for part in parts {
            let (source, pair) = pairs[part.source].as_ref().expect("a source of which rows are written");
            let ends = [part.from.checked_add(part.to.len()), part.to.end(end)];
            let inside = ends.iter().zip(pair.rows).all(|(end, rows)| end.is_some_and(|end| end <= rows));
            assert!(inside, "{part:?} below {end}, of {:?}", pair.rows);
            pair.each_piece(|[a, b]| {
                let first = source.base().wrapping_add(a).cast_mut();
                let from = ConsecutiveRows(
                    first.wrapping_add(index(part.from).wrapping_mul(pair.strides[0])),
                    pair.strides[0],
                );
                let to = self.base().wrapping_add(b);
                let bytes = (pair.piece, element);
                // SAFETY: each listed row exists in its array (asserted), and the pieces of a row lie in the array.
                unsafe {
                    match (&part.to, &numbers.words) {
                        (&RowTargets::Run { start, len, marked }, _) => {
                            let to = ConsecutiveRows(
                                to.wrapping_add(index(start).wrapping_mul(pair.strides[1])),
                                pair.strides[1],
                            );
                            let update = updates.as_ref().map(|updates| updates.of(marked));
                            write_run(from, to, index(len), pair, element, update);
                        }
                        (RowTargets::Numbers(range), Words::Narrow(words)) => {
                            let to = NumberedRows(to, pair.strides[1]);
                            write_listed(from, to, &words[range.clone()], bytes, updates.as_ref());
                        }
                        (RowTargets::Numbers(range), Words::Wide(words)) => {
                            let to = NumberedRows(to, pair.strides[1]);
                            write_listed(from, to, &words[range.clone()], bytes, updates.as_ref());
                        }
                    }
                }
            });
        }
    }
}

/// Returns the update of rows of numbers with `element` bytes. Panics if the sizes differ.
fn row_update(update: &Update, element: usize) -> RowUpdate {
    assert_eq!(update.number().bytes(), element, "an update of other elements");
    RowUpdate::new(update, Instructions::best())
}

/// Writes or updates consecutive rows of `to` with the rows of `from` that `numbers` lists.
///
/// # Safety
/// Each piece of a row is readable at its place in `from`, and writable at its place in `to`; if it is updated, also
/// readable there.
unsafe fn take<N: RowNumber>(
    from: NumberedRows,
    to: ConsecutiveRows,
    numbers: &[N],
    (pair, element): (&RowPair, usize),
    update: Option<&RowUpdate>,
) {
    // Rows that are not side by side are updated one by one.
    let part = if to.1 == pair.piece { PART_BYTES / pair.piece } else { 1 };
    // SAFETY: this fn's contract.
    unsafe {
        match update {
            None => copy_rows(from, to, numbers, pair.piece),
            Some(update) => update_in_order(from, to, numbers, pair.piece, (part, element), update),
        }
    }
}

#[cfg(test)]
mod tests;
