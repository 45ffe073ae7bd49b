//! A set of numbers with a bit for each. If at least one number in 64 is present, it takes less memory than a list. It
//! needs no sorting.

/// A set of numbers as bits. Bit 0 of the first word is the number `first`, a multiple of 64.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Marks {
    first: u64,
    words: Vec<u64>,
}

impl Marks {
    pub fn new(least: u64, greatest: u64) -> Self {
        let first = least - least % 64;
        Self { first, words: vec![0; index((greatest - first) / 64) + 1] }
    }

    #[inline]
    pub fn put(&mut self, number: u64) {
        let at = number - self.first;
        self.words[index(at / 64)] |= 1 << (at % 64);
    }

    /// Adds a number; returns whether it was present before.
    #[inline]
    pub fn test_and_set(&mut self, number: u64) -> bool {
        let at = number - self.first;
        let (word, bit) = (&mut self.words[index(at / 64)], 1 << (at % 64));
        let was_set = *word & bit != 0;
        *word |= bit;
        was_set
    }

    /// Adds `len` numbers from `start` on; returns whether any of them was present before.
    pub fn test_and_set_run(&mut self, start: u64, len: u64) -> bool {
        let (mut at, end) = (start - self.first, start - self.first + len);
        let mut any = false;
        while at < end {
            let some = (64 - at % 64).min(end - at);
            let bits = (u64::MAX >> (64 - some)) << (at % 64);
            let word = &mut self.words[index(at / 64)];
            any |= *word & bits != 0;
            *word |= bits;
            at += some;
        }
        any
    }

    /// Returns the number of set bits before each word, and the total.
    pub fn before(&self) -> (Vec<u64>, u64) {
        let (mut before, mut sum) = (Vec::with_capacity(self.words.len()), 0);
        for &word in &self.words {
            before.push(sum);
            sum += count(word);
        }
        (before, sum)
    }

    /// Returns the number of set bits before `number`; `before` is from [`Marks::before`].
    #[inline]
    pub fn rank(&self, before: &[u64], number: u64) -> u64 {
        let at = number - self.first;
        let word = index(at / 64);
        before[word] + count(self.words[word] & ((1 << (at % 64)) - 1))
    }

    /// Returns the words of `start..end`, both multiples of 64, without leading and trailing zero words, and the number
    /// of their first bit.
    pub fn words(&self, start: u64, end: u64) -> (&[u64], u64) {
        let limit = self.first + 64 * self.words.len() as u64;
        let at = |number: u64| index((number.clamp(self.first, limit) - self.first) / 64);
        let (mut from, mut to) = (at(start), at(end));
        while from < to && self.words[from] == 0 {
            from += 1;
        }
        while from < to && self.words[to - 1] == 0 {
            to -= 1;
        }
        (&self.words[from..to], self.first + 64 * from as u64)
    }

    /// Returns the least number of the set that is at least `number`.
    pub fn next(&self, number: u64) -> Option<u64> {
        let at = number.max(self.first) - self.first;
        let word = index(at / 64);
        let rest = self.words.get(word)? & (u64::MAX << (at % 64));
        let later = || (word + 1..self.words.len()).map(|word| (word, self.words[word]));
        let mut all = std::iter::once((word, rest)).chain(later());
        let (word, bits) = all.find(|&(_, bits)| bits != 0)?;
        Some(self.first + 64 * word as u64 + u64::from(bits.trailing_zeros()))
    }

    pub fn list(&self) -> Vec<u64> {
        let mut list = Vec::new();
        each_run(&self.words, |start, len| list.extend((start..start + len).map(|at| self.first + at)));
        list
    }
}

pub(super) fn total(words: &[u64]) -> u64 {
    words.iter().map(|&word| count(word)).sum()
}

pub(super) fn runs(words: &[u64]) -> u64 {
    let mut last = 0;
    let begun =
        words.iter().map(|&word| count(word & !(word << 1 | std::mem::replace(&mut last, word) >> 63)));
    begun.sum()
}

/// Calls `body` with the first bit's number and the length of each run of set bits.
pub(super) fn each_run(words: &[u64], mut body: impl FnMut(u64, u64)) {
    let (mut start, mut len) = (0, 0);
    for (base, &word) in (0..).step_by(64).zip(words) {
        let (mut bits, mut at) = (word, 0);
        while at < 64 {
            if len == 0 {
                if bits == 0 {
                    break;
                }
                let gap = bits.trailing_zeros();
                (bits, at, start) = (bits >> gap, at + gap, base + u64::from(at + gap));
            }
            let ones = bits.trailing_ones().min(64 - at);
            (len, at) = (len + u64::from(ones), at + ones);
            if at < 64 {
                body(start, std::mem::take(&mut len));
                bits >>= ones;
            }
        }
    }
    if len > 0 {
        body(start, len);
    }
}

#[inline]
pub(super) fn each(words: &[u64], mut body: impl FnMut(u64)) {
    for (base, &word) in (0..).step_by(64).zip(words) {
        let mut bits = word;
        while bits != 0 {
            body(base + u64::from(bits.trailing_zeros()));
            bits &= bits - 1;
        }
    }
}

fn count(word: u64) -> u64 {
    word.count_ones().into()
}

fn index(n: u64) -> usize {
    usize::try_from(n).expect("bits in memory")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn marks_behave_like_a_set() {
        let mut rng = fastrand::Rng::with_seed(41);
        for _ in 0..500 {
            let (least, most) = (rng.u64(0..300), rng.u64(0..300));
            let greatest = least + most;
            let (mut marks, mut set) = (Marks::new(least, greatest), BTreeSet::new());
            for _ in 0..rng.u64(0..40) {
                let (start, at) = (rng.u64(least..=greatest), rng.u64(least..=greatest));
                let len = rng.u64(0..=greatest - start);
                let any = (start..start + len).any(|k| set.contains(&k));
                match rng.u8(0..3) {
                    0 => assert_eq!(marks.test_and_set(at), !set.insert(at)),
                    1 if rng.u8(0..8) == 0 => {
                        assert_eq!(marks.test_and_set_run(start, len), any);
                        set.extend(start..start + len);
                    }
                    _ => {
                        marks.put(at);
                        set.insert(at);
                    }
                }
            }
            assert_eq!(marks.list(), set.iter().copied().collect::<Vec<_>>());
            let (before, total) = marks.before();
            assert_eq!(total, set.len() as u64);
            for at in least..=greatest {
                assert_eq!(marks.rank(&before, at), set.range(..at).count() as u64);
                assert_eq!(marks.next(at), set.range(at..).next().copied());
            }
            let start = 64 * rng.u64(0..9);
            let end = start + 64 * rng.u64(0..9);
            let (words, first) = marks.words(start, end);
            let want: Vec<u64> = set.iter().copied().filter(|at| (start..end).contains(at)).collect();
            let (mut got, mut runs_of) = (Vec::new(), Vec::new());
            each(words, |at| got.push(first + at));
            assert_eq!(got, want);
            each_run(words, |start, len| runs_of.push((first + start, len)));
            assert_eq!(runs_of.len() as u64, runs(words));
            assert_eq!(super::total(words), want.len() as u64);
            assert!(runs_of.windows(2).all(|pair| pair[0].0 + pair[0].1 < pair[1].0));
            assert_eq!(runs_of.iter().flat_map(|&(start, len)| start..start + len).collect::<Vec<_>>(), want);
        }
    }
}
