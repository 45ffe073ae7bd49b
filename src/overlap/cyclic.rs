//! Which indices do a source process and a destination process share, when both sides deal blocks round robin?
//!
//! Source: cyclic(r) on P processes, destination: cyclic(s) on Q, each starting anywhere inside a block. The pattern
//! repeats after L = lcm(Pr, Qs) elements, so only the blocks in `[0, min(L, n))` are looked at. Take the side with
//! the longer blocks, say r >= s. A long block of p meets short blocks of q in at most three families: a cut run, whole
//! runs every Qs, a cut run. Which long blocks of p meet q at all is a congruence: the i-th one starts
//! `x(i) = x(0) + i*Pr (mod Qs)` behind q's short block, and they meet exactly when `x(i) < r + s - 1`; every such value
//! that `g = gcd(Pr, Qs)` allows is one *class* of the pair (Desprez et al. 1998, section 4.3, there without offsets)
//! and has one solution i. So the cost is that of the answer: nothing depends on the number of blocks or elements.

use super::blocks::Blocks;
use super::family::Family;
use super::runs::Runs;
use crate::layout::Axis;
use num_integer::Integer;
use std::ops::Range;

/// One dimension of a redistribution: `len` section indices dealt out by `from` and to be dealt out by `to`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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
        let (long, short, source_is_long) = self.sides();
        let (l, s) = if source_is_long { (p, q) } else { (q, p) };
        let period = self.period(&long, &short);
        let window = period.unwrap_or(self.len);
        let mut pattern = Vec::new();
        for block in meeting(&long, &short, long.place(l), short.place(s), window) {
            families(&short, short.place(s), &long.span(block, window), &mut pattern);
        }
        Runs::periodic(pattern, period, self.len)
    }

    /// The destination processes that source process `p` shares indices with, ascending.
    pub fn destinations(&self, p: u32) -> Vec<u32> {
        let (long, short, source_is_long) = self.sides();
        self.partners(&long, &short, p, source_is_long)
    }

    /// The source processes that destination process `q` shares indices with, ascending.
    pub fn sources(&self, q: u32) -> Vec<u32> {
        let (long, short, source_is_long) = self.sides();
        self.partners(&long, &short, q, !source_is_long)
    }

    /// (the side with the longer blocks, the other, whether the first is the source).
    fn sides(&self) -> (Blocks, Blocks, bool) {
        let (from, to) = (Blocks::new(&self.from, self.len), Blocks::new(&self.to, self.len));
        if from.block >= to.block { (from, to, true) } else { (to, from, false) }
    }

    /// Elements after which the pattern repeats, if it does so within the section.
    fn period(&self, a: &Blocks, b: &Blocks) -> Option<u64> {
        let (a, b) = (a.cycle()?, b.cycle()?);
        let period = u128::from(a) / u128::from(a.gcd(&b)) * u128::from(b);
        u64::try_from(period).ok().filter(|&period| period < self.len)
    }

    fn partners(&self, long: &Blocks, short: &Blocks, coord: u32, coord_is_long: bool) -> Vec<u32> {
        let window = self.period(long, short).unwrap_or(self.len);
        let (mine, theirs) = if coord_is_long { (long, short) } else { (short, long) };
        let place = mine.place(coord);
        let every_long_block_meets = short.cycle().is_some_and(|cycle| long.block + short.block > cycle);
        let mut places = if !coord_is_long && every_long_block_meets {
            met_by_all(long, short, place, self.len)
        } else {
            met_by_own(mine, theirs, place, window)
        };
        places.sort_unstable();
        places.dedup();
        let mut coords: Vec<_> = places.into_iter().map(|place| theirs.coord(place)).collect();
        coords.sort_unstable();
        coords
    }
}

/// The places whose blocks meet blocks of `place` below `window`, by a walk over the blocks of `place`.
fn met_by_own(mine: &Blocks, theirs: &Blocks, place: u64, window: u64) -> Vec<u64> {
    let mut places = Vec::new();
    let blocks = mine.count(window);
    let mut block = place;
    while block < blocks {
        let met = theirs.touching(&mine.span(block, window));
        if met.end - met.start >= theirs.procs {
            return (0..theirs.procs).collect();
        }
        places.extend(met.map(|b| b % theirs.procs));
        block += mine.procs;
    }
    places
}

/// The same for a short block's `place` where every whole long block meets every place: only the first and last
/// long block of the section, which may be cut, have to be looked at.
fn met_by_all(long: &Blocks, short: &Blocks, place: u64, len: u64) -> Vec<u64> {
    let blocks = long.count(len);
    let meets = |block: u64| {
        let met = short.touching(&long.span(block, len));
        short.next_at(met.start, place) < met.end
    };
    let whole = 1..blocks.saturating_sub(1).min(1 + long.procs);
    let ends = [0, blocks.saturating_sub(1)].into_iter().filter(|&b| b < blocks && meets(b));
    whole.chain(ends).map(|block| block % long.procs).collect()
}

