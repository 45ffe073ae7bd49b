//! Messages between ranks of one node, through shared memory: the sender packs into one of its own slots, and the receiver
//! unpacks from it, two copies in all. Slots belong to ranks and not to pairs, since the schedule says who sends to whom.
//!
//! It knows bytes and ranks of a node; `turn` says how slots pass from sender to receiver and back. Once a message is in
//! its slot, the sender may leave the call, even if the receiver has not yet entered it; only a sender that has lent its
//! array must stay.
#![allow(unsafe_code)]

mod alarm;
mod lane;
mod lending;
mod lent;
mod own;
mod past;
pub(crate) mod programs;
mod segment;
mod turn;
mod xpmem;

pub use crate::system::room::{Room, Wanted};
pub(crate) use alarm::Alarm;
pub(crate) use lane::{Lane, NodeSlots};
pub(crate) use lent::Arrays;
pub use own::OwnArray;
pub(crate) use segment::{Location, Name, Segment, Unnamed, Unreserved};

use crate::layout::distribution::Rank;
use past::Past;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use turn::Header;

/// Parts of ranks and what is in them begin at multiples of this: a page.
const ALIGN: usize = 4096;
/// In place of a message's length: an array is lent.
const LENT: usize = usize::MAX >> 1;

/// Where the slots of a kind lie in the part of a segment that is one rank's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotArea {
    slots: usize,
    capacity: usize,
    headers: usize,
    buffers: usize,
}

/// Lays out areas of (slots, bytes a slot); returns them and the bytes of a rank's part.
pub(crate) fn lay_out<const N: usize>(sizes: [(usize, usize); N]) -> ([SlotArea; N], usize) {
    let mut end = 0;
    let areas = sizes.map(|(slots, capacity)| {
        let capacity = capacity.next_multiple_of(align_of::<Header>());
        let headers = end;
        let buffers = (headers + slots * size_of::<Header>()).next_multiple_of(ALIGN);
        end = (buffers + slots * capacity).next_multiple_of(ALIGN);
        SlotArea { slots, capacity, headers, buffers }
    });
    (areas, end)
}

/// How slots are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stores {
    /// They stay in the caches of the core that writes them.
    Cached,
    /// Past the caches.
    Streamed,
}

/// One rank's end of the slots of a kind, for all calls.
pub(crate) struct Endpoint {
    /// Another number for each end of this process.
    id: u64,
    segment: Arc<Segment>,
    area: SlotArea,
    /// Bytes of a rank's part.
    part: usize,
    me: usize,
    /// Ranks of the node, ascending; this is number `me` of them.
    ranks: Arc<[u32]>,
    /// Calls under way.
    open: Vec<u64>,
    /// Arrays that may be lent.
    arrays: Vec<Arc<Arrays>>,
    /// How slots are written.
    past: Past,
    /// Times that an array was lent in place of a message.
    lent: u64,
}

impl Endpoint {
    /// The end of number `me` of `ranks`, which are in ascending order. All of them make one for the same area of the
    /// same segment, once, which has a part of `part` bytes for each, as [`lay_out`] says. `streamed`: whether slots are written past the caches,
    /// if that is not to be found out.
    pub fn new(
        segment: Arc<Segment>,
        (area, part): (SlotArea, usize),
        (me, ranks): (usize, Arc<[u32]>),
        streamed: Option<bool>,
    ) -> Self {
        segment.at(0..part.checked_mul(ranks.len()).expect("parts that memory holds"));
        assert!(me < ranks.len() && ranks.is_sorted_by(|a, b| a < b));
        let end = area.buffers + area.slots * area.capacity;
        assert!(part % ALIGN == 0 && end <= part, "an area of {end} bytes in a part of {part}");
        let own = me * part;
        assert!(segment.claim(own + area.headers..own + end), "a second end of the same slots");
        static MADE: AtomicU64 = AtomicU64::new(0);
        let id = MADE.fetch_add(1, Ordering::Relaxed);
        let (open, arrays, past) = (Vec::new(), Vec::new(), Past::new(streamed));
        Self { id, segment, area, part, me, ranks, open, arrays, past, lent: 0 }
    }

    /// Whether `rank` is on this node.
    pub fn reaches(&self, rank: Rank) -> bool {
        self.ranks.binary_search(&rank.0).is_ok()
    }

    /// From now on these may be lent.
    pub fn know(&mut self, arrays: Arc<Arrays>) {
        self.arrays.push(arrays);
    }

    /// From now on these are not lent.
    pub fn forget(&mut self, arrays: &Arc<Arrays>) {
        self.arrays.retain(|known| !Arc::ptr_eq(known, arrays));
    }

    /// How this rank writes its slots now.
    pub fn stores(&self) -> Stores {
        if self.past.is_past() { Stores::Streamed } else { Stores::Cached }
    }

    /// How often this rank has lent an array in place of a message.
    pub fn lent(&self) -> u64 {
        self.lent
    }

    /// Whether the first message of call number `call` from `from` to this rank is there.
    pub fn holds(&self, call: u64, from: Rank) -> bool {
        let from = self.number(from);
        let stamp = turn::Inbox::new(self.me, call, self.ranks.len()).expect(from);
        turn::Inbox::find(self.headers(from), stamp).is_some()
    }

    /// By which its ranks say that they cannot go on: behind the headers of the first one, which must leave room for it there.
    pub fn alarm(&self) -> Alarm {
        let at = self.area.headers + self.area.slots * size_of::<Header>();
        assert!(at + size_of::<Header>() <= self.area.buffers, "no room for an alarm");
        Alarm::new(self.segment.clone(), at)
    }

    /// Stores that later calls leave to earlier ones: one for each other rank, if there are more than so many, and else one.
    fn kept(&self) -> usize {
        let others = self.ranks.len() - 1;
        if others < self.area.slots { others.max(1) } else { 1 }
    }

    fn number(&self, rank: Rank) -> usize {
        self.ranks.binary_search(&rank.0).expect("a rank of this node")
    }

    fn headers(&self, owner: usize) -> &[Header] {
        let start = owner * self.part + self.area.headers;
        let headers = self.segment.at(start..start + self.area.slots * size_of::<Header>());
        // SAFETY: within the segment, as `at` asserts; aligned, since parts and areas begin at pages; any bytes are
        // headers, and all ranks use them as atomics only.
        unsafe { std::slice::from_raw_parts(headers.cast::<Header>(), self.area.slots) }
    }

    fn buffer(&self, owner: usize, slot: usize) -> *mut u8 {
        let start = owner * self.part + self.area.buffers + slot * self.area.capacity;
        self.segment.at(start..start + self.area.capacity)
    }

    /// The bytes of a slot of this rank's own that is not on its way.
    fn own(&mut self, slot: usize) -> &mut [u8] {
        assert!(self.headers(self.me)[slot].is_senders(), "slot {slot} is on its way");
        // SAFETY: the bytes are within the segment. The slot is the sender's, as asserted, which only handing it over
        // changes: until then no receiver touches them, and this borrow keeps that off.
        unsafe { std::slice::from_raw_parts_mut(self.buffer(self.me, slot), self.area.capacity) }
    }

    /// The first `bytes` bytes that have arrived in a slot of number `from` and that were not handed back.
    fn arrived(&self, from: usize, slot: usize, bytes: usize) -> &[u8] {
        assert!(bytes <= self.area.capacity);
        // SAFETY: the bytes are within the segment, as many as there is room for, and the slot is this receiver's until
        // `release` hands it back, which this borrow keeps off.
        unsafe { std::slice::from_raw_parts(self.buffer(from, slot), bytes) }
    }
}
