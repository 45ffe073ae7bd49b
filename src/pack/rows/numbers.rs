//! Lists of row numbers and of row pairs, with 4 or 8 bytes per number.

/// A list of row numbers, each marked or not. The highest bit of a word is the mark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowNumbers {
    pub(super) words: Words,
    /// Exclusive upper bound of the numbers.
    pub(in crate::pack) end: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Words {
    Narrow(Vec<u32>),
    Wide(Vec<u64>),
}

impl RowNumbers {
    /// Creates an empty list with room for about `count` numbers below `end`.
    pub fn below(count: usize, end: u64) -> Self {
        let words = match end <= 1 << 31 {
            true => Words::Narrow(Vec::with_capacity(count)),
            false => Words::Wide(Vec::with_capacity(count)),
        };
        Self { words, end: 0 }
    }

    /// Creates a list of about `count` numbers below `end`, without marks. Panics if a number is not below `end`.
    pub fn new(count: usize, end: u64, numbers: impl Iterator<Item = u64>) -> Self {
        let Self { mut words, .. } = Self::below(count, end);
        let inside = |number: u64| {
            assert!(number < end, "row {number}, of {end}");
            (number, false)
        };
        match &mut words {
            Words::Narrow(words) => words.extend(numbers.map(|number| u32::of(inside(number)))),
            Words::Wide(words) => words.extend(numbers.map(|number| u64::of(inside(number)))),
        }
        Self { words, end }
    }

    /// Appends a number, with or without a mark.
    #[inline]
    pub fn push(&mut self, number: u64, marked: bool) {
        self.end = self.end.max(number.saturating_add(1));
        match &mut self.words {
            Words::Narrow(words) => words.push(u32::of((number, marked))),
            Words::Wide(words) => words.push(u64::of((number, marked))),
        }
    }

    /// Keeps only the first `count` numbers.
    pub fn truncate(&mut self, count: usize) {
        match &mut self.words {
            Words::Narrow(words) => words.truncate(count),
            Words::Wide(words) => words.truncate(count),
        }
    }

    /// Returns number `k`, without its mark.
    #[inline]
    pub fn get(&self, k: usize) -> u64 {
        match &self.words {
            Words::Narrow(words) => words[k].index() as u64,
            Words::Wide(words) => words[k].index() as u64,
        }
    }

    /// Returns whether number `k` is marked.
    pub fn is_marked(&self, k: usize) -> bool {
        match &self.words {
            Words::Narrow(words) => words[k].is_marked(),
            Words::Wide(words) => words[k].is_marked(),
        }
    }

    /// Returns the list with a mark on the first occurrence of each number, and no other marks.
    #[must_use]
    pub fn firsts_marked(mut self) -> Self {
        match &mut self.words {
            Words::Narrow(words) => mark_firsts(words, self.end),
            Words::Wide(words) => mark_firsts(words, self.end),
        }
        self
    }

