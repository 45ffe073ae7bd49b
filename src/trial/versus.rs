//! Results of a trial for calls of one shape: the times of both libraries, and the calls whose results differed.

use super::Quantiles;
use super::chance::Pairs;
use serde::{Deserialize, Serialize};

/// Results of ScaLAPACK beside those of reblock. A call's time is that of its slowest rank, from the arrival of the
/// last rank, with the time to prepare reblock's call.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Versus {
    /// Seconds of reblock in each call after the first.
    pub ours: Quantiles,
    /// Seconds of ScaLAPACK in each call after the first.
    pub theirs: Quantiles,
    /// Seconds of the first call: reblock, ScaLAPACK.
    pub first: [f64; 2],
    /// Sum of the squared time differences of all calls after the first, in s². Absent in reports of former versions.
    #[serde(default)]
    pub squares: Option<f64>,
    /// Seconds of both libraries' calls, including copies and comparisons, on the rank with the largest sum.
    pub spent: f64,
    /// Largest growth of a rank's memory by a call, in bytes: reblock, ScaLAPACK.
    pub memory: [u64; 2],
    /// Number of calls that were compared.
    pub compared: u64,
    /// Number of calls whose results differed on some rank.
    pub different: u64,
    /// Number of elements, on all ranks, that the libraries rounded differently. Absent in reports of former versions.
    #[serde(default)]
    pub rounded: u64,
}

impl Versus {
    /// Adds a call. `seconds` and `memory` (bytes) have the figures of reblock, then of ScaLAPACK. `spent` is the time
    /// in seconds of both calls, with copying and comparing.
    pub fn record(&mut self, seconds: [f64; 2], memory: [u64; 2], spent: f64, different: bool) {
        if self.compared == 0 {
            self.first = seconds;
        } else {
            self.ours.record(seconds[0]);
            self.theirs.record(seconds[1]);
            *self.squares.get_or_insert(0.0) += (seconds[1] - seconds[0]).powi(2);
        }
        self.spent += spent;
        self.raise_memory(memory);
        self.compared = self.compared.saturating_add(1);
        self.different = self.different.saturating_add(u64::from(different));
    }

    /// Adds the number of this rank's elements that the libraries rounded differently in a call.
    pub fn add_rounded(&mut self, elements: u64) {
        self.rounded = self.rounded.saturating_add(elements);
    }

    /// Returns the times of the calls after the first one. `None` for reports of former versions.
    fn later_calls(&self) -> Option<Pairs> {
        Some(Pairs { ours: self.ours.total(), theirs: self.theirs.total(), squares: self.squares? })
    }

    /// Returns the times of all calls. `None` for reports of former versions.
    pub(super) fn pairs(&self) -> Option<Pairs> {
        let first = Pairs::of(self.first[0], self.first[1]);
        if self.ours.count() == 0 { Some(first) } else { Some(first.and(self.later_calls()?)) }
    }

    /// Returns true if the times of the calls after the first one differ by more than chance explains. `None` for
    /// reports of former versions.
    pub fn shows_difference(&self) -> Option<bool> {
        if self.ours.count() == 0 { Some(false) } else { Some(self.later_calls()?.differ()) }
    }

    fn raise_memory(&mut self, other: [u64; 2]) {
        self.memory = [self.memory[0].max(other[0]), self.memory[1].max(other[1])];
    }

    /// Merges the results of another rank. All ranks of a call record equal times, so those of the rank with more calls
    /// are kept.
    pub(super) fn add(&mut self, other: &Self) {
        self.raise_memory(other.memory);
        let (memory, spent) = (self.memory, self.spent.max(other.spent));
        // Ranks that took part in different calls have different counts. The larger one is kept, so that it is 0 only
        // if no rank found a difference.
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
