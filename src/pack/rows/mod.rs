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
//! 4. Where rows that are updated in any order are one number, one loop reads, combines and writes them. It computes what becomes of the
//!    first value for a row and of a later one, and keeps one of both, because which one it is follows no rule that a branch could use.

mod loops;
mod numbers;

pub use numbers::{RowNumbers, RowPairs};

use super::array::{Destination, Source};
use super::column::index;
use super::combine::{RowUpdate, RowUpdates};
use super::nest::distance;
use super::rectangle::Instructions;
use super::update::Update;
use crate::layout::strides::Shape;
use loops::{Counted, Numbered, OfPair, PART, copied, sent, sent_run, taken, written};
use numbers::{PairWords, RowNumber, Words};
use std::ops::Range;

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

/// Rows of a source that follow each other, and where they go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPart {
    /// Which of two sources.
    pub source: usize,
    /// The first row.
    pub from: u64,
    /// Rows of the destination.
    pub to: RowTargets,
}

/// Where rows go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RowTargets {
    /// To rows that follow each other, from this one on.
    Run {
        /// The first.
        start: u64,
        /// How many.
        len: u64,
        /// Whether all are marked; otherwise none is.
        marked: bool,
    },
    /// To those that these of a list of numbers name.
    Numbers(Range<usize>),
}

impl RowTargets {
    /// How many.
    fn len(&self) -> u64 {
        match self {
            Self::Run { len, .. } => *len,
            Self::Numbers(range) => range.len() as u64,
        }
    }

    /// One past the greatest, where numbers are below `end`; `None` if 64 bits do not hold it.
    fn end(&self, end: u64) -> Option<u64> {
        match self {
            Self::Run { start, len, .. } => start.checked_add(*len),
            Self::Numbers(_) => Some(end),
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
        pair.each_piece(|[a, b]| {
            let from = Numbered(from.base().wrapping_add(a).cast_mut(), pair.strides[0]);
            let to = Counted(self.base().wrapping_add(b), pair.strides[1]);
            // SAFETY: each row that is named is one of its array's (asserted), and the pieces of a row are in the array.
            unsafe {
                match &numbers.words {
                    Words::Narrow(words) => take(from, to, words, (&pair, element), update),
                    Words::Wide(words) => take(from, to, words, (&pair, element), update),
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
        let element = self.element();
        let update = update.filter(|update| !update.is_copy()).map(|update| numbers_of(update, element));
        pair.each_piece(|[a, b]| {
            let from = OfPair::<1>(Numbered(from.base().wrapping_add(a).cast_mut(), pair.strides[0]));
            let to = OfPair::<0>(Numbered(self.base().wrapping_add(b), pair.strides[1]));
            let bytes = (pair.piece, element);
            // SAFETY: each row that is named is one of its array's (asserted), and the pieces of a row are in the array.
            unsafe {
                match &pairs.words {
                    PairWords::Narrow(words) => written(from, to, words, bytes, update.as_ref()),
                    PairWords::Wide(words) => written(from, to, words, bytes, update.as_ref()),
                }
            }
        });
    }

    /// Writes rows of `from`, part by part and one after the other, to rows of this array along dimension `dim`: of `numbers`, or of
    /// runs. Of `updates` the first one is for rows that are marked, the second one for others; without them all are copied.
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
            updates.map(|updates| RowUpdates::new(updates.map(|update| numbers_of(&update, element))));
        let end = numbers.end;
        let pairs = from.map(|from| from.map(|from| (from, RowPair::new(from.shape(), self.shape(), dim))));
        for part in parts {
            let (source, pair) = pairs[part.source].as_ref().expect("a source of which rows are written");
            let ends = [part.from.checked_add(part.to.len()), part.to.end(end)];
            let inside = ends.iter().zip(pair.rows).all(|(end, rows)| end.is_some_and(|end| end <= rows));
            assert!(inside, "{part:?} below {end}, of {:?}", pair.rows);
            pair.each_piece(|[a, b]| {
                let first = source.base().wrapping_add(a).cast_mut();
                let from = Counted(
                    first.wrapping_add(index(part.from).wrapping_mul(pair.strides[0])),
                    pair.strides[0],
                );
                let to = self.base().wrapping_add(b);
                let bytes = (pair.piece, element);
                // SAFETY: each row that is named is one of its array's (asserted), and the pieces of a row are in the array.
                unsafe {
                    match (&part.to, &numbers.words) {
                        (&RowTargets::Run { start, len, marked }, _) => {
                            let to = Counted(
                                to.wrapping_add(index(start).wrapping_mul(pair.strides[1])),
                                pair.strides[1],
                            );
                            let update = updates.as_ref().map(|updates| updates.of(marked));
                            sent_run(from, to, index(len), pair, element, update);
                        }
                        (RowTargets::Numbers(range), Words::Narrow(words)) => {
                            let to = Numbered(to, pair.strides[1]);
                            sent(from, to, &words[range.clone()], bytes, updates.as_ref());
                        }
                        (RowTargets::Numbers(range), Words::Wide(words)) => {
                            let to = Numbered(to, pair.strides[1]);
                            sent(from, to, &words[range.clone()], bytes, updates.as_ref());
                        }
                    }
                }
            });
        }
    }
}

/// The update of rows of numbers of `element` bytes.
fn numbers_of(update: &Update, element: usize) -> RowUpdate {
    assert_eq!(update.number().bytes(), element, "an update of other elements");
    RowUpdate::new(update, Instructions::best())
}

/// Writes rows that are in order, or updates them.
///
/// # Safety
/// Each piece of a row is readable where `from` says, and writable where `to` does; readable, too, if it is updated.
unsafe fn take<N: RowNumber>(
    from: Numbered,
    to: Counted,
    numbers: &[N],
    (pair, element): (&RowPair, usize),
    update: Option<&RowUpdate>,
) {
    // Rows that are not side by side are updated one by one.
    let part = if to.1 == pair.piece { PART / pair.piece } else { 1 };
    // SAFETY: this fn's contract.
    unsafe {
        match update {
            None => copied(from, to, numbers, pair.piece),
            Some(update) => taken(from, to, numbers, pair.piece, (part, element), update),
        }
    }
}

#[cfg(test)]
mod tests;
