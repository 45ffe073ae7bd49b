//! Messages between ranks of one node through shared memory. The sender packs into one of its own slots, which serve
//! messages to any rank of the node, and the receiver unpacks from it: two copies.
//!
//! Once a message is in its slot, the sender may leave the call before the receiver enters it. Only a sender that
//! exposes an array must stay.
//!
//! | file | contents |
//! |---|---|
//! | `call_slots` | the slots as one call uses them: implements the trait `Transport` |
//! | `turn` | ownership of a slot: how it is handed over and back |
//! | `exchange` | one message between each two nodes, through memory of both |
//! | `segment`, `xpmem` | memory that ranks share: an object without a name; XPMEM |
//! | `exposed`, `exposure` | exposed arrays; the decision to expose an array |
//! | `allocations` | exposed arrays in the memory of devices |
//! | `programs`, `own` | memory of the program's own arrays; arrays that ranks of the node allocated together |
//! | `past` | choice of the stores that fill slots |
//! | `abort_flag` | flag of a rank that cannot continue |
#![allow(unsafe_code)]

mod abort_flag;
mod allocations;
mod call_slots;
#[cfg(any(feature = "mpi", loom))]
pub(crate) mod exchange;
mod exposed;
mod exposure;
mod own;
mod past;
pub(crate) mod programs;
mod segment;
mod turn;
mod xpmem;

pub(crate) use abort_flag::AbortFlag;
pub(crate) use call_slots::{CallSlots, NodeSlots};
pub(crate) use exposed::Arrays;
pub use own::OwnArray;
pub(crate) use segment::{Location, Name, Segment, UnnamedObject, Unreserved};

use crate::layout::distribution::Rank;
use allocations::{Imports, Offers};
use past::StorePolicy;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use turn::Header;

/// Alignment in bytes of each rank's part, of the areas in it and of their buffers: a page.
const ALIGN: usize = 4096;
/// The length in a slot's header that marks its contents as the description of an exposed array.
const EXPOSED_LENGTH: usize = usize::MAX >> 1;
/// Bit of another length in a slot's header that marks a note in the header ([`allocations`]).
const NOTED: usize = 1 << 62;

/// The slots of one kind in a rank's part of a segment: number, bytes of each, and offsets of headers and buffers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotArea {
    slots: usize,
    capacity: usize,
    headers: usize,
    buffers: usize,
}

impl SlotArea {
    /// Returns the headers in the rank's part that begins at `part`.
    fn headers(self, segment: &Segment, part: usize) -> &[Header] {
        let start = part + self.headers;
        let headers = segment.at(start..start + self.slots * size_of::<Header>());
        // SAFETY: the headers are within the segment, as `at` asserts, and aligned, since parts and areas begin at
        // pages. Any bytes are valid headers, and all ranks access them as atomics only.
        unsafe { std::slice::from_raw_parts(headers.cast::<Header>(), self.slots) }
    }
}

/// Lays out areas of (slots, bytes per slot) one after the other; returns them and the size in bytes of a rank's part.
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

/// Kind of store instructions that write a rank's slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StoreKind {
    /// Ordinary stores: the bytes stay in the caches of the writing core.
    Cached,
    /// Streaming stores, past the caches.
    Streamed,
}

/// One rank's access to the slots of one kind of all ranks of the node.
pub(crate) struct Endpoint {
    /// Unique number of this end in the process.
    id: u64,
    segment: Arc<Segment>,
    area: SlotArea,
    /// Size in bytes of each rank's part.
    part: usize,
    me: usize,
    /// Ranks of the node in ascending order; `me` is the position of this one.
    ranks: Arc<[u32]>,
    /// Numbers of the calls in progress.
    open: Vec<u64>,
    /// Groups of arrays that may be exposed.
    arrays: Vec<Arc<Arrays>>,
    /// Chooses between cached and streaming stores.
    store_policy: StorePolicy,
    /// Number of messages that were replaced by an exposed array.
    exposed: u64,
    /// Memory of devices: this rank's, and that of the others.
    offers: Offers,
    imports: Imports,
}

