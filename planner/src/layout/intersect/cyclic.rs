//! Intersections of two block-cyclic distributions, and the processes that share indices.
//!
//! The source is cyclic(r) on P processes, the destination cyclic(s) on Q. The section has n indices and may start
//! anywhere inside a block of each side. The pattern repeats after L = lcm(Pr, Qs) indices, so only blocks among the
//! first min(L, n) indices are examined.

use super::blocks::Blocks;
use super::comb;
use super::process_set::ProcessSet;
use super::runs::Runs;

/// The two sides of one dimension; `long` has the longer blocks.
pub(super) struct BlockPair {
    long: Blocks,
    short: Blocks,
    source_is_long: bool,
    len: u64,
    /// Period of the common pattern, if it is shorter than the section.
    period: Option<u64>,
}

impl BlockPair {
    pub fn new(from: Blocks, to: Blocks, len: u64) -> Self {
        let source_is_long = from.block >= to.block;
        let (long, short) = if source_is_long { (from, to) } else { (to, from) };
        let period = comb::period(long.cycle(), short.cycle()).filter(|&period| period < len);
        Self { long, short, source_is_long, len, period }
    }

    /// Returns the indices that source process `p` and destination process `q` share.
    pub fn shared(&self, p: u32, q: u32) -> Runs<1> {
        let Self { long, short, len, period, .. } = self;
        let (l, s) = if self.source_is_long { (p, q) } else { (q, p) };
        let mut pattern = Vec::new();
        let (long, short) = (long.comb(long.position_in_round(l)), short.comb(short.position_in_round(s)));
        comb::append_intersection(&long, &short, period.unwrap_or(*len), &mut pattern);
        Runs::periodic(pattern, *period, *len)
    }

    /// Returns the maximum number of blocks that [`BlockPair::shared`] examines for two processes; at least 1.
    pub fn max_examined(&self) -> u64 {
        comb::max_examined(&self.long.comb(0), &self.short.comb(0), self.period.unwrap_or(self.len)).max(1)
    }

    /// Returns the processes of the other side that share indices with `coord`, which is a source if `source`.
    pub fn partners(&self, coord: u32, source: bool) -> Vec<u32> {
        let Self { long, short, len, .. } = self;
        let coord_is_long = source == self.source_is_long;
        let (mine, theirs) = if coord_is_long { (long, short) } else { (short, long) };
        let place = mine.position_in_round(coord);
        let long_blocks_intersect_all = short.cycle().is_some_and(|cycle| long.block + short.block > cycle);
        let places = if !coord_is_long && long_blocks_intersect_all {
            partner_places_at_ends(long, short, place, *len)
        } else {
            partner_places(mine, theirs, place, self.period.unwrap_or(*len))
        };
        let mut coords: Vec<_> = places.into_iter().map(|place| theirs.coord(place)).collect();
        // A few ascending sequences, which a stable sort merges.
        coords.sort();
        coords.dedup();
        coords
    }
}

/// Returns the places on the side `theirs` whose blocks intersect a block of `place` below `window`. Walks along the
/// blocks of `place`.
fn partner_places(mine: &Blocks, theirs: &Blocks, place: u64, window: u64) -> Vec<u64> {
    let mut places = ProcessSet::new(u32::try_from(theirs.procs).expect("a number of processes"));
    let blocks = mine.count(window);
    let mut block = place;
    while block < blocks {
        let mut met = theirs.blocks_intersecting(&mine.span(block, window));
        if met.end - met.start >= theirs.procs {
            return (0..theirs.procs).collect();
        }
        if met.any(|b| places.add(theirs.place_of(b))) {
            break;
        }
        block += mine.procs;
    }
    places.list().into_iter().map(u64::from).collect()
}

/// Like [`partner_places`], for a `place` of the side with short blocks. Every whole long block must intersect blocks
/// of all places. So only the first and the last long block, which the section may cut, are examined.
fn partner_places_at_ends(long: &Blocks, short: &Blocks, place: u64, len: u64) -> Vec<u64> {
    let blocks = long.count(len);
    let intersects = |block: u64| {
        let met = short.blocks_intersecting(&long.span(block, len));
        short.next_at(met.start, place) < met.end
    };
    let whole = 1..blocks.saturating_sub(1).min(1 + long.procs);
    let ends = [0, blocks.saturating_sub(1)].into_iter().filter(|&b| b < blocks && intersects(b));
    whole.chain(ends).map(|block| block % long.procs).collect()
}
