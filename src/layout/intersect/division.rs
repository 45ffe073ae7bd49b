//! HOW are one process's indices divided among the processes of the other side, where owners are listed? Found by one walk along its
//! own indices, however many processes they are divided among.

use super::builder::Builder;
use super::dimension::Overlap;
use super::family::Family;
use super::runs::Runs;
use super::side::SectionDist;
use crate::layout::distribution::{Axis, AxisWalk, Local};
use std::ops::Range;

/// Runs of the side that follows a rule, for each run of a list, at the most: where they are more, the rule is faster than a walk.
const MORE: u64 = 4;

impl Overlap {
    /// The processes of the other side that process `coord` of the source, or (not `source`) of the destination, shares indices with,
    /// ascending, and where it keeps those itself; `None` where no walk is needed for that, or not all owners are known, for all
    /// processes of both sides alike.
    pub fn division(&self, coord: u32, source: bool) -> Option<Vec<(u32, Runs<1>)>> {
        let (from, to) = self.sides();
        let (mine, theirs) = if source { (from, to) } else { (to, from) };
        let (own, other) = if source { (&self.from, &self.to) } else { (&self.to, &self.from) };
        let listed = [&mine, &theirs].iter().filter_map(|side| side.listed()).max()?;
        let few = [&mine, &theirs].iter().all(|side| side.blocks().is_some_and(|runs| runs / MORE <= listed));
        if self.is_partial() || !few || own.step() != 1 || other.step() != 1 {
            return None;
        }
        let mut walk = Walk::new(AxisWalk::new(other), other.dist.procs());
        match (mine.runs_of(coord), &mine.dealt) {
            (Some(runs), _) => walk.along(runs, own),
            (None, SectionDist::Blocks(blocks)) => {
                walk.along(blocks.comb(blocks.place(coord)).runs(self.len), own);
            }
            (None, _) => return None,
        }
        Some(walk.portions())
    }
}

/// A walk along a process's own indices.
struct Walk<'a> {
    theirs: AxisWalk<'a>,
    /// Of each process of the other side, where its portion is; no place where it was not met yet.
    place: Vec<u32>,
    portions: Vec<(u32, Builder<1>)>,
}

impl<'a> Walk<'a> {
    fn new(theirs: AxisWalk<'a>, procs: u32) -> Self {
        Self { theirs, place: vec![u32::MAX; procs as usize], portions: Vec::new() }
    }

    /// The process's runs along `axis`, in ascending order: its local indices count on from that of the first one.
    fn along(&mut self, runs: impl Iterator<Item = Range<u64>>, axis: &Axis) {
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
        let place = &mut self.place[coord as usize];
        if *place == u32::MAX {
            *place = u32::try_from(self.portions.len()).expect("no more than processes");
            self.portions.push((coord, Builder::new()));
        }
        &mut self.portions[*place as usize].1
    }

    fn portions(mut self) -> Vec<(u32, Runs<1>)> {
        self.portions.sort_unstable_by_key(|(coord, _)| *coord);
        self.portions.into_iter().map(|(coord, local)| (coord, Runs::built(local))).collect()
    }
}
