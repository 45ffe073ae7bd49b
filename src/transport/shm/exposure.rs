//! Decides which arrays of this process other ranks of the node read in place.
//!
//! The first such read needs page tables on the reading rank: 8 bytes per page of 4 KiB. If each of many ranks reads a
//! few bytes of every page of all others, building the tables takes several times as long as copying the data through
//! slots. So an array goes through slots until that has cost about as much as the tables will, and each process exposes
//! a limited part of its memory.

use std::ops::Range;

/// Up to this number of ranks, arrays are read in place from the first time on, since each rank reads many bytes per
/// page. For every further group of this size, page tables take about as long as sending the array once more. Measured
/// on 16 ranks: the first call in place took 0.3 s longer, each later one 0.05 to 0.1 s less.
const EAGER_RANKS: usize = 4;
/// Up to this number of ranks, exposed memory is unlimited: all page tables take 3 % of it.
const UNLIMITED_RANKS: usize = 16;
/// With more ranks, maximum bytes that each rank may map: their page tables take 8 MiB.
const MAX_MAPPED_BYTES: usize = 4 << 30;
/// Maximum number of recorded arrays: more than a program redistributes in turn.
const MAX_REMEMBERED: usize = 32;

/// Memory that one process exposes on its node, in a group of arrays or in the memory of its program.
pub struct Exposure {
    ranks: usize,
    limit: usize,
    /// Exposed memory, ascending; adjacent ranges are merged.
    exposed: Vec<Range<usize>>,
    /// Arrays that are not exposed, and the bytes sent of each; the last used one is last.
    sent: Vec<(Range<usize>, usize)>,
}

impl Exposure {
    /// Creates an empty record for this number of ranks.
    pub fn new(ranks: usize) -> Self {
        Self { ranks, limit: MAX_MAPPED_BYTES, exposed: Vec::new(), sent: Vec::new() }
    }

    /// Decides whether the array in this address range is exposed; if not, records that `bytes` bytes of it are sent.
    pub fn exposes(&mut self, array: Range<usize>, bytes: usize) -> bool {
        if self.ranks <= EAGER_RANKS || self.is_exposed(&array) {
            return true;
        }
        let known = self.sent.iter().position(|(known, _)| *known == array);
        let before = known.map_or(0, |at| self.sent.remove(at).1);
        let least = array.len().saturating_mul(self.ranks.div_ceil(EAGER_RANKS) - 1);
        if before >= least && self.has_room_for(&array) {
            self.expose(array);
            return true;
        }
        if self.sent.len() == MAX_REMEMBERED {
            self.sent.remove(0);
        }
        self.sent.push((array, before.saturating_add(bytes)));
        false
    }

    fn is_exposed(&self, array: &Range<usize>) -> bool {
        let at = self.exposed.partition_point(|known| known.end < array.end);
        self.exposed.get(at).is_some_and(|known| known.start <= array.start && array.end <= known.end)
    }

    fn has_room_for(&self, array: &Range<usize>) -> bool {
        let all = self.exposed.iter().fold(array.len(), |sum, known| sum.saturating_add(known.len()));
        self.ranks <= UNLIMITED_RANKS || all.saturating_mul(self.ranks) <= self.limit
    }

    fn expose(&mut self, array: Range<usize>) {
        let from = self.exposed.partition_point(|known| known.end < array.start);
        let to = self.exposed.partition_point(|known| known.start <= array.end);
        let joined = self.exposed[from..to]
            .iter()
            .fold(array, |joined, known| joined.start.min(known.start)..joined.end.max(known.end));
        self.exposed.splice(from..to, [joined]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns how often an array of 1000 bytes is sent, in pieces of 100 bytes, before it is exposed.
    fn sent(exposure: &mut Exposure, array: Range<usize>) -> Option<usize> {
        (0..2000).find(|_| exposure.exposes(array.clone(), 100)).map(|pieces| pieces / 10)
    }

    #[test]
    fn the_more_ranks_the_longer_an_array_goes_through_slots() {
        let times = [1, 4, 5, 7, 8, 16, 64, 192].map(|ranks| sent(&mut Exposure::new(ranks), 5000..6000));
        assert_eq!(times, [0, 0, 1, 1, 1, 3, 15, 47].map(Some));
    }

    #[test]
    fn many_ranks_expose_no_more_than_the_limit() {
        let mut exposure = Exposure { limit: 20 * 2500, ..Exposure::new(20) };
        assert_eq!(sent(&mut exposure, 0..1000), Some(4));
        assert_eq!(sent(&mut exposure, 7000..8000), Some(4));
        assert_eq!(sent(&mut exposure, 3000..4000), None, "3000 bytes in all");
        assert_eq!(sent(&mut exposure, 7000..8000), Some(0), "it still is exposed");
        assert_eq!(sent(&mut exposure, 7200..7300), Some(0), "a part of it");
        assert_eq!(sent(&mut exposure, 1000..1300), Some(1), "there is room for it, and it is smaller");
        assert_eq!(exposure.exposed, [0..1300, 7000..8000]);
        let mut several = Exposure { limit: 0, ..Exposure::new(UNLIMITED_RANKS) };
        assert_eq!(sent(&mut several, 0..1000), Some(3), "no limit");
        assert!(!Exposure::new(192).has_room_for(&(0..usize::MAX)));
    }

    #[test]
    fn arrays_that_overlap_are_one() {
        let mut exposure = Exposure::new(8);
        for array in [10..20, 40..50, 70..80, 20..30, 0..5, 45..75, 31..32] {
            exposure.expose(array);
        }
        assert_eq!(exposure.exposed, [0..5, 10..30, 31..32, 40..80]);
        let inside = [0..5, 12..30, 40..80, 30..30].map(|array| exposure.is_exposed(&array));
        let outside = [0..6, 9..12, 29..32, 85..86].map(|array| exposure.is_exposed(&array));
        assert_eq!((inside, outside), ([true; 4], [false; 4]));
    }

    #[test]
    fn arrays_that_were_sent_long_ago_are_forgotten() {
        let mut exposure = Exposure::new(16);
        assert!(!exposure.exposes(0..1000, 3000));
        for k in 1..MAX_REMEMBERED {
            assert!(!exposure.exposes(k * 1000..(k + 1) * 1000, 3000));
        }
        assert!(exposure.exposes(0..1000, 0), "still known");
        for k in 0..=MAX_REMEMBERED {
            assert!(!exposure.exposes(100_000 + k..200_000, 0));
        }
        assert!(!exposure.exposes(1000..2000, 0), "no more");
    }
}
