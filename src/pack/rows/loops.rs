//! The loops over the rows of one piece, for numbers of either width and pieces of each length.

use super::super::block::{self, block};
use super::super::combine::{RowUpdate, RowUpdates};
use super::RowPair;
use super::numbers::RowNumber;
use std::mem::MaybeUninit;

/// Bytes of rows that are updated together.
pub(super) const PART: usize = 4 << 10;

/// Where the row is that a word stands for, on one side.
pub(super) trait RowPlace<W: Copy>: Copy {
    /// That of word `k` of a list.
    fn at(self, k: usize, word: W) -> *mut u8;
}

/// Rows in order: the first one, and bytes to the next.
#[derive(Clone, Copy)]
pub(super) struct Counted(pub *mut u8, pub usize);

impl<W: Copy> RowPlace<W> for Counted {
    #[inline(always)]
    fn at(self, k: usize, _: W) -> *mut u8 {
        self.0.wrapping_add(k.wrapping_mul(self.1))
    }
}

/// Rows that have the numbers, marked or not.
#[derive(Clone, Copy)]
pub(super) struct Numbered(pub *mut u8, pub usize);

impl<W: RowNumber> RowPlace<W> for Numbered {
    #[inline(always)]
    fn at(self, _: usize, word: W) -> *mut u8 {
        self.0.wrapping_add(word.index().wrapping_mul(self.1))
    }
}

/// Rows that have the first numbers of pairs, or the second ones.
#[derive(Clone, Copy)]
pub(super) struct OfPair<const SECOND: usize>(pub Numbered);

impl<N: RowNumber, const SECOND: usize> RowPlace<[N; 2]> for OfPair<SECOND> {
    #[inline(always)]
    fn at(self, k: usize, word: [N; 2]) -> *mut u8 {
        self.0.at(k, word[SECOND])
    }
}

/// Copies pieces of `bytes` bytes, row by row.
///
/// # Safety
/// Each piece is readable where `from` says, and writable where `to` does.
#[inline(always)]
pub(super) unsafe fn copied<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    bytes: usize,
) {
    // SAFETY: each arm copies `bytes` bytes a piece; this fn's contract.
    unsafe {
        match bytes {
            1 => alike::<1, W>(from, to, words),
            2 => alike::<2, W>(from, to, words),
            4 => alike::<4, W>(from, to, words),
            8 => alike::<8, W>(from, to, words),
            16 => alike::<16, W>(from, to, words),
            24 => alike::<24, W>(from, to, words),
            32 => alike::<32, W>(from, to, words),
            _ => each(from, to, words, |a, b, _| block::copy(a, b, bytes)),
        }
    }
}

/// Calls `body` with the places of each row, and its word.
#[inline(always)]
fn each<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    mut body: impl FnMut(*const u8, *mut u8, W),
) {
    for (k, &word) in words.iter().enumerate() {
        body(from.at(k, word), to.at(k, word), word);
    }
}

/// Pieces of `B` bytes.
///
/// # Safety
/// As for [`copied`].
#[inline(always)]
unsafe fn alike<const B: usize, W: Copy>(from: impl RowPlace<W>, to: impl RowPlace<W>, words: &[W]) {
    // SAFETY: this fn's contract.
    each(from, to, words, |a, b, _| unsafe { block::<B>(a, b) });
}

/// Bytes of some rows, side by side.
type Part = MaybeUninit<[u8; PART]>;

/// Updates rows that are in order, `to`, with those of `from`, (so many, bytes of an element) at a time.
///
/// # Safety
/// As for [`copied`]; the rows of `to` have numbers that may be read, `part` of them side by side.
pub(super) unsafe fn taken<N: RowNumber>(
    from: Numbered,
    to: Counted,
    numbers: &[N],
    bytes: usize,
    (part, element): (usize, usize),
    update: &RowUpdate,
) {
    if part < 2 {
        // SAFETY: this fn's contract.
        return each(from, to, numbers, |a, b, _| unsafe { update.row(a, b, bytes / element, false) });
    }
    let mut room = Part::uninit();
    let room = room.as_mut_ptr().cast::<u8>();
    for (k, some) in numbers.chunks(part).enumerate() {
        let to = to.0.wrapping_add(k * part * bytes);
        // SAFETY: there is room for so many pieces, read only as far as it was written; this fn's contract.
        unsafe {
            copied(from, Counted(room, bytes), some, bytes);
            update.row(room, to, some.len() * bytes / element, false);
        }
    }
}

/// Writes or updates the rows of `to`, each with the row of `from` that goes there, one after the other.
///
/// # Safety
/// Each piece is readable where `from` says, and readable and writable where `to` does.
pub(super) unsafe fn written<W: Copy>(
    from: impl RowPlace<W>,
    to: impl RowPlace<W>,
    words: &[W],
    (bytes, element): (usize, usize),
    update: Option<&RowUpdate>,
) {
    // SAFETY: this fn's contract.
    unsafe {
        match update {
            None => copied(from, to, words, bytes),
            Some(update) => each(from, to, words, |a, b, _| update.row(a, b, bytes / element, false)),
        }
    }
}

/// The same of rows of `from` that are in order, to those that have `numbers`; the marked ones are updated in another way than the others.
///
/// # Safety
/// As for [`written`].
pub(super) unsafe fn sent<N: RowNumber>(
    from: Counted,
    to: Numbered,
    numbers: &[N],
    (bytes, element): (usize, usize),
    updates: Option<&RowUpdates>,
) {
    // SAFETY: this fn's contract.
    unsafe {
        let Some(updates) = updates else { return copied(from, to, numbers, bytes) };
        match (N::narrow(numbers), updates.numbers()) {
            (Some(narrow), Some(run)) if bytes == element => run.run(from.0, to.0, narrow, [from.1, to.1]),
            _ => each(from, to, numbers, |a, b, number| {
                updates.of(number.is_marked()).row(a, b, bytes / element, false);
            }),
        }
    }
}

/// The same to rows that follow each other, all marked or none.
///
/// # Safety
/// As for [`written`].
pub(super) unsafe fn sent_run(
    from: Counted,
    to: Counted,
    rows: usize,
    pair: &RowPair,
    element: usize,
    update: Option<&RowUpdate>,
) {
    let bytes = pair.piece;
    let (rows, bytes) = if pair.strides == [bytes; 2] { (1, rows * bytes) } else { (rows, bytes) };
    for k in 0..rows {
        let (from, to) = (from.at(k, ()), to.at(k, ()));
        // SAFETY: this fn's contract.
        unsafe {
            match update {
                None => block::copy(from, to, bytes),
                Some(update) => update.row(from, to, bytes / element, false),
            }
        }
    }
}
