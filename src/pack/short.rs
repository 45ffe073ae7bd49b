//! Copy a family of short runs: blocks of one, two or three elements, or one row of many columns.
//!
//! ```text
//! for each run: copy `len` bytes
//! ```
//! Deviations from that text:
//! 1. The loop is chosen once by the length of the runs, so that a run is one block, or two that overlap, without a
//!    branch.
//! 2. Every other element of 4 bytes, to a destination without gaps, is taken out of blocks that are loaded whole.
//! 3. Where runs are far apart in the source, but several to a page, each is asked for some runs ahead.

use super::block::{LINE, block, pair, prefetch};
use std::ops::Range;

/// Longest run, in bytes, that counts as short.
pub(super) const SHORT: usize = 64;
/// Runs so far apart are on lines that no hardware prefetcher foresees. Where each is on a page of its own, it is the translation of
/// addresses that takes the time, and to ask ahead for each took an eighth longer.
const APART: Range<usize> = 1 << 10..1 << 12;
/// Runs between one that is copied and one that is asked for.
const LEAD: usize = 24;

/// Equal runs at equal distances, in bytes, all of them some times over at equal distances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Short {
    pub start: [usize; 2],
    pub stride: [usize; 2],
    pub len: usize,
    pub count: usize,
    pub step: [usize; 2],
    pub times: usize,
    /// What lies between the runs of the source is part of the array, too.
    pub within: bool,
}

impl Default for Short {
    fn default() -> Self {
        Self { start: [0; 2], stride: [0; 2], len: 0, count: 1, step: [0; 2], times: 1, within: false }
    }
}

/// Copies the runs of `family`; `src` and `dst` are where its indices count from.
///
/// # Safety
/// Each run is readable in `src` and writable in `dst`, and what lies between runs is readable if the family says so;
/// runs have 1..=[`SHORT`] bytes.
#[inline(always)]
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, family: &Short) {
    let (src, dst) = (src.wrapping_add(family.start[0]), dst.wrapping_add(family.start[1]));
    // SAFETY: each arm copies exactly `len` bytes a run; this fn's contract.
    unsafe {
        if family.within && family.times == 1 && (family.stride, family.len) == ([8, 4], 4) {
            return every_other(src, dst, family.count);
        }
        match family.len {
            4 => each(src, dst, family, |src, dst, _| block::<4>(src, dst)),
            8 => each(src, dst, family, |src, dst, _| block::<8>(src, dst)),
            16 => each(src, dst, family, |src, dst, _| block::<16>(src, dst)),
            32 => each(src, dst, family, |src, dst, _| block::<32>(src, dst)),
            LINE => each(src, dst, family, |src, dst, _| block::<LINE>(src, dst)),
            33.. => each(src, dst, family, |src, dst, len| pair::<32>(src, dst, len)),
            17.. => each(src, dst, family, |src, dst, len| pair::<16>(src, dst, len)),
            9.. => each(src, dst, family, |src, dst, len| pair::<8>(src, dst, len)),
            _ => odd(src, dst, family),
        }
    }
}

/// Runs of 1, 2, 3, 5, 6 or 7 bytes.
///
/// # Safety
/// As for [`copy`], but that the family's start is in `src` and `dst` already.
#[inline(never)]
unsafe fn odd(src: *const u8, dst: *mut u8, family: &Short) {
    // SAFETY: each arm copies exactly `len` bytes a run; this fn's contract.
    unsafe {
        match family.len {
            1 => each(src, dst, family, |src, dst, _| block::<1>(src, dst)),
            2 => each(src, dst, family, |src, dst, _| block::<2>(src, dst)),
            3 => each(src, dst, family, |src, dst, len| pair::<2>(src, dst, len)),
            _ => each(src, dst, family, |src, dst, len| pair::<4>(src, dst, len)),
        }
    }
}

/// Calls `run` with the addresses of each run, and its length.
#[inline(always)]
fn each(src: *const u8, dst: *mut u8, family: &Short, run: impl Fn(*const u8, *mut u8, usize)) {
    let [from, to] = family.stride;
    if !APART.contains(&from) {
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
            prefetch(src.wrapping_add((k + LEAD).wrapping_mul(from)));
            run(src.wrapping_add(k.wrapping_mul(from)), dst.wrapping_add(k.wrapping_mul(to)), family.len);
        }
    }
}

/// Every other 4-byte element of the source, to a destination without gaps: the compiler makes it loads and shuffles.
/// (Every third, and elements of 8 bytes, are faster one by one.)
///
/// # Safety
/// As for [`copy`]; what lies between the elements is readable.
#[inline(always)]
unsafe fn every_other(src: *const u8, dst: *mut u8, count: usize) {
    const AT_ONCE: usize = 16;
    let (src, dst) = (src.cast::<u32>(), dst.cast::<u32>());
    // The last element of a block has another behind it only if it is not the last of all.
    let whole = count.saturating_sub(1) / AT_ONCE * AT_ONCE;
    for k in (0..whole).step_by(AT_ONCE) {
        // SAFETY: element `k + AT_ONCE` is in the source, and so is all before it; the elements from k on have room.
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
