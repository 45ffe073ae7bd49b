//! Copies a list of runs in each of several columns.
//!
//! ```text
//! for each column: for each run: copy `len` bytes
//! ```
//! Deviations from that text:
//! 1. A run is copied by [`block`].
//! 2. If the source lies in memory, its lines are prefetched. If the destination is large, whole lines of long runs are
//!    streamed.
//! 3. A long run is cut at each prefetch, at a line boundary of the destination.

use super::block::{self, CopyRun, LINE, MIN_STREAMED_RUN};
use super::prefetch::Prefetcher;

/// Bytes copied between two prefetches.
const PREFETCH_INTERVAL: usize = 1 << 10;

/// Use of the caches by a copy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CacheUse {
    /// Prefetch: the source lies in memory and its runs are long enough.
    pub prefetch: bool,
    /// Stream: the destination is not read again soon and its runs are long enough.
    pub stream: bool,
}

impl CacheUse {
    /// Copies through the caches: neither prefetches nor streams.
    pub const CACHED: Self = Self { prefetch: false, stream: false };
}

/// `count` columns: the start of the first one on both sides, and the distance in bytes to the next.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopyColumns {
    pub src: *const u8,
    pub dst: *mut u8,
    pub ld: [usize; 2],
    pub count: usize,
}

/// Copies `runs` in all `columns`.
///
/// # Safety
/// Each run is readable in each column of the source, and writable in each of the destination.
#[inline(always)]
pub(super) unsafe fn copy(columns: &CopyColumns, runs: &[CopyRun], caches: CacheUse) {
    // SAFETY: this fn's contract.
    unsafe {
        match (caches.prefetch, caches.stream) {
            (false, false) => cached(columns, runs),
            (true, false) => prefetched_or_streamed::<true, false>(columns, runs),
            (false, true) => prefetched_or_streamed::<false, true>(columns, runs),
            (true, true) => prefetched_or_streamed::<true, true>(columns, runs),
        }
    }
}

/// Copies `runs`, all of `len` bytes, in all `columns`. Chooses the loop once by the length, which decides the speed if
/// runs are single elements.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
pub(super) unsafe fn equal(columns: &CopyColumns, runs: &[CopyRun], len: usize) {
    // SAFETY: each arm copies `len` bytes per run; this fn's contract.
    unsafe {
        match len {
            4 => equal_blocks::<4, 1>(columns, runs),
            8 => equal_blocks::<8, 1>(columns, runs),
            16 => equal_blocks::<16, 1>(columns, runs),
            24 => equal_blocks::<8, 3>(columns, runs),
            32 => equal_blocks::<32, 1>(columns, runs),
            _ => cached(columns, runs),
        }
    }
}

/// # Safety
/// As for [`copy`]; each run has `PARTS` times `N` bytes.
#[inline(always)]
unsafe fn equal_blocks<const N: usize, const PARTS: usize>(columns: &CopyColumns, runs: &[CopyRun]) {
    for c in 0..columns.count {
        let src = columns.src.wrapping_add(c.wrapping_mul(columns.ld[0]));
        let dst = columns.dst.wrapping_add(c.wrapping_mul(columns.ld[1]));
        for run in runs {
            for part in 0..PARTS {
                let (src, dst) = (src.wrapping_add(run.src + N * part), dst.wrapping_add(run.dst + N * part));
                // SAFETY: this fn's contract.
                unsafe { block::copy_block::<N>(src, dst) };
            }
        }
    }
}

/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn cached(columns: &CopyColumns, runs: &[CopyRun]) {
    for c in 0..columns.count {
        let (src, dst) = (
            columns.src.wrapping_add(c.wrapping_mul(columns.ld[0])),
            columns.dst.wrapping_add(c.wrapping_mul(columns.ld[1])),
        );
        for run in runs {
            // SAFETY: this fn's contract.
            unsafe { block::copy(src.wrapping_add(run.src), dst.wrapping_add(run.dst), run.len) };
        }
    }
}

/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn prefetched_or_streamed<const AHEAD: bool, const STREAMED: bool>(
    columns: &CopyColumns,
    runs: &[CopyRun],
) {
    let [src_ld, dst_ld] = columns.ld;
    let mut ahead = Prefetcher::new(runs, columns.src, columns.count, src_ld);
    for c in 0..columns.count {
        let src = columns.src.wrapping_add(c.wrapping_mul(src_ld));
        let dst = columns.dst.wrapping_add(c.wrapping_mul(dst_ld));
        for run in runs {
            let (src, dst) = (src.wrapping_add(run.src), dst.wrapping_add(run.dst));
            let streamed = STREAMED && run.len >= MIN_STREAMED_RUN;
            let mut at = 0;
            while at < run.len {
                let end = if run.len - at < 2 * PREFETCH_INTERVAL {
                    run.len
                } else {
                    at + PREFETCH_INTERVAL - dst.wrapping_add(at).addr() % LINE
                };
                if AHEAD {
                    ahead.advance(end - at);
                }
                let (src, dst) = (src.wrapping_add(at), dst.wrapping_add(at));
                // SAFETY: bytes at..end of the run; this fn's contract. A streamed part has at least `MIN_STREAMED_RUN`
                // bytes, or `PREFETCH_INTERVAL` less a line.
                unsafe {
                    if streamed {
                        block::stream(src, dst, end - at);
                    } else {
                        block::copy(src, dst, end - at);
                    }
                }
                at = end;
            }
        }
    }
}
