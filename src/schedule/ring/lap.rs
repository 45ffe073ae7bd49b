//! One lap of a side of blocks of any size: WHO meets whom? It knows no steps.
//!
//! Processes of the outer side have numbers as in its layout, those of the inner side are the places of their blocks. Only where
//! two processes first meet counts. Memory: 8 bytes for each of the P processes of the outer side; time: O(P log P).

use super::super::blocks::{Even, Uneven};
use crate::layout::Axis;
use std::ops::Range;

/// A side, and the inner blocks that its blocks meet.
pub struct Lap<'a> {
    axis: &'a Axis,
    side: Uneven<'a>,
    pub inner: &'a Even,
    /// By inner process: outer processes that are further ones of its blocks, in the order of the section.
    others: Vec<(u32, u32)>,
    /// The most inner blocks with one head.
    pub heads: u64,
    /// No process of either side has more messages.
    pub most: u64,
}

impl<'a> Lap<'a> {
    /// The lap of `axis` in a section of `len` elements, if that has blocks of any size.
    pub fn new(axis: &'a Axis, len: u64, inner: &'a Even) -> Option<Self> {
        let side = Uneven::new(axis, len)?;
        let (mut heads, mut most, mut others) = (1, 1, Vec::new());
        // The last inner block so far.
        let mut last = None;
        for (coord, span) in side.spans() {
            let (first, end) = (inner.at(span.start), inner.at(span.end - 1));
            let is_other = last == Some(first);
            heads = heads.max(end - first + u64::from(!is_other));
            most = most.max(inner.procs.min(end - first + 1));
            if is_other {
                others.push((u32::try_from(first % inner.procs).ok()?, coord));
            }
            last = Some(end);
        }
        others.sort_unstable();
        let mut lap = Self { axis, side, inner, others, heads, most };
        let of_one = lap.others().map(|(process, others)| lap.blocks_of(process) + others.len() as u64);
        lap.most = of_one.max().unwrap_or(0).max(most).max(lap.rounds());
        Some(lap)
    }

    /// Processes of the outer side.
    pub fn procs(&self) -> u32 {
        self.axis.dist.procs()
    }

    /// Times that inner blocks go round, begun ones included.
    pub fn rounds(&self) -> u64 {
        self.inner.count.div_ceil(self.inner.procs)
    }

    /// The blocks of an inner process.
    fn blocks_of(&self, process: u32) -> u64 {
        (self.inner.count - u64::from(process)).div_ceil(self.inner.procs)
    }

    /// Inner processes whose blocks have further ones, and those.
    pub fn others(&self) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
        self.others.chunk_by(|a, b| a.0 == b.0).map(|of_one| (of_one[0].0, of_one))
    }

    /// The further ones of the blocks of an inner process.
    pub fn others_of(&self, process: u32) -> &[(u32, u32)] {
        let start = self.others.partition_point(|other| other.0 < process);
        let count = self.others[start..].iter().take_while(|other| other.0 == process).count();
        &self.others[start..start + count]
    }

    /// The inner process that the block of `coord` begins with.
    pub fn begins_with(&self, coord: u32) -> u32 {
        self.inner_process(self.inner.at(self.side.span(coord).start))
    }

    /// The process of an inner block.
    pub fn inner_process(&self, block: u64) -> u32 {
        u32::try_from(block % self.inner.procs).expect("fewer than 2^32 processes")
    }

    /// The head of an inner block.
    pub fn head(&self, block: u64) -> u32 {
        self.axis.owner(self.inner.start(block))
    }

    /// The blocks that process `coord`, which has data, is the head of, but for those of processes that it has met before.
    pub fn headed(&self, coord: u32) -> Range<u64> {
        let span = self.side.span(coord);
        let (first, last) = (self.inner.at(span.start), self.inner.at(span.end - 1));
        let is_other = self.inner.start(first) < span.start;
        first + u64::from(is_other)..(last + 1).min(first + self.inner.procs)
    }
}
