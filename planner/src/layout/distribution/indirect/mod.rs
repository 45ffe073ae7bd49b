//! Distribution with an owner for each index (HPF `INDIRECT`).
//!
//! A complete list of owners has runs: neighbouring indices with the same owner. A partial list has only the indices of
//! one process ([`PartialOwners`]). A process stores its elements in ascending order of indices.

mod runs;
mod table;

pub use runs::{AllRuns, RunsOf};

use super::{Global, Local, PartialOwners};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use table::OwnerTable;

/// Maximum number of runs that `Display` writes out.
const MAX_WRITTEN_RUNS: usize = 16;

/// The owner of each index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Indirect(KnownOwners);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum KnownOwners {
    /// The owners of all indices.
    Whole(Arc<OwnerTable>),
    /// Only the indices of this process.
    Part(Arc<PartialOwners>),
}

impl Indirect {
    /// Creates the distribution from runs of (owner, number of indices) in order. `None` if `procs` is 0, an owner is
    /// not below `procs`, the number of runs exceeds 32 bits, or the number of indices exceeds 64 bits.
    pub fn new(procs: u32, runs: impl IntoIterator<Item = (u32, u64)>) -> Option<Self> {
        let (mut starts, mut owners) = (Vec::new(), Vec::new());
        let mut end = 0u64;
        for (owner, len) in runs.into_iter().filter(|&(_, len)| len > 0) {
            if owners.last() != Some(&owner) {
                starts.push(end);
                owners.push(owner);
            }
            end = end.checked_add(len)?;
        }
        starts.push(end);
        let fits = u32::try_from(owners.len()).is_ok() && owners.iter().all(|&owner| owner < procs);
        (procs > 0 && fits)
            .then(|| Self(KnownOwners::Whole(Arc::new(OwnerTable::new(procs, starts, owners)))))
    }

    /// Returns the number of bytes that a process needs for a complete list of `runs` runs (saturating).
    pub fn bytes(runs: u64) -> u64 {
        let one = size_of::<u64>() * 2 + size_of::<u32>() * 2;
        runs.saturating_mul(one as u64)
    }

    /// Returns the partial list of owners, if this process does not have the complete list. Owners, local indices and
    /// runs can then be looked up only for this process and its own indices.
    pub fn part(&self) -> Option<&PartialOwners> {
        match &self.0 {
            KnownOwners::Whole(_) => None,
            KnownOwners::Part(part) => Some(part),
        }
    }

    /// Returns the owners of an array whose element i is aligned with index `origin + stride * i` of this distribution.
    pub fn aligned(&self, origin: u64, stride: u64) -> Self {
        if (origin, stride) == (0, 1) {
            return self.clone();
        }
        if let KnownOwners::Part(part) = &self.0 {
            return part.aligned(origin, stride).into();
        }
        let at = |bound: u64| bound.saturating_sub(origin).div_ceil(stride);
        let runs = self.runs().map(|(owner, run)| (owner, at(run.end) - at(run.start)));
        Self::new(self.procs(), runs).expect("runs of a valid table")
    }

    /// Returns the owners in reverse order of indices; process c of P becomes process P - 1 - c.
    pub fn reversed(&self) -> Self {
        if let KnownOwners::Part(part) = &self.0 {
            return part.reversed().into();
        }
        let runs = self.runs().map(|(owner, run)| (self.procs() - 1 - owner, run.end - run.start));
        let runs: Vec<_> = runs.collect();
        Self::new(self.procs(), runs.into_iter().rev()).expect("runs of a valid table")
    }

    /// Returns the number of processes along the grid dimension.
    pub fn procs(&self) -> u32 {
        match &self.0 {
            KnownOwners::Whole(table) => table.procs,
            KnownOwners::Part(part) => part.procs(),
        }
    }

    /// Returns the number of indices of all processes.
    pub fn total(&self) -> u64 {
        match &self.0 {
            KnownOwners::Whole(table) => table.starts[table.owners.len()],
            KnownOwners::Part(part) => part.total(),
        }
    }

