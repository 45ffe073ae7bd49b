//! Copy a rectangle of elements between any two distances of rows and columns.
//!
//! ```text
//! for each column: for each row: copy the element
//! ```
//! Deviations from that text:
//! 1. Where rows are contiguous in the destination and columns in the source, squares of elements are turned in registers: 4 x 4
//!    of 8 bytes, 8 x 8 of 4, 2 x 2 of 16, where the machine has AVX2. Two squares along a row make a whole cache line of the
//!    destination, so that a line is written at once whatever the distance of columns is.
//! 2. The last square of a row or column ends where that ends: some elements are copied twice.
//! 3. Where the source is far away, lines of the next rows, in this tile or the next one, are asked for while squares are turned.

use super::block::{LINE, block, prefetch};
use super::nest::distance;
use super::rectangle::Instructions;
use super::tile::Tile;

/// Copies a tile; `ahead` is the one that is read next, if the source lies in memory.
///
/// # Safety
/// The elements of the tile, of `element` bytes, are readable in the source and writable in the destination; the instructions are
/// available.
pub(super) unsafe fn copy(tile: &Tile, element: usize, ahead: Option<&Tile>, instructions: Instructions) {
    let one = isize::try_from(element).expect("a few bytes");
    // SAFETY: this fn's contract; sides are as the kernel needs them.
    unsafe {
        if tile.col[0] == one && tile.row[1] == one {
            return turned(tile, element, ahead, instructions);
        }
        match element {
            1 => strided::<1>(tile),
            2 => strided::<2>(tile),
            4 => strided::<4>(tile),
            8 => strided::<8>(tile),
            _ => strided::<16>(tile),
        }
    }
}

/// # Safety
/// As for [`copy`]; rows are contiguous in the destination and columns in the source.
unsafe fn turned(tile: &Tile, element: usize, ahead: Option<&Tile>, instructions: Instructions) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2(tile: &Tile, element: usize, ahead: Option<&Tile>) {
        // SAFETY: the caller's contract.
        unsafe {
            match element {
                1 => squares::<Plain<1>>(tile, ahead),
                2 => squares::<Plain<2>>(tile, ahead),
                4 => squares::<avx2::Square8x4>(tile, ahead),
                8 => squares::<avx2::Square4x8>(tile, ahead),
                _ => squares::<avx2::Square2x16>(tile, ahead),
            }
        }
    }
    // SAFETY: this fn's contract.
    unsafe {
        match (instructions, element) {
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2, _) => avx2(tile, element, ahead),
            (Instructions::Portable, 1) => squares::<Plain<1>>(tile, ahead),
            (Instructions::Portable, 2) => squares::<Plain<2>>(tile, ahead),
            (Instructions::Portable, 4) => squares::<Plain<4>>(tile, ahead),
            (Instructions::Portable, 8) => squares::<Plain<8>>(tile, ahead),
            (Instructions::Portable, _) => squares::<Plain<16>>(tile, ahead),
        }
    }
}

/// Rows between those that are turned and those that are asked for.
const LEAD: usize = 8;

/// A square of elements that is turned at once.
trait Square {
    /// Elements of a side.
    const SIDE: usize;
    /// Bytes of an element.
    const ELEMENT: usize;

    /// Copies element c of source row r to element r of destination row c; rows are `apart` bytes apart on either side.
    ///
    /// # Safety
    /// The elements are readable in the source and writable in the destination; the instructions are available.
    unsafe fn turn(src: *const u8, dst: *mut u8, apart: [usize; 2]);
}

/// Squares of any processor.
struct Plain<const N: usize>;

impl<const N: usize> Square for Plain<N> {
    const SIDE: usize = 4;
    const ELEMENT: usize = N;

