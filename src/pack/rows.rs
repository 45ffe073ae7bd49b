//! Copy rows of one array to rows of another, in any order.
//!
//! A row is what an array has at one index of one of its dimensions.
//!
//! ```text
//! for each row of the destination: copy the row of the source that has its number
//! ```
//! Deviations from that text:
//! 1. A row is in pieces that are contiguous; the loops over these pieces are outside.
//! 2. The loop over rows is chosen by the bytes of a piece, once, so that a short piece is one block without a branch.
//! 3. Rows that are updated in order are first copied side by side, as many as fit in the first cache, and then updated as one.
//! 4. Where rows that are updated in any order are one number, one loop reads, combines and writes them.

mod loops;
mod numbers;

pub use numbers::{RowNumbers, RowPairs};

use super::array::{Destination, Source};
use super::column::index;
use super::combine::RowUpdate;
use super::nest::distance;
use super::rectangle::Instructions;
use super::shape::Shape;
use super::update::Update;
use loops::{Counted, PART, copied, taken, written};
use numbers::{PairWords, Words};

/// The rows of two arrays along one dimension: how far apart, and the pieces that they are in.
struct RowPair {
    /// Bytes of a piece, which is contiguous in both arrays.
    piece: usize,
    /// Bytes from one row to the next, in the source and in the destination.
    strides: [usize; 2],
    /// Rows of either.
    rows: [u64; 2],
    /// The dimensions that count pieces: how many, and the bytes from one to the next in either array.
    outer: Vec<(u64, [usize; 2])>,
}

impl RowPair {
    /// Panics unless both arrays have the same extents, but for dimension `dim`.
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

    /// Calls `body` with the bytes to each piece of row 0 in both arrays.
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

impl Destination<'_> {
    /// Writes, along dimension `dim`, to each row of this array the row of `from` that `numbers` has for it.
    pub fn take_rows(&mut self, from: &Source<'_>, dim: usize, numbers: &RowNumbers) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = numbers.end <= pair.rows[0] && numbers.len() as u64 == pair.rows[1];
        assert!(inside, "{} rows below {}, of {:?}", numbers.len(), numbers.end, pair.rows);
        if numbers.is_empty() {
            return;
        }
        let update = self.update().map(|update| RowUpdate::new(update, Instructions::best()));
        let (update, element) = (update.as_ref(), self.element());
        // Rows that are not side by side are updated one by one.
        let part = if pair.strides[1] == pair.piece { PART / pair.piece } else { 1 };
        pair.each_piece(|[a, b]| {
            let ends = (from.base().wrapping_add(a), self.base().wrapping_add(b));
            // SAFETY: each row that is named is one of the array's (asserted), and the pieces of a row are in the array.
            unsafe {
                match (update, &numbers.words) {
                    (None, Words::Narrow(words)) => copied(ends, words, Counted, pair.strides, pair.piece),
                    (None, Words::Wide(words)) => copied(ends, words, Counted, pair.strides, pair.piece),
                    (Some(update), Words::Narrow(words)) => {
                        taken(ends, words, &pair, (part, element), update)
                    }
                    (Some(update), Words::Wide(words)) => taken(ends, words, &pair, (part, element), update),
                }
            }
        });
    }

    /// For each pair (row of this array, row of `from`), one after the other, writes the one with the other along dimension `dim`; updated
    /// by `update`, if there is one.
    pub fn write_rows(&mut self, from: &Source<'_>, dim: usize, pairs: &RowPairs, update: Option<&Update>) {
        let pair = RowPair::new(from.shape(), self.shape(), dim);
        let inside = pairs.ends[0] <= pair.rows[1] && pairs.ends[1] <= pair.rows[0];
        assert!(inside, "rows below {:?}, of {:?}", pairs.ends, pair.rows);
        if let Some(update) = update {
            assert_eq!(update.number().bytes(), self.element(), "an update of other elements");
        }
        let update = update.filter(|update| !update.is_copy());
        let update = update.map(|update| RowUpdate::new(update, Instructions::best()));
        let (update, element) = (update.as_ref(), self.element());
        pair.each_piece(|[a, b]| {
            let ends = (from.base().wrapping_add(a), self.base().wrapping_add(b));
            // SAFETY: each row that is named is one of its array's (asserted), and the pieces of a row are in the array.
            unsafe {
                match &pairs.words {
                    PairWords::Narrow(words) => written(ends, words, &pair, element, update),
                    PairWords::Wide(words) => written(ends, words, &pair, element, update),
                }
            }
        });
    }
}

#[cfg(test)]
mod tests;
