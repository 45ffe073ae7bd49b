//! Copies a tile: a rectangle of elements, with any distances of rows and columns on both sides.
//!
//! ```text
//! for each column: for each row: copy the element
//! ```
//! Deviations from that text:
//! 1. If neighbouring rows are contiguous in the destination and neighbouring columns in the source, squares of
//!    elements are transposed in registers. With AVX2, a square has 4 x 4 elements of 8 bytes, 8 x 8 of 4 bytes or
//!    2 x 2 of 16 bytes. Two squares, one below the other, fill a cache line in each column of the destination, so each
//!    line is written at once.
//! 2. The last squares end at the last row and the last column, so some elements are copied twice.
//! 3. If the source lies in memory, the source lines of the next rows (of this tile or the next one) are prefetched, a
//!    few with each square: a core cannot have memory requests for all of them in flight at once.

use super::block::{LINE, copy_block, prefetch};
use super::instructions::Instructions;
use super::level::distance;
use super::square::{PortableSquare, Square};
#[cfg(target_arch = "x86_64")]
use super::square::{Square2x16, Square4x8, Square8x4};
use super::tile::Tile;

/// Copies a tile. `ahead` is the tile to prefetch, if the source lies in memory.
///
/// # Safety
/// The elements of the tile, of `element` bytes, are readable in the source and writable in the destination; the
/// instructions are available.
pub(super) unsafe fn copy(tile: &Tile, element: usize, ahead: Option<&Tile>, instructions: Instructions) {
    let one = isize::try_from(element).expect("a few bytes");
    // SAFETY: this fn's contract; for `copy_transposed`, rows and columns are contiguous as its contract says.
    unsafe {
        if tile.col[0] == one && tile.row[1] == one {
            return copy_transposed(tile, element, ahead, instructions);
        }
        match element {
            1 => copy_strided::<1>(tile),
            2 => copy_strided::<2>(tile),
            4 => copy_strided::<4>(tile),
            8 => copy_strided::<8>(tile),
            _ => copy_strided::<16>(tile),
        }
    }
}

/// # Safety
/// As for [`copy`]; neighbouring rows are contiguous in the destination, and neighbouring columns in the source.
unsafe fn copy_transposed(tile: &Tile, element: usize, ahead: Option<&Tile>, instructions: Instructions) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2(tile: &Tile, element: usize, ahead: Option<&Tile>) {
        // SAFETY: the caller's contract.
        unsafe {
            match element {
                1 => squares::<PortableSquare<1>>(tile, ahead),
                2 => squares::<PortableSquare<2>>(tile, ahead),
                4 => squares::<Square8x4>(tile, ahead),
                8 => squares::<Square4x8>(tile, ahead),
                _ => squares::<Square2x16>(tile, ahead),
            }
        }
    }
    // SAFETY: this fn's contract.
    unsafe {
        match (instructions, element) {
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2, _) => avx2(tile, element, ahead),
            (Instructions::Portable, 1) => squares::<PortableSquare<1>>(tile, ahead),
            (Instructions::Portable, 2) => squares::<PortableSquare<2>>(tile, ahead),
            (Instructions::Portable, 4) => squares::<PortableSquare<4>>(tile, ahead),
            (Instructions::Portable, 8) => squares::<PortableSquare<8>>(tile, ahead),
            (Instructions::Portable, _) => squares::<PortableSquare<16>>(tile, ahead),
        }
    }
}

/// # Safety
/// As for [`copy_transposed`], with the element size and instructions of the square.
#[inline(always)]
unsafe fn squares<S: Square>(tile: &Tile, ahead: Option<&Tile>) {
    let Tile { src, dst, rows, cols, row, col } = *tile;
    let apart = [distance(row[0]), distance(col[1])];
    if rows < S::SIDE || cols < S::SIDE {
        // SAFETY: this fn's contract.
        return unsafe {
            match S::ELEMENT {
                1 => copy_strided::<1>(tile),
                2 => copy_strided::<2>(tile),
                4 => copy_strided::<4>(tile),
                8 => copy_strided::<8>(tile),
                _ => copy_strided::<16>(tile),
            }
        };
    }
    let first = |r: usize, c: usize| {
        let src = src.wrapping_add(r.wrapping_mul(apart[0])).wrapping_add(c * S::ELEMENT);
        (src, dst.wrapping_add(c.wrapping_mul(apart[1])).wrapping_add(r * S::ELEMENT))
    };
    let mut r = 0;
    while r < rows {
        let pair = r + 2 * S::SIDE <= rows;
        let next = r + if pair { 2 * S::SIDE } else { S::SIDE };
        let next_rows = ahead.map(|then| match next < rows {
            true => NextRows::new(tile, next, 2 * S::SIDE, S::ELEMENT),
            false => NextRows::new(then, 0, 2 * S::SIDE, S::ELEMENT),
        });
        let at = r.min(rows - S::SIDE);
        // SAFETY: the squares lie within the tile; this fn's contract.
        unsafe {
            match pair {
                true => transpose_rows::<S, 2>(first(at, 0), apart, cols, next_rows),
                false => transpose_rows::<S, 1>(first(at, 0), apart, cols, next_rows),
            }
        }
        r = next;
    }
}

