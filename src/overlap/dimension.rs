//! One dimension of a redistribution: which indices do two processes share, and who shares any?

use super::blocks::Blocks;
use super::cyclic::{self, Pair};
use super::family::Family;
use super::runs::Runs;
use crate::layout::{Axis, Cyclic, Dist, GenBlock};
use std::ops::Range;

/// One dimension of a redistribution: `len` section indices dealt out by `from` and to be dealt out by `to`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Overlap {
    /// Where the section lies now.
    pub from: Axis,
    /// Where it goes.
    pub to: Axis,
    /// Indices in the section along this dimension.
    pub len: u64,
}

impl Overlap {
    /// The section indices that source process `p` holds and destination process `q` gets.
    pub fn shared(&self, p: u32, q: u32) -> Runs<1> {
        match (&self.from.dist, &self.to.dist) {
            (Dist::Cyclic(a), Dist::Cyclic(b)) => self.pair(a, b).shared(p, q),
            (Dist::GenBlock(a), Dist::Cyclic(b)) => self.cut(&self.span(&self.from, a, p), &self.to, b, q),
            (Dist::Cyclic(a), Dist::GenBlock(b)) => self.cut(&self.span(&self.to, b, q), &self.from, a, p),
            (Dist::GenBlock(a), Dist::GenBlock(b)) => {
                let (x, y) = (self.span(&self.from, a, p), self.span(&self.to, b, q));
                let both = x.start.max(y.start)..x.end.min(y.end);
                let run = (both.start < both.end).then(|| Family::run([both.start], both.end - both.start));
                Runs::periodic(run.into_iter().collect(), None, self.len)
            }
        }
    }

    /// The destination processes that source process `p` shares indices with, ascending.
    pub fn destinations(&self, p: u32) -> Vec<u32> {
        self.partners(&self.from, &self.to, p, true)
    }

    /// The source processes that destination process `q` shares indices with, ascending.
    pub fn sources(&self, q: u32) -> Vec<u32> {
        self.partners(&self.to, &self.from, q, false)
    }

    /// All messages in the order of the indices, as (source, destination, indices), if every process of both sides has at
    /// most one block of the section (HPF's BLOCK and GEN_BLOCK): then there are fewer of them than processes.
    pub fn along_the_line(&self) -> Option<Vec<(u32, u32, u64)>> {
        let (from, to) = (self.single_blocks(&self.from)?, self.single_blocks(&self.to)?);
        let (mut p, mut q) = (0, 0);
        let mut messages = Vec::new();
        while let (Some((source, x)), Some((destination, y))) = (from.get(p), to.get(q)) {
            let shared = x.end.min(y.end).saturating_sub(x.start.max(y.start));
            if shared > 0 {
                messages.push((*source, *destination, shared));
            }
            let end = x.end.min(y.end);
            p += usize::from(x.end == end);
            q += usize::from(y.end == end);
        }
        Some(messages)
    }

    /// The one block of each process that has any, in the order of the indices.
    fn single_blocks(&self, axis: &Axis) -> Option<Vec<(u32, Range<u64>)>> {
        match &axis.dist {
            Dist::GenBlock(dist) => {
                let spans = (0..dist.procs()).map(|c| (c, self.span(axis, dist, c)));
                Some(spans.filter(|(_, span)| span.start < span.end).collect())
            }
            Dist::Cyclic(dist) => {
                let blocks = Blocks::new(dist, axis.start, self.len);
                let count = blocks.count(self.len);
                (count <= blocks.procs)
                    .then(|| (0..count).map(|b| (blocks.coord(b), blocks.span(b, self.len))).collect())
            }
        }
    }

    fn partners(&self, mine: &Axis, theirs: &Axis, coord: u32, source: bool) -> Vec<u32> {
        match (&mine.dist, &theirs.dist) {
            (Dist::Cyclic(a), Dist::Cyclic(b)) => {
                if source { self.pair(a, b) } else { self.pair(b, a) }.partners(coord, source)
            }
            (Dist::GenBlock(a), Dist::GenBlock(b)) => {
                let span = self.span(mine, a, coord);
                (0..b.procs()).filter(|&c| meet(&span, &self.span(theirs, b, c))).collect()
            }
            (Dist::GenBlock(a), Dist::Cyclic(b)) => self.dealt(theirs, b, &self.span(mine, a, coord)),
            (Dist::Cyclic(a), Dist::GenBlock(b)) => {
                let blocks = Blocks::new(a, mine.start, self.len);
                let touches = |&c: &u32| {
                    let span = self.span(theirs, b, c);
                    span.start < span.end && {
                        let met = blocks.touching(&span);
                        blocks.next_at(met.start, blocks.place(coord)) < met.end
                    }
                };
                (0..b.procs()).filter(touches).collect()
            }
        }
    }

    fn pair(&self, from: &Cyclic, to: &Cyclic) -> Pair {
        let from = Blocks::new(from, self.from.start, self.len);
        Pair::new(from, Blocks::new(to, self.to.start, self.len), self.len)
    }

    /// The section indices of process `coord`'s one block.
    fn span(&self, axis: &Axis, dist: &GenBlock, coord: u32) -> Range<u64> {
        let span = dist.span(coord);
        let inside = |bound: u64| bound.saturating_sub(axis.start).min(self.len);
        inside(span.start)..inside(span.end)
    }

    /// What lies in `span` and in the blocks of process `coord` of a cyclic side.
    fn cut(&self, span: &Range<u64>, axis: &Axis, dist: &Cyclic, coord: u32) -> Runs<1> {
        let mut pattern = Vec::new();
        if span.start < span.end {
            let blocks = Blocks::new(dist, axis.start, self.len);
            cyclic::families(&blocks, blocks.place(coord), span, &mut pattern);
        }
        Runs::periodic(pattern, None, self.len)
    }

    /// The processes of a cyclic side that have part of `span`, ascending.
    fn dealt(&self, axis: &Axis, dist: &Cyclic, span: &Range<u64>) -> Vec<u32> {
        if span.start >= span.end {
            return Vec::new();
        }
        let blocks = Blocks::new(dist, axis.start, self.len);
        let met = blocks.touching(span);
        let mut coords: Vec<u32> = (met.start..met.end.min(met.start + blocks.procs))
            .map(|b| blocks.coord(b % blocks.procs))
            .collect();
        coords.sort_unstable();
        coords
    }
}

fn meet(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start.max(b.start) < a.end.min(b.end)
}

#[cfg(test)]
mod tests;
