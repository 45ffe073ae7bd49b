//! One lap of a side of blocks of any size: WHO meets whom? It knows no steps.
//!
//! Processes of the outer side have numbers as in its layout, those of the inner side are the places of their blocks. Only where
//! two processes first meet counts. Memory: 8 bytes for each of the P processes of the outer side; time: O(P log P).

use super::super::blocks::{Even, Uneven};
use crate::layout::distribution::Axis;
use std::ops::Range;

/// A side, and the inner blocks that its blocks meet.
pub struct Lap<'a> {
    procs: u32,
    side: Uneven<'a>,
    pub inner: &'a Even,
    /// By inner process: outer processes that are further ones of its blocks, in the order of the section.
    others: Vec<(u32, u32)>,
    /// The most inner blocks with one head.
    pub heads: u64,
}

impl<'a> Lap<'a> {
    /// The lap of `axis` in a section of `len` elements, if that has blocks of any size.
    pub fn new(axis: &'a Axis, len: u64, inner: &'a Even) -> Option<Self> {
        let side = Uneven::new(axis, len)?;
        let (mut heads, mut others) = (1, Vec::new());
        // The last inner block so far.
        let mut last = None;
        for (coord, span) in side.spans() {
            let (first, end) = (inner.at(span.start), inner.at(span.end - 1));
            let is_other = last == Some(first);
            heads = heads.max(end - first + u64::from(!is_other));
            if is_other {
                others.push((u32::try_from(first % inner.procs).ok()?, coord));
            }
            last = Some(end);
        }
        others.sort_unstable();
        Some(Self { procs: axis.dist.procs(), side, inner, others, heads })
    }

    /// Processes of the outer side.
    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// Times that inner blocks go round, begun ones included.
    pub fn rounds(&self) -> u64 {
        self.inner.count.div_ceil(self.inner.procs)
    }

    /// Inner processes whose blocks have further ones, and those.
    pub fn others(&self) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
        self.others.chunk_by(|a, b| a.0 == b.0).map(|of_one| (of_one[0].0, of_one))
    }

    /// The blocks that process `coord`, which has data, is the head of, but for those of processes that it has met before.
    pub fn headed(&self, coord: u32) -> Range<u64> {
        let span = self.side.span(coord);
        let (first, last) = (self.inner.at(span.start), self.inner.at(span.end - 1));
        let is_other = self.inner.start(first) < span.start;
        first + u64::from(is_other)..(last + 1).min(first + self.inner.procs)
    }
}
