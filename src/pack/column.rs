//! One column of a rectangle, made ready to be copied many times: its families of rows in bytes, as few kinds of loop
//! as possible.

use super::block::Run;
use super::short::{SHORT, Short};
use std::cell::Cell;
use std::ops::Range;

/// Fewest short runs that are worth a loop of their own.
const MANY: usize = 8;
/// What is to be done in a column, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// Those of the list of runs.
    Runs(Range<usize>),
    /// Equal short runs.
    Short(Short),
}

/// The rows of a rectangle. Its runs may be copied in any order: none of them overlap.
#[derive(Default, Debug)]
pub(super) struct Column {
    families: Vec<Short>,
    pub runs: Vec<Run>,
    pub parts: Vec<Part>,
    /// Bytes in all of `runs`.
    listed: usize,
}

thread_local! {
    /// Memory of the last column of this thread.
    static LAST: Cell<Column> = const {
        Cell::new(Column { families: Vec::new(), runs: Vec::new(), parts: Vec::new(), listed: 0 })
    };
}

impl Column {
    /// Calls `use_it` with the column of the rows that `list` appends.
    pub fn with<R>(list: impl FnOnce(&mut Vec<Short>), use_it: impl FnOnce(&Self) -> R) -> R {
        let mut column = LAST.take();
        column.families.clear();
        column.runs.clear();
        column.parts.clear();
        column.listed = 0;
        list(&mut column.families);
        column.arrange();
        let result = use_it(&column);
        LAST.set(column);
        result
    }

    /// Equal families at equal distances become one.
    fn arrange(&mut self) {
        let families = std::mem::take(&mut self.families);
        let mut left = &families[..];
        while let [first, rest @ ..] = left {
            let step = rest
                .first()
                .map_or([0; 2], |next| [0, 1].map(|d| next.start[d].wrapping_sub(first.start[d])));
            let next = rest.iter().zip(1..).take_while(|&(f, k)| first.moved(step, k) == *f);
            let same = if first.len <= SHORT { next.count() } else { 0 };
            if first.len <= SHORT && first.count * (same + 1) >= MANY {
                self.parts.push(Part::Short(Short { step, times: same + 1, ..*first }));
                left = &rest[same..];
            } else {
                self.list(first);
                left = rest;
            }
        }
        self.families = families;
    }

    /// Whether the runs of the list have `bytes` on average.
    pub fn at_least(&self, bytes: usize) -> bool {
        self.listed >= bytes * self.runs.len()
    }

    fn list(&mut self, family: &Short) {
        let first = self.runs.len();
        self.listed += family.len * family.count;
        for k in 0..family.count {
            let [src, dst] = [0, 1].map(|d| family.start[d].wrapping_add(k.wrapping_mul(family.stride[d])));
            self.runs.push(Run { src, dst, len: family.len });
        }
        match self.parts.last_mut() {
            Some(Part::Runs(range)) => range.end = self.runs.len(),
            _ => self.parts.push(Part::Runs(first..self.runs.len())),
        }
    }
}

impl Short {
    /// The same family `times` steps further on.
    fn moved(&self, step: [usize; 2], times: usize) -> Self {
        Self { start: [0, 1].map(|d| self.start[d].wrapping_add(times.wrapping_mul(step[d]))), ..*self }
    }
}

/// Indices into memory that exists fit in usize.
pub(super) fn index(i: u64) -> usize {
    usize::try_from(i).expect("an index into memory fits in usize")
}