    /// Returns the length of the list.
    pub fn len(&self) -> usize {
        match &self.words {
            Words::Narrow(words) => words.len(),
            Words::Wide(words) => words.len(),
        }
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Marks the first occurrence of each number; all numbers are below `end`.
fn mark_firsts<W: RowNumber>(words: &mut [W], end: u64) {
    let mut seen = vec![0u64; usize::try_from(end / 64).expect("numbers of rows in memory") + 1];
    for word in words {
        let number = word.index();
        let (bits, bit) = (&mut seen[number / 64], 1 << (number % 64));
        *word = W::of((number as u64, *bits & bit == 0));
        *bits |= bit;
    }
}

/// A list of pairs (row that is written, row that is read).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RowPairs {
    pub(super) words: PairWords,
    /// Exclusive upper bounds of the two numbers of a pair.
    pub(in crate::pack) ends: [u64; 2],
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum PairWords {
    Narrow(Vec<[u32; 2]>),
    Wide(Vec<[u64; 2]>),
}

impl RowPairs {
    /// Creates an empty list of pairs whose numbers are below `most`.
    pub fn below(most: [u64; 2]) -> Self {
        let narrow = most.iter().all(|&end| end <= 1 << 31);
        let words = if narrow { PairWords::Narrow(Vec::new()) } else { PairWords::Wide(Vec::new()) };
        Self { words, ends: [0; 2] }
    }

    /// Appends a pair (row that is written, row that is read).
    #[inline]
    pub fn push(&mut self, pair: [u64; 2]) {
        for (end, row) in self.ends.iter_mut().zip(pair) {
            *end = row.saturating_add(1).max(*end);
        }
        match &mut self.words {
            PairWords::Narrow(words) => words.push(pair.map(|row| u32::of((row, false)))),
            PairWords::Wide(words) => words.push(pair),
        }
    }

    pub(in crate::pack) fn each(&self) -> impl Iterator<Item = [u64; 2]> + '_ {
        let (narrow, wide): (&[[u32; 2]], &[[u64; 2]]) = match &self.words {
            PairWords::Narrow(words) => (words, &[]),
            PairWords::Wide(words) => (&[], words),
        };
        narrow.iter().map(|pair| pair.map(u64::from)).chain(wide.iter().copied())
    }

    /// Returns the rows that are written, in the order of the pairs.
    pub fn written(&self) -> Vec<u64> {
        match &self.words {
            PairWords::Narrow(words) => words.iter().map(|pair| pair[0].into()).collect(),
            PairWords::Wide(words) => words.iter().map(|pair| pair[0]).collect(),
        }
    }

    /// Returns whether the list is empty.
    pub fn is_empty(&self) -> bool {
        self.ends == [0; 2]
    }
}

/// A row number with a mark, as a machine word.
pub(super) trait RowNumber: Copy {
    fn of(number: (u64, bool)) -> Self;

    fn index(self) -> usize;

    fn is_marked(self) -> bool;

    /// Returns the list itself if its numbers have 32 bits.
    fn narrow(numbers: &[Self]) -> Option<&[u32]>;
}

impl RowNumber for u32 {
    #[inline(always)]
    fn of((number, marked): (u64, bool)) -> Self {
        u32::try_from(number).expect("below 2^31") | u32::from(marked) << 31
    }

    #[inline(always)]
    fn index(self) -> usize {
        (self & (u32::MAX >> 1)) as usize
    }

    #[inline(always)]
    fn is_marked(self) -> bool {
        self >> 31 != 0
    }

    fn narrow(numbers: &[Self]) -> Option<&[u32]> {
        Some(numbers)
    }
}

impl RowNumber for u64 {
    #[inline(always)]
    fn of((number, marked): (u64, bool)) -> Self {
        number | u64::from(marked) << 63
    }

    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "numbers are below the rows of an array in memory")]
    fn index(self) -> usize {
        (self & (u64::MAX >> 1)) as usize
    }

    #[inline(always)]
    fn is_marked(self) -> bool {
        self >> 63 != 0
    }

    fn narrow(_: &[Self]) -> Option<&[u32]> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_each_number_is_marked() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let end = rng.u64(1..200);
            let list: Vec<u64> = (0..rng.u64(0..300)).map(|_| rng.u64(0..end)).collect();
            let wide = u64::from(rng.bool()) << 40;
            let numbers = RowNumbers::new(list.len(), end | wide, list.iter().copied());
            assert_eq!(matches!(numbers.words, Words::Wide(_)), wide > 0);
            let mut numbers = RowNumbers { end, ..numbers }.firsts_marked();
            for (k, number) in list.iter().enumerate() {
                assert_eq!((numbers.get(k), numbers.is_marked(k)), (*number, !list[..k].contains(number)));
            }
            let mut pushed = RowNumbers::below(0, end | wide);
            (0..list.len()).for_each(|k| pushed.push(numbers.get(k), numbers.is_marked(k)));
            assert_eq!(pushed.words, numbers.words);
            let some = rng.usize(0..=list.len());
            numbers.truncate(some);
            assert_eq!(numbers.len(), some);
        }
    }
}
