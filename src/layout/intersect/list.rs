//! WHICH indices are in an irregular set? Its runs, one by one, in few bytes each: 4 if all have the same length and indices
//! are below 2^32, and 4 more for each further coordinate.

use super::family::Family;
use std::ops::Range;
use std::sync::Arc;

/// Runs that ascend in each of `D` coordinate systems.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RunList<const D: usize> {
    /// All below 2^32.
    Narrow(RunTable<u32, D>),
    /// Any.
    Wide(RunTable<u64, D>),
}

/// Runs, their numbers in words of `W`. Runs are in ascending order and none overlaps another, in any coordinate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RunTable<W, const D: usize> {
    pub starts: Vec<[W; D]>,
    pub lens: Lens<W>,
    pub total: u64,
}

/// How long runs are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lens<W> {
    /// All the same.
    Equal(u64),
    /// The indices before each run; the last entry is the number of all.
    Before(Vec<W>),
}

/// Indices at neighbouring positions of a list: the rest of a run, whole runs, a part of one.
#[derive(Clone, Debug)]
pub struct ListSlice<const D: usize> {
    list: Arc<RunList<D>>,
    head: Option<Family<D>>,
    whole: Range<usize>,
    tail: Option<Family<D>>,
    total: u64,
}

/// Whole runs of a list whose indices are below 2^32.
#[derive(Clone, Copy, Debug)]
pub struct Narrow<'a, const D: usize> {
    /// Where each run starts.
    pub starts: &'a [[u32; D]],
    /// How long they are.
    pub lens: NarrowLens<'a>,
}

/// How long the runs of a [`Narrow`] are.
#[derive(Clone, Copy, Debug)]
pub enum NarrowLens<'a> {
    /// All the same.
    Equal(u64),
    /// Numbers of indices before each run, counted from anywhere, and one more for the end.
    Before(&'a [u32]),
}

impl<const D: usize> RunList<D> {
    /// Indices in all runs.
    pub fn total(&self) -> u64 {
        match self {
            Self::Narrow(table) => table.total,
            Self::Wide(table) => table.total,
        }
    }

    /// Bytes that it takes, less some.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(table) => table.bytes(),
            Self::Wide(table) => table.bytes(),
        }
    }

    /// The number of runs.
    pub fn count(&self) -> usize {
        match self {
            Self::Narrow(table) => table.starts.len(),
            Self::Wide(table) => table.starts.len(),
        }
    }

    /// Run `k`.
    #[inline]
    pub fn run(&self, k: usize) -> Family<D> {
        match self {
            Self::Narrow(table) => table.run(k),
            Self::Wide(table) => table.run(k),
        }
    }

    /// The run that `position`, which is below the total, lies in, and the position in that run.
    fn find(&self, position: u64) -> (usize, u64) {
        match self {
            Self::Narrow(table) => table.find(position),
            Self::Wide(table) => table.find(position),
        }
    }

    /// One past the largest index, in coordinate system `d`.
    pub fn end(&self, d: usize) -> u64 {
        self.count().checked_sub(1).map_or(0, |last| self.run(last).end(d))
    }
}

impl RunList<1> {
    /// How many indices are smaller than `bound`.
    pub fn rank(&self, bound: u64) -> u64 {
        match self {
            Self::Narrow(table) => table.rank(bound),
            Self::Wide(table) => table.rank(bound),
        }
    }
}

impl<W: Copy + Into<u64>, const D: usize> RunTable<W, D> {
    fn before(&self, k: usize) -> u64 {
        match &self.lens {
            Lens::Equal(len) => k as u64 * len,
            Lens::Before(before) => before[k].into(),
        }
    }

    #[inline]
    fn run(&self, k: usize) -> Family<D> {
        let start = self.starts[k].map(Into::into);
        let len = match &self.lens {
            Lens::Equal(len) => *len,
            Lens::Before(before) => before[k + 1].into() - before[k].into(),
        };
        Family::run(start, len)
    }

    fn find(&self, position: u64) -> (usize, u64) {
        let k = match &self.lens {
            Lens::Equal(len) => usize::try_from(position / len).expect("fewer runs than memory"),
            Lens::Before(before) => before.partition_point(|&before| before.into() <= position) - 1,
        };
        (k, position - self.before(k))
    }

    fn bytes(&self) -> usize {
        let lens = if let Lens::Before(before) = &self.lens { before.len() } else { 0 };
        (self.starts.len() * D + lens) * size_of::<W>()
    }
}

impl RunTable<u32, 1> {
    /// Whether starts ascend.
    pub fn ascends(&self) -> bool {
        self.starts.is_sorted_by(|a, b| a < b)
    }
}

impl<W: Copy + Into<u64>> RunTable<W, 1> {
    fn rank(&self, bound: u64) -> u64 {
        let next = self.starts.partition_point(|&[start]| start.into() < bound);
        next.checked_sub(1)
            .map_or(0, |last| self.before(last) + (bound - self.run(last).start[0]).min(self.run(last).len))
    }
}

impl<const D: usize> ListSlice<D> {
    /// The indices at `positions`, which are positions of `list`.
    pub(super) fn new(list: &Arc<RunList<D>>, positions: Range<u64>) -> Self {
        let total = positions.end - positions.start;
        let mut listed = Self { list: list.clone(), head: None, whole: 0..0, tail: None, total };
        if total == 0 {
            return listed;
        }
        let ((first, skipped), (last, within)) = (list.find(positions.start), list.find(positions.end - 1));
        listed.whole = first..last + 1;
        let part = |k: usize, from: u64, to: u64| {
            let run = list.run(k);
            Family::run(run.start.map(|start| start + from), to - from)
        };
        if skipped > 0 {
            let end = list.run(first).len.min(skipped + total);
            listed.head = Some(part(first, skipped, end));
            listed.whole.start += 1;
        }
        if within + 1 < list.run(last).len && !listed.whole.is_empty() {
            listed.tail = Some(part(last, 0, within + 1));
            listed.whole.end -= 1;
        }
        listed
    }

    /// How many indices.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many runs.
    pub fn runs(&self) -> u64 {
        (self.whole.len() + usize::from(self.head.is_some()) + usize::from(self.tail.is_some())) as u64
    }

    /// One past the largest index, in coordinate system `d`.
    pub fn end(&self, d: usize) -> u64 {
        let whole = || self.whole.clone().next_back().map(|k| self.list.run(k));
        self.tail.or_else(whole).or(self.head).map_or(0, |last| last.end(d))
    }

    /// All runs, in order.
    pub fn each(&self) -> impl Iterator<Item = Family<D>> + '_ {
        let whole = self.whole.clone().map(|k| self.list.run(k));
        self.head.into_iter().chain(whole).chain(self.tail)
    }

    /// The part of a run that it begins with, whole runs, and the part of a run that it ends with; `None` where indices
    /// are too large for that.
    pub fn narrow(&self) -> Option<(Option<Family<D>>, Narrow<'_, D>, Option<Family<D>>)> {
        let RunList::Narrow(table) = &*self.list else { return None };
        let lens = match &table.lens {
            Lens::Equal(len) => NarrowLens::Equal(*len),
            Lens::Before(before) => NarrowLens::Before(&before[self.whole.start..=self.whole.end]),
        };
        Some((self.head, Narrow { starts: &table.starts[self.whole.clone()], lens }, self.tail))
    }
}
