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
    /// These pairs (row that is written, row that goes there), in which no row is written twice.
    pub fn new(pairs: &[[u64; 2]]) -> Self {
        let end = |d: usize| pairs.iter().map(|pair| pair[d] + 1).max().unwrap_or(0);
        let ends = [end(0), end(1)];
        let low = |n: u64| u32::try_from(n).expect("below a u32");
        let words = match ends.iter().all(|&end| u32::try_from(end).is_ok()) {
            true => PairWords::Narrow(pairs.iter().map(|pair| pair.map(low)).collect()),
            false => PairWords::Wide(pairs.to_vec()),
        };
        Self { words, ends }
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
}

impl RowNumber for u32 {
    #[inline(always)]
    fn index(self) -> usize {
        self as usize
    }
}

impl RowNumber for u64 {
    #[inline(always)]
    #[allow(clippy::cast_possible_truncation, reason = "numbers are below the rows of an array in memory")]
    fn index(self) -> usize {
        self as usize
    }
}
