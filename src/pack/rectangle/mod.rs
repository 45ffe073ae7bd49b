//! Copies a product of index sets, one per dimension, from one array to another.
//!
//! ```text
//! for each index of the outer dimensions: for each column: for each family of rows: for each run: copy its bytes
//! ```
//! Deviations from that text:
//! 1. All lengths and offsets are in bytes; a copy does not depend on the type of the elements.
//! 2. [`Nest`] decides which dimensions are rows, columns and outer ones, and merges dimensions that are contiguous.
//! 3. The families of rows are listed once for all columns ([`Column`]), and consecutive columns are one call.
//! 4. If a column is one short run, all columns are copied as one family of short runs.
//! 5. Rows that the plan stores as a list are copied from the list, unless they are long.
//! 6. The loops are compiled for several instruction sets; the machine's best one is used. (AVX-512 with masked loads
//!    and stores was no faster than AVX2 on a Zen 4.)

use super::block::{CopyRun, MIN_MEMMOVE_RUN, MIN_STREAMED_RUN, fence};
use super::column::{Column, ColumnPart, index};
use super::instructions::{CopyOptions, Instructions};
use super::level::{Level, distance, for_each_offset, signed};
use super::listed::{self, ListedLevel};
use super::nest::Nest;
use super::prefetch::MIN_PREFETCHED_RUN;
use super::runs::{self, CacheUse, CopyColumns};
use super::short::{self, MAX_SHORT_RUN, ShortRuns};
use super::tiled;

/// Copies the elements that `nest` selects from the array at `from` to the array at `to`.
///
/// # Safety
/// Every element of the nest is readable in the array at `from` and writable in the array at `to`; the instructions are
/// available.
pub(super) unsafe fn copy<'a>(from: *const u8, to: *mut u8, nest: &'a Nest<'a>, options: CopyOptions) {
    if nest.is_empty() {
        return;
    }
    if nest.is_transposition(options.element) {
        // SAFETY: this fn's contract.
        return unsafe { tiled::copy(from, to, nest, options) };
    }
    let none = [];
    let (rows, rest) =
        nest.levels().split_first().map_or((None, &none[..]), |(rows, rest)| (Some(rows), rest));
    let (cols, outer) = rest.split_first().map_or((None, &none[..]), |(cols, outer)| (Some(cols), outer));
    let columns = |[src, dst]: [isize; 2]| CopyColumns {
        src: from.wrapping_offset(src),
        dst: to.wrapping_offset(dst),
        ld: [0; 2],
        count: 1,
    };
    let short = |rows: &'a Level<'a>| {
        rows.listed(options.element).filter(|(lists, unit)| lists.are_shorter(MIN_STREAMED_RUN, *unit))
    };
    if let Some((lists, unit)) = rows.and_then(short) {
        return for_each_offset(outer, nest.offset, &mut |at| {
            let rows = Rows::Listed(lists, unit);
            // SAFETY: these columns belong to the nest; this fn's contract.
            each_column(columns(at), cols, |columns| unsafe { dispatch(&columns, &rows, options) });
        });
    }
    let list = |column: &mut Column| nest.rows_in_bytes(options.element, |family| column.add(family));
    Column::with(list, |column| {
        let stream = options.caches.stream && column.at_least(MIN_STREAMED_RUN);
        // Long runs need no software prefetches, unless they are streamed: then the hardware prefetchers are too late.
        let ahead = options.caches.prefetch
            && column.at_least(MIN_PREFETCHED_RUN)
            && (stream || !column.at_least(MIN_MEMMOVE_RUN));
        let caches = CacheUse { prefetch: ahead, stream };
        let options = CopyOptions { caches, ..options };
        let rows = Rows::Column(column);
        for_each_offset(outer, nest.offset, &mut |at| {
            // SAFETY: these columns belong to the nest; this fn's contract.
            each_column(columns(at), cols, |columns| unsafe { dispatch(&columns, &rows, options) });
        });
    });
    if options.caches.stream {
        fence();
    }
}

/// Copies `runs` from one array to another.
///
/// # Safety
/// Each run is readable at `src` and writable at `dst`, and has `equal` bytes if that is given. The instructions are
/// available.
pub(super) unsafe fn copy_runs(
    src: *const u8,
    dst: *mut u8,
    runs: &[CopyRun],
    equal: Option<usize>,
    instructions: Instructions,
) {
    let at = CopyColumns { src, dst, ld: [0; 2], count: 1 };
    let options = CopyOptions { element: 1, caches: CacheUse::CACHED, instructions };
    // SAFETY: this fn's contract.
    unsafe { dispatch(&at, &Rows::Runs(runs, equal), options) };
}

