//! Writes columns of an array in the order of its addresses, each run from one of several sources.
//!
//! ```text
//! for each column: for each run of the line: copy its bytes from its source
//! ```
//! Deviations from that text:
//! 1. The list of runs, the [`GatherLine`], is built once for all columns. From column to column, only the start
//!    addresses in sources and destination change.
//! 2. Whole cache lines of a large destination are streamed ([`writer`]), so that they are not read before they are
//!    overwritten. Long runs are copied directly from their source. Short runs, and cache lines with parts of several
//!    runs, are first collected in a buffer of the thread (a *stage*).
//! 3. If all runs have the same short length, the loop is chosen once by that length.

mod line;
mod writer;

pub use line::{GatherLine, LineBuilder};

use super::block;
use line::{Chunk, LineRun};
use writer::Writer;

/// Minimum average bytes of runs that are copied directly from their source; shorter ones go through the stage.
const MIN_DIRECT_RUN: usize = 192;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CopyMethod {
    /// Run by run, through the caches.
    InPlace,
    /// Streams whole cache lines: long runs directly from their source.
    Direct,
    /// Streams whole cache lines: all runs through the stage.
    Staged,
}

/// Columns to write: address of the first one and bytes to the next one, in the destination and in each source.
pub(super) struct GatherColumns<'a> {
    pub line: &'a GatherLine,
    pub to: *mut u8,
    pub step: usize,
    pub count: usize,
    pub from: Vec<(*const u8, usize)>,
}

/// Writes all columns. Streams if `past_caches` is set and the line has no gaps.
///
/// # Safety
/// The runs of the line are readable in their sources and writable in the destination, in each column.
pub(super) unsafe fn write(mut columns: GatherColumns<'_>, past_caches: bool) {
    let line = columns.line;
    let method = match (past_caches && line.is_whole(), line.average() >= MIN_DIRECT_RUN) {
        (false, _) => CopyMethod::InPlace,
        (true, true) => CopyMethod::Direct,
        (true, false) => CopyMethod::Staged,
    };
    // SAFETY: this fn's contract.
    Writer::with(|writer| unsafe { dispatch(&mut columns, method, Width::best(), writer) });
}

/// Bytes per streaming store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// Available on every processor of the target.
    Bytes16,
    /// Needs AVX2.
    #[cfg(target_arch = "x86_64")]
    Bytes32,
}

impl Width {
    /// All widths, the best last.
    #[cfg(target_arch = "x86_64")]
    const ALL: &[Self] = &[Self::Bytes16, Self::Bytes32];
    /// All widths, the best last.
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: &[Self] = &[Self::Bytes16];

    fn available(self) -> bool {
        match self {
            Self::Bytes16 => true,
            #[cfg(target_arch = "x86_64")]
            Self::Bytes32 => is_x86_feature_detected!("avx2"),
        }
    }

    fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|width| width.available());
        *available.expect("16 bytes are always available")
    }
}

/// # Safety
/// The runs of the line are readable in their sources and writable in the destination, in each column; the width is
/// available.
unsafe fn dispatch(columns: &mut GatherColumns, method: CopyMethod, width: Width, writer: &mut Writer) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn with_avx2(columns: &mut GatherColumns, method: CopyMethod, writer: &mut Writer) {
        // SAFETY: the caller's contract.
        unsafe { write_columns::<32>(columns, method, writer) }
    }
    // SAFETY: this fn's contract.
    unsafe {
        match width {
            Width::Bytes16 => write_columns::<16>(columns, method, writer),
            #[cfg(target_arch = "x86_64")]
            Width::Bytes32 => with_avx2(columns, method, writer),
        }
    }
}

/// # Safety
/// As for [`dispatch`]; the processor can stream `N` bytes at a time.
#[inline(always)]
unsafe fn write_columns<const N: usize>(
    columns: &mut GatherColumns,
    method: CopyMethod,
    writer: &mut Writer,
) {
    let GatherColumns { line, to, step, count, ref mut from } = *columns;
    for c in 0..count {
        let to = to.wrapping_add(c.wrapping_mul(step));
        // SAFETY: this fn's contract.
        unsafe {
            match method {
                CopyMethod::InPlace => copy_runs(line.runs(), from, to, line.equal()),
                CopyMethod::Direct => write_direct::<N>(line, from, to, writer),
                CopyMethod::Staged => write_staged::<N>(line, from, to, writer),
            }
        }
        from.iter_mut().for_each(|(base, step)| *base = base.wrapping_add(*step));
    }
    writer.finish::<N>();
}

/// # Safety
/// As for [`write_columns`], for one column; the line has no gaps.
#[inline(always)]
unsafe fn write_direct<const N: usize>(
    line: &GatherLine,
    from: &[(*const u8, usize)],
    to: *mut u8,
    writer: &mut Writer,
) {
    writer.go_to::<N>(to.wrapping_add(line.start()));
    for run in line.runs() {
        // SAFETY: this fn's contract; a line refers to existing sources only.
        unsafe { writer.stream::<N>(run_address(from, run), run.bytes()) };
    }
}

/// # Safety
/// As for [`write_columns`], for one column; the line has no gaps.
#[inline(always)]
unsafe fn write_staged<const N: usize>(
    line: &GatherLine,
    from: &[(*const u8, usize)],
    to: *mut u8,
    writer: &mut Writer,
) {
    writer.go_to::<N>(to.wrapping_add(line.start()));
    for Chunk { runs, start, bytes, .. } in line.chunks() {
        let stage = writer.room::<N>(*bytes).wrapping_sub(*start);
        // SAFETY: this fn's contract; the stage has room for the chunk.
        unsafe { copy_runs(&line.runs()[runs.clone()], from, stage, line.equal()) };
        writer.filled(*bytes);
    }
}

/// Copies runs; their places in the destination count from `to`.
///
/// # Safety
/// The runs are readable in their sources and writable behind `to`. If `equal` is given, all runs have this length.
#[inline(always)]
unsafe fn copy_runs(runs: &[LineRun], from: &[(*const u8, usize)], to: *mut u8, equal: Option<usize>) {
    // SAFETY: each arm copies all runs; this fn's contract.
    unsafe {
        match equal {
            Some(4) => copy_equal_runs::<4>(runs, from, to),
            Some(8) => copy_equal_runs::<8>(runs, from, to),
            Some(16) => copy_equal_runs::<16>(runs, from, to),
            Some(32) => copy_equal_runs::<32>(runs, from, to),
            _ => {
                for run in runs {
                    block::copy(run_address(from, run), to.wrapping_add(run.place()), run.bytes());
                }
            }
        }
    }
}

/// # Safety
/// As for [`copy_runs`]; all runs have `N` bytes.
#[inline(always)]
unsafe fn copy_equal_runs<const N: usize>(runs: &[LineRun], from: &[(*const u8, usize)], to: *mut u8) {
    for run in runs {
        // SAFETY: this fn's contract.
        unsafe { block::copy_block::<N>(run_address(from, run), to.wrapping_add(run.place())) };
    }
}

/// Returns the address of a run's first byte.
///
/// # Safety
/// `from` has the source of the run.
#[inline(always)]
unsafe fn run_address(from: &[(*const u8, usize)], run: &LineRun) -> *const u8 {
    // SAFETY: this fn's contract.
    unsafe { from.get_unchecked(run.source()) }.0.wrapping_add(run.offset())
}

#[cfg(test)]
mod tests;
