//! Blocks of a round-robin distribution, in section indices. Block 0 contains the section's first element, and its
//! owner has place 0.

use super::comb::Comb;
use crate::layout::distribution::RoundRobin;
use std::ops::Range;

/// Block `b` covers section indices `b*block - lead .. (b+1)*block - lead`. Its owner has *place* `b mod procs`: places
/// count the processes of a round from the owner of block 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Blocks {
    pub block: u64,
    pub procs: u64,
    /// Elements of block 0 that lie before the section; less than `block`.
    pub lead: u64,
    head: u64,
}

impl Blocks {
    /// Creates the blocks of a section of `len` elements. If there is one process, one block covers the section.
    /// Otherwise, if block 0 reaches past the section's end, the block size becomes `lead + len`.
    pub fn new(dealt: &RoundRobin, len: u64) -> Self {
        let lead = if dealt.procs == 1 { 0 } else { dealt.lead };
        let block = if dealt.procs == 1 { len.max(1) } else { dealt.block.min(lead + len.max(1)) };
        Self { block, procs: dealt.procs.into(), lead, head: dealt.head.into() }
    }

    /// Returns the place of process `coord` in the round.
    pub fn position_in_round(&self, coord: u32) -> u64 {
        (u64::from(coord) + self.procs - self.head) % self.procs
    }

    pub fn coord(&self, place: u64) -> u32 {
        let coord = self.head + place;
        let coord = if coord < self.procs { coord } else { coord % self.procs };
        u32::try_from(coord).expect("below a u32")
    }

    pub fn place_of(&self, b: u64) -> u32 {
        u32::try_from(b % self.procs).expect("a remainder of a u32 fits in a u32")
    }

    /// Returns the indices of the process at `place`.
    pub fn comb(&self, place: u64) -> Comb {
        // Clamped: no section reaches beyond 2^63, so the comb has no index there.
        let start = self.block.saturating_mul(place).min(u64::MAX >> 1);
        Comb { start, lead: self.lead, len: self.block, period: self.cycle() }
    }

    /// Returns the section indices below `end` in block `b`; empty if the block starts at or after `end`.
    pub fn span(&self, b: u64, end: u64) -> Range<u64> {
        let from = (b * self.block).saturating_sub(self.lead);
        from.min(end)..(b * self.block + self.block - self.lead).min(end)
    }

    /// Returns the number of blocks that contain section indices below `end`.
    pub fn count(&self, end: u64) -> u64 {
        if end == 0 { 0 } else { (end + self.lead).div_ceil(self.block) }
    }

    /// Returns the numbers of the blocks that intersect `span`, which must not be empty.
    pub fn blocks_intersecting(&self, span: &Range<u64>) -> Range<u64> {
        (span.start + self.lead) / self.block..(span.end + self.lead).div_ceil(self.block)
    }

    /// Returns the number of the first block from block `b` on whose owner has place `place`.
    pub fn next_at(&self, b: u64, place: u64) -> u64 {
        b + (place + self.procs - b % self.procs) % self.procs
    }

    /// Returns the distance, in elements, from a block to its owner's next block; `None` if it exceeds 64 bits.
    pub fn cycle(&self) -> Option<u64> {
        self.block.checked_mul(self.procs)
    }
}