impl Endpoint {
    /// Creates the end of rank number `me` of `ranks`, in ascending order. Each of these ranks creates one end for the
    /// same area of a segment, which has a part of `part` bytes per rank, laid out by [`lay_out`]. `streamed` chooses
    /// streaming or cached stores; `None`: as measured. Panics on a second end of the same slots.
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
        let (open, arrays, store_policy) = (Vec::new(), Vec::new(), StorePolicy::new(streamed));
        let (offers, imports) = (Offers::new(ranks.len()), Imports::default());
        Self { id, segment, area, part, me, ranks, open, arrays, store_policy, exposed: 0, offers, imports }
    }

    /// Returns whether `rank` is on this node.
    pub fn reaches(&self, rank: Rank) -> bool {
        self.ranks.binary_search(&rank.0).is_ok()
    }

    /// Allows arrays in the group `arrays` to be exposed.
    pub fn know(&mut self, arrays: Arc<Arrays>) {
        self.arrays.push(arrays);
    }

    /// Stops exposing arrays in the group `arrays`.
    pub fn forget(&mut self, arrays: &Arc<Arrays>) {
        self.arrays.retain(|known| !Arc::ptr_eq(known, arrays));
    }

    /// Returns how this rank writes its slots now.
    pub fn store_kind(&self) -> StoreKind {
        if self.store_policy.streams() { StoreKind::Streamed } else { StoreKind::Cached }
    }

    /// Returns the number of messages that were replaced by an exposed array.
    pub fn exposed(&self) -> u64 {
        self.exposed
    }

    /// Returns whether the first message of call number `call` from `from` to this rank is in a slot.
    pub fn holds(&self, call: u64, from: Rank) -> bool {
        let from = self.number(from);
        let stamp = turn::Inbox::new(self.me, call, self.ranks.len()).expect(from);
        turn::Inbox::find(self.headers(from), stamp).is_some()
    }

    /// Returns the flag that a rank raises if it cannot continue. The area must have room for it behind the headers of
    /// the node's first rank.
    pub fn abort_flag(&self) -> AbortFlag {
        let at = self.area.headers + self.area.slots * size_of::<Header>();
        assert!(at + size_of::<Header>() <= self.area.buffers, "no room for the abort flag");
        AbortFlag::new(self.segment.clone(), at)
    }

    /// Returns the number of slots that later calls leave free for earlier ones: one for each other rank if the area
    /// has more slots, else one.
    fn reserved_slots(&self) -> usize {
        let others = self.ranks.len() - 1;
        if others < self.area.slots { others.max(1) } else { 1 }
    }

    fn number(&self, rank: Rank) -> usize {
        self.ranks.binary_search(&rank.0).expect("a rank of this node")
    }

    fn headers(&self, owner: usize) -> &[Header] {
        self.area.headers(&self.segment, owner * self.part)
    }

    /// Returns the headers of this rank's slots, and the allocations that it offers.
    fn offers(&mut self) -> (&[Header], &mut Offers) {
        (self.area.headers(&self.segment, self.me * self.part), &mut self.offers)
    }

    fn buffer(&self, owner: usize, slot: usize) -> *mut u8 {
        let start = owner * self.part + self.area.buffers + slot * self.area.capacity;
        self.segment.at(start..start + self.area.capacity)
    }

    /// Returns the bytes of one of this rank's slots. Panics while the slot is in flight.
    fn own_buffer(&mut self, slot: usize) -> &mut [u8] {
        assert!(self.headers(self.me)[slot].is_senders(), "slot {slot} is on its way");
        // SAFETY: the bytes are within the segment. The slot is the sender's (asserted) until it is handed over, which
        // this borrow prevents; until then no receiver touches the bytes.
        unsafe { std::slice::from_raw_parts_mut(self.buffer(self.me, slot), self.area.capacity) }
    }

    /// Returns the bytes of several of this rank's slots. Panics if one is in flight or named twice.
    fn own_buffers(&mut self, slots: impl Iterator<Item = usize>) -> Vec<&mut [u8]> {
        let slots: Vec<usize> = slots.collect();
        for (k, slot) in slots.iter().enumerate() {
            assert!(self.headers(self.me)[*slot].is_senders(), "slot {slot} is on its way");
            assert!(!slots[..k].contains(slot), "slot {slot} twice");
        }
        // SAFETY: as in `own_buffer`; the slots are different ones (asserted), so their bytes do not overlap.
        let buffer =
            |&slot| unsafe { std::slice::from_raw_parts_mut(self.buffer(self.me, slot), self.area.capacity) };
        slots.iter().map(buffer).collect()
    }

    /// Returns the first `bytes` bytes of an arrived slot of rank number `from` that was not handed back.
    fn received_bytes(&self, from: usize, slot: usize, bytes: usize) -> &[u8] {
        assert!(bytes <= self.area.capacity);
        // SAFETY: the bytes are within the segment and the slot. The slot is this receiver's until `release` hands it
        // back, which this borrow prevents.
        unsafe { std::slice::from_raw_parts(self.buffer(from, slot), bytes) }
    }
}
