//! Software prefetches.
//!
//! Runs that are far apart defeat the hardware prefetchers, which continue beyond the end of a run and stop at the end
//! of a page. So cache lines of later runs are prefetched while earlier runs are copied. Only reads are prefetched:
//! stores do not wait, and prefetching their lines was measured to cost more than it saves.

use super::block::{CopyRun, LINE, prefetch};

/// Minimum average bytes of runs that are prefetched: two cache lines.
pub(super) const MIN_PREFETCHED_RUN: usize = 128;
/// Minimum bytes of an array that is assumed to lie in memory rather than in a core's own cache.
pub(super) const MIN_FAR_ARRAY: usize = 2 << 20;
/// Minimum bytes of an array that is written with streaming stores: usually more than a core's share of the last-level
/// cache, whose size virtual machines often report wrong.
pub(super) const MIN_STREAMED_ARRAY: usize = 16 << 20;
/// Minimum bytes of a buffer for another core that is written with streaming stores.
pub(super) const MIN_STREAMED_BUFFER: usize = 16 << 10;

/// Position of the prefetches, which take the same runs as the copy, column by column, ahead of it.
pub(super) struct Prefetcher<'a> {
    runs: &'a [CopyRun],
    /// Current column, and the number of columns from it on.
    column: *const u8,
    columns: usize,
    ld: usize,
    run: usize,
    /// Prefetched bytes of the current run.
    within: usize,
    /// Bytes that are prefetched and not yet copied.
    lead: usize,
}

impl<'a> Prefetcher<'a> {
    /// Target of the lead in bytes: about the data that arrives during one memory latency.
    const LEAD: usize = 16 << 10;

    #[inline(always)]
    pub fn new(runs: &'a [CopyRun], column: *const u8, columns: usize, ld: usize) -> Self {
        Self { runs, column, columns, ld, run: 0, within: 0, lead: 0 }
    }

    /// Prefetches as many bytes as are about to be copied, or twice as many until the lead is [`Self::LEAD`].
    #[inline(always)]
    pub fn advance(&mut self, bytes: usize) {
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
