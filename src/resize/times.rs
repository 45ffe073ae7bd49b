//! Durations of a resize and of its parts.

use std::time::Duration;

/// Durations of the last resize on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Number of ranks before.
    pub before: u32,
    /// Number of ranks afterwards.
    pub after: u32,
    /// Agreement on the size, with the other ranks and the policy.
    pub ask: Duration,
    /// Start of new processes, or wake-up of parked ones.
    pub spawn: Duration,
    /// Creation of communicators and process grids.
    pub grid: Duration,
    /// Message to new ranks, and planning.
    pub plan: Duration,
    /// Transfer of all arrays, and release of their old storage.
    pub transfer: Duration,
    /// The whole resize point.
    pub total: Duration,
}
