//! Software prefetches.
//!
//! Runs that are far apart defeat the hardware's prefetchers: they follow a run beyond its end, and stop at the end of a
//! page. So the cache lines of later runs are prefetched while earlier runs are copied. This helps only for reading: stores
//! do not wait, and prefetching lines to be written cost more than it gained.

use super::block::{CopyRun, LINE, prefetch};

/// Shortest runs, on average, that are worth asking for: more than a line or two each.
pub(super) const WORTH: usize = 128;
/// Smallest array that is taken to lie in memory rather than in a core's own cache.
pub(super) const FAR: usize = 2 << 20;
/// Smallest array that is written past the caches. It is more than a core's share of the last level as a rule; what a
/// system says of its size is often not true on virtual machines.
pub(super) const STREAMED: usize = 16 << 20;
/// Smallest buffer for a far core that is written past the caches.
pub(super) const PAST: usize = 16 << 10;

/// A place in the lines that a list of runs touches in one column after another, ahead of the place that is copied.
pub(super) struct Ahead<'a> {
    runs: &'a [CopyRun],
    /// The column, and the columns from it on.
    column: *const u8,
    columns: usize,
    ld: usize,
    run: usize,
    /// Bytes of the run that were asked for.
    within: usize,
    /// Bytes asked for that are not yet copied.
    lead: usize,
}

impl<'a> Ahead<'a> {
    /// How far ahead: what arrives in the time that memory takes.
    const LEAD: usize = 16 << 10;

    #[inline(always)]
    pub fn new(runs: &'a [CopyRun], column: *const u8, columns: usize, ld: usize) -> Self {
        Self { runs, column, columns, ld, run: 0, within: 0, lead: 0 }
    }

    /// `bytes` are being copied: asks for as many and, until the lead is long enough, for as many again.
    #[inline(always)]
    pub fn go_on(&mut self, bytes: usize) {
        let mut more = if self.lead < Self::LEAD { 2 * bytes } else { bytes };
        self.lead = (self.lead + more).saturating_sub(bytes);
        while more > 0 && self.columns > 0 {
            let run = &self.runs[self.run];
            let start = self.column.wrapping_add(run.src + self.within);
            let part = more.min(run.len - self.within);
            let first = start.wrapping_sub(start.addr() % LINE);
            for at in (0..start.addr() - first.addr() + part).step_by(LINE) {
                prefetch(first.wrapping_add(at));
            }
            more -= part;
            self.within += part;
            if self.within == run.len {
                (self.within, self.run) = (0, self.run + 1);
                if self.run == self.runs.len() {
                    (self.run, self.column, self.columns) =
                        (0, self.column.wrapping_add(self.ld), self.columns - 1);
                }
            }
        }
    }
}
