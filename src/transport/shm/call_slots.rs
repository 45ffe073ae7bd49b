//! State of one call on the slots that ranks of a node share: messages sent, messages expected, arrays exposed.
//!
//! Several calls may use the slots at a time. If there are enough slots, a later call leaves one free slot per other
//! rank to the earlier calls of the sender. So the earliest call always advances, and then the others.

use super::allocations::DeviceSend;
use super::exposed::{ExposedArray, MIN_EXPOSED_PIECE};
use super::turn::{Header, Inbox, Outbox, Stamp};
use super::{EXPOSED_LENGTH, Endpoint, NOTED};
use crate::layout::distribution::Rank;
use crate::pack::place::DeviceArray;
use crate::pack::{BufferReader, Destination, Source};
use crate::transport::{Length, Slot, Transport};
use std::ops::Range;
use std::time::Instant;

pub struct CallSlots {
    /// The `id` of the end whose slots this call uses.
    end: u64,
    call: u64,
    outbox: Outbox,
    inbox: Inbox,
    /// Expected messages by receive slot; grows only as far as slots are used.
    expected: Vec<Option<Expected>>,
    /// Send slots that refer to an exposed array.
    exposing: Vec<usize>,
    /// Program arrays by address, and whether other ranks see their contents.
    seen: Vec<(Range<usize>, bool)>,
    /// Slots that the caller fills together, and their receivers.
    held: Vec<(usize, usize)>,
    /// Messages sent and perhaps not taken yet: (slot, receiver, stamp).
    sent: Vec<(usize, usize, Stamp)>,
}

struct Expected {
    from: usize,
    stamp: Stamp,
    bytes: usize,
    /// The sender's slot, once the message has arrived.
    at: Option<usize>,
    /// The array that the sender exposed in place of bytes, if it did.
    exposed: Option<ExposedArray>,
    /// Whether the slot's header has a note about the sender's memory.
    noted: bool,
}

pub struct NodeSlots<'a> {
    end: &'a mut Endpoint,
    call_slots: &'a mut CallSlots,
}

