//! Durations of a resize and of its parts.

use std::time::Duration;

/// Durations of the last resize on this rank that all ranks agreed on, even if it failed later. On a rank that the
/// resize started or woke, `ask` and `spawn` are 0, and the other times begin once it is in the new group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Number of active ranks before the resize.
    pub before: u32,
    /// Number of active ranks after the resize.
    pub after: u32,
    /// Agreement on the size, with the other ranks and the policy.
    pub ask: Duration,
    /// Start of new processes or wake-up of parked ones, and formation of the new group of active ranks.
    pub spawn: Duration,
    /// Creation of communicators and process grids.
    pub grid: Duration,
    /// Message to new ranks, and planning.
    pub plan: Duration,
    /// Transfer of all arrays, and release of their old storage.
    pub transfer: Duration,
    /// Whole resize: time inside all its resize points (several, if constant arrays move).
    pub total: Duration,
}

impl Times {
    /// Adds the time of a resize point to the total of the resize from `before` to `after` ranks. A rank that was
    /// parked in this resize point keeps the times of the resize that woke it.
    pub(super) fn add_total(&mut self, before: u32, after: u32, time: Duration) {
        if (self.before, self.after) == (before, after) {
            self.total += time;
        }
    }
}
