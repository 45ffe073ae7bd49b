//! Long lists of single indices: stored and read directly, without a family for each index.

use super::list::{Lens, RunList, RunTable};
use super::runs::{Form, Runs};
use std::sync::Arc;

/// Minimum number of single indices that are stored directly as a list.
const MIN_SINGLES: usize = 64;

impl<const D: usize> Runs<D> {
    /// Builds a set from ascending runs. `MIN_SINGLES` or more single indices below 2^32 - 1 become a list without a
    /// search for families.
    pub fn of_listed(runs: &[([u64; D], u64)]) -> Self {
        let narrow = |runs: &[([u64; D], u64)]| {
            let last = runs.last().is_some_and(|(start, _)| start.iter().all(|&at| at < u64::from(u32::MAX)));
            last && runs.len() >= MIN_SINGLES && runs.iter().all(|&(_, len)| len == 1)
        };
        if !narrow(runs) {
            return Self::of_runs(runs.iter().copied());
        }
        let ascends = |pair: &[([u64; D], u64)]| (0..D).all(|d| pair[0].0[d] < pair[1].0[d]);
        assert!(runs.windows(2).all(ascends), "indices that do not ascend");
        let low = |at: u64| u32::try_from(at).expect("below the last");
        let starts = runs.iter().map(|(start, _)| start.map(low)).collect();
        let table = RunTable { starts, lens: Lens::Equal(1), total: runs.len() as u64 };
        Self::from_list(Arc::new(RunList::Narrow(table)))
    }
}

impl Runs<1> {
    /// Builds a set of single indices; `None` unless they ascend.
    pub fn of_singles(indices: Vec<u32>) -> Option<Self> {
        if indices.len() < MIN_SINGLES {
            let ascend = indices.is_sorted_by(|a, b| a < b);
            return ascend.then(|| Self::of_runs(indices.iter().map(|&at| ([at.into()], 1))));
        }
        let total = indices.len() as u64;
        let starts: Vec<[u32; 1]> = indices.into_iter().map(|at| [at]).collect();
        let table = RunTable { starts, lens: Lens::Equal(1), total };
        table.ascends().then(|| Self::from_list(Arc::new(RunList::Narrow(table))))
    }

    /// Calls `body` with the first index and the length of each run, in order.
    pub fn each_run(&self, mut body: impl FnMut(u64, u64)) {
        if let Form::Listed(list) = self.form() {
            if let RunList::Narrow(RunTable { starts, lens: Lens::Equal(len), .. }) = &**list {
                return starts.iter().for_each(|&[start]| body(start.into(), *len));
            }
        }
        for family in self.whole().each() {
            (0..family.count).for_each(|k| body(family.start[0] + k * family.stride[0], family.len));
        }
    }
}
