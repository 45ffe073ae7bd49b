//! Counts the communicators that reblock has created in this process.

use std::sync::atomic::{AtomicU64, Ordering};

static MADE: AtomicU64 = AtomicU64::new(0);
static ALIVE: AtomicU64 = AtomicU64::new(0);
static MAX_ALIVE: AtomicU64 = AtomicU64::new(0);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// Number of communicators created so far.
    pub made: u64,
    /// Maximum number of communicators that existed at the same time.
    pub most: u64,
    /// Number of communicators that are not freed yet.
    pub left: u64,
}

pub fn communicator_counts() -> Count {
    let [made, most, left] = [&MADE, &MAX_ALIVE, &ALIVE].map(|n| n.load(Ordering::Relaxed));
    Count { made, most, left }
}

pub(super) fn add() {
    MADE.fetch_add(1, Ordering::Relaxed);
    let left = ALIVE.fetch_add(1, Ordering::Relaxed) + 1;
    MAX_ALIVE.fetch_max(left, Ordering::Relaxed);
}

pub(super) fn drop_one() {
    ALIVE.fetch_sub(1, Ordering::Relaxed);
}
