//! Ownership of regions: each passes from the ranks that write it to those that read it, and on to the next exchange.
//!
//! A region belongs to one exchange at a time (`turn`). Counts replace barriers: whoever counts last does the next
//! step. One count of each kind serves all regions of a node, since a rank packs all its messages before it counts
//! itself, and reads all of its messages before it counts itself again.
//!
//! ```text
//! region for the message to another node                region for the message from another node
//!
//! each rank               leader                        leader                     each rank
//! turn == e?      (acquire) <────────────┐              turn == e?     (acquire) <─────────────┐
//! write bytes                            │              MPI_Irecv                              │
//! packed += 1     (acq_rel)              │                   │                                 │
//! last: ready := e + 1 ──> ready?        │              complete:                              │
//!   of the own region      MPI_Isend     │              ready := e + 1 ──────────> ready?      │
//!                              │         │                                         read bytes  │
//!                          complete:     │                                         read += 1   │
//!                          turn := e + 1 ┘              last, for all regions read: turn := e + 1
//! ```
//! The own region, for a node's own ranks, is written as on the left and read as on the right; its `ready` says that
//! all regions are packed. The loom model (`cfg(loom)`) runs all interleavings of two exchanges of two ranks.

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

    /// Returns the number of bytes that ranks have taken, once all have packed.
    pub fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
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

    /// Passes the region from exchange number `exchange` to the next one.
    pub fn pass_on(&self, exchange: u64) {
        self.taken.store(0, Ordering::Relaxed);
        // SYNC POINT region-turn: release here pairs with the acquire in `is_turn`.
        self.turn.store(exchange + 1, Ordering::Release);
    }
}

/// Progress of a node's ranks in the exchange that has the own region. All zeros at first.
#[repr(C, align(128))]
#[derive(Default)]
pub struct RankCounts {
    /// Number of ranks that have finished packing, and of those that have finished reading.
    packed: AtomicU64,
    read: AtomicU64,
}

impl RankCounts {
    /// Returns whether some rank has packed all that it has.
    pub fn has_begun(&self) -> bool {
        self.packed.load(Ordering::Relaxed) > 0
    }

    /// Records that this rank, one of `ranks`, has packed everything; it must not pack afterwards. Returns whether it
    /// is the last one: then it must complete the own region.
    pub fn has_packed(&self, ranks: usize) -> bool {
        // SYNC POINT ranks-packed: the last rank acquires what the others wrote before their releases.
        self.packed.fetch_add(1, Ordering::AcqRel) + 1 == ranks as u64
    }

    /// Records that this rank, one of `ranks`, has read everything; it must not read afterwards. Returns whether it is
    /// the last one: then the counts are zero again, and it must pass on the regions that ranks read, the own region
    /// last.
    pub fn has_read(&self, ranks: usize) -> bool {
        // SYNC POINT ranks-read: the last rank acquires, so that no read of the others comes after its `pass_on`.
        let is_last = self.read.fetch_add(1, Ordering::AcqRel) + 1 == ranks as u64;
        if is_last {
            // Ranks of the next exchange count after the own region is passed on, which releases these zeros.
            self.packed.store(0, Ordering::Relaxed);
            self.read.store(0, Ordering::Relaxed);
        }
        is_last
    }
}

#[cfg(loom)]
#[cfg(test)]
mod tests {
    use super::*;
    use loom::cell::UnsafeCell;
    use loom::sync::Arc;
    use loom::thread;

    /// The own region of two ranks, with a cell for each, and the region for another node, whose leader is rank 0, with
    /// a cell for rank 1.
    struct SharedRegions {
        counts: RankCounts,
        own: RegionState,
        cells: [UnsafeCell<u64>; 2],
        other: RegionState,
        other_cell: UnsafeCell<u64>,
    }

    // SAFETY: loom checks the accesses to the cells.
    unsafe impl Sync for SharedRegions {}

    /// Writes the rank's cells in each exchange, and reads the own region; rank 0 also reads the other region, as MPI
    /// does when it sends it.
    fn rank(regions: &SharedRegions, me: usize) {
        let SharedRegions { counts, own, cells, other, other_cell } = regions;
        let wait = |is: &dyn Fn() -> bool| {
            while !is() {
                thread::yield_now();
            }
        };
        let write = |cell: &UnsafeCell<u64>, exchange| cell.with_mut(|cell| unsafe { *cell = exchange + 7 });
        let read = |cell: &UnsafeCell<u64>, exchange| {
            assert_eq!(cell.with(|cell| unsafe { *cell }), exchange + 7);
        };
        for exchange in 0..2 {
            wait(&|| own.is_turn(exchange));
            own.take(8);
            write(&cells[me], exchange);
            if me == 1 {
                wait(&|| other.is_turn(exchange));
                write(other_cell, exchange);
            }
            if counts.has_packed(2) {
                assert_eq!(own.taken(), 16);
                own.complete(exchange);
            }
            wait(&|| own.is_complete(exchange));
            cells.iter().for_each(|cell| read(cell, exchange));
            if me == 0 {
                read(other_cell, exchange);
                other.pass_on(exchange);
            }
            if counts.has_read(2) {
                own.pass_on(exchange);
            }
        }
    }

    #[test]
    fn no_rank_writes_what_another_one_still_reads() {
        loom::model(|| {
            let cell = || UnsafeCell::new(0);
            let regions = Arc::new(SharedRegions {
                counts: RankCounts::default(),
                own: RegionState::default(),
                cells: [cell(), cell()],
                other: RegionState::default(),
                other_cell: cell(),
            });
            let second = regions.clone();
            let thread = thread::spawn(move || rank(&second, 1));
            rank(&regions, 0);
            thread.join().unwrap();
        });
    }
}
