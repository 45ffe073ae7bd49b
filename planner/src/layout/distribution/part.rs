//! Partial list of the owners of an `INDIRECT` axis, for axes with too many runs for one process.
//!
//! A process has the list of its own indices only. Other ranks send it its partners in a section ([`ReceivedSection`]).

use super::partners::ReceivedSection;
use crate::digest::mixed;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;

/// Partial list of the owners of an axis: the indices of one process.
#[derive(Clone, Debug)]
pub struct PartialOwners {
    procs: u32,
    /// Number of indices of all processes.
    total: u64,
    /// Checksum that identifies the owners of all indices; equal on all processes.
    identity: [u64; 2],
    own: Option<Arc<OwnIndices>>,
    received: Option<Arc<ReceivedSection>>,
}

/// The indices of one process, as runs.
#[derive(Debug)]
pub struct OwnIndices {
    coord: u32,
    /// First index of each run, ascending.
    starts: Vec<u64>,
    /// Local index of each run's first index; the last entry is the number of indices.
    local: Vec<u64>,
}

impl OwnIndices {
    /// Creates the list from ascending runs. Merges adjacent runs and drops empty runs.
    pub fn new(coord: u32, runs: impl IntoIterator<Item = Range<u64>>) -> Self {
        let (mut starts, mut local, mut end) = (Vec::new(), vec![0], 0);
        for run in runs.into_iter().filter(|run| run.start < run.end) {
            let count = local[local.len() - 1] + (run.end - run.start);
            if starts.is_empty() || run.start != end {
                starts.push(run.start);
                local.push(count);
            } else if let Some(last) = local.last_mut() {
                *last = count;
            }
            end = run.end;
        }
        starts.shrink_to_fit();
        local.shrink_to_fit();
        Self { coord, starts, local }
    }

    /// Returns the grid coordinate of the process.
    pub fn coord(&self) -> u32 {
        self.coord
    }

    fn run(&self, k: usize) -> Range<u64> {
        self.starts[k]..self.starts[k] + (self.local[k + 1] - self.local[k])
    }

    /// Returns run number `k`, from 0 in ascending order.
    #[inline]
    pub fn get(&self, k: usize) -> Option<Range<u64>> {
        (k < self.starts.len()).then(|| self.run(k))
    }

    /// Returns all runs, in ascending order.
    pub fn runs(&self) -> impl DoubleEndedIterator<Item = Range<u64>> + '_ {
        (0..self.starts.len()).map(|k| self.run(k))
    }

    /// Returns the run with index `i` and the local index of its first index, if the process owns `i`.
    pub fn run_at(&self, i: u64) -> Option<(Range<u64>, u64)> {
        let k = self.starts.partition_point(|&start| start <= i).checked_sub(1)?;
        let run = self.run(k);
        run.contains(&i).then_some((run, self.local[k]))
    }

    /// Returns the number of indices in `0..n` that the process owns.
    pub fn local_len(&self, n: u64) -> u64 {
        let below = self.starts.partition_point(|&start| start < n);
        let Some(last) = below.checked_sub(1) else { return 0 };
        let run = self.run(last);
        self.local[last] + (run.end.min(n) - run.start)
    }
}

impl PartialOwners {
    /// Describes the owners of `total` indices among `procs` processes. `own` has the indices of this process; `None`
    /// if this process is not one of these processes.
    pub fn new(procs: u32, total: u64, identity: [u64; 2], own: Option<OwnIndices>) -> Self {
        assert!(
            procs > 0 && own.as_ref().is_none_or(|own| own.coord < procs),
            "own coordinate is not below the number of processes"
        );
        Self { procs, total, identity, own: own.map(Arc::new), received: None }
    }

    /// Returns the number of processes along the grid dimension.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// Returns the number of indices of all processes.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the checksum that identifies the owners of all indices; equal on all processes.
    pub fn identity(&self) -> [u64; 2] {
        self.identity
    }

    /// Returns this process's own indices, if it is one of the processes.
    pub fn own(&self) -> Option<&OwnIndices> {
        self.own.as_deref()
    }

    /// Returns the indices of process `coord`. Panics if it is not this process: a process has its own list only.
    pub fn list(&self, coord: u32) -> &OwnIndices {
        let own = self.own.as_deref().filter(|own| own.coord == coord);
        own.expect("a process asks for the list of its own indices only")
    }

    /// Returns the run with index `i` and the local index of its first index. Panics unless this process owns `i`.
    pub fn run_of(&self, i: u64) -> (Range<u64>, u64) {
        let own = self.own().and_then(|own| own.run_at(i));
        own.expect("a process asks for its own indices only")
    }

    /// Returns the partners that [`PartialOwners::with_received`] has attached.
    pub fn received(&self) -> Option<&ReceivedSection> {
        self.received.as_deref()
    }

    /// Returns a copy with the partners received for one section.
    pub fn with_received(&self, received: Arc<ReceivedSection>) -> Self {
        Self { received: Some(received), ..self.clone() }
    }

