//! WHOM did a walk meet? Each process once, in memory that is in proportion to what was met, or to the processes where most were.

use std::ops::Range;

/// One process of so many at the most are few.
const FEW: usize = 16;

/// Processes that were met.
pub(super) struct MetProcesses {
    procs: usize,
    /// A few, in any order, some perhaps more than once.
    few: Vec<u32>,
    /// Whether each was, once these are no longer few, and how many were.
    is: Vec<bool>,
    count: usize,
}

impl MetProcesses {
    pub fn new(procs: u32) -> Self {
        Self { procs: procs as usize, few: Vec::new(), is: Vec::new(), count: 0 }
    }

    /// One more; whether these are all.
    pub fn add(&mut self, coord: u32) -> bool {
        if self.is.is_empty() {
            if self.few.last() != Some(&coord) {
                self.few.push(coord);
            }
            if self.few.len() * FEW < self.procs {
                return false;
            }
            self.is = vec![false; self.procs];
            std::mem::take(&mut self.few).into_iter().for_each(|coord| self.note(coord));
        }
        self.note(coord);
        self.is_full()
    }

    fn note(&mut self, coord: u32) {
        let known = std::mem::replace(&mut self.is[coord as usize], true);
        self.count += usize::from(!known);
    }

    pub fn is_full(&self) -> bool {
        self.count == self.procs
    }

    /// All of them, ascending.
    pub fn list(mut self) -> Vec<u32> {
        if self.is.is_empty() {
            self.few.sort_unstable();
            self.few.dedup();
            return self.few;
        }
        (0u32..).zip(self.is).filter_map(|(coord, met)| met.then_some(coord)).collect()
    }

    /// The owners of the runs of `all` that meet runs of `own`, both in order.
    pub fn along(
        &mut self,
        mut own: impl Iterator<Item = Range<u64>>,
        mut all: impl Iterator<Item = (u32, Range<u64>)>,
    ) {
        let mut mine = own.next();
        all.any(|(owner, run)| {
            while mine.as_ref().is_some_and(|mine| mine.end <= run.start) {
                mine = own.next();
            }
            mine.as_ref().is_none_or(|mine| mine.start < run.end && self.add(owner))
        });
    }
}
