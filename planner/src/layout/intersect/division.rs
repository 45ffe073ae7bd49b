//! Divides the indices of one process among the processes of the other side, in one walk along these indices. Used if
//! both sides have blocks of one size ([`rounds`]), if a side has a list of owners, or if a side is GEN_BLOCK and
//! both have few blocks.

use super::builder::Builder;
use super::dimension::Overlap;
use super::family::Family;
use super::rounds;
use super::runs::Runs;
use super::side::SectionDist;
use crate::layout::distribution::{Axis, AxisWalk, Local};
use std::ops::Range;

/// Maximum ratio of the blocks of a side to the runs of the list; beyond it, arithmetic is faster than the walk.
const MAX_BLOCKS_PER_RUN: u64 = 4;
/// Maximum number of blocks of both sides together for a walk without a list if a side is GEN_BLOCK; beyond it,
/// arithmetic is faster.
const MAX_WALKED_BLOCKS: u64 = 32;
const LINEAR_SEARCH_THRESHOLD: usize = 16;

impl Overlap {
    /// Calls `add` with each process of the other side that shares indices with process `coord`, ascending, and with
    /// the local indices of the shared indices on `coord`. `source` is true if `coord` is a source. Returns false,
    /// without calling `add`, if the section has a step, if arithmetic is faster than a walk, or if some owners are
    /// unknown. The result is the same for all processes of both sides.
    pub fn divide(&self, coord: u32, source: bool, mut add: impl FnMut(u32, Runs<1>)) -> bool {
        if self.is_partial() || self.from.step() != 1 || self.to.step() != 1 {
            return false;
        }
        let (from, to) = self.sides();
        let (mine, theirs) = if source { (from, to) } else { (to, from) };
        let (own, other) = if source { (&self.from, &self.to) } else { (&self.to, &self.from) };
        if let (SectionDist::Blocks(mine), SectionDist::Blocks(theirs)) = (&mine.dealt, &theirs.dealt) {
            let place = mine.position_in_round(coord);
            let first = mine.comb(place).at_or_after(0).filter(|run| run.start < self.len);
            if let Some(run) = first {
                rounds::divide((mine, place), theirs, self.len, own.local(run.start).0, add);
            }
            return true;
        }
        let (Some(own_blocks), Some(other_blocks)) = (mine.blocks(), theirs.blocks()) else { return false };
        let few = match [&mine, &theirs].iter().filter_map(|side| side.listed()).max() {
            Some(listed) => own_blocks.max(other_blocks) / MAX_BLOCKS_PER_RUN <= listed,
            None => own_blocks.saturating_add(other_blocks) <= MAX_WALKED_BLOCKS,
        };
        if !few {
            return false;
        }
        let mut walk = Walk::new(AxisWalk::new(other), other.dist.procs());
        match (mine.runs_of(coord), &mine.dealt) {
            (Some(runs), _) => walk.add_runs(runs, own),
            (None, SectionDist::Blocks(blocks)) => {
                walk.add_runs(blocks.comb(blocks.position_in_round(coord)).runs(self.len), own);
            }
            (None, _) => return false,
        }
        walk.portions().for_each(|(coord, local)| add(coord, local));
        true
    }
}

struct Walk<'a> {
    theirs: AxisWalk<'a>,
    procs: u32,
    portions: Vec<(u32, Builder<1>)>,
    /// Index in `portions` of each process of the other side; `u32::MAX` if the process has no portion yet. Empty while
    /// `portions` is short and is searched linearly.
    place: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(theirs: AxisWalk<'a>, procs: u32) -> Self {
        Self { theirs, procs, portions: Vec::new(), place: Vec::new() }
    }

    /// Walks along the process's runs, which ascend. Local indices count up from the local index of the first index.
    fn add_runs(&mut self, runs: impl Iterator<Item = Range<u64>>, axis: &Axis) {
        let mut next = None;
        runs.for_each(|run| {
            let Local(mut local) = *next.get_or_insert_with(|| axis.local(run.start));
            let mut i = run.start;
            while i < run.end {
                let (owner, alike) = self.theirs.owner(i);
                let len = alike.min(run.end - i);
                self.portion(owner).push(Family::run([local], len));
                i += len;
                local += len;
            }
            next = Some(Local(local));
        });
    }

    #[inline]
    fn portion(&mut self, coord: u32) -> &mut Builder<1> {
        if self.place.is_empty() {
            let known = self.portions.iter().rposition(|(of, _)| *of == coord);
            if let Some(k) = known {
                return &mut self.portions[k].1;
            }
            if self.portions.len() < LINEAR_SEARCH_THRESHOLD {
                self.portions.push((coord, Builder::new()));
                return &mut self.portions.last_mut().expect("just added").1;
            }
            self.place = vec![u32::MAX; self.procs as usize];
            (0u32..).zip(&self.portions).for_each(|(k, (of, _))| self.place[*of as usize] = k);
        }
        let place = &mut self.place[coord as usize];
        if *place == u32::MAX {
            *place = u32::try_from(self.portions.len()).expect("no more than processes");
            self.portions.push((coord, Builder::new()));
        }
        &mut self.portions[*place as usize].1
    }

    fn portions(mut self) -> impl Iterator<Item = (u32, Runs<1>)> {
        self.portions.sort_unstable_by_key(|(coord, _)| *coord);
        self.portions.into_iter().map(|(coord, local)| (coord, Runs::from_builder(local)))
    }
}
