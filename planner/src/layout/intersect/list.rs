//! Lists of the runs of an irregular set. If all runs have the same length and all indices are below 2^32, a run takes
//! 4 bytes for each coordinate.

use super::family::Family;
use std::ops::Range;
use std::sync::Arc;

/// Runs that ascend in each of `D` coordinate systems. Coordinates are section indices or local indices, as in
/// [`Family`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RunList<const D: usize> {
    /// All indices are below 2^32.
    Narrow(RunTable<u32, D>),
    Wide(RunTable<u64, D>),
}

/// Table of runs whose indices have the type `W`. In every coordinate system the runs ascend and do not overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct RunTable<W, const D: usize> {
    pub starts: Vec<[W; D]>,
    pub lens: Lens<W>,
    pub total: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Lens<W> {
    /// One length for all runs.
    Equal(u64),
    /// Number of indices before each run; the last entry is the total.
    Before(Vec<W>),
}

/// The indices at consecutive positions of a list: the end of a run, whole runs, the beginning of a run.
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
    /// First index of each run.
    pub starts: &'a [[u32; D]],
    /// Lengths of these runs, in indices.
    pub lens: NarrowLens<'a>,
}

/// Lengths of the runs of a [`Narrow`].
#[derive(Clone, Copy, Debug)]
pub enum NarrowLens<'a> {
    /// One length for all runs.
    Equal(u64),
    /// Number of indices before each run, and an entry for the end. The first entry need not be 0; lengths are
    /// differences.
    Before(&'a [u32]),
}

impl<const D: usize> RunList<D> {
    pub fn total(&self) -> u64 {
        match self {
            Self::Narrow(table) => table.total,
            Self::Wide(table) => table.total,
        }
    }

    /// Returns the approximate size in bytes, without constant parts.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Narrow(table) => table.bytes(),
            Self::Wide(table) => table.bytes(),
        }
    }

    pub fn count(&self) -> usize {
        match self {
            Self::Narrow(table) => table.starts.len(),
            Self::Wide(table) => table.starts.len(),
        }
    }

    #[inline]
    pub fn run(&self, k: usize) -> Family<D> {
        match self {
            Self::Narrow(table) => table.run(k),
            Self::Wide(table) => table.run(k),
        }
    }

    /// Returns the number of the run at `position`, which is below the total, and the position within that run.
    fn find(&self, position: u64) -> (usize, u64) {
        match self {
            Self::Narrow(table) => table.find(position),
            Self::Wide(table) => table.find(position),
        }
    }

    /// Returns one past the largest index, in coordinate system `d`.
    pub fn end(&self, d: usize) -> u64 {
        self.count().checked_sub(1).map_or(0, |last| self.run(last).end(d))
    }
}

impl RunList<1> {
    /// Returns the number of indices that are smaller than `bound`.
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
    /// Creates the slice at `positions` of `list`. The list must have these positions.
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

    /// Returns the number of indices in the slice.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the number of runs, cut runs included.
    pub fn runs(&self) -> u64 {
        (self.whole.len() + usize::from(self.head.is_some()) + usize::from(self.tail.is_some())) as u64
    }

    /// Returns one past the largest index, in coordinate system `d`.
    pub fn end(&self, d: usize) -> u64 {
        let whole = || self.whole.clone().next_back().map(|k| self.list.run(k));
        self.tail.or_else(whole).or(self.head).map_or(0, |last| last.end(d))
    }

    /// Returns all runs in order.
    pub fn each(&self) -> impl Iterator<Item = Family<D>> + '_ {
        let whole = self.whole.clone().map(|k| self.list.run(k));
        self.head.into_iter().chain(whole).chain(self.tail)
    }

    /// Returns the cut first run, the whole runs, and the cut last run; `None` if the list has indices of 64 bits.
    pub fn narrow(&self) -> Option<(Option<Family<D>>, Narrow<'_, D>, Option<Family<D>>)> {
        let RunList::Narrow(table) = &*self.list else { return None };
        let lens = match &table.lens {
            Lens::Equal(len) => NarrowLens::Equal(*len),
            Lens::Before(before) => NarrowLens::Before(&before[self.whole.start..=self.whole.end]),
        };
        Some((self.head, Narrow { starts: &table.starts[self.whole.clone()], lens }, self.tail))
    }
}
