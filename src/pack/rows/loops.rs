//! The loops over the rows of one piece, for numbers of either width and pieces of each length.

use super::super::block::{self, block};
use super::super::combine::RowUpdate;
use super::RowPair;
use super::numbers::RowNumber;
use std::mem::MaybeUninit;

/// Bytes of rows that are updated together.
pub(super) const PART: usize = 4 << 10;

/// Where rows are on a side that has them in order.
#[derive(Clone, Copy)]
pub(super) struct Counted;

/// Which row a word stands for on the side that is written, or that is read.
pub(super) trait Written<W: Copy>: Copy {
    fn row(self, k: usize, word: W) -> usize;
}

impl<W: Copy> Written<W> for Counted {
    #[inline(always)]
    fn row(self, k: usize, _: W) -> usize {
        k
    }
}

impl<N: RowNumber> RowNumber for [N; 2] {
    #[inline(always)]
    fn index(self) -> usize {
        self[1].index()
    }

    fn narrow(_: &[[Self; 2]]) -> Option<&[[u32; 2]]> {
        None
    }
}

/// The first number of a pair.
#[derive(Clone, Copy)]
struct First;

impl<N: RowNumber> Written<[N; 2]> for First {
    #[inline(always)]
    fn row(self, _: usize, word: [N; 2]) -> usize {
        word[0].index()
    }
}

/// Copies pieces of `bytes` bytes, row by row.
///
/// # Safety
/// Each piece that `words` name is readable, and writable where `to` says.
#[inline(always)]
pub(super) unsafe fn copied<W: RowNumber>(
    ends: (*const u8, *mut u8),
    words: &[W],
    to: impl Written<W>,
    strides: [usize; 2],
    bytes: usize,
) {
    // SAFETY: each arm copies `bytes` bytes a piece; this fn's contract.
    unsafe {
        match bytes {
            1 => alike::<1, W>(ends, words, to, strides),
            2 => alike::<2, W>(ends, words, to, strides),
            4 => alike::<4, W>(ends, words, to, strides),
            8 => alike::<8, W>(ends, words, to, strides),
            16 => alike::<16, W>(ends, words, to, strides),
            24 => alike::<24, W>(ends, words, to, strides),
            32 => alike::<32, W>(ends, words, to, strides),
            _ => each(words, to, strides, |a, b| {
                block::copy(ends.0.wrapping_add(a), ends.1.wrapping_add(b), bytes);
            }),
        }
    }
}

/// Calls `body` with the bytes to each row on either side.
#[inline(always)]
fn each<W: RowNumber>(
    words: &[W],
    to: impl Written<W>,
    [a, b]: [usize; 2],
    mut body: impl FnMut(usize, usize),
) {
    for (k, &word) in words.iter().enumerate() {
        body(word.index().wrapping_mul(a), to.row(k, word).wrapping_mul(b));
    }
}

/// Pieces of `B` bytes.
///
/// # Safety
/// As for [`copied`].
#[inline(always)]
unsafe fn alike<const B: usize, W: RowNumber>(
    ends: (*const u8, *mut u8),
    words: &[W],
    to: impl Written<W>,
    strides: [usize; 2],
) {
    each(words, to, strides, |a, b| {
        // SAFETY: this fn's contract.
        unsafe { block::<B>(ends.0.wrapping_add(a), ends.1.wrapping_add(b)) };
    });
}

/// Bytes of some rows, side by side.
type Part = MaybeUninit<[u8; PART]>;

/// Updates rows that are in order with those that `numbers` name, (so many, bytes of an element) at a time.
///
/// # Safety
/// As for [`copied`]; at `dst` there are numbers that may be read, `part` rows of them side by side.
pub(super) unsafe fn taken<N: RowNumber>(
    (src, dst): (*const u8, *mut u8),
    numbers: &[N],
    pair: &RowPair,
    (part, element): (usize, usize),
    update: &RowUpdate,
) {
    let bytes = pair.piece;
    if part < 2 {
        return each(numbers, Counted, pair.strides, |a, b| {
            // SAFETY: this fn's contract.
            unsafe { update.row(src.wrapping_add(a), dst.wrapping_add(b), bytes / element, false) };
        });
    }
    let mut room = Part::uninit();
    let room = room.as_mut_ptr().cast::<u8>();
    for (k, some) in numbers.chunks(part).enumerate() {
        let dst = dst.wrapping_add(k * part * bytes);
        // SAFETY: there is room for so many pieces, read only as far as it was written; this fn's contract.
        unsafe {
            copied((src, room), some, Counted, [pair.strides[0], bytes], bytes);
            update.row(room, dst, some.len() * bytes / element, false);
        }
    }
}

/// Writes or updates the rows of `pairs`, each with the row that goes there, one after the other.
///
/// # Safety
/// Each piece that `pairs` name is readable at `src`, and readable and writable at `dst`.
pub(super) unsafe fn written<N: RowNumber>(
    (src, dst): (*const u8, *mut u8),
    pairs: &[[N; 2]],
    pair: &RowPair,
    element: usize,
    update: Option<&RowUpdate>,
) {
    let (bytes, strides) = (pair.piece, pair.strides);
    let Some(update) = update else {
        // SAFETY: this fn's contract.
        return unsafe { copied((src, dst), pairs, First, strides, bytes) };
    };
    if let (Some(narrow), true) = (N::narrow(pairs), bytes == element && update.is_one_loop()) {
        // SAFETY: this fn's contract, as a piece is one number.
        return unsafe { update.pairs(src, dst, narrow, strides) };
    }
    each(pairs, First, strides, |a, b| {
        // SAFETY: this fn's contract.
        unsafe { update.row(src.wrapping_add(a), dst.wrapping_add(b), bytes / element, false) };
    });
}