    /// Returns these owners for another process: `own` has that process's indices.
    pub fn of(&self, own: Option<OwnIndices>) -> Self {
        Self::new(self.procs, self.total, self.identity, own)
    }

    /// Returns the owners of an array whose element i is aligned with index `origin + stride * i`.
    pub fn aligned(&self, origin: u64, stride: u64) -> Self {
        let at = |bound: u64| bound.saturating_sub(origin).div_ceil(stride);
        let own = self
            .own()
            .map(|own| OwnIndices::new(own.coord, own.runs().map(|run| at(run.start)..at(run.end))));
        Self::new(self.procs, at(self.total), self.derive_checksum([1, origin, stride]), own)
    }

    /// Returns the owners with the indices in reverse order, and process c renumbered P - 1 - c.
    pub fn reversed(&self) -> Self {
        let back = |run: Range<u64>| self.total - run.end..self.total - run.start;
        let own =
            self.own().map(|own| OwnIndices::new(self.procs - 1 - own.coord, own.runs().rev().map(back)));
        Self::new(self.procs, self.total, self.derive_checksum([2, 0, 0]), own)
    }

    /// Returns the checksum of owners that are derived from these; `how` identifies the derivation.
    fn derive_checksum(&self, how: [u64; 3]) -> [u64; 2] {
        how.into_iter()
            .fold(self.identity, |identity, word| [0, 1].map(|k| mixed(identity[k] ^ word, k as u64)))
    }
}

impl PartialEq for PartialOwners {
    /// Compares the owners of all indices, by their checksum. The two lists may belong to different processes.
    fn eq(&self, other: &Self) -> bool {
        (self.procs, self.total, self.identity) == (other.procs, other.total, other.identity)
    }
}

impl Eq for PartialOwners {}

impl Hash for PartialOwners {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.procs, self.total, self.identity).hash(state);
    }
}

/// Returns the term of one run in the checksum of all owners, which is the sum over the runs. `start` is the run's
/// first index; the run before it has another owner. Two different lists have equal sums with probability 2^-128.
pub fn checksum_term(start: u64, owner: u32) -> [u64; 2] {
    [3, 4].map(|seed| mixed(start ^ mixed(u64::from(owner), seed), seed))
}

#[cfg(test)]
mod tests {
    use super::super::{Global, Indirect};
    use super::*;

    /// Returns the owners `owners`, one per index, as process `coord` knows them.
    fn part(owners: &[u32], procs: u32, coord: u32) -> PartialOwners {
        let own_index = |&(i, owner): &(u64, &u32)| (*owner == coord).then_some(i..i + 1);
        let own = OwnIndices::new(coord, (0..).zip(owners).filter_map(|each| own_index(&each)));
        PartialOwners::new(procs, owners.len() as u64, [0, 0], Some(own))
    }

    #[test]
    fn a_partial_list_agrees_with_the_complete_one() {
        let mut rng = fastrand::Rng::with_seed(12);
        for _ in 0..300 {
            let procs = rng.u32(1..6);
            let owners: Vec<u32> = (0..rng.usize(0..60)).map(|_| rng.u32(0..procs)).collect();
            let whole = Indirect::new(procs, owners.iter().map(|&owner| (owner, 1))).unwrap();
            let coord = rng.u32(0..procs);
            let part = part(&owners, procs, coord);
            let (origin, stride) = (rng.u64(0..5), rng.u64(1..4));
            let back = procs - 1 - coord;
            for (whole, part, coord) in [
                (whole.clone(), part.clone(), coord),
                (whole.aligned(origin, stride), part.aligned(origin, stride), coord),
                (whole.reversed(), part.reversed(), back),
                (whole.reversed().aligned(origin, stride), part.reversed().aligned(origin, stride), back),
            ] {
                assert_eq!((part.procs(), part.total()), (procs, whole.total()));
                let own = part.list(coord);
                assert!(own.runs().eq(whole.runs_of(coord)), "{own:?}");
                for i in 0..whole.total() {
                    let at = own.run_at(i).map(|(run, local)| local + (i - run.start));
                    let want = (whole.owner(Global(i)) == coord).then(|| whole.local(Global(i)).0);
                    assert_eq!((at, own.local_len(i)), (want, whole.local_len(i, coord)));
                }
            }
        }
    }

    #[test]
    fn lists_with_equal_checksums_are_equal() {
        let of = |identity, coord| {
            PartialOwners::new(3, 9, identity, Some(OwnIndices::new(coord, std::iter::once(1..3))))
        };
        assert_eq!(of([1, 2], 0), of([1, 2], 2));
        assert_ne!(of([1, 2], 0), of([1, 3], 0));
        assert_eq!(of([1, 2], 0).aligned(1, 2), of([1, 2], 1).aligned(1, 2));
        assert_ne!(of([1, 2], 0).aligned(1, 2), of([1, 2], 0).aligned(2, 1));
        assert_ne!(of([1, 2], 1).reversed(), of([1, 2], 1));
        assert_ne!(checksum_term(3, 1), checksum_term(1, 3));
    }
}