/// The blocks of the long side's place `l` that meet blocks of the short side's place `s` below `window`, ascending.
fn meeting(long: &Blocks, short: &Blocks, l: u64, s: u64, window: u64) -> Vec<u64> {
    let own = (long.count(window) + long.procs - 1).saturating_sub(l) / long.procs;
    let all = (0..own).map(|i| l + i * long.procs);
    let touches = |&block: &u64| {
        let met = short.touching(&long.span(block, window));
        short.next_at(met.start, s) < met.end
    };
    match Classes::new(long, short, l, s) {
        Some(classes) if classes.count() < own => {
            let mut found: Vec<u64> =
                classes.blocks(own).map(|i| l + i * long.procs).filter(touches).collect();
            found.sort_unstable();
            found
        }
        _ => all.filter(touches).collect(),
    }
}

/// The classes of one pair: the values that x(i) may take, and the i that takes each.
struct Classes {
    /// First value of x that the gcd allows, and its distance from x(0) in units of g.
    values: Range<u64>,
    g: u64,
    x0: u64,
    /// (Qs)/g, and the inverse of (Pr)/g modulo it.
    modulus: u64,
    inverse: u64,
}

impl Classes {
    /// `None` where a cycle does not fit in 64 bits; such blocks are so long that there are few of them.
    fn new(long: &Blocks, short: &Blocks, l: u64, s: u64) -> Option<Self> {
        let (long_cycle, short_cycle) = (long.cycle()?, short.cycle()?);
        let g = long_cycle.gcd(&short_cycle);
        let modulus = short_cycle / g;
        let inverse = inverse(long_cycle / g % modulus, modulus)?;
        let wide = i128::from(long.block) * i128::from(l) - i128::from(long.lead) + i128::from(short.lead)
            - i128::from(short.block) * i128::from(s)
            + i128::from(long.block)
            - 1;
        let x0 = u64::try_from(wide.mod_floor(&i128::from(short_cycle))).ok()?;
        let values = x0 % g..(long.block + short.block - 1).min(short_cycle);
        Some(Self { values, g, x0, modulus, inverse })
    }

    fn count(&self) -> u64 {
        self.values.end.saturating_sub(self.values.start).div_ceil(self.g)
    }

    /// The numbers i below `own` of the long blocks that meet the short ones; as the pattern starts inside a block, the
    /// block that begins before one period and ends in the next counts in both.
    fn blocks(&self, own: u64) -> impl Iterator<Item = u64> + '_ {
        (0..self.count()).flat_map(move |k| {
            let ahead = i128::from(self.values.start / self.g + k) - i128::from(self.x0 / self.g);
            let turns = ahead.mod_floor(&i128::from(self.modulus)) * i128::from(self.inverse);
            let i =
                u64::try_from(turns % i128::from(self.modulus)).expect("a remainder of a u64 fits in a u64");
            [i, i + self.modulus].into_iter().filter(move |&i| i < own)
        })
    }
}

/// The inverse of `a` modulo `m`; 0 for m = 1.
fn inverse(a: u64, m: u64) -> Option<u64> {
    let e = i128::from(a).extended_gcd(&i128::from(m));
    u64::try_from(e.x.mod_floor(&i128::from(m))).ok()
}

/// Appends what lies in `span` and in the short blocks of `place`: a cut run, whole runs, a cut run.
fn families(short: &Blocks, place: u64, span: &Range<u64>, out: &mut Vec<Family<1>>) {
    let met = short.touching(span);
    let mut block = short.next_at(met.start, place);
    let cut = |block: u64| {
        let part = short.span(block, span.end);
        part.start.max(span.start)..part.end
    };
    let mut push = |part: Range<u64>| out.push(Family::run([part.start], part.end - part.start));
    if block < met.end {
        let first = cut(block);
        if first.end - first.start < short.block {
            push(first);
            block += short.procs;
        }
    }
    if block >= met.end {
        return;
    }
    let last = block + (met.end - 1 - block) / short.procs * short.procs;
    let last_is_cut = cut(last).end - cut(last).start < short.block;
    let whole = (last - block) / short.procs + u64::from(!last_is_cut);
    if whole > 0 {
        let stride = if whole > 1 { short.block * short.procs } else { 0 };
        out.push(Family { start: [cut(block).start], stride: [stride], len: short.block, count: whole });
    }
    if last_is_cut {
        out.push(Family::run([cut(last).start], cut(last).end - cut(last).start));
    }
}

#[cfg(test)]
mod tests;
