//! Ownership of a region: it passes from the ranks that write it to those that read it, and on to the next exchange.
//!
//! A region belongs to one exchange at a time (`turn`). Counts replace barriers: whoever counts last does the next step.
//!
//! ```text
//! region for the message to another node               region for the message from another node
//!
//! each rank               leader                       leader                     each rank
//! turn == e?      (acquire) <────────────┐             turn == e?     (acquire) <────────────┐
//! write bytes                            │             MPI_Irecv                             │
//! packed += 1     (acq_rel)              │                  │                                │
//! last: ready := e + 1 ──> ready?        │             complete:                             │
//!                          MPI_Isend     │             ready := e + 1 ──────────> ready?     │
//!                              │         │                                        read bytes │
//!                          complete:     │                                        read += 1  │
//!                          turn := e + 1 ┘                                last: turn := e + 1 ┘
//! ```
//! The region for a node's own ranks is written as on the left and read as on the right. The loom model (`cfg(loom)`)
//! runs all interleavings of two exchanges of two ranks.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// State of a region, in memory that the ranks of a node share. All zeros is the state before the first exchange, which
/// has number 0. It has cache lines of its own, because lines are fetched in pairs.
#[repr(C, align(128))]
#[derive(Default)]
pub struct RegionState {
    /// Number of the exchange that may use the region.
    turn: AtomicU64,
    /// One more than the number of the last exchange whose bytes are complete in the region.
    ready: AtomicU64,
    /// Bytes that ranks have taken for their messages.
    taken: AtomicU64,
    /// Number of ranks that have written all that they have, and of those that have read it.
    packed: AtomicU64,
    read: AtomicU64,
}

impl RegionState {
    /// Returns whether the region belongs to exchange number `exchange`.
    pub fn is_turn(&self, exchange: u64) -> bool {
        // SYNC POINT region-turn: acquire here pairs with the release in `pass_on`.
        self.turn.load(Ordering::Acquire) == exchange
    }

    /// Takes the next `bytes` bytes for a message of this rank. Returns the number of bytes taken before.
    pub fn take(&self, bytes: u64) -> u64 {
        self.taken.fetch_add(bytes, Ordering::Relaxed)
    }

    /// Returns the number of bytes that ranks have taken, once the region is complete.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    /// Returns whether some rank has written all that it has for exchange number `exchange`.
    pub fn is_begun(&self, exchange: u64) -> bool {
        self.is_turn(exchange) && self.packed.load(Ordering::Relaxed) > 0
    }

    /// Counts this rank among the `ranks` ranks that write the region, and must not write any more. Returns whether it
    /// is the last one; then it must call [`RegionState::complete`].
    pub fn has_packed(&self, ranks: usize) -> bool {
        // SYNC POINT region-packed: the last rank acquires what the others wrote before their releases.
        self.packed.fetch_add(1, Ordering::AcqRel) + 1 == ranks as u64
    }

    /// Makes the bytes of exchange number `exchange` available to readers.
    pub fn complete(&self, exchange: u64) {
        // SYNC POINT region-ready: release here pairs with the acquire in `is_complete`.
        self.ready.store(exchange + 1, Ordering::Release);
    }

    /// Returns whether the bytes of exchange number `exchange` are complete.
    pub fn is_complete(&self, exchange: u64) -> bool {
        // SYNC POINT region-ready: acquire here pairs with the release in `complete`.
        self.ready.load(Ordering::Acquire) == exchange + 1
    }

    /// Counts this rank among the `ranks` ranks that read the region, and must not read any more. Returns whether it is
    /// the last one; then it must call [`RegionState::pass_on`].
    pub fn has_read(&self, ranks: usize) -> bool {
        // SYNC POINT region-read: the last rank acquires, so that no read of the others comes after its `pass_on`.
        self.read.fetch_add(1, Ordering::AcqRel) + 1 == ranks as u64
    }

    /// Passes the region from exchange number `exchange` to the next one.
    pub fn pass_on(&self, exchange: u64) {
        self.taken.store(0, Ordering::Relaxed);
        self.packed.store(0, Ordering::Relaxed);
        self.read.store(0, Ordering::Relaxed);
        // SYNC POINT region-turn: release here pairs with the acquire in `is_turn`.
        self.turn.store(exchange + 1, Ordering::Release);
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// A region for two ranks of one node, each with a cell to write.
    struct SharedRegion {
        state: RegionState,
        cells: [UnsafeCell<u64>; 2],
    }

    // SAFETY: loom checks the accesses to the cells.
    unsafe impl Sync for SharedRegion {}

    /// Writes the rank's cell in each exchange, and reads both.
    fn rank(region: &SharedRegion, me: usize) {
        for exchange in 0..2 {
            while !region.state.is_turn(exchange) {
                thread::yield_now();
            }
            region.state.take(8);
            region.cells[me].with_mut(|cell| unsafe { *cell = exchange + 7 });
            if region.state.has_packed(2) {
                assert_eq!(region.state.taken(), 16);
                region.state.complete(exchange);
            }
            while !region.state.is_complete(exchange) {
                thread::yield_now();
            }
            for cell in &region.cells {
                assert_eq!(cell.with(|cell| unsafe { *cell }), exchange + 7);
            }
            if region.state.has_read(2) {
                region.state.pass_on(exchange);
            }
        }
    }

    #[test]
    fn no_rank_writes_what_another_one_still_reads() {
        loom::model(|| {
            let cells = [UnsafeCell::new(0), UnsafeCell::new(0)];
            let region = Arc::new(SharedRegion { state: RegionState::default(), cells });
            let other = region.clone();
            let thread = thread::spawn(move || rank(&other, 1));
            rank(&region, 0);
            thread.join().unwrap();
        });
    }
}
