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
//!    the results for a marked row and for another one, and selects one without a branch, which the processor could not
//!    predict.

mod loops;
mod numbers;

pub use numbers::{RowNumbers, RowPairs};

use super::column::index;
use super::combine::{RowUpdate, RowUpdates};
use super::level::distance;
use crate::layout::strides::Shape;
use loops::{
    ConsecutiveRows, NumberedRows, PART_BYTES, PairedRows, copy_rows, update_in_order, write_in_order,
    write_listed, write_run,
};
use numbers::{PairWords, Words};
use std::ops::Range;

/// Rows of two arrays along one dimension.
pub(super) struct RowPair {
    element: usize,
    /// Bytes of a piece, which is contiguous in both arrays.
    piece: usize,
    /// Bytes from row to row in both arrays.
    strides: [usize; 2],
    /// Number of rows of the source, and of the destination.
    pub rows: [u64; 2],
    /// Dimensions that number the pieces of a row: extent, and bytes from piece to piece in both arrays.
    outer: Vec<(u64, [usize; 2])>,
}

impl RowPair {
    /// Computes the pieces. Panics unless both arrays have the same extents except in dimension `dim`.
    pub fn new(from: &Shape, to: &Shape, dim: usize) -> Self {
        let (a, b) = (from.dims(), to.dims());
        let alike = a.len() == b.len() && (0..a.len()).all(|d| d == dim || a[d].extent == b[d].extent);
        assert!(alike && from.element() == to.element(), "rows of {from:?} and {to:?}");
        let bytes = |stride: i64| distance(isize::try_from(stride).expect("strides are within memory"));
        let element = from.element();
        let (mut piece, mut outer) = (element, Vec::new());
        for d in (0..a.len()).filter(|&d| d != dim) {
            let strides = [a[d].stride, b[d].stride].map(bytes);
            match usize::try_from(a[d].extent) {
                Ok(extent) if strides == [piece; 2] && outer.is_empty() && d < dim => piece *= extent,
                _ => outer.push((a[d].extent, strides)),
            }
        }
        let strides = [a[dim].stride, b[dim].stride].map(bytes);
        Self { element, piece, strides, rows: [a[dim].extent, b[dim].extent], outer }
    }

    /// Calls `body` with the address of each piece of row 0 in the arrays at `from` and `to`.
    fn each_piece(&self, (from, to): (*const u8, *mut u8), mut body: impl FnMut(*mut u8, *mut u8)) {
        if self.piece == 0 || self.outer.iter().any(|&(extent, _)| extent == 0) {
            return;
        }
        let mut at = vec![0; self.outer.len()];
        loop {
            let places = at.iter().zip(&self.outer);
            let [a, b] = places.fold([0; 2], |sum: [usize; 2], (&k, (_, strides))| {
                [0, 1].map(|d| strides[d].wrapping_mul(index(k)).wrapping_add(sum[d]))
            });
            body(from.wrapping_add(a).cast_mut(), to.wrapping_add(b));
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
    /// Number of the first row of the source.
    pub from: u64,
    /// Rows of the destination, one for each row taken from the source.
    pub to: RowTargets,
}

/// Rows of the destination that a [`RowPart`] writes, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowTargets {
    /// Rows with consecutive numbers.
    Run {
        /// Number of the first row.
        start: u64,
        /// Number of rows.
        len: u64,
        /// True if all rows are marked; otherwise none is.
        marked: bool,
    },
    /// The rows in this range of the list of row numbers.
    Numbers(Range<usize>),
}

impl RowTargets {
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Run { len, .. } => *len,
            Self::Numbers(range) => range.len() as u64,
        }
    }

    /// Returns each row in order, and whether it is marked.
    pub(super) fn rows<'n>(&self, numbers: &'n RowNumbers) -> impl Iterator<Item = (u64, bool)> + use<'n> {
        let (run, marked, range) = match self {
            Self::Run { start, len, marked } => (*start..start + len, *marked, 0..0),
            Self::Numbers(range) => (0..0, false, range.clone()),
        };
        run.map(move |row| (row, marked)).chain(range.map(|k| (numbers.get(k), numbers.is_marked(k))))
    }

    /// Returns an exclusive upper bound of the rows; listed numbers are below `end`. `None` if it exceeds 64 bits.
    pub(super) fn end(&self, end: u64) -> Option<u64> {
        match self {
            Self::Run { start, len, .. } => start.checked_add(*len),
            Self::Numbers(_) => Some(end),
        }
    }
}

