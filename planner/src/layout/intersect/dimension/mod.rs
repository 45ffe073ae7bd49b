//! One dimension of a redistribution: the indices that two processes share, and the partners of each process.

use super::cyclic::BlockPair;
use super::merge::{intersect_runs, merge};
use super::process_set::ProcessSet;
use super::runs::Runs;
use super::side::{SectionDist, SectionSide, listed};
use crate::layout::distribution::{Axis, ReceivedSection};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Time to look up one owner, as a number of blocks that a walk passes in this time.
const LOOK_UP_STEPS: u32 = 32;

/// One dimension of a redistribution: `len` section indices, distributed by `from` before and by `to` after.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Overlap {
    /// Distribution of the section before the redistribution.
    pub from: Axis,
    /// Distribution of the section after the redistribution.
    pub to: Axis,
    /// Indices in the section along this dimension.
    pub len: u64,
}

impl Overlap {
    pub(super) fn sides(&self) -> (SectionSide<'_>, SectionSide<'_>) {
        (SectionSide::new(&self.from, self.len), SectionSide::new(&self.to, self.len))
    }

    /// Returns true if no process has the owners of all indices, of the source or of the target. A process can then
    /// compute only the indices that it shares itself, with the partners that it has received
    /// ([`Overlap::with_received`]).
    pub fn is_partial(&self) -> bool {
        self.from.dist.part().is_some() || self.to.dist.part().is_some()
    }

    fn received(&self) -> Option<&ReceivedSection> {
        self.from.dist.part().or(self.to.dist.part())?.received()
    }

    /// Returns the overlap with the partners that this process has received.
    pub fn with_received(&self, received: &Arc<ReceivedSection>) -> Self {
        Self { from: self.from.with_received(received), to: self.to.with_received(received), len: self.len }
    }

    /// Returns the section indices that source process `p` holds and destination process `q` gets.
    pub fn shared(&self, p: u32, q: u32) -> Runs<1> {
        if let Some(runs) = self.received().and_then(|received| received.shared(p, q)) {
            return listed(runs);
        }
        let (from, to) = self.sides();
        match (&from.dealt, &to.dealt) {
            (SectionDist::Blocks(a), SectionDist::Blocks(b)) => BlockPair::new(*a, *b, self.len).shared(p, q),
            _ => match from.runs_of(p).zip(to.runs_of(q)) {
                Some((a, b)) => intersect_runs(a, b),
                None => from.set(p).shared(&to.set(q), self.len),
            },
        }
    }

    /// Returns the destination processes that source process `p` shares indices with, ascending.
    pub fn destinations(&self, p: u32) -> Vec<u32> {
        if let Some((_, partners)) = self.received().and_then(|received| received.sends.as_ref()) {
            return partners.coords();
        }
        let (from, to) = self.sides();
        self.partners(&from, &to, p, true)
    }

    /// Returns the source processes that destination process `q` shares indices with, ascending.
    pub fn sources(&self, q: u32) -> Vec<u32> {
        if let Some((_, partners)) = self.received().and_then(|received| received.receives.as_ref()) {
            return partners.coords();
        }
        let (from, to) = self.sides();
        self.partners(&to, &from, q, false)
    }

    /// Returns the number of section indices that source process `p` holds.
    pub fn source_count(&self, p: u32) -> u64 {
        self.sides().0.set(p).count(&(0..self.len))
    }

    /// Returns the number of section indices that destination process `q` gets.
    pub fn destination_count(&self, q: u32) -> u64 {
        self.sides().1.set(q).count(&(0..self.len))
    }

    /// Returns all messages in the order of the indices, as (source, destination, number of indices). `None` unless
    /// every process of both sides has at most one block of the section (HPF's BLOCK and GEN_BLOCK). There are fewer
    /// messages than processes of both sides together.
    pub fn single_block_messages(&self) -> Option<Vec<(u32, u32, u64)>> {
        let mut messages = Vec::new();
        self.each_single_block_message(|p, q, shared| messages.push((p, q, shared)));
        self.has_single_blocks().then_some(messages)
    }

    /// Calls `body` with (source, destination, number of indices) of each message, in the order of the indices; never
    /// if a process may have several blocks.
    pub fn each_single_block_message(&self, body: impl FnMut(u32, u32, u64)) {
        let (from, to) = self.sides();
        if let (Some(from), Some(to)) = (from.single_blocks(), to.single_blocks()) {
            merge(from, to, body);
        }
    }

    /// Estimates the maximum number of runs to examine in order to count the indices that two processes share.
    pub fn search_cost(&self) -> u64 {
        let (from, to) = self.sides();
        match (&from.dealt, &to.dealt) {
            (SectionDist::Blocks(a), SectionDist::Blocks(b)) => {
                BlockPair::new(*a, *b, self.len).max_examined()
            }
            _ => 1,
        }
    }