/// Transposes `HIGH` rows of squares, from column 0 to column `cols`. `cols` is at least the side of a square.
///
/// # Safety
/// The squares lie within a tile whose first element is at `src` and `dst`; as for [`copy_transposed`].
#[inline(always)]
unsafe fn transpose_rows<S: Square, const HIGH: usize>(
    (src, dst): (*const u8, *mut u8),
    apart: [usize; 2],
    cols: usize,
    mut next_rows: Option<NextRows>,
) {
    let line = (LINE / S::ELEMENT).max(S::SIDE);
    let mut c = 0;
    // SAFETY: no square extends beyond the last column; this fn's contract.
    unsafe {
        while c + line <= cols {
            if let Some(next_rows) = &mut next_rows {
                next_rows.prefetch_lines(1);
            }
            for k in 0..line / S::SIDE {
                column::<S, HIGH>((src, dst), apart, c + k * S::SIDE);
            }
            c += line;
        }
        if let Some(next_rows) = &mut next_rows {
            next_rows.prefetch_lines(usize::MAX);
        }
        while c < cols {
            column::<S, HIGH>((src, dst), apart, c.min(cols - S::SIDE));
            c += S::SIDE;
        }
    }
}

/// Transposes the `HIGH` squares that begin in column `c`.
///
/// # Safety
/// As for [`transpose_rows`].
#[inline(always)]
unsafe fn column<S: Square, const HIGH: usize>(
    (src, dst): (*const u8, *mut u8),
    apart: [usize; 2],
    c: usize,
) {
    let src = src.wrapping_add(c * S::ELEMENT);
    let dst = dst.wrapping_add(c.wrapping_mul(apart[1]));
    let side = S::SIDE.wrapping_mul(apart[0]);
    // SAFETY: this fn's contract.
    unsafe {
        S::transpose(src, dst, apart);
        if HIGH == 2 {
            S::transpose(src.wrapping_add(side), dst.wrapping_add(S::SIDE * S::ELEMENT), apart);
        }
    }
}

/// Source rows that are read next, and their part that is not prefetched yet.
struct NextRows {
    /// The next line to prefetch in the first of these rows.
    line: *const u8,
    rows: usize,
    apart: usize,
    /// Number of lines per row that are not prefetched yet.
    left: usize,
}

impl NextRows {
    /// Selects at most `most` rows of a tile, from row `first` on.
    #[inline(always)]
    fn new(tile: &Tile, first: usize, most: usize, element: usize) -> Self {
        let apart = distance(tile.row[0]);
        let start = tile.src.wrapping_add(first.wrapping_mul(apart));
        let within = start.addr() % LINE;
        Self {
            line: start.wrapping_sub(within),
            rows: most.min(tile.rows - first),
            apart,
            left: (within + tile.cols * element).div_ceil(LINE),
        }
    }

    /// Prefetches the next lines of each row, at most `most` per row.
    #[inline(always)]
    fn prefetch_lines(&mut self, most: usize) {
        for _ in 0..most.min(self.left) {
            for r in 0..self.rows {
                prefetch(self.line.wrapping_add(r.wrapping_mul(self.apart)));
            }
            self.line = self.line.wrapping_add(LINE);
            self.left -= 1;
        }
    }
}

/// # Safety
/// As for [`copy`], of elements of `N` bytes.
#[inline(always)]
unsafe fn copy_strided<const N: usize>(tile: &Tile) {
    for c in 0..tile.cols {
        let src = tile.src.wrapping_add(c.wrapping_mul(distance(tile.col[0])));
        let dst = tile.dst.wrapping_add(c.wrapping_mul(distance(tile.col[1])));
        for r in 0..tile.rows {
            let src = src.wrapping_add(r.wrapping_mul(distance(tile.row[0])));
            // SAFETY: this fn's contract.
            unsafe { copy_block::<N>(src, dst.wrapping_add(r.wrapping_mul(distance(tile.row[1])))) };
        }
    }
}
