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
//! 3. Rows that are updated are first copied side by side, as many as fit in the first cache, and then updated as one: both what is
//!    read and, where that is not in order, what is there.

use super::array::{Destination, Source};
use super::block::{self, block};
use super::column::index;
use super::combine::RowUpdate;
use super::rectangle::Instructions;
use super::shape::Shape;
use super::update::Update;
use std::mem::MaybeUninit;

/// Bytes of rows that are updated together.
const PART: usize = 4 << 10;

/// Numbers of rows, in few bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowNumbers {
    words: Words,
    /// One past the greatest.
    end: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Words {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl RowNumbers {
    /// These numbers, `count` of them, all below `end`.
    pub fn new(count: usize, end: u64, numbers: impl Iterator<Item = u64>) -> Self {
        let below = |n: u64| {
            assert!(n < end, "row {n}, of {end}");
            n
        };
        let words = if u32::try_from(end).is_ok() {
            let mut words = Vec::with_capacity(count);
            words.extend(numbers.map(|n| u32::try_from(below(n)).expect("below a u32")));
            Words::Narrow(words)
        } else {
            let mut words = Vec::with_capacity(count);
            words.extend(numbers.map(below));
            Words::Wide(words)
        };
        Self { words, end }
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.words {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Pairs of a row that is written and the row that goes there, in few bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPairs {
    words: PairWords,
    /// One past the greatest of either.
    ends: [u64; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum PairWords {
    Narrow(Vec<[u32; 2]>),
    Wide(Vec<[u64; 2]>),
}

impl RowPairs {
    /// These pairs (row that is written, row that goes there), in which no row is written twice.
    pub fn new(pairs: &[[u64; 2]]) -> Self {
        let end = |d: usize| pairs.iter().map(|pair| pair[d] + 1).max().unwrap_or(0);
        let ends = [end(0), end(1)];
        let low = |n: u64| u32::try_from(n).expect("below a u32");
        let words = match ends.iter().all(|&end| u32::try_from(end).is_ok()) {
            true => PairWords::Narrow(pairs.iter().map(|pair| pair.map(low)).collect()),
            false => PairWords::Wide(pairs.to_vec()),
        };
        Self { words, ends }
    }

    /// The rows that are written, in order.
    pub fn written(&self) -> Vec<u64> {
        match &self.words {
            PairWords::Narrow(words) => words.iter().map(|pair| pair[0].into()).collect(),
            PairWords::Wide(words) => words.iter().map(|pair| pair[0]).collect(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends == [0; 2]
    }
}

/// A number of a row.
trait RowNumber: Copy {
    fn index(self) -> usize;
}

impl RowNumber for u32 {
    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

impl RowNumber for u64 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "numbers are below the rows of an array in memory")]
    fn index(self) -> usize {
        self as usize
    }
}

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
        let (mut piece, mut outer) = (from.element(), Vec::new());
        for d in (0..a.len()).filter(|&d| d != dim) {
            let strides = [a[d].stride, b[d].stride].map(distance);
            match usize::try_from(a[d].extent) {
                Ok(extent) if strides == [piece; 2] && outer.is_empty() && d < dim => piece *= extent,
                _ => outer.push((a[d].extent, strides)),
            }
        }
        let strides = [a[dim].stride, b[dim].stride].map(distance);
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

    /// For each pair (row of this array, row of `from`) writes the one with the other along dimension `dim`; updated by `update`, if
    /// there is one. No row of this array is in two of the pairs.
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

/// Bytes between neighbours, which may be negative.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "addresses wrap around")]
fn distance(stride: i64) -> usize {
    stride as usize
}

/// Where rows are on a side that has them in order.
#[derive(Clone, Copy)]
struct Counted;

/// Which row a word stands for on the side that is written, or that is read.
trait Written<W: Copy>: Copy {
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

/// The other way round: what is read is in order, and the first number of a pair says where it goes.
#[derive(Clone, Copy)]
struct Back<N>(N);

impl<N: RowNumber> RowNumber for Back<N> {
    #[inline(always)]
    fn index(self) -> usize {
        self.0.index()
    }
}

/// Copies pieces of `bytes` bytes, row by row.
///
/// # Safety
/// Each piece that `words` name is readable, and writable where `to` says.
#[inline(always)]
unsafe fn copied<W: RowNumber>(
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
unsafe fn taken<N: RowNumber>(
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

/// Writes or updates the rows of `pairs`, each with the row that goes there.
///
/// # Safety
/// Each piece that `pairs` name is readable at `src`, and readable and writable at `dst`; none is there twice.
unsafe fn written<N: RowNumber>(
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
    let part = PART / bytes;
    if part < 4 || pairs.len() < 4 {
        return each(pairs, First, strides, |a, b| {
            // SAFETY: this fn's contract.
            unsafe { update.row(src.wrapping_add(a), dst.wrapping_add(b), bytes / element, false) };
        });
    }
    let (mut read, mut kept) = (Part::uninit(), Part::uninit());
    let (read, kept) = (read.as_mut_ptr().cast::<u8>(), kept.as_mut_ptr().cast::<u8>());
    let mut places = [Back(pairs[0][0]); PART];
    for some in pairs.chunks(part) {
        let places = &mut places[..some.len()];
        places.iter_mut().zip(some).for_each(|(place, word)| *place = Back(word[0]));
        // SAFETY: there is room for so many pieces on either side, read only as far as it was written. No row is there twice, so
        // each may be read before all are written; this fn's contract.
        unsafe {
            copied((src, read), some, Counted, [strides[0], bytes], bytes);
            copied((dst, kept), places, Counted, [strides[1], bytes], bytes);
            update.row(read, kept, some.len() * bytes / element, false);
            back((kept, dst), places, strides[1], bytes);
        }
    }
}

/// Copies pieces that are side by side to the rows `places`, `stride` bytes apart.
///
/// # Safety
/// They are readable and, where they go, writable.
#[inline(always)]
unsafe fn back<N: RowNumber>(
    (src, dst): (*const u8, *mut u8),
    places: &[Back<N>],
    stride: usize,
    bytes: usize,
) {
    let each = |copy: &mut dyn FnMut(*const u8, *mut u8)| {
        for (k, place) in places.iter().enumerate() {
            copy(src.wrapping_add(k * bytes), dst.wrapping_add(place.index().wrapping_mul(stride)));
        }
    };
    // SAFETY: each arm copies `bytes` bytes a piece; this fn's contract.
    unsafe {
        match bytes {
            4 => (0..places.len()).for_each(|k| {
                block::<4>(src.wrapping_add(4 * k), dst.wrapping_add(places[k].index().wrapping_mul(stride)));
            }),
            8 => (0..places.len()).for_each(|k| {
                block::<8>(src.wrapping_add(8 * k), dst.wrapping_add(places[k].index().wrapping_mul(stride)));
            }),
            16 => (0..places.len()).for_each(|k| {
                block::<16>(
                    src.wrapping_add(16 * k),
                    dst.wrapping_add(places[k].index().wrapping_mul(stride)),
                );
            }),
            _ => each(&mut |from, to| block::copy(from, to, bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::{ArrayDim, Combine, Number, bytes_of};

    /// The arrays of a case: extents, and which dimension has rows.
    fn shapes(rng: &mut fastrand::Rng, element: usize) -> (Shape, Shape, usize) {
        let rank = rng.usize(1..4);
        let dim = rng.usize(0..rank);
        let from: Vec<u64> = (0..rank).map(|_| rng.u64(1..6)).collect();
        let mut to = from.clone();
        to[dim] = rng.u64(0..9);
        (Shape::dense(element, &from), Shape::dense(element, &to), dim)
    }

    /// Calls `body` with (destination element, source element) of each element of the destination.
    fn each(from: &Shape, to: &Shape, dim: usize, mut body: impl FnMut(usize, usize, u64)) {
        let extents: Vec<u64> = to.dims().iter().map(|dim| dim.extent).collect();
        for n in 0..extents.iter().product::<u64>() {
            let (mut rest, mut a, mut b, mut row) = (n, 0, 0, 0);
            for (d, &extent) in extents.iter().enumerate() {
                let at = rest % extent;
                rest /= extent;
                row = if d == dim { at } else { row };
                b += at * to.dims()[d].stride as u64;
                a += if d == dim { 0 } else { at * from.dims()[d].stride as u64 };
            }
            body(b as usize, a as usize, row);
        }
    }

    #[test]
    #[allow(clippy::undocumented_unsafe_blocks)]
    fn rows_are_those_that_the_numbers_name() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..if cfg!(miri) { 20 } else { 2000 } {
            let element = [1, 2, 4, 8, 16][rng.usize(0..5)];
            let (from, to, dim) = shapes(&mut rng, element);
            let (theirs, own) = (from.dims()[dim].extent, to.dims()[dim].extent);
            let list: Vec<u64> = (0..own).map(|_| rng.u64(0..theirs)).collect();
            let mut numbers = RowNumbers::new(list.len(), theirs, list.iter().copied());
            if rng.bool() {
                numbers.words = Words::Wide(list.clone());
            }
            let memory: Vec<u8> = (0..from.bytes()).map(|_| rng.u8(..)).collect();
            let mut got = vec![7u8; to.bytes()];
            let mut want = got.clone();
            let stride = from.dims()[dim].stride as usize;
            each(&from, &to, dim, |b, a, row| {
                let a = a + list[row as usize] as usize * stride;
                want[b..b + element].copy_from_slice(&memory[a..a + element]);
            });
            let source = unsafe { Source::new(memory.as_ptr(), from.clone()) };
            let mut destination = unsafe { Destination::new(got.as_mut_ptr(), to.clone()) };
            destination.take_rows(&source, dim, &numbers);
            assert_eq!(got, want, "{list:?} of {from:?} to {to:?}");
        }
    }

    #[test]
    #[allow(clippy::undocumented_unsafe_blocks)]
    fn rows_are_updated_in_order() {
        let mut rng = fastrand::Rng::with_seed(4);
        let factor = |n: i64| Number::Int64.scalar(n as i8);
        for _ in 0..if cfg!(miri) { 20 } else { 1000 } {
            let (from, to, dim) = shapes(&mut rng, 8);
            let (theirs, own) = (from.dims()[dim].extent, to.dims()[dim].extent);
            let memory: Vec<i64> = (0..from.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
            let start: Vec<i64> = (0..to.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
            let source = unsafe { Source::new(memory.as_ptr().cast(), from.clone()) };
            let update =
                Update::new(Number::Int64, Combine::Add, false, [factor(3), factor(-2)]).expect("a sum");
            let list: Vec<u64> = (0..own).map(|_| rng.u64(0..theirs)).collect();
            let (mut got, mut want) = (start.clone(), start.clone());
            each(&from, &to, dim, |b, a, row| {
                let a = a + list[row as usize] as usize * from.dims()[dim].stride as usize;
                want[b / 8] = 3 * memory[a / 8] - 2 * want[b / 8];
            });
            let numbers = RowNumbers::new(list.len(), theirs, list.iter().copied());
            let to_array = unsafe { Destination::new(got.as_mut_ptr().cast(), to.clone()) };
            to_array.updated_by(update).take_rows(&source, dim, &numbers);
            assert_eq!(got, want, "{list:?} of {from:?} to {to:?}");

            // Rows in any order, each once, also in an array with gaps.
            let mut rows: Vec<u64> = (0..own).filter(|_| rng.u8(0..4) > 0).collect();
            rng.shuffle(&mut rows);
            let pairs: Vec<[u64; 2]> = rows.iter().map(|&row| [row, rng.u64(0..theirs)]).collect();
            let gap = rng.i64(0..3);
            let mut stride = 8;
            let dims: Vec<ArrayDim> = to
                .dims()
                .iter()
                .map(|dim| {
                    let wide = ArrayDim { stride, ..*dim };
                    stride *= dim.extent as i64 + gap;
                    wide
                })
                .collect();
            let to = Shape::new(8, &dims);
            let start: Vec<i64> = (0..to.bytes() / 8).map(|_| rng.i64(-9..9)).collect();
            for update in [None, Some(&update)] {
                let (mut got, mut want) = (start.clone(), start.clone());
                for &[row, number] in &pairs {
                    each(&from, &to, dim, |b, a, at| {
                        let a = a + number as usize * from.dims()[dim].stride as usize;
                        if at == row {
                            let factor = update.map_or((1, 0), |_| (3, -2));
                            want[b / 8] = factor.0 * memory[a / 8] + factor.1 * want[b / 8];
                        }
                    });
                }
                let mut to_array = unsafe { Destination::new(got.as_mut_ptr().cast(), to.clone()) };
                to_array.write_rows(&source, dim, &RowPairs::new(&pairs), update);
                assert_eq!(bytes_of(&got), bytes_of(&want), "{pairs:?} of {from:?} to {to:?}");
            }
        }
    }
}