    /// Returns the number of indices that source process `p` and destination process `q` share.
    pub fn volume(&self, p: u32, q: u32) -> u64 {
        match self.received().and_then(|received| received.messages.as_ref()) {
            Some(all) => all.binary_search_by_key(&(p, q), |&(p, q, _)| (p, q)).map_or(0, |at| all[at].2),
            None => self.shared(p, q).total(),
        }
    }

    /// Returns true if every process of both sides has at most one block of the section.
    pub fn has_single_blocks(&self) -> bool {
        let (from, to) = self.sides();
        from.single_blocks().is_some() && to.single_blocks().is_some()
    }

    /// Returns all messages as (source, destination, number of indices), if a side is GEN_BLOCK or INDIRECT: by one
    /// walk along that side's runs, or from the received messages if the list of owners is partial. `None` for other
    /// sides, or if no messages were received.
    pub fn messages_along_lists(&self) -> Option<Vec<(u32, u32, u64)>> {
        if self.is_partial() {
            return self.received().and_then(|received| received.messages.clone());
        }
        let (from, to) = self.sides();
        let mut volumes = PairVolumes::new(from.procs(), to.procs());
        match (from.runs(), to.runs()) {
            (Some(from), Some(to)) => merge(from, to, |p, q, shared| volumes.add(p, q, shared)),
            (Some(from), None) => to.intersect(from, |p, q, shared| volumes.add(p, q, shared)),
            (None, Some(to)) => from.intersect(to, |q, p, shared| volumes.add(p, q, shared)),
            (None, None) => return None,
        }
        Some(volumes.list())
    }

    fn partners(
        &self,
        mine: &SectionSide<'_>,
        theirs: &SectionSide<'_>,
        coord: u32,
        source: bool,
    ) -> Vec<u32> {
        if let (SectionDist::Blocks(a), SectionDist::Blocks(b)) = (&mine.dealt, &theirs.dealt) {
            let (from, to) = if source { (*a, *b) } else { (*b, *a) };
            return BlockPair::new(from, to, self.len).partners(coord, source);
        }
        let mut met = ProcessSet::new(theirs.procs());
        // If this process has few runs, looking up the owners in each run is faster than walking along all blocks.
        let few = theirs.is_spans() && mine.has_few_runs(coord, theirs.procs() / LOOK_UP_STEPS);
        match (mine.runs_of(coord), theirs.runs().filter(|_| !few)) {
            (Some(own), Some(all)) => met.add_owners(own, all),
            (None, Some(mut all)) => {
                let set = mine.set(coord);
                all.any(|(owner, run)| set.intersects(&run) && met.add(owner));
            }
            // All partners occur in the first common period. The walk is along the side with fewer runs in that period.
            (_, None) => {
                let set = mine.set(coord);
                let window = set.window(theirs.period(), self.len);
                if theirs.stretches_at_most(window).saturating_mul(set.combs()) < set.runs_below(window) {
                    theirs.stretches(0..window).any(|(owner, run)| set.intersects(&run) && met.add(owner));
                } else {
                    set.each_run(window, |run| {
                        theirs.owners(&run, |owner| met.add(owner));
                        met.is_full()
                    });
                }
            }
        }
        met.list()
    }
}

/// Number of shared indices by pair of processes.
enum PairVolumes {
    /// Counts of all pairs, one row for each source process, and the length of a row.
    Dense(Vec<u64>, usize),
    /// Counts of those pairs that share any index.
    Sparse(BTreeMap<(u32, u32), u64>),
}

impl PairVolumes {
    /// Maximum number of pairs for an array of all counts.
    const MAX_DENSE: usize = 1 << 16;

    fn new(sources: u32, destinations: u32) -> Self {
        match (sources as usize).checked_mul(destinations as usize) {
            Some(pairs) if pairs <= Self::MAX_DENSE => Self::Dense(vec![0; pairs], destinations as usize),
            _ => Self::Sparse(BTreeMap::new()),
        }
    }

    #[inline]
    fn add(&mut self, p: u32, q: u32, shared: u64) {
        match self {
            Self::Dense(all, row) => all[p as usize * *row + q as usize] += shared,
            Self::Sparse(some) => *some.entry((p, q)).or_default() += shared,
        }
    }

    /// Returns (source, destination, number of indices) of all pairs that share any index.
    fn list(self) -> Vec<(u32, u32, u64)> {
        match self {
            Self::Dense(all, row) => {
                let rows = (0u32..).zip(all.chunks(row.max(1)));
                let pairs =
                    rows.flat_map(|(p, row)| (0u32..).zip(row).map(move |(q, &shared)| (p, q, shared)));
                pairs.filter(|&(.., shared)| shared > 0).collect()
            }
            Self::Sparse(some) => some.into_iter().map(|((p, q), shared)| (p, q, shared)).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