    /// Returns all runs of the list in order, as (owner, indices). A partial list has only this process's own runs.
    pub fn runs(&self) -> AllRuns<'_> {
        match &self.0 {
            KnownOwners::Whole(table) => AllRuns::Whole { starts: &table.starts, owners: &table.owners },
            KnownOwners::Part(part) => AllRuns::Part(part.own(), 0),
        }
    }

    /// Returns the number of runs; `None` for a partial list.
    pub fn count(&self) -> Option<u64> {
        match &self.0 {
            KnownOwners::Whole(table) => Some(table.owners.len() as u64),
            KnownOwners::Part(_) => None,
        }
    }

    /// Returns the runs of process `coord`, in ascending order.
    pub fn runs_of(&self, coord: u32) -> RunsOf<'_> {
        match &self.0 {
            KnownOwners::Whole(table) => RunsOf::Whole { starts: &table.starts, runs: table.runs_of(coord) },
            KnownOwners::Part(part) => RunsOf::Part(part.list(coord), 0),
        }
    }

    /// Returns the owner and the run of index `i`, which must be below [`Indirect::total`]. Panics if the list is
    /// partial and does not have `i`.
    pub fn run_at(&self, i: u64) -> (u32, Range<u64>) {
        match &self.0 {
            KnownOwners::Whole(table) => {
                let run = table.find(i);
                (table.owners[run as usize], table.span(run))
            }
            KnownOwners::Part(part) => {
                let own = part.own().and_then(|own| Some((own.coord(), own.run_at(i)?.0)));
                own.expect("a process asks for its own indices only")
            }
        }
    }

    /// Returns the owner of index `i`, which must be below [`Indirect::total`]; `None` if the list is partial and does
    /// not have `i`.
    pub fn owner_if_known(&self, i: Global) -> Option<u32> {
        match &self.0 {
            KnownOwners::Whole(table) => Some(table.owners[table.find(i.0) as usize]),
            KnownOwners::Part(part) => part.own().and_then(|own| own.run_at(i.0).map(|_| own.coord())),
        }
    }

    /// Returns the owner of index `i`, which must be below [`Indirect::total`]. Panics if the list is partial and does
    /// not have `i`.
    pub fn owner(&self, i: Global) -> u32 {
        self.owner_if_known(i).expect("a process asks for its own indices only")
    }

    /// Returns the local index of index `i` on its owner.
    pub fn local(&self, i: Global) -> Local {
        let (start, before) = match &self.0 {
            KnownOwners::Whole(table) => {
                let run = table.find(i.0) as usize;
                (table.starts[run], table.local[run])
            }
            KnownOwners::Part(part) => {
                let (run, before) = part.run_of(i.0);
                (run.start, before)
            }
        };
        Local(before + (i.0 - start))
    }

    /// Returns the end of the run that contains index `i`, and the local index of `i`. `run` must be the number of that
    /// run or of an earlier run, and becomes the number of that run. The cost grows with the logarithm of the number of
    /// runs in between. A partial list ignores `run`.
    #[inline]
    pub fn find_from_run(&self, run: &mut u32, i: Global) -> (u64, Local) {
        match &self.0 {
            KnownOwners::Whole(table) => {
                *run = table.find_from(*run, i.0);
                let (k, start) = (*run as usize, table.starts[*run as usize]);
                (table.starts[k + 1], Local(table.local[k] + (i.0 - start)))
            }
            KnownOwners::Part(part) => {
                let (own, before) = part.run_of(i.0);
                (own.end, Local(before + (i.0 - own.start)))
            }
        }
    }

    /// Returns the owner of index `i` and the end of its run; `run` as in [`Indirect::find_from_run`].
    #[inline]
    pub fn owner_from(&self, run: &mut u32, i: Global) -> (u32, u64) {
        match &self.0 {
            KnownOwners::Whole(table) => {
                *run = table.find_from(*run, i.0);
                (table.owners[*run as usize], table.starts[*run as usize + 1])
            }
            KnownOwners::Part(_) => {
                let (owner, run) = self.run_at(i.0);
                (owner, run.end)
            }
        }
    }

    /// Returns the index of the element that process `coord` stores at local index `own`; `None` if there is no such
    /// element or the list is partial.
    pub fn global(&self, coord: u32, Local(own): Local) -> Option<Global> {
        let KnownOwners::Whole(table) = &self.0 else { return None };
        let runs = table.runs_of(coord);
        let run = *runs.get(runs.partition_point(|&run| table.local[run as usize] <= own).checked_sub(1)?)?;
        let (span, within) = (table.span(run), own - table.local[run as usize]);
        (within < span.end - span.start).then_some(Global(span.start + within))
    }

    /// Returns the number of indices in `0..n` that process `coord` owns.
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        let table = match &self.0 {
            KnownOwners::Whole(table) => table,
            KnownOwners::Part(part) => return part.list(coord).local_len(n),
        };
        let runs = table.runs_of(coord);
        let below = runs.partition_point(|&run| table.starts[run as usize] < n);
        let Some(&last) = below.checked_sub(1).and_then(|k| runs.get(k)) else { return 0 };
        let span = table.span(last);
        table.local[last as usize] + (span.end.min(n) - span.start)
    }
}

impl From<PartialOwners> for Indirect {
    fn from(part: PartialOwners) -> Self {
        Self(KnownOwners::Part(Arc::new(part)))
    }
}

impl fmt::Display for Indirect {
    /// Writes HPF's notation: `INDIRECT(/0,3*1/)` is owner 0 once, then owner 1 three times. For a partial list, or a
    /// list with more than `MAX_WRITTEN_RUNS` runs, writes only `INDIRECT`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part().is_some() || self.runs().nth(MAX_WRITTEN_RUNS).is_some() {
            return f.write_str("INDIRECT");
        }
        let run = |(owner, run): (u32, Range<u64>)| match run.end - run.start {
            1 => owner.to_string(),
            times => format!("{times}*{owner}"),
        };
        write!(f, "INDIRECT(/{}/)", self.runs().map(run).collect::<Vec<_>>().join(","))
    }
}

#[cfg(test)]
mod tests;
