//! One side of a dimension as a row of blocks, numbered along the section. The closed forms of [`ring`](super::ring)
//! use these numbers.

use crate::layout::distribution::{Axis, Dist, RoundRobin};
use crate::layout::intersect::Overlap;
use std::ops::Range;

/// Blocks of one size, dealt to the processes in turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EqualBlocks {
    /// Elements of a block; at least 1.
    pub block: u64,
    /// Elements of block 0 that lie before the section.
    pub lead: u64,
    /// Number of processes on this side.
    pub procs: u64,
    /// Number of blocks that the section intersects.
    pub count: u64,
    head: u64,
}

impl EqualBlocks {
    /// Describes the side `axis` of a section of `len` elements. `None` if the side is not dealt round robin, or if
    /// block indices overflow 64 bits.
    pub fn new(axis: &Axis, len: u64) -> Option<Self> {
        let (dealt, len) = (axis.round_robin()?, len.max(1));
        let (block, lead) = if dealt.procs == 1 { (len, 0) } else { (dealt.block, dealt.lead) };
        let procs = u64::from(dealt.procs);
        // A block that reaches past the section's end is cut there.
        let block = block.min(lead.checked_add(len)?);
        block.checked_mul(procs)?.checked_add(len)?;
        let count = (len + lead).div_ceil(block);
        Some(Self { block, lead, procs, count, head: dealt.head.into() })
    }

    /// Returns the block that contains section index `x`.
    pub fn block_of(&self, x: u64) -> u64 {
        (x + self.lead) / self.block
    }

    /// Returns the first section index of block `b`.
    pub fn start(&self, b: u64) -> u64 {
        (b * self.block).saturating_sub(self.lead)
    }

    /// Returns the distance in elements between the starts of consecutive blocks of a process.
    pub fn cycle(&self) -> u64 {
        self.block * self.procs
    }

    /// Returns the place of process `coord`: its distance from the owner of block 0, modulo the number of processes.
    pub fn position_in_round(&self, coord: u32) -> u64 {
        (u64::from(coord) + self.procs - self.head) % self.procs
    }

    /// Returns the process at `place`.
    pub fn coord(&self, place: u64) -> u32 {
        u32::try_from((place + self.head) % self.procs).expect("fewer than 2^32 processes")
    }

    /// Returns (process, process of `other`, shared elements) for each pair of processes that share elements,
    /// ascending. Walks along both sides of a section of `len` elements. Time: O(n log n) for n blocks.
    pub fn intersections(&self, other: &Self, len: u64) -> Vec<(u32, u32, u64)> {
        let (mut met, mut x) = (Vec::new(), 0);
        while x < len {
            let (i, j) = (self.block_of(x), other.block_of(x));
            let end = self.start(i + 1).min(other.start(j + 1)).min(len);
            met.push((self.coord(i), other.coord(j), end - x));
            x = end;
        }
        met.sort_unstable();
        met.dedup_by(|next, first| {
            let same = (next.0, next.1) == (first.0, first.1);
            first.2 += if same { next.2 } else { 0 };
            same
        });
        met
    }

    /// Returns the maximum number of blocks of `other`, partial blocks included, that intersect one block of this side,
    /// over all relative positions that occur in a long section.
    pub fn max_intersecting(&self, other: &Self) -> u64 {
        let (step, c) = offsets(self, other, self.block);
        ((other.block - step + c + self.block - 1) / other.block + 1).min(other.count)
    }

    /// Returns the first whole block that intersects [`EqualBlocks::max_intersecting`] blocks of `other`, if the
    /// section has one.
    pub fn first_fullest_block(&self, other: &Self) -> Option<u64> {
        use num_integer::Integer;
        let (step, c) = offsets(self, other, self.block);
        let wide = |n: u64| i128::from(n);
        // Block i starts (i * block + other.lead - lead) mod other.block elements behind the start of a block of the
        // other side. The larger this distance, the more blocks intersect block i.
        let modulus = wide(other.block / step);
        let late = wide(other.block - step + c) - (wide(other.lead) - wide(self.lead));
        let inverse = wide(self.block / step).extended_gcd(&modulus).x;
        let first = (late / wide(step)).mod_floor(&modulus) * inverse.mod_floor(&modulus) % modulus;
        let cut = first == 0 && self.lead > 0;
        u64::try_from(first + if cut { modulus } else { 0 }).ok().filter(|&block| block < self.count)
    }
}

/// Returns (`step`, `c`): the start of block 0 of `a`, and each position a multiple of `period` elements behind it,
/// lies `c` modulo `step` elements behind the start of a block of `b`.
pub fn offsets(a: &EqualBlocks, b: &EqualBlocks, period: u64) -> (u64, u64) {
    use num_integer::Integer;
    let step = period.gcd(&b.block);
    (step, (b.lead % step + step - a.lead % step) % step)
}

/// Returns both sides of `overlap` as round robin; an error if a side is not dealt round robin. A single process has
/// all elements, so any block size is correct; the other side's size gives the best schedule.
pub fn sides(overlap: &Overlap) -> Result<(RoundRobin, RoundRobin), String> {
    let side = |axis: &Axis| match (axis.round_robin(), &axis.dist) {
        (Some(dealt), _) => Ok(dealt),
        (None, Dist::Cyclic(_)) => Err("the elements of a dimension lie in strides".to_string()),
        (None, Dist::GenBlock(_)) => Err("a dimension is GEN_BLOCK, not block-cyclic".to_string()),
        (None, Dist::Indirect(_)) => Err("a dimension is INDIRECT, not block-cyclic".to_string()),
    };
    let (mut from, mut to) = (side(&overlap.from)?, side(&overlap.to)?);
    if from.procs == 1 {
        from.block = to.block;
    } else if to.procs == 1 {
        to.block = from.block;
    }
    Ok((from, to))
}

/// One block of any size for each process, in the order of the processes (GEN_BLOCK).
#[derive(Clone, Debug)]
pub struct UnequalBlocks<'a> {
    axis: &'a Axis,
    len: u64,
}

impl<'a> UnequalBlocks<'a> {
    /// Describes the side `axis` of a section of `len` elements; `None` unless the side is GEN_BLOCK.
    pub fn new(axis: &'a Axis, len: u64) -> Option<Self> {
        matches!(axis.dist, Dist::GenBlock(_)).then_some(Self { axis, len })
    }

    /// Returns the section indices of process `coord`.
    pub fn span(&self, coord: u32) -> Range<u64> {
        let Dist::GenBlock(dist) = &self.axis.dist else { return 0..0 };
        self.axis.inside(&dist.span(coord), self.len)
    }

    /// Yields the processes with data and their section indices, in the order of the section.
    pub fn spans(&self) -> impl Iterator<Item = (u32, Range<u64>)> {
        let all = (0..self.axis.dist.procs()).map(|coord| (coord, self.span(coord)));
        all.filter(|(_, span)| span.start < span.end)
    }
}
