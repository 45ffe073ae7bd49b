//! Copy a family of short runs: elements dealt out one, two, three at a time, or one row of many columns.
//!
//! ```text
//! for each run: copy `len` bytes
//! ```
//! Deviation from that text: the loop is chosen once by the length of the runs, so that a run is one block, or two
//! that overlap, without a branch.

use super::block::{LINE, block, pair, prefetch};

/// Longest run, in bytes, that counts as short.
pub(super) const SHORT: usize = 64;
/// Runs at least so far apart are on lines that no hardware prefetcher foresees.
const APART: usize = 1 << 10;
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
}

/// Copies the runs of `family`; `src` and `dst` are where its indices count from.
///
/// # Safety
/// Each run is readable in `src` and writable in `dst`; runs have 1..=[`SHORT`] bytes, a multiple of 4.
#[inline(always)]
pub(super) unsafe fn copy(src: *const u8, dst: *mut u8, family: &Short) {
    let (src, dst) = (src.wrapping_add(family.start[0]), dst.wrapping_add(family.start[1]));
    // SAFETY: each arm copies exactly `len` bytes a run; this fn's contract.
    unsafe {
        match family.len {
            4 => each(src, dst, family, |src, dst, _| block::<4>(src, dst)),
            8 => each(src, dst, family, |src, dst, _| block::<8>(src, dst)),
            16 => each(src, dst, family, |src, dst, _| block::<16>(src, dst)),
            32 => each(src, dst, family, |src, dst, _| block::<32>(src, dst)),
            LINE => each(src, dst, family, |src, dst, _| block::<LINE>(src, dst)),
            33.. => each(src, dst, family, |src, dst, len| pair::<32>(src, dst, len)),
            17.. => each(src, dst, family, |src, dst, len| pair::<16>(src, dst, len)),
            _ => each(src, dst, family, |src, dst, len| pair::<8>(src, dst, len)),
        }
    }
}

#[inline(always)]
fn each(src: *const u8, dst: *mut u8, family: &Short, run: impl Fn(*const u8, *mut u8, usize)) {
    let [from, to] = family.stride;
    if from < APART {
        for t in 0..family.times {
            let at = |d: usize, k: usize| t * family.step[d] + k * family.stride[d];
            for k in 0..family.count {
                run(src.wrapping_add(at(0, k)), dst.wrapping_add(at(1, k)), family.len);
            }
        }
        return;
    }
    for t in 0..family.times {
        let (src, dst) = (src.wrapping_add(t * family.step[0]), dst.wrapping_add(t * family.step[1]));
        for k in 0..family.count {
            prefetch(src.wrapping_add((k + LEAD) * from));
            run(src.wrapping_add(k * from), dst.wrapping_add(k * to), family.len);
        }
    }
}
