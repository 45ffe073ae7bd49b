//! Durations of a resize and of its parts.

use std::time::Duration;

/// Durations of the last resize on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Number of active ranks before the resize.
    pub before: u32,
    /// Number of active ranks after the resize.
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
    /// Time in all resize points of the resize.
    pub total: Duration,
}