/// Writes row `numbers[k]` of the first array to row `k` of the second one, for each `k`. `ends` has their addresses.
///
/// # Safety
/// `pair` describes these arrays, and each row exists in its array. The pieces of a row are readable in the source and
/// writable in the destination; if they are updated, also readable there.
pub(super) unsafe fn take_rows(
    ends: (*const u8, *mut u8),
    pair: &RowPair,
    numbers: &RowNumbers,
    update: Option<&RowUpdate>,
) {
    pair.each_piece(ends, |from, to| {
        // Rows that are not side by side are updated one by one.
        let part = if pair.strides[1] == pair.piece { PART_BYTES / pair.piece } else { 1 };
        let (from, to) = (NumberedRows(from, pair.strides[0]), ConsecutiveRows(to, pair.strides[1]));
        let parts = (part, pair.element);
        // SAFETY: this fn's contract.
        unsafe {
            match (&numbers.words, update) {
                (Words::Narrow(words), None) => copy_rows(from, to, words, pair.piece),
                (Words::Wide(words), None) => copy_rows(from, to, words, pair.piece),
                (Words::Narrow(words), Some(update)) => {
                    update_in_order(from, to, words, pair.piece, parts, update)
                }
                (Words::Wide(words), Some(update)) => {
                    update_in_order(from, to, words, pair.piece, parts, update)
                }
            }
        }
    });
}

/// Writes or updates rows of the second array with rows of the first one, for each (row that is written, row that is
/// read) of `pairs` in order.
///
/// # Safety
/// As for [`take_rows`].
pub(super) unsafe fn write_rows(
    ends: (*const u8, *mut u8),
    pair: &RowPair,
    pairs: &RowPairs,
    update: Option<&RowUpdate>,
) {
    pair.each_piece(ends, |from, to| {
        let from = PairedRows::<1>(NumberedRows(from, pair.strides[0]));
        let to = PairedRows::<0>(NumberedRows(to, pair.strides[1]));
        let bytes = (pair.piece, pair.element);
        // SAFETY: this fn's contract.
        unsafe {
            match &pairs.words {
                PairWords::Narrow(words) => write_in_order(from, to, words, bytes, update),
                PairWords::Wide(words) => write_in_order(from, to, words, bytes, update),
            }
        }
    });
}

/// Writes or updates the rows of the second array that `part` names with consecutive rows of the first one.
///
/// # Safety
/// As for [`take_rows`].
pub(super) unsafe fn send_rows(
    ends: (*const u8, *mut u8),
    pair: &RowPair,
    (numbers, part): (&RowNumbers, &RowPart),
    updates: Option<&RowUpdates>,
) {
    let bytes = (pair.piece, pair.element);
    pair.each_piece(ends, |from, to| {
        let from = ConsecutiveRows(from, pair.strides[0]).skip(part.from);
        // SAFETY: this fn's contract.
        unsafe {
            match (&part.to, &numbers.words) {
                (&RowTargets::Run { start, len, marked }, _) => {
                    let to = ConsecutiveRows(to, pair.strides[1]).skip(start);
                    write_run(from, to, index(len), pair, updates.map(|updates| updates.of(marked)));
                }
                (RowTargets::Numbers(range), Words::Narrow(words)) => {
                    let to = NumberedRows(to, pair.strides[1]);
                    write_listed(from, to, &words[range.clone()], bytes, updates);
                }
                (RowTargets::Numbers(range), Words::Wide(words)) => {
                    let to = NumberedRows(to, pair.strides[1]);
                    write_listed(from, to, &words[range.clone()], bytes, updates);
                }
            }
        }
    });
}

#[cfg(test)]
mod tests;
