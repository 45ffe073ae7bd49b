//! Collects the distinct processes that a walk meets. Memory is proportional to the processes met, or to all once many
//! are met.

use std::ops::Range;

/// Up to one process in this many, met processes are kept as a list instead of flags.
const FEW: usize = 16;

/// Set of the processes met so far.
pub(super) struct MetProcesses {
    procs: usize,
    /// Met processes while they are few: in any order, possibly repeated.
    few: Vec<u32>,
    /// Flag of each process once they are many; `count` is the number of flags set.
    is: Vec<bool>,
    count: usize,
}

impl MetProcesses {
    pub fn new(procs: u32) -> Self {
        Self { procs: procs as usize, few: Vec::new(), is: Vec::new(), count: 0 }
    }

    /// Adds a process; returns true if all are met now. May return false for a short list.
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

    pub fn list(mut self) -> Vec<u32> {
        if self.is.is_empty() {
            self.few.sort_unstable();
            self.few.dedup();
            return self.few;
        }
        (0u32..).zip(self.is).filter_map(|(coord, met)| met.then_some(coord)).collect()
    }

    /// Adds the owners of those runs of `all` that intersect runs of `own`. Both lists ascend.
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
