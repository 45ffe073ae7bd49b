//! Loops of a copy, which become levels of the tables.

use crate::pack::level::PairedRuns;

/// A loop: runs of indices, and bytes from index to index on both sides. Starts may be negative.
#[derive(Clone, Default, Debug)]
pub struct Loop {
    pub step: [i64; 2],
    pub runs: Vec<LoopRuns>,
}

/// `count` runs of `len` indices.
#[derive(Clone, Copy, Debug)]
pub struct LoopRuns {
    pub start: [i64; 2],
    pub stride: [i64; 2],
    pub len: u64,
    pub count: u64,
}

impl LoopRuns {
    pub fn one(start: [i64; 2], len: u64) -> Self {
        Self { start, stride: [0; 2], len, count: 1 }
    }

    pub fn scaled(&self, by: i64) -> Self {
        let Self { start, stride, len, count } = *self;
        Self {
            start: start.map(|s| s * by),
            stride: stride.map(|s| s * by),
            len: len * by.unsigned_abs(),
            count,
        }
    }

    pub fn divided(&self, by: i64) -> Self {
        let Self { start, stride, len, count } = *self;
        Self {
            start: start.map(|s| s / by),
            stride: stride.map(|s| s / by),
            len: len / by.unsigned_abs(),
            count,
        }
    }

    /// Returns the bitwise or of all starts, lengths and distances: a power of two divides it if it divides all of
    /// them.
    pub fn bits(&self) -> u64 {
        let strides = if self.count > 1 { self.stride } else { [0; 2] };
        self.start.iter().chain(&strides).fold(self.len, |bits, &at| bits | at.unsigned_abs())
    }
}

impl From<PairedRuns> for LoopRuns {
    fn from(f: PairedRuns) -> Self {
        let (start, stride) = (f.start.map(signed), f.stride.map(signed));
        Self { start, stride, len: f.len, count: f.count }
    }
}

impl Loop {
    /// Appends runs. A single run that continues the last [`LoopRuns`] becomes part of it.
    pub fn push(&mut self, next: LoopRuns) {
        if let Some(last) = self.runs.last_mut().filter(|last| last.len == next.len && next.count == 1) {
            let by: [i64; 2] = std::array::from_fn(|d| next.start[d] - last.start[d]);
            if last.count == 1 {
                (last.stride, last.count) = (by, 2);
                return;
            }
            if (0..2).all(|d| last.stride[d].checked_mul(signed(last.count)) == Some(by[d])) {
                last.count += 1;
                return;
            }
        }
        self.runs.push(next);
    }

    pub fn total(&self) -> u64 {
        self.runs.iter().map(|f| f.len * f.count).sum()
    }

    /// Makes the first index 0. Returns the bytes from the old index 0 to it.
    pub fn normalize(&mut self) -> [i64; 2] {
        let first = self.runs[0].start;
        for runs in &mut self.runs {
            runs.start = std::array::from_fn(|d| runs.start[d] - first[d]);
        }
        std::array::from_fn(|d| self.step[d].wrapping_mul(first[d]))
    }

    /// Splits a loop with at least two indices into two.
    pub fn halves(&self) -> [Self; 2] {
        let of = |runs: &[LoopRuns]| Self { step: self.step, runs: runs.to_vec() };
        if let [f] = self.runs[..] {
            let after = |stride: [i64; 2], times: u64| {
                std::array::from_fn(|d| f.start[d] + stride[d] * signed(times))
            };
            let [a, b] = match f.count {
                1 => [(f.len / 2, 1, f.start), (f.len - f.len / 2, 1, after([1; 2], f.len / 2))],
                n => [(f.len, n / 2, f.start), (f.len, n - n / 2, after(f.stride, n / 2))],
            };
            return [a, b].map(|(len, count, start)| of(&[LoopRuns { start, len, count, ..f }]));
        }
        let (a, b) = self.runs.split_at(self.runs.len() / 2);
        [of(a), of(b)]
    }
}

/// Converts an index or a length in memory.
pub fn signed(n: u64) -> i64 {
    i64::try_from(n).expect("an index into memory")
}
