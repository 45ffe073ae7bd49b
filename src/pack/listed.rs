//! Copies the runs that a plan stores as a list.
//!
//! ```text
//! for each run: copy its bytes
//! ```
//! Deviations from that text:
//! 1. If all runs have the same length, the loop is chosen once by that length. So a run is a few blocks, without a
//!    branch.
//! 2. On a side without gaps, positions are not stored: the bytes of the runs before are added up.

use super::block::{self, copy_block};
use super::column::index;
use super::runs::CopyColumns;
use crate::layout::intersect::{Family, ListSlice, NarrowLens};

/// List of a loop's indices, on the side or sides that have gaps.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListedLevel<'a> {
    Both(&'a ListSlice<2>),
    /// Indices of the array that is read.
    Packed(&'a ListSlice<1>),
    /// Indices of the array that is written.
    Unpacked(&'a ListSlice<1>),
}

impl ListedLevel<'_> {
    /// Returns whether runs have fewer than `bytes` bytes on average, with `unit` bytes per index.
    pub fn are_shorter(&self, bytes: usize, unit: usize) -> bool {
        let (total, runs) = match self {
            Self::Both(list) => (list.total(), list.runs()),
            Self::Packed(list) | Self::Unpacked(list) => (list.total(), list.runs()),
        };
        index(total) * unit < index(runs) * bytes
    }
}

/// Copies the runs of `lists`, with `unit` bytes per index, in all `columns`.
///
/// # Safety
/// Each run is readable in each column of the source, and writable in each of the destination.
#[inline(always)]
pub(super) unsafe fn copy(columns: &CopyColumns, lists: ListedLevel<'_>, unit: usize) {
    for c in 0..columns.count {
        let src = columns.src.wrapping_add(c.wrapping_mul(columns.ld[0]));
        let dst = columns.dst.wrapping_add(c.wrapping_mul(columns.ld[1]));
        // SAFETY: this fn's contract.
        unsafe {
            match lists {
                ListedLevel::Both(list) => column(src, dst, list, unit, |[from, to], _| [from, to]),
                ListedLevel::Packed(list) => column(src, dst, list, unit, |[from], at| [from, at]),
                ListedLevel::Unpacked(list) => column(src, dst, list, unit, |[to], at| [at, to]),
            }
        }
    }
}

/// Copies the runs of one column. `place` returns the offsets of a run on both sides, from its start on the sides of
/// the list and from the bytes of all runs before it. All are in bytes.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn column<const D: usize>(
    src: *const u8,
    dst: *mut u8,
    list: &ListSlice<D>,
    unit: usize,
    place: impl Fn([usize; D], usize) -> [usize; 2] + Copy,
) {
    let one = |at: &mut usize, run: Family<D>| {
        let [from, to] = place(run.start().map(|start| index(start) * unit), *at);
        let bytes = index(run.run_len()) * unit;
        *at += bytes;
        // SAFETY: this fn's contract.
        unsafe { block::copy(src.wrapping_add(from), dst.wrapping_add(to), bytes) };
    };
    let mut at = 0;
    let Some((head, whole, tail)) = list.narrow() else {
        return list.each().for_each(|run| one(&mut at, run));
    };
    head.into_iter().for_each(|run| one(&mut at, run));
    let ends = (src, dst);
    // SAFETY: this fn's contract.
    unsafe {
        match whole.lens {
            NarrowLens::Equal(len) => equal(ends, whole.starts, unit, index(len) * unit, &mut at, place),
            NarrowLens::Before(before) => any(ends, whole.starts, unit, before, &mut at, place),
        }
    }
    tail.into_iter().for_each(|run| one(&mut at, run));
}

/// Copies runs of `bytes` bytes each. Adds their bytes to `at`, the bytes of all runs before them.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn equal<const D: usize>(
    ends: (*const u8, *mut u8),
    starts: &[[u32; D]],
    unit: usize,
    bytes: usize,
    at: &mut usize,
    place: impl Fn([usize; D], usize) -> [usize; 2],
) {
    // SAFETY: each arm copies `bytes` bytes per run; this fn's contract.
    unsafe {
        match bytes {
            1 => equal_blocks::<1, 1, D>(ends, starts, unit, *at, place),
            2 => equal_blocks::<2, 1, D>(ends, starts, unit, *at, place),
            4 => equal_blocks::<4, 1, D>(ends, starts, unit, *at, place),
            8 => equal_blocks::<8, 1, D>(ends, starts, unit, *at, place),
            16 => equal_blocks::<16, 1, D>(ends, starts, unit, *at, place),
            24 => equal_blocks::<8, 3, D>(ends, starts, unit, *at, place),
            32 => equal_blocks::<32, 1, D>(ends, starts, unit, *at, place),
            40 => equal_blocks::<8, 5, D>(ends, starts, unit, *at, place),
            48 => equal_blocks::<16, 3, D>(ends, starts, unit, *at, place),
            64 => equal_blocks::<64, 1, D>(ends, starts, unit, *at, place),
            _ => copy_each(ends, starts, unit, |_| bytes, *at, place),
        }
    }
    *at += starts.len() * bytes;
}

/// Copies runs of `PARTS` blocks of `N` bytes; `first` is the bytes of all runs before them.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn equal_blocks<const N: usize, const PARTS: usize, const D: usize>(
    (src, dst): (*const u8, *mut u8),
    starts: &[[u32; D]],
    unit: usize,
    first: usize,
    place: impl Fn([usize; D], usize) -> [usize; 2],
) {
    for (k, start) in starts.iter().enumerate() {
        let [from, to] = place(scale(start, unit), first + k * N * PARTS);
        for part in 0..PARTS {
            let (src, dst) = (src.wrapping_add(from + N * part), dst.wrapping_add(to + N * part));
            // SAFETY: this fn's contract.
            unsafe { copy_block::<N>(src, dst) };
        }
    }
}

#[inline(always)]
fn scale<const D: usize>(start: &[u32; D], unit: usize) -> [usize; D] {
    let mut bytes = [0; D];
    for (bytes, &start) in bytes.iter_mut().zip(start) {
        *bytes = start as usize * unit;
    }
    bytes
}

/// Copies runs of different lengths. `before` has the number of indices before each run. Adds the runs' bytes to `at`,
/// the bytes of all runs before them.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn any<const D: usize>(
    ends: (*const u8, *mut u8),
    starts: &[[u32; D]],
    unit: usize,
    before: &[u32],
    at: &mut usize,
    place: impl Fn([usize; D], usize) -> [usize; 2],
) {
    let len = |k: usize| (before[k + 1] - before[k]) as usize * unit;
    // SAFETY: this fn's contract.
    unsafe { copy_each(ends, starts, unit, len, *at, place) };
    *at += (before[starts.len()] - before[0]) as usize * unit;
}

/// Copies runs of `bytes(k)` bytes for run `k`; `at` is the bytes of all runs before them.
///
/// # Safety
/// As for [`copy`].
#[inline(always)]
unsafe fn copy_each<const D: usize>(
    (src, dst): (*const u8, *mut u8),
    starts: &[[u32; D]],
    unit: usize,
    bytes: impl Fn(usize) -> usize,
    mut at: usize,
    place: impl Fn([usize; D], usize) -> [usize; 2],
) {
    for (k, start) in starts.iter().enumerate() {
        let [from, to] = place(scale(start, unit), at);
        let bytes = bytes(k);
        // SAFETY: this fn's contract.
        unsafe { block::copy(src.wrapping_add(from), dst.wrapping_add(to), bytes) };
        at += bytes;
    }
}
