//! One column of a rectangle, made ready to be copied many times: its families of rows in bytes, as few kinds of loop
//! as possible.

use super::block::CopyRun;
use super::short::{SHORT, Short};
use std::cell::RefCell;
use std::ops::Range;

/// Fewest short runs that are worth a loop of their own.
const MANY: usize = 8;
/// Most runs of a family that is not worth a look at what comes next.
const FEW: usize = 2;
/// What is to be done in a column, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum ColumnPart {
    /// Those of the list of runs.
    Runs(Range<usize>),
    /// Equal short runs.
    Short(Short),
}

/// The rows of a rectangle. Its runs may be copied in any order: none of them overlap.
#[derive(Default, Debug)]
pub(super) struct Column {
    pub runs: Vec<CopyRun>,
    pub parts: Vec<ColumnPart>,
    /// Bytes in all of `runs`.
    listed: usize,
    /// Whether all of `runs` have the length of the first.
    equal: bool,
    /// Short runs that more of their like may follow.
    pending: Option<Short>,
}

thread_local! {
    /// Memory of the last column of this thread.
    static LAST: RefCell<Column> = const {
        let listed = 0;
        RefCell::new(Column { runs: Vec::new(), parts: Vec::new(), listed, equal: true, pending: None })
    };
}

impl Column {
    /// Calls `use_it` with the column of the rows that `list` adds.
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

    /// Adds a family of rows. Equal families at equal distances become one; families of few runs are listed, as they are many
    /// where rows are irregular.
    #[inline]
    pub fn add(&mut self, family: Short) {
        if family.count <= FEW || family.len > SHORT {
            self.flush();
            self.list(&family);
        } else if !self.pending.as_mut().is_some_and(|pending| pending.takes(&family)) {
            self.flush();
            self.pending = Some(family);
        }
    }

    #[inline]
    fn flush(&mut self) {
        let Some(family) = self.pending.take() else { return };
        if family.count * family.times >= MANY {
            self.parts.push(ColumnPart::Short(family));
            return;
        }
        for time in 0..family.times {
            self.list(&family.moved(time));
        }
    }

    /// The length of all runs of the list, if it is the same.
    pub fn equal(&self) -> Option<usize> {
        self.runs.first().filter(|_| self.equal).map(|run| run.len)
    }

    /// Whether the runs of the list have `bytes` on average.
    pub fn at_least(&self, bytes: usize) -> bool {
        self.listed >= bytes * self.runs.len()
    }

    #[inline]
    fn list(&mut self, &Short { mut start, stride, len, count, .. }: &Short) {
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

impl Short {
    /// The same family `times` steps further on, once.
    fn moved(&self, times: usize) -> Self {
        let start = [0, 1].map(|d| self.start[d].wrapping_add(times.wrapping_mul(self.step[d])));
        Self { start, step: [0; 2], times: 1, ..*self }
    }

    /// Takes in `next`, if that is the same family one step further on.
    #[inline]
    fn takes(&mut self, next: &Self) -> bool {
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

/// Indices into memory that exists fit in usize.
pub(super) fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}