impl CallSlots {
    /// Creates closed call slots on the slots of `end`.
    #[inline]
    pub fn new(end: &Endpoint) -> Self {
        let ranks = end.ranks.len();
        Self {
            end: end.id,
            call: 0,
            outbox: Outbox::new(0, ranks),
            inbox: Inbox::new(end.me, 0, ranks),
            expected: Vec::new(),
            exposing: Vec::new(),
            seen: Vec::new(),
            held: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// Opens the slots for call number `call`, equal on all ranks. Until [`CallSlots::close`], later calls leave free
    /// slots to this one.
    #[inline]
    pub fn open(&mut self, end: &mut Endpoint, call: u64) {
        self.assert_of(end);
        self.call = call;
        self.sent.clear();
        self.exposing.clear();
        self.seen.clear();
        self.held.clear();
        end.store_policy.pause();
        end.offers.begin_call();
        self.outbox.begin(call);
        self.inbox.begin(call);
        end.open.push(call);
    }

    /// Panics unless these call slots belong to `end`: slots of another end may be in flight to other ranks.
    #[inline]
    fn assert_of(&self, end: &Endpoint) {
        assert_eq!(self.end, end.id, "slots of another end");
    }

    /// Hands back all messages of this call to this rank; it expected none of them.
    pub fn discard(&self, end: &Endpoint) {
        self.assert_of(end);
        (0..end.ranks.len()).for_each(|from| self.inbox.hand_all_back(end.headers(from)));
    }

    #[inline]
    pub fn close(&mut self, end: &mut Endpoint) {
        self.assert_of(end);
        end.open.retain(|&call| call != self.call);
    }
}

impl<'a> NodeSlots<'a> {
    /// Combines an end with call slots that are open on it.
    #[inline]
    pub fn new(end: &'a mut Endpoint, call_slots: &'a mut CallSlots) -> Self {
        call_slots.assert_of(end);
        Self { end, call_slots }
    }

    #[inline]
    pub fn reaches(&self, rank: Rank) -> bool {
        self.end.reaches(rank)
    }

    #[inline]
    pub fn slots(&self) -> usize {
        self.end.area.slots
    }

    #[inline]
    fn expected(&self, slot: Slot) -> &Expected {
        let expected = self.call_slots.expected[slot.0].as_ref();
        expected
            .filter(|expected| expected.at.is_some())
            .unwrap_or_else(|| panic!("{slot:?} has not arrived"))
    }

    /// Returns the header of an arrived slot.
    fn header(&self, slot: Slot) -> &Header {
        let Expected { from, at, .. } = self.expected(slot);
        &self.end.headers(*from)[at.unwrap_or(0)]
    }

    /// Exposes `source`, which `device` has, or marks `slot` for a note; see [`allocations`](super::allocations).
    #[cold]
    fn expose_on_device(
        &mut self,
        (slot, to, bytes): (Slot, Rank, usize),
        source: &Source,
        device: &DeviceArray,
    ) -> Result<bool, Length> {
        if bytes < MIN_EXPOSED_PIECE || self.end.area.capacity < ExposedArray::BYTES {
            return Ok(false);
        }
        let number = self.end.number(to);
        let (headers, offers) = self.end.offers();
        let DeviceSend::Exposed(offset) = offers.decide(headers, (slot.0, number), source, device) else {
            return Ok(false);
        };
        let description = ExposedArray::on_device(offset, source.shape().clone(), bytes);
        self.send_description((slot, to), &description)?;
        Ok(true)
    }

    fn send_description(
        &mut self,
        (slot, to): (Slot, Rank),
        description: &ExposedArray,
    ) -> Result<(), Length> {
        description.write(self.fill(slot));
        self.send(slot, to, EXPOSED_LENGTH)?;
        self.call_slots.exposing.push(slot.0);
        self.end.exposed += 1;
        Ok(())
    }
}

impl Transport for NodeSlots<'_> {
    type Error = Length;

    #[inline]
    fn capacity(&self, _: Rank) -> usize {
        self.end.area.capacity
    }

    #[inline]
    fn room(&self) -> usize {
        self.end.reserved_slots()
    }

    #[inline]
    fn under_way(&mut self, to: Rank) -> usize {
        let Self { end, call_slots } = self;
        let to = end.number(to);
        let headers = end.headers(end.me);
        call_slots.sent.retain(|&(slot, _, stamp)| headers[slot].holds(stamp));
        let held = call_slots.held.iter().filter(|(_, receiver)| *receiver == to).count();
        held + call_slots.sent.iter().filter(|(_, receiver, _)| *receiver == to).count()
    }

    #[inline]
    fn free_slot(&mut self, _: Rank, spare: usize) -> Result<Option<Slot>, Length> {
        let Self { end, call_slots } = self;
        let earliest = end.open.iter().all(|&call| call_slots.call <= call);
        let spare = if earliest { spare } else { spare.max(end.reserved_slots()) };
        let held = |slot| call_slots.held.iter().any(|held| held.0 == slot);
        Ok(Outbox::free(end.headers(end.me), held, spare).map(Slot))
    }

    #[inline]
    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.end.own_buffer(slot.0)
    }

    fn hold(&mut self, slot: Slot, to: Rank) -> bool {
        self.call_slots.held.push((slot.0, self.end.number(to)));
        true
    }

    fn fill_held(&mut self, slots: &[Slot]) -> Vec<&mut [u8]> {
        assert!(slots.iter().all(|slot| self.call_slots.held.iter().any(|held| held.0 == slot.0)));
        self.end.own_buffers(slots.iter().map(|slot| slot.0))
    }

    #[inline]
    fn reader(&self, _: Slot) -> BufferReader {
        if self.end.store_policy.streams() { BufferReader::FarCore } else { BufferReader::NearCore }
    }

    #[inline]
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Length> {
        let Self { end, call_slots } = self;
        assert!(bytes <= end.area.capacity || bytes == EXPOSED_LENGTH);
        call_slots.exposing.retain(|&exposed| exposed != slot.0);
        call_slots.held.retain(|held| held.0 != slot.0);
        let number = end.number(to);
        let stamp = call_slots.outbox.next(number);
        call_slots.sent.retain(|(sent, ..)| *sent != slot.0);
        call_slots.sent.push((slot.0, number, stamp));
        let mut length = bytes;
        if bytes != EXPOSED_LENGTH {
            let (headers, offers) = end.offers();
            offers.settle(headers);
            if offers.note(headers, slot.0, number) {
                length |= NOTED;
            }
        }
        end.headers(end.me)[slot.0].hand_over(stamp, length);
        if bytes != EXPOSED_LENGTH {
            end.store_policy.record_send(bytes, Instant::now);
        }
        Ok(())
    }

