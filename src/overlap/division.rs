//! HOW are one process's indices divided among the processes of the other side, where owners are listed? Found by one walk along its
//! own indices, however many processes they are divided among.

use super::builder::Builder;
use super::dimension::Overlap;
use super::family::Family;
use super::runs::Runs;
use super::side::SectionDist;
use crate::layout::AxisWalk;
use std::ops::Range;

/// Runs of the side that follows a rule, for each run of a list, at the most: where they are more, the rule is faster than a walk.
const MORE: u64 = 4;

/// What a process shares with one of the other side.
pub struct Portion {
    /// The other process.
    pub coord: u32,
    /// Indices of the section.
    pub indices: Runs<1>,
    /// Where the process itself keeps them.
    pub local: Runs<1>,
}

impl Overlap {
    /// What process `coord` of the source, or (not `source`) of the destination, shares with each process of the other side, in
    /// ascending order of these; `None` where no walk is needed for that, or not all owners are known.
    pub fn portions(&self, coord: u32, source: bool) -> Option<Vec<Portion>> {
        let (from, to) = self.sides();
        let (mine, theirs) = if source { (from, to) } else { (to, from) };
        let (own, other) = if source { (&self.from, &self.to) } else { (&self.to, &self.from) };
        let listed = [&mine, &theirs].iter().filter_map(|side| side.listed()).max()?;
        let few = [&mine, &theirs].iter().all(|side| side.blocks().is_some_and(|runs| runs / MORE <= listed));
        if self.is_partial() || !few || own.step() != 1 {
            return None;
        }
        let mut walk = Walk::new(AxisWalk::new(other), other.dist.procs());
        match (mine.runs_of(coord), &mine.dealt) {
            (Some(mut runs), _) => walk.along(&mut runs, |first| own.local(first).0),
            (None, SectionDist::Blocks(blocks)) => {
                let comb = blocks.comb(blocks.place(coord));
                walk.along(&mut comb.runs(self.len), |first| own.local(first).0);
            }
            (None, _) => return None,
        }
        Some(walk.portions())
    }
}

/// A walk along a process's own indices.
struct Walk<'a> {
    theirs: AxisWalk<'a>,
    /// Of each process of the other side, where its portion is; one past the last one where it was not met yet.
    place: Vec<u32>,
    portions: Vec<(u32, Builder<1>, Builder<1>)>,
}

impl<'a> Walk<'a> {
    fn new(theirs: AxisWalk<'a>, procs: u32) -> Self {
        Self { theirs, place: vec![u32::MAX; procs as usize], portions: Vec::new() }
    }

    /// The process's runs in ascending order. Local indices count on from that of the first one.
    fn along(&mut self, runs: &mut impl Iterator<Item = Range<u64>>, first: impl Fn(u64) -> u64) {
        let mut runs = runs.peekable();
        let Some(mut local) = runs.peek().map(|run| first(run.start)) else { return };
        for run in runs {
            let mut i = run.start;
            while i < run.end {
                let (_, alike) = self.theirs.at(i);
                let len = alike.min(run.end - i);
                let (_, indices, own) = self.portion(self.theirs.owner());
                indices.push(Family::run([i], len));
                own.push(Family::run([local], len));
                i += len;
                local += len;
            }
        }
    }

    #[inline]
    fn portion(&mut self, coord: u32) -> &mut (u32, Builder<1>, Builder<1>) {
        let place = &mut self.place[coord as usize];
        if *place == u32::MAX {
            *place = u32::try_from(self.portions.len()).expect("no more than processes");
            self.portions.push((coord, Builder::new(), Builder::new()));
        }
        &mut self.portions[*place as usize]
    }

    fn portions(mut self) -> Vec<Portion> {
        self.portions.sort_unstable_by_key(|(coord, ..)| *coord);
        let built = |(coord, indices, local)| Portion {
            coord,
            indices: Runs::built(indices),
            local: Runs::built(local),
        };
        self.portions.into_iter().map(built).collect()
    }
}
