//! A column of a rectangle, prepared for many copies: its runs of rows in bytes, as families of short runs and as a
//! list.

use super::block::CopyRun;
use super::short::{MAX_SHORT_RUN, ShortRuns};
use std::cell::RefCell;
use std::ops::Range;

/// Minimum number of short runs that get a loop of their own.
const MIN_LOOP_RUNS: usize = 8;
/// Maximum number of runs of a family that is listed at once instead of waiting for equal families.
const MAX_LISTED_RUNS: usize = 2;

/// A step of the copy of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ColumnPart {
    /// This range of the list of runs.
    Runs(Range<usize>),
    Short(ShortRuns),
}

/// The rows of a rectangle. They do not overlap, so they may be copied in any order.
#[derive(Default, Debug)]
pub(super) struct Column {
    pub runs: Vec<CopyRun>,
    pub parts: Vec<ColumnPart>,
    /// Total bytes of `runs`.
    listed: usize,
    /// True if all `runs` have the same length.
    equal: bool,
    /// The last family of short runs; equal families may still be merged into it.
    pending: Option<ShortRuns>,
}

thread_local! {
    /// The last column of this thread, kept to reuse its memory.
    static LAST: RefCell<Column> = const {
        let listed = 0;
        RefCell::new(Column { runs: Vec::new(), parts: Vec::new(), listed, equal: true, pending: None })
    };
}

impl Column {
    /// Builds a column from the rows that `list` adds, and calls `use_it` with it.
    pub fn with<R>(list: impl FnOnce(&mut Self), use_it: impl FnOnce(&Self) -> R) -> R {
        LAST.with_borrow_mut(|column| {
            column.runs.clear();
            column.parts.clear();
            (column.listed, column.equal, column.pending) = (0, true, None);
            list(column);
            column.flush();
            use_it(column)
        })
    }

    /// Adds a family of rows. Merges equal families at equal distances. Lists families of few runs, which irregular
    /// rows consist of.
    #[inline]
    pub fn add(&mut self, family: ShortRuns) {
        if family.count <= MAX_LISTED_RUNS || family.len > MAX_SHORT_RUN {
            self.flush();
            self.list(&family);
        } else if !self.pending.as_mut().is_some_and(|pending| pending.merge(&family)) {
            self.flush();
            self.pending = Some(family);
        }
    }

    #[inline]
    fn flush(&mut self) {
        let Some(family) = self.pending.take() else { return };
        if family.count * family.times >= MIN_LOOP_RUNS {
            self.parts.push(ColumnPart::Short(family));
            return;
        }
        for time in 0..family.times {
            self.list(&family.repetition(time));
        }
    }

    /// Returns the length of the listed runs if all are equally long.
    pub fn equal(&self) -> Option<usize> {
        self.runs.first().filter(|_| self.equal).map(|run| run.len)
    }

    /// Returns whether the listed runs have at least `bytes` bytes on average.
    pub fn at_least(&self, bytes: usize) -> bool {
        self.listed >= bytes * self.runs.len()
    }

    #[inline]
    fn list(&mut self, &ShortRuns { mut start, stride, len, count, .. }: &ShortRuns) {
        let first = self.runs.len();
        self.listed += len * count;
        self.equal &= self.runs.last().is_none_or(|last| last.len == len);
        for _ in 0..count {
            self.runs.push(CopyRun { src: start[0], dst: start[1], len });
            start = [0, 1].map(|d| start[d].wrapping_add(stride[d]));
        }
        match self.parts.last_mut() {
            Some(ColumnPart::Runs(range)) => range.end = first + count,
            _ => self.parts.push(ColumnPart::Runs(first..first + count)),
        }
    }
}

impl ShortRuns {
    fn repetition(&self, times: usize) -> Self {
        let start = [0, 1].map(|d| self.start[d].wrapping_add(times.wrapping_mul(self.step[d])));
        Self { start, step: [0; 2], times: 1, ..*self }
    }

    /// Merges `next` into this family if it is the next repetition; returns whether it did.
    #[inline]
    fn merge(&mut self, next: &Self) -> bool {
        if (next.len, next.count, next.stride) != (self.len, self.count, self.stride) {
            return false;
        }
        let ahead = [0, 1].map(|d| next.start[d].wrapping_sub(self.start[d]));
        match self.times {
            1 => self.step = ahead,
            times if ahead != self.step.map(|step| step.wrapping_mul(times)) => return false,
            _ => (),
        }
        self.times += 1;
        true
    }
}

/// Converts an index into memory. Panics if it does not fit, which no index into existing memory does.
pub(super) fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}
