//! One lap of a side of blocks of any size: which process is the head of an inner block, and in which step do others meet it?
//!
//! Others go in steps of heads that are free at both ends, where there is one and steps are few; else behind all heads, each inner
//! process's one after the other. Time and memory: O(P log P) for P processes of the side.

use super::super::blocks::{Even, Uneven};
use crate::layout::Axis;
use std::ops::Range;

/// Steps among which free ones are looked for, at the most.
const LOOKED_FOR: u64 = 64;

/// The block of a process of the side.
#[derive(Clone, Copy, Default, Debug)]
pub struct Turn {
    /// Processes with data before it.
    pub before: u32,
    /// The step in which it meets the inner block that it is a further one of, if it is.
    pub further: u32,
}

/// A side, and the inner blocks that its blocks meet.
pub struct Lap<'a> {
    side: Uneven<'a>,
    inner: &'a Even,
    turns: Vec<Turn>,
    /// By inner process: further ones of its blocks, in the order of the section.
    others: Vec<(u32, u32)>,
    /// The most inner blocks with one head.
    pub heads: u64,
}

impl<'a> Lap<'a> {
    /// The lap of `axis` in a section of `len` elements, if that has blocks of any size.
    pub fn new(axis: &'a Axis, len: u64, inner: &'a Even) -> Option<Self> {
        let side = Uneven::new(axis, len)?;
        let mut turns = vec![Turn::default(); axis.dist.procs() as usize];
        let (mut heads, mut others) = (1, Vec::new());
        // The last inner block so far.
        let mut last = None;
        for (before, (coord, span)) in (0..).zip(side.spans()) {
            turns[coord as usize].before = before;
            let (first, end) = (inner.at(span.start), inner.at(span.end - 1));
            let is_other = last == Some(first);
            heads = heads.max(end - first + u64::from(!is_other));
            if is_other {
                others.push((u32::try_from(first % inner.procs).ok()?, coord));
            }
            last = Some(end);
        }
        others.sort_unstable();
        Some(Self { side, inner, turns, others, heads })
    }

    /// The turns of all processes, where heads take `steps` steps, block number j in step `of(j)`; and how many steps behind those
    /// others take.
    pub fn turns(mut self, steps: u64, of: impl Fn(u64) -> u64) -> (Vec<Turn>, u64) {
        let mut most = 0;
        for of_one in self.others.chunk_by(|a, b| a.0 == b.0) {
            let mut behind = 0;
            let process = u64::from(of_one[0].0);
            let blocks =
                (process..self.inner.count).step_by(usize::try_from(self.inner.procs).unwrap_or(usize::MAX));
            let mut taken = set(steps, blocks.map(&of));
            for &(_, coord) in of_one {
                let own = set(steps, self.headed(coord).map(&of));
                let free = taken.zip(own).map(|(taken, own)| u64::from((taken | own).trailing_ones()));
                let step = free.filter(|&step| step < steps).unwrap_or_else(|| {
                    behind += 1;
                    steps + behind - 1
                });
                taken = taken
                    .map(|taken| taken | 1u64.checked_shl(u32::try_from(step).unwrap_or(64)).unwrap_or(0));
                self.turns[coord as usize].further = u32::try_from(step).unwrap_or(u32::MAX);
            }
            most = most.max(behind);
        }
        (self.turns, most)
    }

    /// The blocks that process `coord` is the head of, if it is a further one of the first that it meets.
    fn headed(&self, coord: u32) -> Range<u64> {
        let span = self.side.span(coord);
        self.inner.at(span.start) + 1..self.inner.at(span.end - 1) + 1
    }
}

/// Steps as bits, where there are so few that free ones are looked for.
fn set(steps: u64, some: impl Iterator<Item = u64>) -> Option<u64> {
    (steps <= LOOKED_FOR).then(|| some.fold(0, |set, step| set | 1 << step))
}
