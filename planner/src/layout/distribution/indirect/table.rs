//! Complete list of the owners of an `INDIRECT` axis, with lookups by global index and by process. A lookup of an index
//! is a binary search over the runs. If it begins at an earlier run, its time is logarithmic in the number of runs in
//! between.

use std::ops::Range;

/// Number of runs that [`OwnerTable::find_from`] tries one by one, before it doubles its step.
const LINEAR_STEPS: u32 = 8;

#[derive(PartialEq, Eq, Hash, Debug)]
pub(super) struct OwnerTable {
    pub procs: u32,
    /// First index of each run, ascending from 0; the last entry is the end of the last run.
    pub starts: Vec<u64>,
    /// Owner of each run; neighbours differ.
    pub owners: Vec<u32>,
    /// Local index of each run's first index.
    pub local: Vec<u64>,
    /// Numbers of all runs, sorted by process.
    runs: Vec<u32>,
    /// Position in `runs` of each process's first run; the last entry is the length of `runs`.
    first: Vec<u32>,
}

impl OwnerTable {
    /// Builds the table from its fields `starts` and `owners`.
    pub fn new(procs: u32, starts: Vec<u64>, owners: Vec<u32>) -> Self {
        let mut first = vec![0u32; procs as usize + 1];
        for &owner in &owners {
            first[owner as usize + 1] += 1;
        }
        for c in 0..procs as usize {
            first[c + 1] += first[c];
        }
        let (mut runs, mut local) = (vec![0; owners.len()], vec![0; owners.len()]);
        let (mut next, mut held) = (first.clone(), vec![0u64; procs as usize]);
        for (run, &owner) in (0u32..).zip(&owners) {
            let (place, held) = (&mut next[owner as usize], &mut held[owner as usize]);
            runs[*place as usize] = run;
            *place += 1;
            local[run as usize] = *held;
            *held += starts[run as usize + 1] - starts[run as usize];
        }
        Self { procs, starts, owners, local, runs, first }
    }

    /// Returns the numbers of the runs of process `coord`.
    pub fn runs_of(&self, coord: u32) -> &[u32] {
        let coord = coord as usize;
        &self.runs[self.first[coord] as usize..self.first[coord + 1] as usize]
    }

    pub fn span(&self, run: u32) -> Range<u64> {
        self.starts[run as usize]..self.starts[run as usize + 1]
    }

    /// Returns the run that contains index `i`, like [`OwnerTable::find`]. The search begins at `run`, which must be
    /// that run or an earlier run. It tries [`LINEAR_STEPS`] runs one by one, then gallops.
    #[inline]
    pub fn find_from(&self, run: u32, i: u64) -> u32 {
        for run in run..run.saturating_add(LINEAR_STEPS) {
            // In bounds: the last entry of `starts` exceeds `i`, so the loop returns there at the latest.
            if self.starts[run as usize + 1] > i {
                return run;
            }
        }
        self.gallop(run + LINEAR_STEPS, i)
    }

    fn gallop(&self, run: u32, i: u64) -> u32 {
        let runs = self.owners.len();
        let (mut low, mut step) = (run as usize, 1);
        // Invariant: run `low` starts at or before `i`.
        while low + step < runs && self.starts[low + step] <= i {
            low += step;
            step *= 2;
        }
        let behind = (low + step).min(runs);
        low += self.starts[low + 1..behind].partition_point(|&start| start <= i);
        u32::try_from(low).expect("fewer than 2^32 runs")
    }

    /// Returns the number of the run that contains index `i`.
    pub fn find(&self, i: u64) -> u32 {
        let run = self.starts.partition_point(|&start| start <= i) - 1;
        u32::try_from(run).expect("fewer than 2^32 runs")
    }
}
