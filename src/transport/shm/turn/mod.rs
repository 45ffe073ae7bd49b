//! WHO may use a slot now, the sender or the receiver?
//!
//! A slot belongs to one sender, which may use it for any receiver. Its control word is 0 while the sender may write the
//! slot's bytes. Otherwise it is the stamp of the message in it: its receiver, its call, and its number among that call's
//! messages of the pair. Only the sender turns 0 into a stamp, and only the receiver that the stamp names turns it back into
//! 0. So each side needs only one store, and a message is found by its stamp in whichever slot it is, even if several calls
//! are in progress.
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

/// Bits of a stamp that count messages of a call between two ranks, and bits that count calls. After so many the counts
/// begin again: no two messages that are in slots at the same time are that far apart.
const COUNT_BITS: u32 = 20;
const CALL_BITS: u32 = 20;

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
    /// Of message number `count` of call number `call` to the receiver.
    fn new(receiver: usize, call: u64, count: u64) -> Self {
        let receiver = u64::try_from(receiver).expect("ranks of a node are few") + 1;
        let last = |n: u64, bits: u32| n & ((1 << bits) - 1);
        let call = last(call, CALL_BITS) << COUNT_BITS;
        Self((receiver << (COUNT_BITS + CALL_BITS)) | call | last(count, COUNT_BITS))
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
    pub fn holds(&self, stamp: Stamp) -> bool {
        // SYNC POINT slot-full: acquire here pairs with the release in `hand_over`.
        self.word.load(Ordering::Acquire) == stamp.0
    }

    /// Whether a message of the same call to the same receiver as the one with that stamp is in the slot.
    pub fn holds_one_like(&self, stamp: Stamp) -> bool {
        // SYNC POINT slot-full: as in `holds`.
        self.word.load(Ordering::Acquire) >> COUNT_BITS == stamp.0 >> COUNT_BITS
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

/// What a sender has sent in a call.
pub struct Outbox {
    call: u64,
    /// Messages so far to each rank of the node.
    counts: Vec<u64>,
}

impl Outbox {
    /// Nothing sent yet in call number `call` to any of `ranks` ranks.
    pub fn new(call: u64, ranks: usize) -> Self {
        Self { call, counts: vec![0; ranks] }
    }

    /// Nothing sent yet in another call.
    pub fn begin(&mut self, call: u64) {
        self.call = call;
        self.counts.fill(0);
    }

    /// A slot to write, if `spare` others are free: the lowest free one, so that as few as possible are in use and stay in
    /// the cache.
    pub fn free<'a>(slots: impl IntoIterator<Item = &'a Header>, spare: usize) -> Option<usize> {
        let mut free = slots.into_iter().enumerate().filter(|(_, slot)| slot.is_senders()).map(|(k, _)| k);
        let first = free.next()?;
        (free.take(spare).count() == spare).then_some(first)
    }

    /// The stamp of the next message to rank `to`.
    pub fn next(&mut self, to: usize) -> Stamp {
        self.counts[to] += 1;
        Stamp::new(to, self.call, self.counts[to] - 1)
    }
}

/// What a receiver expects in a call.
pub struct Inbox {
    me: usize,
    call: u64,
    /// Messages expected so far from each rank of the node.
    counts: Vec<u64>,
}

impl Inbox {
    /// Nothing expected yet in call number `call` by rank `me` from any of `ranks` ranks.
    pub fn new(me: usize, call: u64, ranks: usize) -> Self {
        Self { me, call, counts: vec![0; ranks] }
    }

    /// Nothing expected yet in another call.
    pub fn begin(&mut self, call: u64) {
        self.call = call;
        self.counts.fill(0);
    }

    /// The stamp of the next message from rank `from`.
    pub fn expect(&mut self, from: usize) -> Stamp {
        self.counts[from] += 1;
        Stamp::new(self.me, self.call, self.counts[from] - 1)
    }

    /// Hands back those slots of a sender in which any message of this call to this rank is.
    pub fn hand_all_back<'a>(&self, slots: impl IntoIterator<Item = &'a Header>) {
        let any = Stamp::new(self.me, self.call, 0);
        slots.into_iter().filter(|slot| slot.holds_one_like(any)).for_each(Header::hand_back);
    }

    /// The slot, among those of its sender, in which the message is, once it is there.
    pub fn find<'a>(slots: impl IntoIterator<Item = &'a Header>, stamp: Stamp) -> Option<usize> {
        slots.into_iter().position(|slot| slot.holds(stamp))
    }
}

#[cfg(all(test, loom))]
mod tests;
