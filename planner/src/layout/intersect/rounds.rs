//! Divides the indices of one process among the processes of the other side, if both sides have blocks of one size. One
//! walk along the process's own blocks finds all its partners, and the indices that it shares with each of them.
//!
//! The walk counts in local indices, in which consecutive blocks of the process adjoin:
//! - If a block of the other side contains several own blocks, or parts of them, it shares one run of local indices
//!   with the process.
//! - An own block may contain several rounds of the other side. The process then shares equal runs at equal distances
//!   with each process of the other side. So the walk covers only the first round.
//!
//! The walk covers one common period of both sides, or the whole section if that is shorter or has few blocks. Time:
//! O(f log f) for f families found, which are sorted by process.

use super::blocks::Blocks;
use super::builder::Builder;
use super::comb::{self, Comb};
use super::family::Family;
use super::runs::Runs;
use std::ops::Range;

/// Maximum number of blocks of both sides together for a walk along the whole section: a few runs are faster to use
/// than a periodic set.
const MAX_UNREPEATED_BLOCKS: u64 = 32;

/// Calls `add` with each process of the side `theirs` that shares indices with the process at `place` of `mine`,
/// ascending, and with the local indices that they share. The section has `len` indices; `first` is the local index of
/// the process's first index there.
pub(super) fn divide(
    (mine, place): (&Blocks, u64),
    theirs: &Blocks,
    len: u64,
    first: u64,
    mut add: impl FnMut(u32, Runs<1>),
) {
    let few = mine.count(len).saturating_add(theirs.count(len)) <= MAX_UNREPEATED_BLOCKS;
    let period = comb::period(mine.cycle(), theirs.cycle()).filter(|&period| period < len && !few);
    let mut walk = RoundWalk { own: mine.comb(place), theirs, found: Vec::new() };
    let in_period = walk.walk(period.unwrap_or(len));
    let all = first..first + walk.own.count(len);
    let mut found = walk.found;
    found.sort_by_key(|&(coord, _)| coord);
    for portion in found.chunk_by(|a, b| a.0 == b.0) {
        let families = portion.iter().map(|&(_, family)| family);
        let local = match (portion, period) {
            ([(_, family)], None) => Runs::of_family(family.shifted([first])),
            (_, None) if few => {
                let mut local = Builder::new();
                families.for_each(|family| local.push(family.shifted([first])));
                Runs::from_builder(local)
            }
            _ => Runs::periodic_in(all.clone(), families.collect(), period.map(|_| in_period)),
        };
        add(portion[0].0, local);
    }
}

/// A walk along the blocks of one process.
struct RoundWalk<'a> {
    own: Comb,
    theirs: &'a Blocks,
    /// Processes of the other side, each with a family of shared indices, as numbers among the own indices. The
    /// families of one process ascend.
    found: Vec<(u32, Family<1>)>,
}

impl RoundWalk<'_> {
    /// Finds all families below section index `window`. Returns the number of the process's indices there.
    fn walk(&mut self, window: u64) -> u64 {
        let mut before = 0;
        let mut next = self.own.at_or_after(0);
        let mut theirs = Cursor::new(self.theirs);
        while let Some(own) = next.filter(|own| own.start < window) {
            let own_end = own.end.min(window);
            let end = theirs.move_to(own.start);
            let rounds = end < own_end;
            let end = if rounds { own_end } else { end.min(window) };
            let after = self.own.count(end);
            match rounds {
                true => self.add_rounds(own.start..own_end, &theirs, before),
                false => self.found.push((theirs.coord(), Family::run([before], after - before))),
            }
            before = after;
            next = self.own.at_or_after(end);
        }
        before
    }

    /// Adds the families of the run `own`. The run begins in the block at `theirs`; `before` own indices precede it.
    fn add_rounds(&mut self, own: Range<u64>, theirs: &Cursor<'_>, before: u64) {
        let (block, cycle) = (self.theirs.block, self.theirs.cycle().unwrap_or(u64::MAX));
        let total = own.end - own.start;
        let (rounds, rest) = (total / cycle, total % cycle);
        let expected = self.theirs.procs.min(total.div_ceil(block) + 1);
        self.found.reserve(usize::try_from(expected).expect("no more than processes"));
        // Start and end of the current block, as offsets in the own run.
        let (mut theirs, mut begin, mut end) = (theirs.clone(), 0, theirs.end - own.start);
        for _ in 0..self.theirs.procs {
            if begin >= total {
                break;
            }
            let coord = theirs.coord();
            let (mut whole, mut from) = (rounds + u64::from(end <= rest), begin);
            if end - begin < block {
                // The own run begins within the block, and ends behind it.
                self.found.push((coord, Family::run([before + begin], end - begin)));
                (whole, from) = (whole - 1, end.saturating_add(cycle - block));
            }
            if whole > 0 {
                let stride = if whole > 1 { cycle } else { 0 };
                let family = Family { start: [before + from], stride: [stride], len: block, count: whole };
                self.found.push((coord, family.merge_touching()));
            }
            let cut = from.saturating_add(whole.saturating_mul(cycle));
            if cut < total {
                self.found.push((coord, Family::run([before + cut], total - cut)));
            }
            (begin, end) = (end, end.saturating_add(block));
            theirs.step();
        }
    }
}

/// A block of the other side; moves forward only.
#[derive(Clone)]
struct Cursor<'a> {
    blocks: &'a Blocks,
    /// Place of the block's owner.
    place: u64,
    /// End of the block, in section indices.
    end: u64,
}

impl<'a> Cursor<'a> {
    /// Returns the first block of the section.
    fn new(blocks: &'a Blocks) -> Self {
        Self { blocks, place: 0, end: blocks.block - blocks.lead }
    }

    fn step(&mut self) {
        self.place = if self.place + 1 == self.blocks.procs { 0 } else { self.place + 1 };
        self.end = self.end.saturating_add(self.blocks.block);
    }

    /// Moves to the block with section index `i`. Returns the end of the block.
    fn move_to(&mut self, i: u64) -> u64 {
        if i >= self.end {
            if i - self.end < self.blocks.block {
                self.step();
            } else {
                let number = (i + self.blocks.lead) / self.blocks.block;
                self.place = number % self.blocks.procs;
                self.end = (number + 1).saturating_mul(self.blocks.block) - self.blocks.lead;
            }
        }
        self.end
    }

    fn coord(&self) -> u32 {
        self.blocks.coord(self.place)
    }
}
