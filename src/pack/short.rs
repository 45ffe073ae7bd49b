//! Copies a family of short runs, such as blocks of one, two or three elements, or one row of many columns.
//!
//! ```text
//! for each run: copy `len` bytes
//! ```
//! Deviations from that text:
//! 1. The loop is chosen once by the run length. So a run is one block or two that overlap, without a branch.
//! 2. If every other element of 4 bytes goes to a destination without gaps, whole blocks are loaded, and the elements
//!    are selected from them.
//! 3. If runs are far apart in the source, but several lie in a page, they are prefetched.

use super::block::{LINE, copy_block, copy_pair, prefetch};
use std::ops::Range;

/// Maximum bytes of a short run.
pub(super) const MAX_SHORT_RUN: usize = 64;
/// Strides of prefetched runs in the source, in bytes: hardware prefetchers miss them. If each run has a page of its
/// own, address translation takes most of the time, and prefetching took an eighth longer.
const PREFETCHED_STRIDES: Range<usize> = 1 << 10..1 << 12;
/// Number of runs between the copied run and the prefetched one.
const PREFETCH_LEAD: usize = 24;

/// Groups of `count` equal runs, `stride` bytes apart; there are `times` groups, `step` bytes apart. Offsets and
/// lengths are in bytes; pairs have the source's first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ShortRuns {
    pub start: [usize; 2],
    pub stride: [usize; 2],
    pub len: usize,
    pub count: usize,
    pub step: [usize; 2],
    pub times: usize,
    /// True if the bytes between the runs of the source also belong to the array.
    pub within: bool,
}

impl Default for ShortRuns {
    fn default() -> Self {
        Self { start: [0; 2], stride: [0; 2], len: 0, count: 1, step: [0; 2], times: 1, within: false }
    }
}

/// Copies the runs of `family`, whose offsets count from `src` and `dst`.
///
/// # Safety
/// Each run is readable in `src` and writable in `dst`. The bytes between runs are readable if the family says so. Runs
/// have 1..=[`MAX_SHORT_RUN`] bytes.
#[inline(always)]
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, family: &ShortRuns) {
    let (src, dst) = (src.wrapping_add(family.start[0]), dst.wrapping_add(family.start[1]));
    // SAFETY: each arm copies exactly `len` bytes per run; this fn's contract.
    unsafe {
        if family.within && family.times == 1 && (family.stride, family.len) == ([8, 4], 4) {
            return copy_every_other(src, dst, family.count);
        }
        match family.len {
            4 => for_each_run(src, dst, family, |src, dst, _| copy_block::<4>(src, dst)),
            8 => for_each_run(src, dst, family, |src, dst, _| copy_block::<8>(src, dst)),
            16 => for_each_run(src, dst, family, |src, dst, _| copy_block::<16>(src, dst)),
            32 => for_each_run(src, dst, family, |src, dst, _| copy_block::<32>(src, dst)),
            LINE => for_each_run(src, dst, family, |src, dst, _| copy_block::<LINE>(src, dst)),
            33.. => for_each_run(src, dst, family, |src, dst, len| copy_pair::<32>(src, dst, len)),
            17.. => for_each_run(src, dst, family, |src, dst, len| copy_pair::<16>(src, dst, len)),
            9.. => for_each_run(src, dst, family, |src, dst, len| copy_pair::<8>(src, dst, len)),
            _ => copy_other_lengths(src, dst, family),
        }
    }
}

/// Copies runs of 1, 2, 3, 5, 6 or 7 bytes.
///
/// # Safety
/// As for [`copy`], but `src` and `dst` already include the family's start.
#[inline(never)]
unsafe fn copy_other_lengths(src: *const u8, dst: *mut u8, family: &ShortRuns) {
    // SAFETY: each arm copies exactly `len` bytes per run; this fn's contract.
    unsafe {
        match family.len {
            1 => for_each_run(src, dst, family, |src, dst, _| copy_block::<1>(src, dst)),
            2 => for_each_run(src, dst, family, |src, dst, _| copy_block::<2>(src, dst)),
            3 => for_each_run(src, dst, family, |src, dst, len| copy_pair::<2>(src, dst, len)),
            _ => for_each_run(src, dst, family, |src, dst, len| copy_pair::<4>(src, dst, len)),
        }
    }
}

/// Calls `run` with the addresses and the length of each run.
#[inline(always)]
fn for_each_run(src: *const u8, dst: *mut u8, family: &ShortRuns, run: impl Fn(*const u8, *mut u8, usize)) {
    let [from, to] = family.stride;
    if !PREFETCHED_STRIDES.contains(&from) {
        for t in 0..family.times {
            let at = |d: usize, k: usize| {
                t.wrapping_mul(family.step[d]).wrapping_add(k.wrapping_mul(family.stride[d]))
            };
            for k in 0..family.count {
                run(src.wrapping_add(at(0, k)), dst.wrapping_add(at(1, k)), family.len);
            }
        }
        return;
    }
    for t in 0..family.times {
        let (src, dst) = (
            src.wrapping_add(t.wrapping_mul(family.step[0])),
            dst.wrapping_add(t.wrapping_mul(family.step[1])),
        );
        for k in 0..family.count {
            prefetch(src.wrapping_add((k + PREFETCH_LEAD).wrapping_mul(from)));
            run(src.wrapping_add(k.wrapping_mul(from)), dst.wrapping_add(k.wrapping_mul(to)), family.len);
        }
    }
}

/// Copies every other 4-byte element to a destination without gaps. The compiler makes wide loads and shuffles of it.
/// (Copying every third element, or elements of 8 bytes, was slower this way.)
///
/// # Safety
/// As for [`copy`]; the bytes between the elements are readable.
#[inline(always)]
unsafe fn copy_every_other(src: *const u8, dst: *mut u8, count: usize) {
    const AT_ONCE: usize = 16;
    let (src, dst) = (src.cast::<u32>(), dst.cast::<u32>());
    // Loading a block also reads the gap behind its last element. The last element of all has none, so it is never part
    // of a block.
    let whole = count.saturating_sub(1) / AT_ONCE * AT_ONCE;
    for k in (0..whole).step_by(AT_ONCE) {
        // SAFETY: element `k + AT_ONCE` is in the source, and so is everything before it; `dst` has room from k on.
        unsafe {
            let all = src.wrapping_add(2 * k).cast::<[[u32; 2]; AT_ONCE]>().read_unaligned();
            dst.wrapping_add(k).cast::<[u32; AT_ONCE]>().write_unaligned(all.map(|pair| pair[0]));
        }
    }
    for k in whole..count {
        // SAFETY: this fn's contract.
        unsafe { dst.wrapping_add(k).write_unaligned(src.wrapping_add(2 * k).read_unaligned()) };
    }
}
