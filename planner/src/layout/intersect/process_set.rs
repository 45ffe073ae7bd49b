//! Set of the processes that a walk finds: a list while there are few, then a flag for every process. Memory is
//! proportional to the number of added processes.

use std::ops::Range;

/// Flags replace the list when it has at least one entry per `FLAGS_SHARE` processes of the side (entries may repeat).
const FLAGS_SHARE: usize = 16;

pub(super) struct ProcessSet {
    procs: usize,
    /// The processes while they are few: in any order, possibly repeated.
    listed: Vec<u32>,
    /// Flag of each process once they are many; `count` is the number of flags set.
    flags: Vec<bool>,
    count: usize,
}

impl ProcessSet {
    pub fn new(procs: u32) -> Self {
        Self { procs: procs as usize, listed: Vec::new(), flags: Vec::new(), count: 0 }
    }

    /// Adds a process. Returns true if the set has all processes now.
    pub fn add(&mut self, coord: u32) -> bool {
        if self.flags.is_empty() {
            if self.listed.last() != Some(&coord) {
                self.listed.push(coord);
            }
            if self.listed.len() * FLAGS_SHARE < self.procs {
                return false;
            }
            self.flags = vec![false; self.procs];
            std::mem::take(&mut self.listed).into_iter().for_each(|coord| self.insert(coord));
        }
        self.insert(coord);
        self.is_full()
    }

    fn insert(&mut self, coord: u32) {
        let known = std::mem::replace(&mut self.flags[coord as usize], true);
        self.count += usize::from(!known);
    }

    pub fn is_full(&self) -> bool {
        self.count == self.procs
    }

    pub fn list(mut self) -> Vec<u32> {
        if self.flags.is_empty() {
            self.listed.sort_unstable();
            self.listed.dedup();
            return self.listed;
        }
        (0u32..).zip(self.flags).filter_map(|(coord, met)| met.then_some(coord)).collect()
    }

    /// Adds the owners of those runs of `all` that intersect runs of `own`. Both lists ascend.
    pub fn add_owners(
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
