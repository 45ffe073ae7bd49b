//! Ranks of one node, through memory that they share: the sender packs into a slot of its own, the receiver unpacks
//! from it, two copies in all. Slots are per rank and not per pair, since the schedule says who talks to whom.
//!
//! It knows bytes and ranks of a node; how slots change hands is in [`turn`]. A message that was sent needs its sender
//! no more, who may leave before the receiver has come; but for arrays that are [`lent`].
#![allow(unsafe_code)]

mod lent;
mod segment;
mod turn;

pub use lent::Arrays;
pub use segment::Segment;

use super::{Length, Slot, Transport};
use crate::layout::Rank;
use crate::pack::{Reader, Source};
use lent::Lent;
use std::sync::Arc;
use turn::{Header, Inbox, Outbox, Stamp};

/// Parts of ranks and what is in them begin at multiples of this: a page.
const ALIGN: usize = 4096;
/// In place of a message's length: an array is lent.
const LENT: usize = usize::MAX >> 1;

/// Where the slots of a kind lie in the part of a segment that is one rank's.
#[derive(Clone, Copy, Debug)]
pub struct Ring {
    slots: usize,
    capacity: usize,
    headers: usize,
    buffers: usize,
}

/// Lays out rings of (slots, bytes a slot); returns them and the bytes of a rank's part.
pub fn lay_out<const N: usize>(sizes: [(usize, usize); N]) -> ([Ring; N], usize) {
    let mut end = 0;
    let rings = sizes.map(|(slots, capacity)| {
        let capacity = capacity.next_multiple_of(align_of::<Header>());
        let headers = end;
        let buffers = (headers + slots * size_of::<Header>()).next_multiple_of(ALIGN);
        end = (buffers + slots * capacity).next_multiple_of(ALIGN);
        Ring { slots, capacity, headers, buffers }
    });
    (rings, end)
}

/// One rank's end of the slots of a kind.
pub struct Endpoint {
    segment: Arc<Segment>,
    ring: Ring,
    /// Bytes of a rank's part.
    part: usize,
    me: usize,
    /// Ranks of the node, ascending; this is number `me` of them.
    ranks: Arc<[u32]>,
    outbox: Outbox,
    inbox: Inbox,
    /// By receiving slot.
    expected: Vec<Option<Expected>>,
    /// Arrays that may be lent.
    arrays: Vec<Arc<Arrays>>,
    /// Sending slots by which an array is lent.
    lending: Vec<usize>,
}

struct Expected {
    from: usize,
    stamp: Stamp,
    bytes: usize,
    /// The sender's slot, once it has come.
    at: Option<usize>,
    /// Whether an array was lent in place of the bytes.
    lent: bool,
}

impl Endpoint {
    /// The end of number `me` of `ranks`, which are in ascending order. All of them make one for the same ring of the
    /// same segment, once, which has a part of `part` bytes for each.
    pub fn new(segment: Arc<Segment>, ring: Ring, part: usize, me: usize, ranks: Arc<[u32]>) -> Self {
        segment.at(0..part * ranks.len());
        assert!(me < ranks.len() && ranks.is_sorted());
        let (outbox, inbox) = (Outbox::new(ranks.len()), Inbox::new(me, ranks.len()));
        let expected = (0..ring.slots).map(|_| None).collect();
        let (arrays, lending) = (Vec::new(), Vec::new());
        Self { segment, ring, part, me, ranks, outbox, inbox, expected, arrays, lending }
    }

    /// Whether `rank` is on this node.
    pub fn reaches(&self, rank: Rank) -> bool {
        self.ranks.binary_search(&rank.0).is_ok()
    }

    /// Slots in each direction.
    pub fn slots(&self) -> usize {
        self.ring.slots
    }

    /// From now on these may be lent.
    pub fn know(&mut self, arrays: Arc<Arrays>) {
        self.arrays.push(arrays);
    }

    /// From now on these are not lent.
    pub fn forget(&mut self, arrays: &Arc<Arrays>) {
        self.arrays.retain(|known| !Arc::ptr_eq(known, arrays));
    }

    fn number(&self, rank: Rank) -> usize {
        self.ranks.binary_search(&rank.0).expect("a rank of this node")
    }

    fn headers(&self, owner: usize) -> &[Header] {
        let start = owner * self.part + self.ring.headers;
        let headers = self.segment.at(start..start + self.ring.slots * size_of::<Header>());
        // SAFETY: within the segment, as `at` asserts; aligned, since parts and rings begin at pages; any bytes are
        // headers, and all ranks use them as atomics only.
        unsafe { std::slice::from_raw_parts(headers.cast::<Header>(), self.ring.slots) }
    }

