//! WHAT did a trial find in calls of the same shape? Times of both libraries, and results that differed. It never knows which calls
//! they are.

use super::Quantiles;
use super::chance::Pairs;
use serde::{Deserialize, Serialize};

/// ScaLAPACK beside reblock. Times are of the slowest rank of a call, from when all had come.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Versus {
    /// Seconds of reblock, after the first call.
    pub ours: Quantiles,
    /// Seconds of ScaLAPACK, after the first call.
    pub theirs: Quantiles,
    /// Seconds of both in the first call.
    pub first: [f64; 2],
    /// The sum of the squares of what ScaLAPACK took more than reblock, after the first call; none in reports of former versions.
    #[serde(default)]
    pub squares: Option<f64>,
    /// Seconds of all these calls, also for copying and comparing, on the rank with most.
    pub spent: f64,
    /// Bytes that a call took at most beyond what the rank had before, on the rank with most: reblock, ScaLAPACK.
    pub memory: [u64; 2],
    /// Calls that were compared.
    pub compared: u64,
    /// Calls of which results differed on some rank.
    pub different: u64,
    /// Elements of all ranks that the libraries rounded differently; none in reports of former versions.
    #[serde(default)]
    pub rounded: u64,
}

impl Versus {
    /// One more call: seconds and bytes of memory of reblock and of ScaLAPACK, seconds of the whole trial, and whether results
    /// differed.
    pub fn record(&mut self, seconds: [f64; 2], memory: [u64; 2], spent: f64, different: bool) {
        if self.compared == 0 {
            self.first = seconds;
        } else {
            self.ours.record(seconds[0]);
            self.theirs.record(seconds[1]);
            *self.squares.get_or_insert(0.0) += (seconds[1] - seconds[0]).powi(2);
        }
        self.spent += spent;
        self.most_memory(memory);
        self.compared = self.compared.saturating_add(1);
        self.different = self.different.saturating_add(u64::from(different));
    }

    /// So many elements of this rank were rounded differently in a call.
    pub fn add_rounded(&mut self, elements: u64) {
        self.rounded = self.rounded.saturating_add(elements);
    }

    /// Times of the calls after the first one; none in reports of former versions.
    fn later(&self) -> Option<Pairs> {
        Some(Pairs { ours: self.ours.total(), theirs: self.theirs.total(), squares: self.squares? })
    }

    /// Times of all calls.
    pub(super) fn pairs(&self) -> Option<Pairs> {
        let first = Pairs::of(self.first[0], self.first[1]);
        if self.ours.count() == 0 { Some(first) } else { Some(first.and(self.later()?)) }
    }

    /// Whether the calls after the first one, which is not like the others, show a difference that is more than chance; none in
    /// reports of former versions.
    pub fn shown(&self) -> Option<bool> {
        if self.ours.count() == 0 { Some(false) } else { Some(self.later()?.differ()) }
    }

    fn most_memory(&mut self, other: [u64; 2]) {
        self.memory = [self.memory[0].max(other[0]), self.memory[1].max(other[1])];
    }

    /// What another rank that took part in other calls was told; of the same calls all ranks are told the same.
    pub(super) fn add(&mut self, other: &Self) {
        self.most_memory(other.memory);
        let (memory, spent) = (self.memory, self.spent.max(other.spent));
        // Calls of ranks that never met: what differed for some of them is not forgotten.
        let different = self.different.max(other.different);
        let rounded = self.rounded.saturating_add(other.rounded);
        if other.compared > self.compared {
            *self = Self { memory, ..other.clone() };
        }
        (self.spent, self.different, self.rounded) = (spent, different, rounded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differed_for_ranks_that_never_met_is_kept() {
        let of = |calls: u64, different: u64| {
            let mut versus = Versus::default();
            (0..calls).for_each(|call| versus.record([1e-3, 2e-3], [0, 0], 4e-3, call < different));
            versus.add_rounded(calls);
            versus
        };
        for (mut all, other) in [(of(3, 0), of(2, 1)), (of(2, 1), of(3, 0))] {
            all.add(&other);
            assert_eq!((all.compared, all.different, all.rounded), (3, 1, 5));
        }
    }
}