/// Calls `body` with groups of columns at equal distances, which together are the columns of `cols`. Offsets count from
/// `origin`.
fn each_column(origin: CopyColumns, cols: Option<&Level<'_>>, mut body: impl FnMut(CopyColumns)) {
    let Some(cols) = cols else { return body(origin) };
    let stride = cols.stride();
    let bytes = |at: [u64; 2]| [0, 1].map(|d| signed(at[d]) * stride[d]);
    let mut several = |first: [u64; 2], step: [u64; 2], count: u64| {
        let [src, dst] = bytes(first);
        body(CopyColumns {
            src: origin.src.wrapping_offset(src),
            dst: origin.dst.wrapping_offset(dst),
            ld: bytes(step).map(distance),
            count: index(count),
        });
    };
    cols.each(|f| match f.len {
        1 => several(f.start, f.stride, f.count),
        len => (0..f.count).for_each(|k| several([0, 1].map(|d| f.start[d] + k * f.stride[d]), [1; 2], len)),
    });
}

/// The rows of a rectangle, in one of three forms.
enum Rows<'a> {
    /// Families of short runs and a list of the other runs, prepared for many columns.
    Column(&'a Column),
    /// The list of a plan, and the bytes per index.
    Listed(ListedLevel<'a>, usize),
    /// A list of runs, and their length if all have the same length.
    Runs(&'a [CopyRun], Option<usize>),
}

/// # Safety
/// As for [`columns`]; the instructions are available.
unsafe fn dispatch(at: &CopyColumns, rows: &Rows<'_>, options: CopyOptions) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn avx2(at: &CopyColumns, rows: &Rows<'_>, caches: CacheUse) {
        // SAFETY: the caller's contract.
        unsafe { columns(at, rows, caches) }
    }
    // SAFETY: the caller's contract.
    unsafe {
        match options.instructions {
            Instructions::Portable => columns(at, rows, options.caches),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => avx2(at, rows, options.caches),
        }
    }
}

/// Copies `rows` in all columns.
///
/// # Safety
/// Every byte of `rows` is readable in each column of the source and writable in each column of the destination.
#[inline(always)]
unsafe fn columns(at: &CopyColumns, rows: &Rows<'_>, caches: CacheUse) {
    // SAFETY: this fn's contract.
    unsafe {
        match rows {
            Rows::Column(column) => copy_column(at, column, caches),
            Rows::Listed(lists, unit) => listed::copy(at, *lists, *unit),
            Rows::Runs(list, Some(len)) => runs::equal(at, list, *len),
            Rows::Runs(list, None) => runs::copy(at, list, caches),
        }
    }
}

/// Copies the rows of `column` in all `columns`.
///
/// # Safety
/// As for [`columns`].
#[inline(always)]
unsafe fn copy_column(columns: &CopyColumns, column: &Column, caches: CacheUse) {
    let CopyColumns { src, dst, ld, count } = *columns;
    // SAFETY: every arm copies the elements that the last arm would; this fn's contract.
    unsafe {
        match (&*column.parts, &*column.runs) {
            (_, [run]) if run.len <= MAX_SHORT_RUN && column.parts.len() == 1 => {
                let family = ShortRuns {
                    start: [run.src, run.dst],
                    stride: ld,
                    len: run.len,
                    count,
                    step: [0; 2],
                    times: 1,
                    within: false,
                };
                short::copy(src, dst, &family);
            }
            ([ColumnPart::Runs(_)], list) => match column.equal().filter(|_| caches == CacheUse::CACHED) {
                Some(len) => runs::equal(columns, list, len),
                None => runs::copy(columns, list, caches),
            },
            (parts, list) => {
                for c in 0..count {
                    let at = CopyColumns {
                        src: src.wrapping_add(c.wrapping_mul(ld[0])),
                        dst: dst.wrapping_add(c.wrapping_mul(ld[1])),
                        ld,
                        count: 1,
                    };
                    for part in parts {
                        match part {
                            ColumnPart::Runs(range) => runs::copy(&at, &list[range.clone()], caches),
                            ColumnPart::Short(family) => short::copy(at.src, at.dst, family),
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
