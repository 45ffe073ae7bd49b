//! Heads and others in the one lap of a GEN_BLOCK side ([`rounds`](super::rounds) explains the terms).
//!
//! Processes of the outer side are numbered by their coordinates, processes of the inner side by their places. If
//! blocks of two processes intersect several times, only the first intersection counts. Memory: at most 8 bytes for
//! each of the P outer processes. Time: O(P log P).

use super::super::blocks::{EqualBlocks, UnequalBlocks};
use crate::layout::distribution::Axis;
use std::ops::Range;

/// The lap of an outer side that is GEN_BLOCK, and its intersections with the inner blocks.
pub struct GenBlockLap<'a> {
    procs: u32,
    side: UnequalBlocks<'a>,
    pub inner: &'a EqualBlocks,
    /// (Inner process, outer process), sorted: the block of the outer process is among the *others* of a block of the
    /// inner process. So the entries of an inner process are in the order of the section.
    others: Vec<(u32, u32)>,
    /// Maximum number of inner blocks with one head.
    pub heads: u64,
}

impl<'a> GenBlockLap<'a> {
    /// Describes the lap of `axis` in a section of `len` elements; `None` unless the axis is GEN_BLOCK.
    pub fn new(axis: &'a Axis, len: u64, inner: &'a EqualBlocks) -> Option<Self> {
        let side = UnequalBlocks::new(axis, len)?;
        let (mut heads, mut others) = (1, Vec::new());
        // Last inner block that intersects the previous outer block.
        let mut last = None;
        for (coord, span) in side.spans() {
            let (first, end) = (inner.block_of(span.start), inner.block_of(span.end - 1));
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

    pub fn procs(&self) -> u32 {
        self.procs
    }

    /// Returns the number of rounds of inner blocks, a partial last round included.
    pub fn rounds(&self) -> u64 {
        self.inner.count.div_ceil(self.inner.procs)
    }

    /// Yields each inner process with others, and its entries of `others`.
    pub fn others(&self) -> impl Iterator<Item = (u32, &[(u32, u32)])> {
        self.others.chunk_by(|a, b| a.0 == b.0).map(|of_one| (of_one[0].0, of_one))
    }

    /// Returns the inner blocks whose head is the block of outer process `coord`. Leaves out each inner block whose
    /// process has an earlier block that intersects this outer block. Process `coord` must have elements of the
    /// section.
    pub fn blocks_headed_by(&self, coord: u32) -> Range<u64> {
        let span = self.side.span(coord);
        let (first, last) = (self.inner.block_of(span.start), self.inner.block_of(span.end - 1));
        let is_other = self.inner.start(first) < span.start;
        first + u64::from(is_other)..(last + 1).min(first + self.inner.procs)
    }
}