    #[inline(always)]
    unsafe fn turn(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
        for c in 0..Self::SIDE {
            for r in 0..Self::SIDE {
                let src = src.wrapping_add(r.wrapping_mul(from)).wrapping_add(c * N);
                let dst = dst.wrapping_add(c.wrapping_mul(to)).wrapping_add(r * N);
                // SAFETY: this fn's contract.
                unsafe { block::<N>(src, dst) };
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::Square;
    use std::arch::x86_64::*;

    /// 4 x 4 of 8 bytes.
    pub(super) struct Square4x8;
    /// 8 x 8 of 4 bytes.
    pub(super) struct Square8x4;
    /// 2 x 2 of 16 bytes.
    pub(super) struct Square2x16;

    impl Square for Square4x8 {
        const SIDE: usize = 4;
        const ELEMENT: usize = 8;

        #[inline(always)]
        unsafe fn turn(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: four rows of 32 bytes on either side; this fn's contract.
            unsafe {
                let a = _mm256_loadu_pd(src.cast());
                let b = _mm256_loadu_pd(src.wrapping_add(from).cast());
                let c = _mm256_loadu_pd(src.wrapping_add(from.wrapping_mul(2)).cast());
                let d = _mm256_loadu_pd(src.wrapping_add(from.wrapping_mul(3)).cast());
                let (ab, ab1) = (_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b));
                let (cd, cd1) = (_mm256_unpacklo_pd(c, d), _mm256_unpackhi_pd(c, d));
                _mm256_storeu_pd(dst.cast(), _mm256_permute2f128_pd::<0x20>(ab, cd));
                _mm256_storeu_pd(dst.wrapping_add(to).cast(), _mm256_permute2f128_pd::<0x20>(ab1, cd1));
                let third = dst.wrapping_add(to.wrapping_mul(2));
                _mm256_storeu_pd(third.cast(), _mm256_permute2f128_pd::<0x31>(ab, cd));
                let fourth = dst.wrapping_add(to.wrapping_mul(3));
                _mm256_storeu_pd(fourth.cast(), _mm256_permute2f128_pd::<0x31>(ab1, cd1));
            }
        }
    }

    impl Square for Square8x4 {
        const SIDE: usize = 8;
        const ELEMENT: usize = 4;

        #[inline(always)]
        unsafe fn turn(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: eight rows of 32 bytes on either side; this fn's contract.
            unsafe {
                // Rows k and k + 4 side by side, in halves, need no exchange of halves later.
                macro_rules! rows {
                    ($k:expr, $half:expr) => {{
                        let low = _mm_loadu_ps(src.wrapping_add(from.wrapping_mul($k) + $half).cast());
                        let high = _mm_loadu_ps(src.wrapping_add(from.wrapping_mul($k + 4) + $half).cast());
                        _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(low), high)
                    }};
                }
                macro_rules! half {
                    ($half:expr, $first:expr) => {{
                        let (a, b, c, d) =
                            (rows!(0, $half), rows!(1, $half), rows!(2, $half), rows!(3, $half));
                        let (ab, ab1) = (_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
                        let (cd, cd1) = (_mm256_unpacklo_ps(c, d), _mm256_unpackhi_ps(c, d));
                        let out = |k: usize| dst.wrapping_add(to.wrapping_mul($first + k)).cast();
                        _mm256_storeu_ps(out(0), _mm256_shuffle_ps::<0x44>(ab, cd));
                        _mm256_storeu_ps(out(1), _mm256_shuffle_ps::<0xEE>(ab, cd));
                        _mm256_storeu_ps(out(2), _mm256_shuffle_ps::<0x44>(ab1, cd1));
                        _mm256_storeu_ps(out(3), _mm256_shuffle_ps::<0xEE>(ab1, cd1));
                    }};
                }
                half!(0, 0);
                half!(16, 4);
            }
        }
    }

    impl Square for Square2x16 {
        const SIDE: usize = 2;
        const ELEMENT: usize = 16;

        #[inline(always)]
        unsafe fn turn(src: *const u8, dst: *mut u8, [from, to]: [usize; 2]) {
            // SAFETY: two rows of 32 bytes on either side; this fn's contract.
            unsafe {
                let a = _mm256_loadu_pd(src.cast());
                let b = _mm256_loadu_pd(src.wrapping_add(from).cast());
                _mm256_storeu_pd(dst.cast(), _mm256_permute2f128_pd::<0x20>(a, b));
                _mm256_storeu_pd(dst.wrapping_add(to).cast(), _mm256_permute2f128_pd::<0x31>(a, b));
            }
        }
    }
}

/// # Safety
/// As for [`turned`], of elements and instructions of the square.
#[inline(always)]
unsafe fn squares<S: Square>(tile: &Tile, ahead: Option<&Tile>) {
    let Tile { src, dst, rows, cols, row, col } = *tile;
    let apart = [distance(row[0]), distance(col[1])];
    if rows < S::SIDE || cols < S::SIDE {
        // SAFETY: this fn's contract.
        return unsafe {
            match S::ELEMENT {
                1 => strided::<1>(tile),
                2 => strided::<2>(tile),
                4 => strided::<4>(tile),
                8 => strided::<8>(tile),
                _ => strided::<16>(tile),
            }
        };
    }
    let at = |r: usize, c: usize| {
        let src = src.wrapping_add(r.wrapping_mul(apart[0])).wrapping_add(c * S::ELEMENT);
        (src, dst.wrapping_add(c.wrapping_mul(apart[1])).wrapping_add(r * S::ELEMENT))
    };
    let mut first = 0;
    while first < rows {
        let (r, pair) = (first.min(rows - S::SIDE), first + 2 * S::SIDE <= rows);
        let next = first + if pair { 2 * S::SIDE } else { S::SIDE };
        if let Some(then) = ahead {
            for r in next + LEAD..next + LEAD + 2 * S::SIDE {
                let (row, cols) = match r.checked_sub(rows) {
                    None => (at(r, 0).0, cols),
                    Some(r) if r < then.rows => {
                        (then.src.wrapping_add(r.wrapping_mul(distance(then.row[0]))), then.cols)
                    }
                    Some(_) => break,
                };
                for c in (0..cols * S::ELEMENT).step_by(LINE) {
                    prefetch(row.wrapping_add(c));
                }
            }
        }
        for c in (0..cols).step_by(S::SIDE) {
            let c = c.min(cols - S::SIDE);
            let ((src, dst), (src2, dst2)) = (at(r, c), at(r + S::SIDE, c));
            // SAFETY: the squares lie within the tile; this fn's contract.
            unsafe {
                S::turn(src, dst, apart);
                if pair {
                    S::turn(src2, dst2, apart);
                }
            }
        }
        first = next;
    }
}

/// # Safety
/// As for [`copy`], of elements of `N` bytes.
#[inline(always)]
unsafe fn strided<const N: usize>(tile: &Tile) {
    for c in 0..tile.cols {
        let src = tile.src.wrapping_add(c.wrapping_mul(distance(tile.col[0])));
        let dst = tile.dst.wrapping_add(c.wrapping_mul(distance(tile.col[1])));
        for r in 0..tile.rows {
            let src = src.wrapping_add(r.wrapping_mul(distance(tile.row[0])));
            // SAFETY: this fn's contract.
            unsafe { block::<N>(src, dst.wrapping_add(r.wrapping_mul(distance(tile.row[1])))) };
        }
    }
}
