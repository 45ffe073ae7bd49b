//! Ownership of a slot: it passes from the sender to the receiver and back.
//!
//! A slot belongs to one sender, which may use it for any receiver. The slot's control word is 0 while the sender may
//! write the slot's bytes. Otherwise the word is the stamp of the message in the slot: receiver, call, and the
//! message's number among those of that call between the two ranks. Only the sender turns 0 into a stamp, and only the
//! receiver named in the stamp turns it back into 0. So each side needs a single store. A receiver finds a message by
//! its stamp in any slot, even if several calls are in progress.
//!
//! ```text
//! sender                              receiver
//! word == 0?            (acquire) <──────────────┐
//! write bytes                                    │
//! word := stamp         (release) ──> word == stamp?   (acquire)
//!                                     read bytes │
//!                                     word := 0  (release)
//! ```
//! The loom model (`cfg(loom)`) runs all interleavings of a sender and two receivers.

#[cfg(loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Bits of a stamp for the number of the message, and for that of the call. Numbers wrap around; messages that are in
/// slots at the same time differ by less.
const COUNT_BITS: u32 = 20;
const CALL_BITS: u32 = 20;

/// Number of words of a note.
pub const NOTE_WORDS: usize = 11;

/// Control word of a slot and length of its message in bytes. A header has two cache lines of its own, because lines
/// are fetched in pairs.
///
/// The other words are a note to the receiver about device memory, and the receiver's answer. Like the slot's bytes,
/// they belong to the side that the control word names.
#[repr(C, align(128))]
pub struct Header {
    word: AtomicU64,
    bytes: AtomicU64,
    note: [AtomicU64; NOTE_WORDS],
    answer: AtomicU64,
}

/// Identity of a message; never 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp(u64);

impl Stamp {
    /// Returns the stamp of message number `count` of call number `call` to rank number `receiver` of the node.
    fn new(receiver: usize, call: u64, count: u64) -> Self {
        let receiver = u64::try_from(receiver).expect("ranks of a node are few") + 1;
        let last = |n: u64, bits: u32| n & ((1 << bits) - 1);
        let call = last(call, CALL_BITS) << COUNT_BITS;
        Self((receiver << (COUNT_BITS + CALL_BITS)) | call | last(count, COUNT_BITS))
    }
}

impl Header {
    /// Creates the header of an empty slot.
    #[cfg(any(loom, test))]
    pub fn new() -> Self {
        let zero = || AtomicU64::new(0);
        Self { word: zero(), bytes: zero(), note: std::array::from_fn(|_| zero()), answer: zero() }
    }

    /// Returns whether the slot is empty, so that its sender may write it.
    pub fn is_senders(&self) -> bool {
        // SYNC POINT slot-empty: acquire here pairs with the release in `hand_back`.
        self.word.load(Ordering::Acquire) == 0
    }

    /// Passes a message of `bytes` bytes to its receiver. After that the sender must not access the slot's bytes.
    pub fn hand_over(&self, stamp: Stamp, bytes: usize) {
        self.bytes.store(bytes as u64, Ordering::Relaxed);
        // SYNC POINT slot-full: release here pairs with the acquire in `holds`.
        self.word.store(stamp.0, Ordering::Release);
    }

    /// Returns whether the message with this stamp is in the slot.
    pub fn holds(&self, stamp: Stamp) -> bool {
        // SYNC POINT slot-full: acquire here pairs with the release in `hand_over`.
        self.word.load(Ordering::Acquire) == stamp.0
    }

    /// Returns whether the slot has a message with the call and the receiver of this stamp.
    pub fn holds_same_call(&self, stamp: Stamp) -> bool {
        // SYNC POINT slot-full: as in `holds`.
        self.word.load(Ordering::Acquire) >> COUNT_BITS == stamp.0 >> COUNT_BITS
    }

    pub fn bytes(&self) -> usize {
        usize::try_from(self.bytes.load(Ordering::Relaxed)).expect("a length in this process's memory")
    }

