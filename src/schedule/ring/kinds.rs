//! Two sides of blocks of one size each, whose processes have few blocks: which messages may share a step wherever the section is
//! cut off? It never knows single messages, of which there may be any number.
//!
//! The section is cut into *stretches* in which neither side begins anew with its first process. Within a stretch the blocks of
//! both sides meet alike again and again, every lcm(r, s) elements. So a meeting has a *kind*: its stretch, and how far
//! behind the start of the stretch it begins, modulo lcm(r, s). Meetings of one kind have one length, and no process has two of
//! them: they may all go in one step. Processes that have a meeting of a kind are every so many-th of a range, on both sides;
//! so it is known which kinds share a process, and they are coloured ([`colour`]). Where that takes too many colours, kinds are
//! cut into *pieces*, ranges of their meetings.
//!
//! Time and memory depend on the number of kinds: stretches by blocks in lcm(r, s) elements of either side.

mod colour;
mod figures;
mod net;
mod pieces;

use super::super::blocks::Even;
use super::super::figures::Figures;
use crate::overlap::Overlap;
use figures::Most;
use num_integer::Integer;
use pieces::{Kind, Piece};
use std::sync::Arc;

/// Kinds of meetings, at the most.
const MOST: usize = 1 << 10;

/// The schedule.
#[derive(Clone, Debug)]
pub struct Kinds {
    /// Elements after which blocks of both sides meet alike.
    period: u64,
    stretches: Arc<[Stretch]>,
    kinds: Arc<[Kind]>,
    /// The pieces of all kinds, in their order.
    pieces: Arc<[Piece]>,
    /// The number of steps.
    pub steps: u64,
    /// In elements, if no two processes meet more than once.
    pub figures: Option<Figures>,
}

/// A part of the section.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    /// Where it begins.
    start: u64,
    /// The number of its first kind.
    first: usize,
}

impl Kinds {
    /// The fewest steps that are found for `dim` in the time that it takes to list so many messages, if they are fewer than
    /// `steps`. `None`, too, where blocks are of no one size, where there are many kinds, and where all of a period of both sides
    /// is in the section: there classes of processes are known, whatever the section.
    pub fn new(dim: &Overlap, steps: u64, list: u64) -> Option<Self> {
        let sides = [Even::new(&dim.from, dim.len)?, Even::new(&dim.to, dim.len)?];
        let cycles = sides.map(|side| u128::from(side.cycle()));
        if cycles[0].lcm(&cycles[1]) < u128::from(dim.len) {
            return None;
        }
        let period = u128::from(sides[0].block).lcm(&u128::from(sides[1].block));
        let period = u64::try_from(period).unwrap_or(u64::MAX);
        let (stretches, kinds) = kinds(&sides, period, dim.len)?;
        let most = Most::of(&kinds);
        if most.meetings() >= steps {
            return None;
        }
        let pieces = colour::fewest(&kinds, most.meetings(), list)?;
        let count = 1 + pieces.iter().map(|piece| u64::from(piece.step)).max()?;
        let figures = figures::of(&kinds, &pieces, &most);
        (count < steps).then(|| Self {
            period,
            stretches: stretches.into(),
            kinds: kinds.into(),
            pieces: pieces.into(),
            steps: count,
            figures,
        })
    }

    /// The step of the meeting that begins at section index `x`.
    pub fn step(&self, x: u64) -> u64 {
        let stretch = self.stretches.partition_point(|stretch| stretch.start <= x) - 1;
        let Stretch { start, first } = self.stretches[stretch];
        let end = self.stretches.get(stretch + 1).map_or(self.kinds.len(), |next| next.first);
        let (turn, behind) = ((x - start) / self.period, (x - start) % self.period);
        let of_stretch = &self.kinds[first..end];
        let kind = first + of_stretch.partition_point(|kind| kind.start - start <= behind) - 1;
        let piece = self.pieces.partition_point(|piece| (piece.kind, piece.turns.start) <= (kind, turn)) - 1;
        self.pieces[piece].step.into()
    }
}

/// All stretches, and all kinds; `None` if there are too many.
fn kinds(sides: &[Even; 2], period: u64, len: u64) -> Option<(Vec<Stretch>, Vec<Kind>)> {
    let next = |x: u64| sides.iter().map(|side| side.start(side.at(x) + 1)).min().unwrap_or(len).min(len);
    let mut cuts = vec![0, len];
    for side in sides {
        let laps = side.count.div_ceil(side.procs);
        if laps > MOST as u64 {
            return None;
        }
        cuts.extend((1..laps).map(|lap| side.start(lap * side.procs)));
        // Meetings of blocks that are cut off are of another length than the others.
        if side.lead > 0 {
            cuts.push(side.start(1).min(len));
        }
        if side.start(side.count) > len {
            cuts.push(side.start(side.count - 1));
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    let (mut stretches, mut kinds) = (Vec::new(), Vec::new());
    for (&start, &end) in cuts.iter().zip(&cuts[1..]) {
        stretches.push(Stretch { start, first: kinds.len() });
        let mut x = start;
        while x < start.saturating_add(period).min(end) {
            let behind = next(x);
            kinds.push(Kind::new(sides, period, x, behind - x, (end - 1 - x) / period + 1));
            x = behind;
        }
        if kinds.len() > MOST {
            return None;
        }
    }
    Some((stretches, kinds))
}

#[cfg(test)]
mod tests;