    fn buffer(&self, owner: usize, slot: usize) -> *mut u8 {
        let start = owner * self.part + self.ring.buffers + slot * self.ring.capacity;
        self.segment.at(start..start + self.ring.capacity)
    }
}

impl Transport for Endpoint {
    type Error = Length;

    fn capacity(&self, _: Rank) -> usize {
        self.ring.capacity
    }

    fn free_slot(&mut self, _: Rank) -> Result<Option<Slot>, Length> {
        Ok(Outbox::free(self.headers(self.me)).map(Slot))
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        assert!(self.headers(self.me)[slot.0].is_senders(), "{slot:?} is on its way");
        // SAFETY: the bytes are within the segment. The slot is the sender's, as asserted, which only `send` changes:
        // until then no receiver touches them, and this borrow keeps `send` off.
        unsafe { std::slice::from_raw_parts_mut(self.buffer(self.me, slot.0), self.ring.capacity) }
    }

    fn reader(&self, _: Slot) -> Reader {
        Reader::AnotherCore
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Length> {
        assert!(bytes <= self.ring.capacity || bytes == LENT);
        self.lending.retain(|&lent| lent != slot.0);
        let stamp = self.outbox.next(self.number(to));
        self.headers(self.me)[slot.0].hand_over(stamp, bytes);
        Ok(())
    }

    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Length> {
        let Some(free) = self.expected.iter().position(Option::is_none) else { return Ok(None) };
        let from = self.number(from);
        let stamp = self.inbox.expect(from);
        self.expected[free] = Some(Expected { from, stamp, bytes, at: None, lent: false });
        Ok(Some(Slot(free)))
    }

    fn arrived(&mut self) -> Result<Option<Slot>, Length> {
        for k in 0..self.expected.len() {
            let Some(Expected { from, stamp, bytes: expected, at: None, .. }) = self.expected[k] else {
                continue;
            };
            let headers = self.headers(from);
            let Some(at) = Inbox::find(headers, stamp) else { continue };
            let mut came = headers[at].bytes();
            let lent = came == LENT;
            self.expected[k] = Some(Expected { from, stamp, bytes: expected, at: Some(at), lent });
            if lent {
                let told = Lent::read(self.received(Slot(k)));
                came = usize::try_from(told.bytes).unwrap_or(usize::MAX);
            }
            return if came == expected { Ok(Some(Slot(k))) } else { Err(Length { came, expected }) };
        }
        Ok(None)
    }

    fn received(&self, slot: Slot) -> &[u8] {
        let Some(Expected { from, at: Some(at), bytes, lent, .. }) = self.expected[slot.0] else {
            panic!("{slot:?} has not arrived");
        };
        let bytes = if lent { Lent::BYTES } else { bytes };
        // SAFETY: the bytes are within the segment, as many as its sender wrote, and the slot is this receiver's until
        // `release`, which this borrow keeps off.
        unsafe { std::slice::from_raw_parts(self.buffer(from, at), bytes) }
    }

    fn lend(&mut self, slot: Slot, to: Rank, bytes: usize, source: &Source) -> Result<bool, Length> {
        let Some(lent) = self.arrays.iter().find_map(|arrays| arrays.lend(source, bytes)) else {
            return Ok(false);
        };
        if self.ring.capacity < Lent::BYTES {
            return Ok(false);
        }
        lent.write(self.fill(slot));
        self.send(slot, to, LENT)?;
        self.lending.push(slot.0);
        Ok(true)
    }

    fn lent(&self, slot: Slot) -> Option<Source<'_>> {
        let Some(Expected { from, lent: true, .. }) = self.expected[slot.0] else { return None };
        let lent = Lent::read(self.received(slot));
        // SAFETY: the slot is this receiver's until `release`, which this borrow keeps off.
        Some(unsafe { lent.source(&self.arrays, from) })
    }

    fn release(&mut self, slot: Slot) {
        let Some(Expected { from, at: Some(at), .. }) = self.expected[slot.0].take() else {
            panic!("{slot:?} has not arrived");
        };
        self.headers(from)[at].hand_back();
    }

    fn all_sent(&mut self) -> Result<bool, Length> {
        let mut lending = std::mem::take(&mut self.lending);
        lending.retain(|&slot| !self.headers(self.me)[slot].is_senders());
        self.lending = lending;
        Ok(self.lending.is_empty())
    }
}
