//! HOW MANY communicators did reblock make, and how many of them were there at a time? It counts; it never knows which.

use std::sync::atomic::{AtomicU64, Ordering};

static MADE: AtomicU64 = AtomicU64::new(0);
static OF_NODES: AtomicU64 = AtomicU64::new(0);
static LEFT: AtomicU64 = AtomicU64::new(0);
static MOST: AtomicU64 = AtomicU64::new(0);

/// Communicators that reblock made in this process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count {
    /// All of them.
    pub made: u64,
    /// Those of the ranks of a node.
    pub of_nodes: u64,
    /// The most that there were at a time.
    pub most: u64,
    /// Those that there are.
    pub left: u64,
}

/// So far.
pub fn made() -> Count {
    let [made, of_nodes, most, left] = [&MADE, &OF_NODES, &MOST, &LEFT].map(|n| n.load(Ordering::Relaxed));
    Count { made, of_nodes, most, left }
}

/// One more.
pub(super) fn add() {
    MADE.fetch_add(1, Ordering::Relaxed);
    let left = LEFT.fetch_add(1, Ordering::Relaxed) + 1;
    MOST.fetch_max(left, Ordering::Relaxed);
}

/// The last one is of ranks of a node.
pub(super) fn is_of_node() {
    OF_NODES.fetch_add(1, Ordering::Relaxed);
}

/// One was freed.
pub(super) fn drop_one() {
    LEFT.fetch_sub(1, Ordering::Relaxed);
}