    /// Writes a note to the receiver of the next message, and sets the answer to 0. Only for the sender, before
    /// [`Self::hand_over`].
    pub fn write_note(&self, note: [u64; NOTE_WORDS]) {
        self.note.iter().zip(note).for_each(|(place, word)| place.store(word, Ordering::Relaxed));
        self.answer.store(0, Ordering::Relaxed);
    }

    /// Returns the note. Only for the receiver, before [`Self::hand_back`].
    pub fn note(&self) -> [u64; NOTE_WORDS] {
        std::array::from_fn(|k| self.note[k].load(Ordering::Relaxed))
    }

    /// Answers the note. Only for the receiver, before [`Self::hand_back`].
    pub fn write_answer(&self, answer: u64) {
        self.answer.store(answer, Ordering::Relaxed);
    }

    /// Returns the receiver's answer to the note. Only for the sender, once the slot has come back.
    pub fn answer(&self) -> u64 {
        self.answer.load(Ordering::Relaxed)
    }

    /// Returns the slot to its sender. After that the receiver must not access the slot's bytes.
    pub fn hand_back(&self) {
        // SYNC POINT slot-empty: release here pairs with the acquire in `is_senders`.
        self.word.store(0, Ordering::Release);
    }
}

/// The counts of messages that a rank has sent in a call.
pub struct Outbox {
    call: u64,
    /// Number of messages sent to each rank of the node.
    counts: Vec<u64>,
}

impl Outbox {
    /// Starts call number `call` between `ranks` ranks.
    pub fn new(call: u64, ranks: usize) -> Self {
        Self { call, counts: vec![0; ranks] }
    }

    /// Starts another call between the same ranks.
    pub fn begin(&mut self, call: u64) {
        self.call = call;
        self.counts.fill(0);
    }

    /// Returns the lowest empty slot that is not `held`, if `spare` other such slots are empty. Low slots first, so
    /// that few slots occupy the cache.
    pub fn free<'a>(
        slots: impl IntoIterator<Item = &'a Header>,
        held: impl Fn(usize) -> bool,
        spare: usize,
    ) -> Option<usize> {
        let slots = slots.into_iter().enumerate();
        let mut free = slots.filter(|(k, slot)| slot.is_senders() && !held(*k)).map(|(k, _)| k);
        let first = free.next()?;
        (free.take(spare).count() == spare).then_some(first)
    }

    /// Returns the stamp of the next message to rank `to`.
    pub fn next(&mut self, to: usize) -> Stamp {
        self.counts[to] += 1;
        Stamp::new(to, self.call, self.counts[to] - 1)
    }
}

/// The counts of messages that a rank expects in a call.
pub struct Inbox {
    me: usize,
    call: u64,
    /// Number of messages expected so far from each rank of the node.
    counts: Vec<u64>,
}

impl Inbox {
    /// Starts call number `call` on rank `me` of `ranks` ranks.
    pub fn new(me: usize, call: u64, ranks: usize) -> Self {
        Self { me, call, counts: vec![0; ranks] }
    }

    /// Starts another call between the same ranks.
    pub fn begin(&mut self, call: u64) {
        self.call = call;
        self.counts.fill(0);
    }

    /// Returns the stamp of the next message from rank `from`.
    pub fn expect(&mut self, from: usize) -> Stamp {
        self.counts[from] += 1;
        Stamp::new(self.me, self.call, self.counts[from] - 1)
    }

    /// Hands back each of a sender's slots that has a message of this call to this rank.
    pub fn hand_all_back<'a>(&self, slots: impl IntoIterator<Item = &'a Header>) {
        let any = Stamp::new(self.me, self.call, 0);
        slots.into_iter().filter(|slot| slot.holds_same_call(any)).for_each(Header::hand_back);
    }

    /// Returns the sender's slot that has the message, once it has arrived.
    pub fn find<'a>(slots: impl IntoIterator<Item = &'a Header>, stamp: Stamp) -> Option<usize> {
        slots.into_iter().position(|slot| slot.holds(stamp))
    }
}

#[cfg(all(test, loom))]
mod tests;
