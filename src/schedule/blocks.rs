//! One side of a dimension as blocks in a row, numbered along the section: what the closed forms of [`ring`](super::ring)
//! are made of. It knows one side; that there is another one is theirs to know.

use crate::layout::distribution::{Axis, Dist, RoundRobin};
use crate::layout::intersect::Overlap;
use std::ops::Range;

/// Blocks of one size that go round the processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Even {
    /// Elements of a block.
    pub block: u64,
    /// Elements of block 0 that lie before the section.
    pub lead: u64,
    /// Processes.
    pub procs: u64,
    /// Blocks of the section.
    pub count: u64,
    /// The process that owns block 0.
    head: u64,
}

impl Even {
    /// The side `axis` of a section of `len` elements; `None` if it is dealt otherwise, or if its blocks do not fit in 64
    /// bits.
    pub fn new(axis: &Axis, len: u64) -> Option<Self> {
        let (dealt, len) = (axis.round_robin()?, len.max(1));
        let (block, lead) = if dealt.procs == 1 { (len, 0) } else { (dealt.block, dealt.lead) };
        let procs = u64::from(dealt.procs);
        // A block that reaches past the section may as well end with it.
        let block = block.min(lead.checked_add(len)?);
        block.checked_mul(procs)?.checked_add(len)?;
        let count = (len + lead).div_ceil(block);
        Some(Self { block, lead, procs, count, head: dealt.head.into() })
    }

    /// The block of section index `x`.
    pub fn at(&self, x: u64) -> u64 {
        (x + self.lead) / self.block
    }

    /// The first section index of block `b`.
    pub fn start(&self, b: u64) -> u64 {
        (b * self.block).saturating_sub(self.lead)
    }

    /// Elements after which it is the same process's turn again.
    pub fn cycle(&self) -> u64 {
        self.block * self.procs
    }

    /// The place of process `coord`: that of the owner of block 0 is 0.
    pub fn place(&self, coord: u32) -> u64 {
        (u64::from(coord) + self.procs - self.head) % self.procs
    }

    /// The process at `place`.
    pub fn coord(&self, place: u64) -> u32 {
        u32::try_from((place + self.head) % self.procs).expect("fewer than 2^32 processes")
    }

    /// What each process shares with each of `other`, ascending, in a section of `len` elements, by a walk along both.
    pub fn meetings(&self, other: &Self, len: u64) -> Vec<(u32, u32, u64)> {
        let (mut met, mut x) = (Vec::new(), 0);
        while x < len {
            let (i, j) = (self.at(x), other.at(x));
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

    /// The most blocks of `other` that one of these blocks meets, cut ones included, wherever they lie as to each other.
    pub fn touches(&self, other: &Self) -> u64 {
        let (step, c) = offsets(self, other, self.block);
        ((other.block - step + c + self.block - 1) / other.block + 1).min(other.count)
    }

    /// The first whole block that meets [`Even::touches`] blocks of `other`, if the section has it.
    pub fn fullest(&self, other: &Self) -> Option<u64> {
        use num_integer::Integer;
        let (step, c) = offsets(self, other, self.block);
        let wide = |n: u64| i128::from(n);
        // Block i starts (i * block + other.lead - lead) mod other.block behind one of the other side: as late as can be.
        let modulus = wide(other.block / step);
        let late = wide(other.block - step + c) - (wide(other.lead) - wide(self.lead));
        let inverse = wide(self.block / step).extended_gcd(&modulus).x;
        let first = (late / wide(step)).mod_floor(&modulus) * inverse.mod_floor(&modulus) % modulus;
        let cut = first == 0 && self.lead > 0;
        u64::try_from(first + if cut { modulus } else { 0 }).ok().filter(|&block| block < self.count)
    }
}

/// Blocks of `b` start at offsets from those of `a` that are `c` modulo `step`: (`step`, `c`), where `a` begins anew every
/// `period` elements.
pub fn offsets(a: &Even, b: &Even, period: u64) -> (u64, u64) {
    use num_integer::Integer;
    let step = period.gcd(&b.block);
    (step, (b.lead % step + step - a.lead % step) % step)
}

/// Both sides of `overlap`, whose blocks go round; or why they do not. All blocks of one process are one block: any size will do, and
/// that of the other side does best, however the distribution is written.
pub fn sides(overlap: &Overlap) -> Result<(RoundRobin, RoundRobin), String> {
    let side = |axis: &Axis| match (axis.round_robin(), &axis.dist) {
        (Some(dealt), _) => Ok(dealt),
        (None, Dist::Cyclic(_)) => Err("for dimensions whose elements do not lie in strides".to_string()),
        (None, Dist::GenBlock(_)) => Err("for block-cyclic dimensions, this is GEN_BLOCK".to_string()),
        (None, Dist::Indirect(_)) => Err("for block-cyclic dimensions, this is INDIRECT".to_string()),
    };
    let (mut from, mut to) = (side(&overlap.from)?, side(&overlap.to)?);
    if from.procs == 1 {
        from.block = to.block;
    } else if to.procs == 1 {
        to.block = from.block;
    }
    Ok((from, to))
}

/// A block of any size for each process, in their order.
#[derive(Clone, Debug)]
pub struct Uneven<'a> {
    axis: &'a Axis,
    len: u64,
}

impl<'a> Uneven<'a> {
    /// The side `axis` of a section of `len` elements, if it is dealt so.
    pub fn new(axis: &'a Axis, len: u64) -> Option<Self> {
        matches!(axis.dist, Dist::GenBlock(_)).then_some(Self { axis, len })
    }

    /// The section indices of process `coord`.
    pub fn span(&self, coord: u32) -> Range<u64> {
        let Dist::GenBlock(dist) = &self.axis.dist else { return 0..0 };
        self.axis.inside(&dist.span(coord), self.len)
    }

    /// The processes that have any, with what they have, in the order of the section.
    pub fn spans(&self) -> impl Iterator<Item = (u32, Range<u64>)> {
        let all = (0..self.axis.dist.procs()).map(|coord| (coord, self.span(coord)));
        all.filter(|(_, span)| span.start < span.end)
    }
}
