//! WHOSE turn is it at a slot, the sender's or the receiver's?
//!
//! A slot belongs to one sender, who may use it for any receiver. Its word is 0 while the sender may write the slot's
//! bytes, and else the stamp of what is in it: for whom, and the how-manieth message it is between those two. Only the
//! sender turns 0 into a stamp, only the receiver that the stamp names turns it back into 0; so each side needs no more
//! than one store, and a message is found by its stamp in whichever slot it is.
//!
//! ```text
//! sender                              receiver
//! word == 0?            (acquire) <──────────────┐
//! write bytes                                    │
//! word := stamp         (release) ──> word == stamp?   (acquire)
//!                                     read bytes │
//!                                     word := 0  (release)
//! ```
//! The model of it (`cfg(loom)`) runs all interleavings of a sender and two receivers.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of a stamp that count messages; after 2^40 of them between two ranks the count begins again.
const COUNT_BITS: u32 = 40;

/// The word and the length of what is in a slot, on cache lines of their own (two: they are fetched in pairs).
#[repr(C, align(128))]
pub struct Header {
    word: AtomicU64,
    bytes: AtomicU64,
}

/// What a message is found by: never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp(u64);

impl Stamp {
    /// Of message number `count` to the receiver.
    fn new(receiver: usize, count: u64) -> Self {
        let receiver = u64::try_from(receiver).expect("ranks of a node are few") + 1;
        Self((receiver << COUNT_BITS) | (count & ((1 << COUNT_BITS) - 1)))
    }
}

impl Header {
    /// A slot that is the sender's.
    #[cfg(loom)]
    fn new() -> Self {
        Self { word: AtomicU64::new(0), bytes: AtomicU64::new(0) }
    }

    /// Whether the sender may write the slot.
    pub fn is_senders(&self) -> bool {
        // SYNC POINT slot-empty: acquire here pairs with the release in `hand_back`.
        self.word.load(Ordering::Acquire) == 0
    }

    /// The sender's last act on a message of so many bytes.
    pub fn hand_over(&self, stamp: Stamp, bytes: usize) {
        self.bytes.store(bytes as u64, Ordering::Relaxed);
        // SYNC POINT slot-full: release here pairs with the acquire in `holds`.
        self.word.store(stamp.0, Ordering::Release);
    }

    /// Whether the message with that stamp is in the slot.
    fn holds(&self, stamp: Stamp) -> bool {
        // SYNC POINT slot-full: acquire here pairs with the release in `hand_over`.
        self.word.load(Ordering::Acquire) == stamp.0
    }

    /// The bytes of the message that the slot holds.
    pub fn bytes(&self) -> usize {
        usize::try_from(self.bytes.load(Ordering::Relaxed)).expect("a length in this process's memory")
    }

    /// The receiver's last act on a message.
    pub fn hand_back(&self) {
        // SYNC POINT slot-empty: release here pairs with the acquire in `is_senders`.
        self.word.store(0, Ordering::Release);
    }
}

/// A sender's slots: the lowest free one is next, so that as few as possible are in use and stay in the cache.
pub struct Outbox {
    /// Messages so far to each rank of the node.
    counts: Vec<u64>,
}

impl Outbox {
    /// Nothing sent yet to any of `ranks` ranks.
    pub fn new(ranks: usize) -> Self {
        Self { counts: vec![0; ranks] }
    }

    /// A slot to write.
    pub fn free<'a>(slots: impl IntoIterator<Item = &'a Header>) -> Option<usize> {
        slots.into_iter().position(Header::is_senders)
    }

    /// The stamp of the next message to rank `to`.
    pub fn next(&mut self, to: usize) -> Stamp {
        self.counts[to] += 1;
        Stamp::new(to, self.counts[to] - 1)
    }
}

/// A receiver's expectations.
pub struct Inbox {
    me: usize,
    /// Messages expected so far from each rank of the node.
    counts: Vec<u64>,
}

impl Inbox {
    /// Nothing expected yet by rank `me` from any of `ranks` ranks.
    pub fn new(me: usize, ranks: usize) -> Self {
        Self { me, counts: vec![0; ranks] }
    }

    /// The stamp of the next message from rank `from`.
    pub fn expect(&mut self, from: usize) -> Stamp {
        self.counts[from] += 1;
        Stamp::new(self.me, self.counts[from] - 1)
    }

    /// The slot, among those of its sender, in which the message is, once it is there.
    pub fn find<'a>(slots: impl IntoIterator<Item = &'a Header>, stamp: Stamp) -> Option<usize> {
        slots.into_iter().position(|slot| slot.holds(stamp))
    }
}

#[cfg(all(test, loom))]
mod tests;
