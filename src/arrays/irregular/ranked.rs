//! Distinct numbers of a list in ascending order, and the rank of each entry among them. Dense numbers are marked as
//! bits, and the bits before each are counted. Others are sorted, long lists by a radix sort.

use super::ascent::in_parts;
use super::marks::Marks;
use crate::layout::intersect::Runs;
use crate::pack::RowNumbers;
use std::ops::Range;

/// Maximum length of a list that is sorted by comparison; for these, a radix sort takes longer.
const RADIX_SORT_THRESHOLD: usize = 1 << 11;
const DIGIT_BITS: u32 = 11;

pub(super) struct Ranked {
    pub keys: Keys,
    pub order: ListOrder,
}

/// Order of the entries of a list among the distinct keys.
pub(super) enum ListOrder {
    /// The list has the keys in ascending order, each once.
    Ascending,
    /// The list has the keys of each part in ascending order, each once. Has the places of the keys in the list, for
    /// each non-empty part.
    InParts(Vec<Runs<1>>),
    /// Number of each entry among the distinct keys.
    Any(RowNumbers),
}

pub(super) enum Keys {
    Listed(Vec<u64>),
    Marked(Marks, u64),
}

/// Keys from a multiple of the span to the next one.
pub(super) struct KeysOfPart {
    pub number: u64,
    pub range: Range<usize>,
}

impl Keys {
    pub fn len(&self) -> usize {
        match self {
            Self::Listed(keys) => keys.len(),
            Self::Marked(_, count) => index(*count),
        }
    }

    pub fn list(self) -> Vec<u64> {
        match self {
            Self::Listed(keys) => keys,
            Self::Marked(marks, _) => marks.list(),
        }
    }

    /// Splits the keys by part, of `span` keys each, a multiple of 64.
    pub fn parts(&self, span: u64) -> Vec<KeysOfPart> {
        let (mut parts, mut start) = (Vec::new(), 0);
        let mut take = |number: u64, end: usize| {
            parts.push(KeysOfPart { number, range: start..end });
            start = end;
            end
        };
        match self {
            Self::Listed(keys) => {
                let mut at = 0;
                while let Some(key) = keys.get(at) {
                    let part = key / span;
                    at = take(part, at + keys[at..].partition_point(|key| key / span == part));
                }
            }
            Self::Marked(marks, count) => {
                let (before, _) = marks.before();
                let mut at = marks.next(0);
                while let Some(part) = at.map(|key| key / span) {
                    at = (part + 1).checked_mul(span).and_then(|end| marks.next(end));
                    take(part, index(at.map_or(*count, |key| marks.rank(&before, key))));
                }
            }
        }
        parts
    }
}

impl Ranked {
    pub fn new(keys: Vec<u64>, span: u64) -> Self {
        if keys.is_sorted_by(|a, b| a < b) {
            return Self { keys: Keys::Listed(keys), order: ListOrder::Ascending };
        }
        if let Some((keys, places)) = in_parts(&keys, span) {
            return Self { keys: Keys::Listed(keys), order: ListOrder::InParts(places) };
        }
        let bounds = keys.iter().fold((u64::MAX, 0), |(least, most), &key| (key.min(least), key.max(most)));
        match (bounds.1 - bounds.0) / 64 < keys.len() as u64 {
            true => Self::by_marking(&keys, bounds),
            false => Self::by_sorting(&keys, bounds.1),
        }
    }

    /// Converts places in the list to places in a longer list, with entry `k` at `kept[k]`. The numbers of
    /// [`ListOrder::Any`] do not change.
    pub fn move_to(&mut self, kept: &[u64], span: u64) {
        let moved = |places: &mut dyn Iterator<Item = u64>| {
            let runs: Vec<([u64; 1], u64)> = places.map(|at| ([kept[index(at)]], 1)).collect();
            Runs::of_listed(&runs)
        };
        let parts = match &self.order {
            ListOrder::Any(_) => return,
            ListOrder::Ascending => {
                let ranges = self.keys.parts(span).into_iter().map(|part| part.range);
                ranges.map(|range| moved(&mut range.map(|at| at as u64))).collect()
            }
            ListOrder::InParts(parts) => {
                let places = |runs: &Runs<1>| {
                    let mut places = Vec::new();
                    runs.each_run(|start, len| places.extend(start..start + len));
                    places
                };
                parts.iter().map(|runs| moved(&mut places(runs).into_iter())).collect()
            }
        };
        self.order = ListOrder::InParts(parts);
    }

    /// Ranks keys by marking them; `bounds` has the least and the greatest.
    fn by_marking(keys: &[u64], bounds: (u64, u64)) -> Self {
        let mut marks = Marks::new(bounds.0, bounds.1);
        keys.iter().for_each(|&key| marks.put(key));
        let (before, count) = marks.before();
        let of = RowNumbers::new(keys.len(), count, keys.iter().map(|&key| marks.rank(&before, key)));
        Self { keys: Keys::Marked(marks, count), order: ListOrder::Any(of) }
    }

