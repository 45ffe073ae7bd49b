//! Loops over rows that copy or update one piece of each row, for both widths of row numbers.

use super::super::block::{self, copy_block};
use super::super::column::index;
use super::super::combine::{RowUpdate, RowUpdates};
use super::RowPair;
use super::numbers::RowNumber;
use std::mem::MaybeUninit;

/// Size of the buffer for rows that are updated together, in bytes.
pub(super) const PART_BYTES: usize = 4 << 10;

/// The rows of one side of a copy: maps a word of a list to the address of its row.
pub(super) trait RowPlace<W: Copy>: Copy {
    /// Returns the address of the row for `word`, the word at index `k` of the list.
    fn at(self, k: usize, word: W) -> *mut u8;
}

/// Consecutive rows, whatever the words: address of the first row, and bytes from row to row.
#[derive(Clone, Copy)]
pub(super) struct ConsecutiveRows(pub *mut u8, pub usize);

impl ConsecutiveRows {
    /// Returns the rows from row `first` on.
    pub fn skip(self, first: u64) -> Self {
        Self(self.0.wrapping_add(index(first).wrapping_mul(self.1)), self.1)
    }
}

impl<W: Copy> RowPlace<W> for ConsecutiveRows {
    #[inline(always)]
    fn at(self, k: usize, _: W) -> *mut u8 {
        self.0.wrapping_add(k.wrapping_mul(self.1))
    }
}

/// Rows that words give as numbers, marked or not: address of row 0, and bytes from row to row.
#[derive(Clone, Copy)]
pub(super) struct NumberedRows(pub *mut u8, pub usize);

impl<W: RowNumber> RowPlace<W> for NumberedRows {
    #[inline(always)]
    fn at(self, _: usize, word: W) -> *mut u8 {
        self.0.wrapping_add(word.index().wrapping_mul(self.1))
    }
}

/// Rows that are the first numbers of pairs, or the second numbers.
#[derive(Clone, Copy)]
pub(super) struct PairedRows<const SECOND: usize>(pub NumberedRows);

impl<N: RowNumber, const SECOND: usize> RowPlace<[N; 2]> for PairedRows<SECOND> {
    #[inline(always)]
    fn at(self, k: usize, word: [N; 2]) -> *mut u8 {
        self.0.at(k, word[SECOND])
    }
}

/// Copies a piece of `bytes` bytes for each word, from its row of `from` to its row of `to`.
///
/// # Safety
/// Each piece is readable at its place in `from` and writable at its place in `to`.
#[inline(always)]
pub(super) unsafe fn copy_rows<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    bytes: usize,
) {
    // SAFETY: each arm copies `bytes` bytes per piece; this fn's contract.
    unsafe {
        match bytes {
            1 => equal_pieces::<1, W>(from, to, words),
            2 => equal_pieces::<2, W>(from, to, words),
            4 => equal_pieces::<4, W>(from, to, words),
            8 => equal_pieces::<8, W>(from, to, words),
            16 => equal_pieces::<16, W>(from, to, words),
            24 => equal_pieces::<24, W>(from, to, words),
            32 => equal_pieces::<32, W>(from, to, words),
            _ => for_each_row(from, to, words, |a, b, _| block::copy(a, b, bytes)),
        }
    }
}

/// Calls `body` with the two addresses and the word of each row.
#[inline(always)]
fn for_each_row<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    mut body: impl FnMut(*const u8, *mut u8, W),
) {
    for (k, &word) in words.iter().enumerate() {
        body(from.at(k, word), to.at(k, word), word);
    }
}

/// Copies pieces of `B` bytes.
///
/// # Safety
/// As for [`copy_rows`].
#[inline(always)]
unsafe fn equal_pieces<const B: usize, W: Copy>(from: impl RowPlace<W>, to: impl RowPlace<W>, words: &[W]) {
    // SAFETY: this fn's contract.
    for_each_row(from, to, words, |a, b, _| unsafe { copy_block::<B>(a, b) });
}

/// Buffer for pieces of several rows, side by side.
type Part = MaybeUninit<[u8; PART_BYTES]>;

/// Updates consecutive rows of `to` with rows of `from`, `part` rows at a time. A piece has `bytes` bytes, a number
/// `element` bytes.
///
/// # Safety
/// As for [`copy_rows`]. The rows of `to` are readable. They lie side by side if `part` is more than 1.
pub(super) unsafe fn update_in_order<N: RowNumber>(
    from: NumberedRows,
    to: ConsecutiveRows,
    numbers: &[N],
    bytes: usize,
    (part, element): (usize, usize),
    update: &RowUpdate,
) {
    if part < 2 {
        // SAFETY: this fn's contract.
        return for_each_row(from, to, numbers, |a, b, _| unsafe {
            update.update_row(a, b, bytes / element, false)
        });
    }
    let mut room = Part::uninit();
    let room = room.as_mut_ptr().cast::<u8>();
    for (k, some) in numbers.chunks(part).enumerate() {
        let to = to.0.wrapping_add(k * part * bytes);
        // SAFETY: the buffer has room for these pieces and is read only as far as it was written; this fn's contract.
        unsafe {
            copy_rows(from, ConsecutiveRows(room, bytes), some, bytes);
            update.update_row(room, to, some.len() * bytes / element, false);
        }
    }
}

/// Writes or updates rows of `to` with rows of `from`, in the order of `words`.
///
/// # Safety
/// Each piece is readable at its place in `from`, and readable and writable at its place in `to`.
pub(super) unsafe fn write_in_order<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    (bytes, element): (usize, usize),
    update: Option<&RowUpdate>,
) {
    // SAFETY: this fn's contract.
    unsafe {
        match update {
            None => copy_rows(from, to, words, bytes),
            Some(update) => {
                for_each_row(from, to, words, |a, b, _| update.update_row(a, b, bytes / element, false))
            }
        }
    }
}

/// Writes consecutive rows of `from` to the rows of `to` that `numbers` lists; marked rows have their own update.
///
/// # Safety
/// As for [`write_in_order`].
pub(super) unsafe fn write_listed<N: RowNumber>(
    from: ConsecutiveRows,
    to: NumberedRows,
    numbers: &[N],
    (bytes, element): (usize, usize),
    updates: Option<&RowUpdates>,
) {
    // SAFETY: this fn's contract.
    unsafe {
        let Some(updates) = updates else { return copy_rows(from, to, numbers, bytes) };
        match (N::narrow(numbers), updates.numbers()) {
            (Some(narrow), Some(run)) if bytes == element => {
                run.update_rows(from.0, to.0, narrow, [from.1, to.1])
            }
            _ => for_each_row(from, to, numbers, |a, b, number| {
                updates.of(number.is_marked()).update_row(a, b, bytes / element, false);
            }),
        }
    }
}

/// Writes or updates consecutive rows of `to` with consecutive rows of `from`.
///
/// # Safety
/// As for [`write_in_order`].
pub(super) unsafe fn write_run(
    from: ConsecutiveRows,
    to: ConsecutiveRows,
    rows: usize,
    pair: &RowPair,
    update: Option<&RowUpdate>,
) {
    let (bytes, element) = (pair.piece, pair.element);
    let (rows, bytes) = if pair.strides == [bytes; 2] { (1, rows * bytes) } else { (rows, bytes) };
    for k in 0..rows {
        let (from, to) = (from.at(k, ()), to.at(k, ()));
        // SAFETY: this fn's contract.
        unsafe {
            match update {
                None => block::copy(from, to, bytes),
                Some(update) => update.update_row(from, to, bytes / element, false),
            }
        }
    }
}
