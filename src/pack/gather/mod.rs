//! Writes columns of an array in the order of its addresses, each run from one of several sources.
//!
//! ```text
//! for each column: for each run of the line: copy its bytes from its source
//! ```
//! Deviations from that text:
//! 1. The list of runs, the [`GatherLine`], is built once for all columns. From column to column, only the start
//!    addresses in sources and destination change.
//! 2. Whole cache lines of a large destination are streamed ([`writer`]), so that they are not read before they are
//!    overwritten. Long runs are copied directly from their source. Short runs, and cache lines in which runs meet, are
//!    first put together in a buffer of the thread (a *stage*).
//! 3. If all runs have the same short length, the loop is chosen once by that length.

mod line;
mod writer;

pub use line::{GatherLine, LineBuilder};

use super::array::{Destination, Source};
use super::block;
use crate::system::workers::Workers;
use line::{Chunk, LineRun};
use writer::Writer;

/// Shortest average run, in bytes, that is copied directly from its source; shorter runs go through the stage.
const MIN_DIRECT_RUN: usize = 192;

/// A source of a line: the place of its part of the first column, and the distance to its part of the next column.
#[derive(Clone, Copy, Debug)]
pub enum Feed<'a> {
    /// Memory without gaps, and the distance of columns in bytes.
    Packed(&'a [u8], usize),
    /// An array, the offset of the first column from the array's first element, and the distance of columns, both in
    /// bytes.
    Array(&'a Source<'a>, usize, usize),
}

impl<'a> Feed<'a> {
    /// Returns the source without its first `columns` columns.
    pub fn behind(&self, columns: usize) -> Self {
        match *self {
            Self::Packed(bytes, step) => Self::Packed(&bytes[columns * step..], step),
            Self::Array(source, at, step) => Self::Array(source, at + columns * step, step),
        }
    }

    /// Returns the address of the first column; `None` unless `columns` columns of `reach` bytes are readable.
    fn base(&self, columns: usize, reach: usize) -> Option<*const u8> {
        let (base, at, step, bytes) = match *self {
            Feed::Packed(bytes, step) => (bytes.as_ptr(), 0, step, bytes.len()),
            Feed::Array(source, at, step) => (source.base(), at, step, source.shape().behind()?),
        };
        (end(at, step, columns, reach)? <= bytes || reach == 0).then(|| base.wrapping_add(at))
    }
}

/// Returns the end of `columns` columns that begin at `at`, lie `step` bytes apart and have `reach` bytes each; `None`
/// for 0 columns, or if the end exceeds usize.
fn end(at: usize, step: usize, columns: usize, reach: usize) -> Option<usize> {
    columns.checked_sub(1)?.checked_mul(step)?.checked_add(at)?.checked_add(reach)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stores {
    /// Run by run, through the caches.
    InPlace,
    /// Streams whole cache lines: long runs directly from their source.
    Direct,
    /// Streams whole cache lines: all runs through the stage.
    Staged,
}

/// Columns to write: address of the first one and bytes to the next, in the destination and in each source.
struct GatherColumns<'a> {
    line: &'a GatherLine,
    to: *mut u8,
    step: usize,
    count: usize,
    from: Vec<(*const u8, usize)>,
}

impl Destination<'_> {
    /// Writes columns by the runs of `line`, from the sources `feeds`. `place` is (bytes from the array's first element
    /// to the first column, bytes from column to column, number of columns). Streams if `past` is set and the line has
    /// no gaps.
    pub fn gather(&mut self, line: &GatherLine, place: (usize, usize, usize), feeds: &[Feed], past: bool) {
        // SAFETY: this value is borrowed mutably.
        unsafe { self.write_columns(line, place, feeds, past) }
    }

    /// Writes columns as [`Destination::gather`] does, with the threads of `workers`. A job has at most `each` columns.
    pub(crate) fn gather_by(
        &mut self,
        (workers, each): (&Workers, usize),
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        feeds: &[Feed],
        past: bool,
    ) {
        // If columns are interleaved, one thread writes them all.
        if step < line.end() {
            return self.gather(line, (at, step, columns), feeds, past);
        }
        let jobs = (0..columns).step_by(each).map(|first| {
            let feeds: Vec<Feed> = feeds.iter().map(|feed| feed.behind(first)).collect();
            (at + first * step, each.min(columns - first), feeds)
        });
        let this = &*self;
        // SAFETY: this value is borrowed mutably; each job has its own columns, and a column ends before the next one
        // begins.
        workers.each(jobs, |(at, columns, feeds)| unsafe {
            this.write_columns(line, (at, step, columns), &feeds, past)
        });
    }

    /// # Safety
    /// Nobody else uses the bytes that the line covers in these columns.
    unsafe fn write_columns(
        &self,
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        feeds: &[Feed],
        past: bool,
    ) {
        let bytes = self.shape().behind().expect("an array whose indices ascend with its addresses");
        let room = end(at, step, columns, line.end()).is_some_and(|end| end <= bytes);
        assert!(room && feeds.len() == line.reaches().len(), "a line outside a local array");
        let base = |(feed, &reach): (&Feed, &usize)| {
            let step = match *feed {
                Feed::Packed(_, step) | Feed::Array(.., step) => step,
            };
            (feed.base(columns, reach).expect("a line outside its source"), step)
        };
        let from = feeds.iter().zip(line.reaches()).map(base).collect();
        let stores = match (past && line.is_whole(), line.average() >= MIN_DIRECT_RUN) {
            (false, _) => Stores::InPlace,
            (true, true) => Stores::Direct,
            (true, false) => Stores::Staged,
        };
        let mut all = GatherColumns { line, to: self.base().wrapping_add(at), step, count: columns, from };
        // SAFETY: the line lies within the destination and its sources (asserted), in each column; this fn's contract.
        Writer::with(|writer| unsafe { dispatch(&mut all, stores, Width::best(), writer) });
    }
}

