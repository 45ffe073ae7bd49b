//! Which indices do a source process and a destination process share, when both sides deal blocks round robin?
//!
//! Source: cyclic(r) on P processes, destination: cyclic(s) on Q, each starting anywhere inside a block. The pattern
//! repeats after L = lcm(Pr, Qs) elements, so only the blocks in `[0, min(L, n))` are looked at. Take the side with
//! the longer blocks, say r >= s. A long block of p meets short blocks of q in at most three families: a cut run, whole
//! runs every Qs, a cut run. Which long blocks of p meet q at all is a congruence: the i-th one starts
//! `x(i) = x(0) + i*Pr (mod Qs)` behind q's short block, and they meet exactly when `x(i) < r + s - 1`; every such value
//! that `g = gcd(Pr, Qs)` allows is one *class* of the pair (Desprez et al. 1998, section 4.3, there without offsets)
//! and has one solution i. So the cost is that of the answer, the runs of one period.

use super::blocks::Blocks;
use super::family::Family;
use super::runs::Runs;
use num_integer::Integer;
use std::ops::Range;

/// The two sides of one dimension, `long` with the longer blocks.
pub(super) struct Pair {
    long: Blocks,
    short: Blocks,
    /// Whether the source is `long`.
    source_is_long: bool,
    len: u64,
    /// Elements after which the pattern repeats, if it does so within the section.
    period: Option<u64>,
}

impl Pair {
    pub fn new(from: Blocks, to: Blocks, len: u64) -> Self {
        let source_is_long = from.block >= to.block;
        let (long, short) = if source_is_long { (from, to) } else { (to, from) };
        Self {
            long,
            short,
            source_is_long,
            len,
            period: period(&long, &short).filter(|&period| period < len),
        }
    }

    /// What source process `p` and destination process `q` share.
    pub fn shared(&self, p: u32, q: u32) -> Runs<1> {
        let Self { long, short, len, period, .. } = self;
        let (l, s) = if self.source_is_long { (p, q) } else { (q, p) };
        let window = period.unwrap_or(*len);
        let mut pattern = Vec::new();
        for block in meeting(long, short, long.place(l), short.place(s), window) {
            families(short, short.place(s), &long.span(block, window), &mut pattern);
        }
        Runs::periodic(pattern, *period, *len)
    }

    /// The processes of the other side that `coord` shares indices with; it is a source if `source`.
    pub fn partners(&self, coord: u32, source: bool) -> Vec<u32> {
        let Self { long, short, len, .. } = self;
        let coord_is_long = source == self.source_is_long;
        let (mine, theirs) = if coord_is_long { (long, short) } else { (short, long) };
        let place = mine.place(coord);
        let every_long_block_meets = short.cycle().is_some_and(|cycle| long.block + short.block > cycle);
        let places = if !coord_is_long && every_long_block_meets {
            met_by_all(long, short, place, *len)
        } else {
            met_by_own(mine, theirs, place, self.period.unwrap_or(*len))
        };
        let mut coords: Vec<_> = places.into_iter().map(|place| theirs.coord(place)).collect();
        coords.sort_unstable();
        coords.dedup();
        coords
    }
}

/// lcm of both sides' cycles, if it fits in 64 bits.
fn period(a: &Blocks, b: &Blocks) -> Option<u64> {
    let (a, b) = (a.cycle()?, b.cycle()?);
    u64::try_from(u128::from(a) / u128::from(a.gcd(&b)) * u128::from(b)).ok()
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

/// Appends what lies in `span` and in the blocks of `place`: a cut run, whole runs, a cut run.
pub(super) fn families(short: &Blocks, place: u64, span: &Range<u64>, out: &mut Vec<Family<1>>) {
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
mod tests {
    use super::*;
    use crate::layout::Cyclic;

    #[test]
    fn classes_find_what_a_walk_over_all_blocks_finds() {
        let mut rng = fastrand::Rng::with_seed(7);
        let mut by_classes = 0;
        for _ in 0..4000 {
            let len = rng.u64(1..9000);
            let mut side = || {
                let (block, procs) = (rng.u64(1..20), rng.u32(1..20));
                Blocks::new(&Cyclic::new(block, procs, 0).unwrap(), rng.u64(0..block), len)
            };
            let Pair { long, short, period, .. } = Pair::new(side(), side(), len);
            let window = period.unwrap_or(len);
            let (l, s) = (rng.u64(0..long.procs), rng.u64(0..short.procs));
            let own = (long.count(window) + long.procs - 1).saturating_sub(l) / long.procs;
            let walked: Vec<u64> = (0..own)
                .filter(|i| {
                    let met = short.touching(&long.span(l + i * long.procs, window));
                    short.next_at(met.start, s) < met.end
                })
                .collect();
            let mut solved: Vec<u64> = Classes::new(&long, &short, l, s).unwrap().blocks(own).collect();
            solved.sort_unstable();
            // The classes speak of whole blocks; one cut by an end of the window may miss what the whole one meets.
            let whole = |&&i: &&u64| {
                let span = long.span(l + i * long.procs, window);
                span.end - span.start == long.block
            };
            let keep = |list: &Vec<u64>| list.iter().filter(whole).copied().collect::<Vec<_>>();
            assert_eq!(keep(&solved), keep(&walked), "{long:?} {short:?} l={l} s={s}");
            by_classes += usize::from(solved.len() < walked.len().max(2));
        }
        assert!(by_classes > 0, "no case was decided by classes");
    }
}
