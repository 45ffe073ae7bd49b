//! WHICH rows are copied, and where do they go?

/// Numbers of rows, in few bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowNumbers {
    pub(super) words: Words,
    /// One past the greatest.
    pub(super) end: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Words {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl RowNumbers {
    /// These numbers, `count` of them, all below `end`.
    pub fn new(count: usize, end: u64, numbers: impl Iterator<Item = u64>) -> Self {
        let below = |n: u64| {
            assert!(n < end, "row {n}, of {end}");
            n
        };
        let words = if u32::try_from(end).is_ok() {
            let mut words = Vec::with_capacity(count);
            words.extend(numbers.map(|n| u32::try_from(below(n)).expect("below a u32")));
            Words::Narrow(words)
        } else {
            let mut words = Vec::with_capacity(count);
            words.extend(numbers.map(below));
            Words::Wide(words)
        };
        Self { words, end }
    }

    /// Number `k`.
    #[inline]
    pub fn get(&self, k: usize) -> u64 {
        match &self.words {
            Words::Narrow(words) => words[k].into(),
            Words::Wide(words) => words[k],
        }
    }

    /// Of each number below the end the first place that has it; and all others, as pairs (number, place), in order. Panics unless each
    /// number is there.
    pub fn places(&self) -> (Self, RowPairs) {
        let rows = self.len() as u64;
        let mut again = RowPairs::below([self.end, rows]);
        let end = usize::try_from(self.end).expect("no more numbers than places");
        let words = match u32::try_from(rows) {
            Ok(most) => {
                let mut first = vec![u32::MAX; end];
                for (k, place) in (0..most).enumerate() {
                    let number = self.get(k);
                    match &mut first[number.index()] {
                        free @ &mut u32::MAX => *free = place,
                        _ => again.push([number, place.into()]),
                    }
                }
                assert!(!first.contains(&u32::MAX), "a number without a place");
                Words::Narrow(first)
            }
            Err(_) => {
                let mut first = vec![u64::MAX; end];
                for (k, place) in (0..rows).enumerate() {
                    let number = self.get(k);
                    match &mut first[number.index()] {
                        free @ &mut u64::MAX => *free = place,
                        _ => again.push([number, place]),
                    }
                }
                assert!(!first.contains(&u64::MAX), "a number without a place");
                Words::Wide(first)
            }
        };
        (Self { words, end: rows }, again)
    }

    /// How many.
    pub fn len(&self) -> usize {
        match &self.words {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Pairs of a row that is written and the row that goes there, in few bytes each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPairs {
    pub(super) words: PairWords,
    /// One past the greatest of either.
    pub(super) ends: [u64; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PairWords {
    Narrow(Vec<[u32; 2]>),
    Wide(Vec<[u64; 2]>),
}

impl RowPairs {
    /// None yet, of those in which both are below `most`.
    pub fn below(most: [u64; 2]) -> Self {
        let narrow = most.iter().all(|&end| u32::try_from(end).is_ok());
        let words = if narrow { PairWords::Narrow(Vec::new()) } else { PairWords::Wide(Vec::new()) };
        Self { words, ends: [0; 2] }
    }

    /// One more (row that is written, row that goes there).
    #[inline]
    pub fn push(&mut self, pair: [u64; 2]) {
        for (end, row) in self.ends.iter_mut().zip(pair) {
            *end = row.saturating_add(1).max(*end);
        }
        match &mut self.words {
            PairWords::Narrow(words) => words.push(pair.map(|row| u32::try_from(row).expect("below a u32"))),
            PairWords::Wide(words) => words.push(pair),
        }
    }

    /// The rows that are written, in order.
    pub fn written(&self) -> Vec<u64> {
        match &self.words {
            PairWords::Narrow(words) => words.iter().map(|pair| pair[0].into()).collect(),
            PairWords::Wide(words) => words.iter().map(|pair| pair[0]).collect(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends == [0; 2]
    }
}

/// A number of a row.
pub(super) trait RowNumber: Copy {
    fn index(self) -> usize;

    /// The pairs, where their numbers have 32 bits.
    fn narrow(pairs: &[[Self; 2]]) -> Option<&[[u32; 2]]>;
}

impl RowNumber for u32 {
    fn narrow(pairs: &[[Self; 2]]) -> Option<&[[u32; 2]]> {
        Some(pairs)
    }

    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

impl RowNumber for u64 {
    fn narrow(_: &[[Self; 2]]) -> Option<&[[u32; 2]]> {
        None
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "numbers are below the rows of an array in memory")]
    fn index(self) -> usize {
        self as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_numbers_are_found_in_order() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let end = rng.u64(1..20);
            let mut list: Vec<u64> = (0..end).chain((0..rng.u64(0..30)).map(|_| rng.u64(0..end))).collect();
            rng.shuffle(&mut list);
            let (first, again) = RowNumbers::new(list.len(), end, list.iter().copied()).places();
            let of =
                |number: u64| (0..).zip(&list).filter(move |(_, of)| **of == number).map(|(place, _)| place);
            let mut rest = Vec::new();
            for number in 0..end {
                assert_eq!(first.get(number as usize), of(number).next().unwrap());
                rest.extend(of(number).skip(1).map(|place| [place, number]));
            }
            rest.sort_unstable();
            let mut want = RowPairs::below([end, list.len() as u64]);
            rest.iter().for_each(|&[place, number]| want.push([number, place]));
            assert_eq!(again, want);
        }
    }
}