    /// Ranks keys by sorting them; `greatest` is the greatest.
    fn by_sorting(keys: &[u64], greatest: u64) -> Self {
        let count = keys.len();
        let places = u64::BITS - (count as u64).leading_zeros();
        let (mut of, mut distinct) = (vec![0; count], Vec::with_capacity(count));
        let mut next = |key: u64, at: u64| {
            if distinct.last() != Some(&key) {
                distinct.push(key);
            }
            of[index(at)] = distinct.len() as u64 - 1;
        };
        if greatest.leading_zeros() >= places {
            // A key and its place share one word.
            let mut words: Vec<u64> = keys.iter().zip(0..).map(|(key, at)| key << places | at).collect();
            sort(&mut words, places, greatest);
            words.iter().for_each(|word| next(word >> places, word & ((1 << places) - 1)));
        } else {
            let mut order: Vec<u64> = (0..count as u64).collect();
            order.sort_by_key(|&at| keys[index(at)]);
            order.iter().for_each(|&at| next(keys[index(at)], at));
        }
        let of = RowNumbers::new(count, distinct.len() as u64, of.into_iter());
        Self { keys: Keys::Listed(distinct), order: ListOrder::Any(of) }
    }
}

impl ListOrder {
    /// Returns the number of each of `count` entries among the keys.
    pub fn places(&self, count: usize) -> Vec<u64> {
        match self {
            Self::Ascending => (0..count as u64).collect(),
            Self::InParts(parts) => {
                let (mut all, mut next) = (vec![0; count], 0);
                let mut put = |at: u64| {
                    all[index(at)] = next;
                    next += 1;
                };
                parts
                    .iter()
                    .for_each(|runs| runs.each_run(|start, len| (start..start + len).for_each(&mut put)));
                all
            }
            Self::Any(numbers) => (0..count).map(|k| numbers.get(k)).collect(),
        }
    }
}

fn index(n: u64) -> usize {
    usize::try_from(n).expect("a list in memory")
}

/// Sorts words by their bits from `places` on, whose value is at most `greatest`. They are sorted by the bits below
/// already.
fn sort(words: &mut Vec<u64>, places: u32, greatest: u64) {
    if words.is_sorted() {
        return;
    }
    if words.len() <= RADIX_SORT_THRESHOLD {
        return words.sort_unstable();
    }
    let mut other = vec![0; words.len()];
    let mut shift = places;
    while shift < u64::BITS && greatest >> (shift - places) > 0 {
        let digit = |word: u64| (word >> shift & ((1 << DIGIT_BITS) - 1)) as usize;
        let mut next = [0usize; 1 << DIGIT_BITS];
        words.iter().for_each(|&word| next[digit(word)] += 1);
        let mut before = 0;
        for count in &mut next {
            before += std::mem::replace(count, before);
        }
        for &word in words.iter() {
            let place = &mut next[digit(word)];
            other[*place] = word;
            *place += 1;
        }
        std::mem::swap(words, &mut other);
        shift += DIGIT_BITS;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_numbers_equal_positions_in_a_sorted_list() {
        let mut rng = fastrand::Rng::with_seed(11);
        for len in [1, 2, 50, RADIX_SORT_THRESHOLD, RADIX_SORT_THRESHOLD + 1, 3 * RADIX_SORT_THRESHOLD] {
            for most in [0, 3, 1000, 1 << 14, 1 << 22, u64::MAX] {
                let mut list: Vec<u64> = (0..len).map(|_| rng.u64(0..=most)).collect();
                if rng.bool() {
                    list.sort_unstable();
                }
                check(&list, most, &mut rng);
            }
        }
        assert_eq!(Ranked::new(Vec::new(), 64).keys.len(), 0);
    }

    fn check(list: &[u64], most: u64, rng: &mut fastrand::Rng) {
        let mut distinct = list.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let bounds = (distinct[0], distinct[distinct.len() - 1]);
        let span = 64 * rng.u64(1..(most / 640).max(2));
        let mut ways = vec![Ranked::new(list.to_vec(), span), Ranked::by_sorting(list, bounds.1)];
        if most <= 1 << 22 {
            ways.push(Ranked::by_marking(list, bounds));
        }
        for Ranked { keys, order } in ways {
            assert_eq!(keys.len(), distinct.len());
            let parts = keys.parts(span);
            assert_eq!(parts[0].range.start, 0);
            assert_eq!(parts[parts.len() - 1].range.end, distinct.len());
            assert!(parts.windows(2).all(|two| two[0].range.end == two[1].range.start));
            let of_part = |part: &KeysOfPart| {
                let keys = &distinct[part.range.clone()];
                !keys.is_empty() && keys.iter().all(|key| key / span == part.number)
            };
            assert!(parts.iter().all(of_part));
            let places = order.places(list.len());
            assert!(places.iter().map(|&place| &distinct[place as usize]).eq(list));
            assert_eq!(keys.list(), distinct);
        }
    }
}