    #[inline]
    fn expect(
        &mut self,
        from: Rank,
        bytes: usize,
        _array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Length> {
        let Self { end, call_slots } = self;
        let free = call_slots.expected.iter().position(Option::is_none).unwrap_or(call_slots.expected.len());
        if free == end.area.slots {
            return Ok(None);
        }
        if free == call_slots.expected.len() {
            call_slots.expected.push(None);
        }
        let from = end.number(from);
        let stamp = call_slots.inbox.expect(from);
        call_slots.expected[free] =
            Some(Expected { from, stamp, bytes, at: None, exposed: None, noted: false });
        Ok(Some(Slot(free)))
    }

    #[inline]
    fn arrived(&mut self) -> Result<Option<Slot>, Length> {
        let Self { end, call_slots } = self;
        for (k, expected) in call_slots.expected.iter_mut().enumerate() {
            let Some(expected) = expected.as_mut().filter(|expected| expected.at.is_none()) else { continue };
            let headers = end.headers(expected.from);
            let Some(at) = Inbox::find(headers, expected.stamp) else { continue };
            let mut came = headers[at].bytes();
            expected.at = Some(at);
            if came == EXPOSED_LENGTH {
                let description =
                    ExposedArray::read(end.received_bytes(expected.from, at, ExposedArray::BYTES));
                came = usize::try_from(description.bytes).unwrap_or(usize::MAX);
                expected.exposed = Some(description);
            } else {
                (came, expected.noted) = (came & !NOTED, came & NOTED != 0);
            }
            let expected = expected.bytes;
            return if came == expected { Ok(Some(Slot(k))) } else { Err(Length { came, expected }) };
        }
        Ok(None)
    }

    #[inline]
    fn received(&self, slot: Slot) -> &[u8] {
        let Expected { from, at, bytes, exposed, .. } = self.expected(slot);
        let bytes = if exposed.is_some() { ExposedArray::BYTES } else { *bytes };
        self.end.received_bytes(*from, at.unwrap_or(0), bytes)
    }

    #[inline]
    fn expose(&mut self, slot: Slot, to: Rank, bytes: usize, source: &Source) -> Result<bool, Length> {
        if let Some(device) = source.device() {
            return self.expose_on_device((slot, to, bytes), source, device);
        }
        // Searched from the last group: the first groups may cover all memory of programs, including the other arrays.
        let seen = &mut self.call_slots.seen;
        let exposed = self.end.arrays.iter().rev().find_map(|arrays| arrays.expose(source, bytes, seen));
        let Some(exposed) = exposed.flatten() else { return Ok(false) };
        if self.end.area.capacity < ExposedArray::BYTES {
            return Ok(false);
        }
        self.send_description((slot, to), &exposed)?;
        Ok(true)
    }

    #[inline]
    fn exposed(&self, slot: Slot) -> Option<Source<'_>> {
        let Expected { from, exposed: Some(exposed), .. } = self.expected(slot) else { return None };
        // SAFETY: the slot is this receiver's until `release`, which this borrow prevents.
        Some(unsafe {
            match exposed.in_allocation() {
                None => exposed.source(&self.end.arrays, *from),
                Some(array) => self.end.imports.source(self.header(slot), *from, array),
            }
        })
    }

    #[inline]
    fn answer(&mut self, slot: Slot, destination: &Destination) {
        let Expected { from, at, exposed, noted, .. } = self.expected(slot);
        let is_exposed = exposed.as_ref().is_some_and(|exposed| exposed.in_allocation().is_some());
        if !is_exposed && !noted {
            return;
        }
        let (from, at) = (*from, at.unwrap_or(0));
        let Endpoint { segment, area, part, imports, .. } = &mut *self.end;
        let header = &area.headers(segment, from * *part)[at];
        imports.answer(header, (from, is_exposed), destination);
    }

    #[inline]
    fn release(&mut self, slot: Slot) {
        let Self { end, call_slots } = self;
        let Some(Expected { from, at: Some(at), .. }) = call_slots.expected[slot.0].take() else {
            panic!("{slot:?} has not arrived");
        };
        end.headers(from)[at].hand_back();
    }

    #[inline]
    fn all_sent(&mut self) -> Result<bool, Length> {
        let Self { end, call_slots } = self;
        call_slots.exposing.retain(|&slot| !end.headers(end.me)[slot].is_senders());
        Ok(call_slots.exposing.is_empty())
    }
}
