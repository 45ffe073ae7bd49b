//! HOW LONG did a resize take, and each of its parts?

use std::time::Duration;

/// What the last resize took on this rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// Ranks before.
    pub before: u32,
    /// Ranks afterwards.
    pub after: u32,
    /// To agree on the size, with the other ranks and the policy.
    pub ask: Duration,
    /// Until new processes were there, or parked ones had answered.
    pub spawn: Duration,
    /// To make communicators and process grids.
    pub grid: Duration,
    /// To tell new ranks what there is, and to plan.
    pub plan: Duration,
    /// To move all arrays, and to give back the storage in which they were.
    pub transfer: Duration,
    /// All of it.
    pub total: Duration,
}
