//! Copies or updates the elements of a [`Nest`] tile by tile, through a buffer in the first-level cache if that is
//! faster.
//!
//! ```text
//! for each tile: for each column: for each row: copy or update the element
//! ```
//! Deviations from that text:
//! 1. A tile is transposed as a whole ([`transpose`]).
//! 2. For a large destination, tiles are transposed into the buffer, whose rows, columns of the tile without gaps, are
//!    then streamed.
//! 3. If the destination stays in the second-level cache, tiles have as many rows as a cache line has elements, and all
//!    columns. So the source is read in the order of its addresses, as far as possible.
//! 4. Updates need contiguous numbers on both sides ([`combine`](super::combine)); a side with gaps goes through a
//!    buffer.

use super::block::{self, LINE, MIN_STREAMED_RUN, fence, prefetch};
use super::combine::RowUpdate;
use super::instructions::CopyOptions;
use super::level::{Level, distance, signed};
use super::nest::Nest;
use super::tile::{Tile, TileOrder, each_tile};
use super::transpose;
use super::update::Update;
use std::mem::MaybeUninit;

/// Bytes of a row of the buffer, which holds one column of a tile.
const ROW_BYTES: usize = 512;
/// Number of rows of the buffer: maximum number of columns of a tile that passes through it.
const COLS: usize = 32;
/// Bytes from row to row of the buffer. With a power of two, all rows would lie in the same few cache sets.
const BUFFER_ROW_BYTES: usize = ROW_BYTES + LINE;
/// Maximum bytes of a destination, such as a message buffer, that is assumed to stay in the second-level cache.
const MAX_CACHED_BYTES: usize = 256 << 10;
const BUFFER_BYTES: usize = COLS * BUFFER_ROW_BYTES;

/// Buffer for a tile; each column of the tile lies in it without gaps.
#[repr(C, align(64))]
struct TileBuffer(MaybeUninit<[u8; BUFFER_BYTES]>);

impl TileBuffer {
    fn new() -> Self {
        Self(MaybeUninit::uninit())
    }

    fn start(&mut self) -> *mut u8 {
        self.0.as_mut_ptr().cast()
    }
}

/// Copies the elements of `nest`, which is a transposition.
///
/// # Safety
/// As for [`rectangle::copy`](super::rectangle::copy).
// Not inlined, so that other copies do not touch the stack pages of the buffer.
#[inline(never)]
pub(super) unsafe fn copy(from: *const u8, to: *mut u8, nest: &Nest<'_>, options: CopyOptions) {
    let CopyOptions { element, caches, instructions } = options;
    let mut buffer = TileBuffer::new();
    let tiles = match caches.stream || !fits_in_cache(nest) {
        true => ([ROW_BYTES / element, COLS], TileOrder::AlongRows),
        false => ([LINE / element, usize::MAX], TileOrder::AlongColumns),
    };
    each_tile((from, to), nest, tiles, |tile, next| {
        let ahead = next.filter(|_| caches.prefetch);
        let bytes = tile.rows * element;
        let streamed = caches.stream && bytes >= MIN_STREAMED_RUN && tile.row[1] == signed(element as u64);
        // SAFETY: the nest contains the elements of the tile, and the buffer has room for them; this fn's contract.
        unsafe {
            if !streamed {
                return transpose::copy(tile, element, ahead, instructions);
            }
            let staged = Tile {
                dst: buffer.start(),
                row: [tile.row[0], tile.row[1]],
                col: [tile.col[0], signed(BUFFER_ROW_BYTES as u64)],
                ..*tile
            };
            transpose::copy(&staged, element, ahead, instructions);
            for c in 0..tile.cols {
                let to = tile.dst.wrapping_add(c.wrapping_mul(distance(tile.col[1])));
                block::stream(buffer.start().wrapping_add(c * BUFFER_ROW_BYTES), to, bytes);
            }
        }
    });
    if caches.stream {
        fence();
    }
}

/// Returns whether the destination is assumed to stay in the second-level cache.
fn fits_in_cache(nest: &Nest<'_>) -> bool {
    let reach = |level: &Level<'_>| level.total().saturating_mul(level.stride()[1].unsigned_abs() as u64);
    nest.levels().iter().all(|level| reach(level) <= MAX_CACHED_BYTES as u64)
}

/// Updates the elements of `nest` in the array at `to` with those of the array at `from`.
///
/// # Safety
/// As for [`rectangle::copy`](super::rectangle::copy), except that elements that `update` ignores need not be readable.
pub(super) unsafe fn update(
    from: *const u8,
    to: *mut u8,
    nest: &Nest<'_>,
    options: CopyOptions,
    update: &Update,
) {
    if nest.is_empty() {
        return;
    }
    let CopyOptions { element, caches, instructions } = options;
    let rows = RowUpdate::new(update, instructions);
    let one = signed(element as u64);
    let mut buffers = [TileBuffer::new(), TileBuffer::new()];
    let dense = nest.levels().first().is_none_or(|rows| rows.stride()[0] == one);
    // If columns have no gaps in the source, nothing is transposed, and a tile is one column as long as the buffer.
    let most = if dense { [BUFFER_BYTES / element, 1] } else { [ROW_BYTES / element, COLS] };
    each_tile((from, to), nest, (most, TileOrder::AlongRows), |tile, next| {
        let ahead = next.filter(|_| caches.prefetch);
        let in_buffer = signed(if dense { BUFFER_BYTES } else { BUFFER_ROW_BYTES } as u64);
        let [x, y] = buffers.each_mut().map(TileBuffer::start);
        let there = Tile {
            src: tile.dst.cast_const(),
            dst: y,
            row: [tile.row[1], one],
            col: [tile.col[1], in_buffer],
            ..*tile
        };
        let back =
            Tile { src: y, dst: tile.dst, row: [one, tile.row[1]], col: [in_buffer, tile.col[1]], ..*tile };
        let here = Tile { dst: x, row: [tile.row[0], one], col: [tile.col[0], in_buffer], ..*tile };
        // SAFETY: the nest contains the elements of the tile, and the buffers have room for them; this fn's contract.
        unsafe {
            let gaps = tile.row[1] != one && tile.rows > 1;
            let (from, from_apart) = match rows.reads_source() && (tile.row[0] != one && tile.rows > 1) {
                true => {
                    if rows.reads_target() && !gaps {
                        prefetch_destination(tile, element);
                    }
                    transpose::copy(&here, element, ahead, instructions);
                    (x.cast_const(), in_buffer)
                }
                false => (tile.src, tile.col[0]),
            };
            let (to, to_apart) = if gaps { (y, in_buffer) } else { (tile.dst, tile.col[1]) };
            if gaps && rows.reads_target() {
                transpose::copy(&there, element, None, instructions);
            }
            for c in 0..tile.cols {
                let from = from.wrapping_add(c.wrapping_mul(distance(from_apart)));
                let to = to.wrapping_add(c.wrapping_mul(distance(to_apart)));
                rows.update_row(from, to, tile.rows, caches.stream && !gaps);
            }
            if gaps {
                transpose::copy(&back, element, None, instructions);
            }
        }
    });
    if caches.stream {
        fence();
    }
}

/// Prefetches a tile's lines of the destination, which are read after the source is transposed.
fn prefetch_destination(tile: &Tile, element: usize) {
    for c in 0..tile.cols {
        let row = tile.dst.wrapping_add(c.wrapping_mul(distance(tile.col[1])));
        for at in (0..tile.rows * element).step_by(LINE) {
            prefetch(row.wrapping_add(at));
        }
    }
}

#[cfg(test)]
mod tests;
