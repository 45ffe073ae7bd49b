//! One dimension of a redistribution: which indices do two processes share, and who shares any?

use super::cyclic::Pair;
use super::runs::Runs;
use super::side::{Dealt, Side};
use crate::layout::Axis;
use std::collections::BTreeMap;
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
    fn sides(&self) -> (Side<'_>, Side<'_>) {
        (Side::new(&self.from, self.len), Side::new(&self.to, self.len))
    }

    /// The section indices that source process `p` holds and destination process `q` gets.
    pub fn shared(&self, p: u32, q: u32) -> Runs<1> {
        let (from, to) = self.sides();
        match (&from.dealt, &to.dealt) {
            (Dealt::Blocks(a), Dealt::Blocks(b)) => Pair::new(*a, *b, self.len).shared(p, q),
            _ => from.set(p).shared(&to.set(q), self.len),
        }
    }

    /// The destination processes that source process `p` shares indices with, ascending.
    pub fn destinations(&self, p: u32) -> Vec<u32> {
        let (from, to) = self.sides();
        self.partners(&from, &to, p, true)
    }

    /// The source processes that destination process `q` shares indices with, ascending.
    pub fn sources(&self, q: u32) -> Vec<u32> {
        let (from, to) = self.sides();
        self.partners(&to, &from, q, false)
    }

    /// All messages in the order of the indices, as (source, destination, indices), if every process of both sides has at
    /// most one block of the section (HPF's BLOCK and GEN_BLOCK): then there are fewer of them than processes.
    pub fn along_the_line(&self) -> Option<Vec<(u32, u32, u64)>> {
        let (from, to) = self.sides();
        let mut messages = Vec::new();
        merge(&self.single_blocks(&from)?, &self.single_blocks(&to)?, |p, q, shared| {
            messages.push((p, q, shared))
        });
        Some(messages)
    }

    /// All messages, as (source, destination, indices), where a side is a list of runs: by one walk along it.
    pub fn along_lists(&self) -> Option<Vec<(u32, u32, u64)>> {
        let (from, to) = self.sides();
        let mut volumes: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        let mut add = |p, q, shared| *volumes.entry((p, q)).or_default() += shared;
        match (from.runs(), to.runs()) {
            (Some(from), Some(to)) => merge(&from, &to, add),
            (Some(from), None) => to.meet(&from, add),
            (None, Some(to)) => from.meet(&to, |q, p, shared| add(p, q, shared)),
            (None, None) => return None,
        }
        Some(volumes.into_iter().map(|((p, q), shared)| (p, q, shared)).collect())
    }

    /// The one block of each process that has any, in the order of the indices.
    fn single_blocks(&self, side: &Side<'_>) -> Option<Vec<(u32, Range<u64>)>> {
        match &side.dealt {
            Dealt::Spans(_) => side.runs(),
            Dealt::Blocks(blocks) => {
                let count = blocks.count(self.len);
                (count <= blocks.procs)
                    .then(|| (0..count).map(|b| (blocks.coord(b), blocks.span(b, self.len))).collect())
            }
            Dealt::Listed(_) | Dealt::Strided { .. } => None,
        }
    }

    fn partners(&self, mine: &Side<'_>, theirs: &Side<'_>, coord: u32, source: bool) -> Vec<u32> {
        if let (Dealt::Blocks(a), Dealt::Blocks(b)) = (&mine.dealt, &theirs.dealt) {
            let (from, to) = if source { (*a, *b) } else { (*b, *a) };
            return Pair::new(from, to, self.len).partners(coord, source);
        }
        let set = mine.set(coord);
        let procs = theirs.procs() as usize;
        let mut met = Met { is: vec![false; procs], count: 0 };
        match theirs.runs() {
            Some(runs) => runs.iter().filter(|(_, run)| set.meets(run)).for_each(|(owner, _)| {
                met.add(*owner);
            }),
            // Whoever is met at all is met in the first period of both.
            None => set.each_run(set.window(theirs.period(), self.len), |run| {
                theirs.owners(&run, |owner| met.add(owner));
                met.count == procs
            }),
        }
        (0..theirs.procs()).filter(|&c| met.is[c as usize]).collect()
    }
}

/// Processes that were met.
struct Met {
    is: Vec<bool>,
    count: usize,
}

impl Met {
    /// One more; whether these are all.
    fn add(&mut self, coord: u32) -> bool {
        let known = std::mem::replace(&mut self.is[coord as usize], true);
        self.count += usize::from(!known);
        self.count == self.is.len()
    }
}

/// Calls `body` with (source, destination, indices) of each stretch that two lists of runs share.
fn merge(from: &[(u32, Range<u64>)], to: &[(u32, Range<u64>)], mut body: impl FnMut(u32, u32, u64)) {
    let (mut from, mut to) = (from.iter().peekable(), to.iter().peekable());
    while let (Some((p, x)), Some((q, y))) = (from.peek(), to.peek()) {
        let end = x.end.min(y.end);
        let shared = end.saturating_sub(x.start.max(y.start));
        if shared > 0 {
            body(*p, *q, shared);
        }
        if x.end == end {
            from.next();
        }
        if y.end == end {
            to.next();
        }
    }
}

#[cfg(test)]
mod tests;
