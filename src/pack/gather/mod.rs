//! Write columns of an array in the order of its addresses, each run from whichever of several sources has it.
//!
//! ```text
//! for each column: for each run of the line: copy its bytes from its source
//! ```
//! Deviations from that text:
//! 1. The list of runs, the [`GatherLine`], is made once for all columns: what differs from column to column is where the
//!    sources and the destination begin.
//! 2. If the destination is large, its cache lines are written as a whole and past the caches ([`writer`]), so that memory
//!    is never read before it is overwritten. Long runs are copied directly from their source. Short runs, and cache lines
//!    in which runs meet, are first put together in a buffer of the thread (a *stage*).
//! 3. Where all runs are short and of one length, the loop over them is chosen once by that length.

mod line;
mod writer;

pub use line::{GatherLine, LineBuilder};

use super::array::{Destination, Source};
use super::block;
use crate::system::crew::Crew;
use line::{Chunk, LineRun};
use writer::Writer;

/// Runs that are shorter on average are made up in the stage.
const DIRECT: usize = 192;

/// Where one of the sources of a line is, for the first column, and bytes to where it is for the next one.
#[derive(Clone, Copy, Debug)]
pub enum Feed<'a> {
    /// Memory without gaps.
    Packed(&'a [u8], usize),
    /// An array, from so many bytes behind its first element on.
    Array(&'a Source<'a>, usize, usize),
}

impl<'a> Feed<'a> {
    /// The same from a later column on.
    pub fn behind(&self, columns: usize) -> Self {
        match *self {
            Self::Packed(bytes, step) => Self::Packed(&bytes[columns * step..], step),
            Self::Array(source, at, step) => Self::Array(source, at + columns * step, step),
        }
    }

    /// The address for the first column, where `columns` columns of `reach` bytes can be read; `None` where they cannot.
    fn base(&self, columns: usize, reach: usize) -> Option<*const u8> {
        let (base, at, step, bytes) = match *self {
            Feed::Packed(bytes, step) => (bytes.as_ptr(), 0, step, bytes.len()),
            Feed::Array(source, at, step) => (source.base(), at, step, source.shape().behind()?),
        };
        (end(at, step, columns, reach)? <= bytes || reach == 0).then(|| base.wrapping_add(at))
    }
}

/// One past the last byte of `columns` columns, `step` bytes apart, that reach so far behind `at`.
fn end(at: usize, step: usize, columns: usize, reach: usize) -> Option<usize> {
    columns.checked_sub(1)?.checked_mul(step)?.checked_add(at)?.checked_add(reach)
}

/// How columns are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stores {
    /// Run by run, through the caches.
    InPlace,
    /// Whole lines past the caches, long runs straight from their source.
    Direct,
    /// Whole lines past the caches, all through the stage.
    Staged,
}

/// Columns to be written: where the first one is, the bytes to the next, and the same of each source.
struct GatherColumns<'a> {
    line: &'a GatherLine,
    to: *mut u8,
    step: usize,
    count: usize,
    from: Vec<(*const u8, usize)>,
}

impl Destination<'_> {
    /// Writes `columns` columns like `line`, `step` bytes apart, the first one `at` bytes behind the array's first element, out
    /// of the sources of the line, `feeds`; past the caches, if `past`.
    pub fn gather(&mut self, line: &GatherLine, place: (usize, usize, usize), feeds: &[Feed], past: bool) {
        // SAFETY: this value is borrowed mutably.
        unsafe { self.write_columns(line, place, feeds, past) }
    }

    /// The same by the threads of `crew`, each of which writes up to `each` columns.
    pub(crate) fn gather_by(
        &mut self,
        (crew, each): (&Crew, usize),
        line: &GatherLine,
        (at, step, columns): (usize, usize, usize),
        feeds: &[Feed],
        past: bool,
    ) {
        // Columns that lie within each other are one thread's.
        if step < line.end() {
            return self.gather(line, (at, step, columns), feeds, past);
        }
        let jobs = (0..columns).step_by(each).map(|first| {
            let feeds: Vec<Feed> = feeds.iter().map(|feed| feed.behind(first)).collect();
            (at + first * step, each.min(columns - first), feeds)
        });
        let this = &*self;
        // SAFETY: this value is borrowed mutably; each job has other columns, and a column ends before the next one begins.
        crew.each(jobs, |(at, columns, feeds)| unsafe {
            this.write_columns(line, (at, step, columns), &feeds, past)
        });
    }

    /// # Safety
    /// Nobody else uses the bytes that the line names in these columns.
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
        let stores = match (past && line.is_whole(), line.average() >= DIRECT) {
            (false, _) => Stores::InPlace,
            (true, true) => Stores::Direct,
            (true, false) => Stores::Staged,
        };
        let mut all = GatherColumns { line, to: self.base().wrapping_add(at), step, count: columns, from };
        // SAFETY: the line lies within the destination and its sources (asserted), in each of the columns; this fn's contract.
        Writer::with(|writer| unsafe { dispatch(&mut all, stores, Width::best(), writer) });
    }
}

/// Bytes that are streamed at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    /// What every processor of the target has.
    Portable,
    /// AVX2.
    #[cfg(target_arch = "x86_64")]
    Half,
}

impl Width {
    /// All of them, the best last.
    #[cfg(target_arch = "x86_64")]
    const ALL: &[Self] = &[Self::Portable, Self::Half];
    /// All of them, the best last.
    #[cfg(not(target_arch = "x86_64"))]
    const ALL: &[Self] = &[Self::Portable];

    /// Whether this machine has it.
    fn available(self) -> bool {
        match self {
            Self::Portable => true,
            #[cfg(target_arch = "x86_64")]
            Self::Half => is_x86_feature_detected!("avx2"),
        }
    }

    /// The best that this machine has.
    fn best() -> Self {
        let available = Self::ALL.iter().rev().find(|width| width.available());
        *available.expect("every processor has what every processor has")
    }
}

/// # Safety
/// The runs of the line are readable in their sources and writable in the destination, in each column; the width is available.
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
/// As for [`dispatch`]; lines can be streamed `N` bytes at a time.
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
/// As for [`all`], of one column; the line is whole.
#[inline(always)]
unsafe fn direct<const N: usize>(
    line: &GatherLine,
    from: &[(*const u8, usize)],
    to: *mut u8,
    writer: &mut Writer,
) {
    writer.go_to::<N>(to.wrapping_add(line.start()));
    for run in line.runs() {
        // SAFETY: this fn's contract; a line names sources that there are.
        unsafe { writer.stream::<N>(source(from, run), run.bytes()) };
    }
}

/// # Safety
/// As for [`all`], of one column; the line is whole.
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

/// Copies runs; `to` is where their places in the destination count from.
///
/// # Safety
/// The runs are readable in their sources and writable behind `to`; `equal` is the length of all of them, if they have one.
#[inline(always)]
unsafe fn each_run(runs: &[LineRun], from: &[(*const u8, usize)], to: *mut u8, equal: Option<usize>) {
    // SAFETY: each arm copies the runs; this fn's contract.
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

/// Where a run is read.
///
/// # Safety
/// There is the source that the run names.
#[inline(always)]
unsafe fn source(from: &[(*const u8, usize)], run: &LineRun) -> *const u8 {
    // SAFETY: this fn's contract.
    unsafe { from.get_unchecked(run.source()) }.0.wrapping_add(run.offset())
}

#[cfg(test)]
mod tests;