/// Bytes per streaming store.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// 16 bytes, on every processor of the target.
    Portable,
    /// 32 bytes, with AVX2.
    #[cfg(target_arch = "x86_64")]
    Half,
}

impl Width {
    /// All widths, the best last.
    #[cfg(target_arch = "x86_64")]
    const ALL: &[Self] = &[Self::Portable, Self::Half];
    /// All widths, the best last.
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: &[Self] = &[Self::Portable];

    fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Half => is_x86_feature_detected!("avx2"),
        }
    }

    fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|width| width.available());
        *available.expect("every processor has what every processor has")
    }
}

/// # Safety
/// The runs of the line are readable in their sources and writable in the destination, in each column; the width is
/// available.
unsafe fn dispatch(columns: &mut GatherColumns, stores: Stores, width: Width, writer: &mut Writer) {
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn half(columns: &mut GatherColumns, stores: Stores, writer: &mut Writer) {
        // SAFETY: the caller's contract.
        unsafe { all::<32>(columns, stores, writer) }
    }
    // SAFETY: this fn's contract.
    unsafe {
        match width {
            Width::Portable => all::<16>(columns, stores, writer),
            #[cfg(target_arch = "x86_64")]
            Width::Half => half(columns, stores, writer),
        }
    }
}

/// # Safety
/// As for [`dispatch`]; the processor can stream `N` bytes at a time.
#[inline(always)]
unsafe fn all<const N: usize>(columns: &mut GatherColumns, stores: Stores, writer: &mut Writer) {
    let GatherColumns { line, to, step, count, ref mut from } = *columns;
    for c in 0..count {
        let to = to.wrapping_add(c.wrapping_mul(step));
        // SAFETY: this fn's contract.
        unsafe {
            match stores {
                Stores::InPlace => each_run(line.runs(), from, to, line.equal()),
                Stores::Direct => direct::<N>(line, from, to, writer),
                Stores::Staged => staged::<N>(line, from, to, writer),
            }
        }
        from.iter_mut().for_each(|(base, step)| *base = base.wrapping_add(*step));
    }
    writer.finish::<N>();
}

/// # Safety
/// As for [`all`], for one column; the line has no gaps.
#[inline(always)]
unsafe fn direct<const N: usize>(
    line: &GatherLine,
    from: &[(*const u8, usize)],
    to: *mut u8,
    writer: &mut Writer,
) {
    writer.go_to::<N>(to.wrapping_add(line.start()));
    for run in line.runs() {
        // SAFETY: this fn's contract; a line refers to existing sources only.
        unsafe { writer.stream::<N>(source(from, run), run.bytes()) };
    }
}

/// # Safety
/// As for [`all`], for one column; the line has no gaps.
#[inline(always)]
unsafe fn staged<const N: usize>(
    line: &GatherLine,
    from: &[(*const u8, usize)],
    to: *mut u8,
    writer: &mut Writer,
) {
    writer.go_to::<N>(to.wrapping_add(line.start()));
    for Chunk { runs, start, bytes, .. } in line.chunks() {
        let stage = writer.room::<N>(*bytes).wrapping_sub(*start);
        // SAFETY: this fn's contract; the stage has room for the chunk.
        unsafe { each_run(&line.runs()[runs.clone()], from, stage, line.equal()) };
        writer.filled(*bytes);
    }
}

/// Copies runs; their places in the destination count from `to`.
///
/// # Safety
/// The runs are readable in their sources and writable behind `to`. If `equal` is given, all runs have this length.
#[inline(always)]
unsafe fn each_run(runs: &[LineRun], from: &[(*const u8, usize)], to: *mut u8, equal: Option<usize>) {
    // SAFETY: each arm copies all runs; this fn's contract.
    unsafe {
        match equal {
            Some(4) => alike::<4>(runs, from, to),
            Some(8) => alike::<8>(runs, from, to),
            Some(16) => alike::<16>(runs, from, to),
            Some(32) => alike::<32>(runs, from, to),
            _ => {
                for run in runs {
                    block::copy(source(from, run), to.wrapping_add(run.place()), run.bytes());
                }
            }
        }
    }
}

/// # Safety
/// As for [`each_run`]; all runs have `N` bytes.
#[inline(always)]
unsafe fn alike<const N: usize>(runs: &[LineRun], from: &[(*const u8, usize)], to: *mut u8) {
    for run in runs {
        // SAFETY: this fn's contract.
        unsafe { block::block::<N>(source(from, run), to.wrapping_add(run.place())) };
    }
}

/// Returns the address from which a run is read.
///
/// # Safety
/// `from` has the source of the run.
#[inline(always)]
unsafe fn source(from: &[(*const u8, usize)], run: &LineRun) -> *const u8 {
    // SAFETY: this fn's contract.
    unsafe { from.get_unchecked(run.source()) }.0.wrapping_add(run.offset())
}

#[cfg(test)]
mod tests;
