//! One call's use of the slots that ranks of a node share: what it has sent, what it expects, what it lends.
//!
//! Several calls may be in progress at a time, and all use the same slots. A later call leaves a free slot for each other
//! rank to the sender's earlier calls, as far as there are enough slots. So the earliest call always advances, and the
//! others after it.

use super::lent::LentArray;
use super::turn::{Inbox, Outbox, Stamp};
use super::{Endpoint, LENT};
use crate::layout::distribution::Rank;
use crate::pack::{BufferReader, Source};
use crate::transport::{Length, Slot, Transport};
use std::ops::Range;
use std::time::Instant;

/// One call's messages.
pub struct Lane {
    /// The `id` of the end whose slots it knows.
    end: u64,
    call: u64,
    outbox: Outbox,
    inbox: Inbox,
    /// By receiving slot, as far as they were ever in use: seldom all are.
    expected: Vec<Option<Expected>>,
    /// Sending slots by which an array is lent.
    lending: Vec<usize>,
    /// Arrays of programs, by address, and whether others see them as this rank does.
    seen: Vec<(Range<usize>, bool)>,
    /// What was sent and perhaps not taken yet: (slot, receiver, stamp).
    sent: Vec<(usize, usize, Stamp)>,
}

struct Expected {
    from: usize,
    stamp: Stamp,
    bytes: usize,
    /// The sender's slot, once it has come.
    at: Option<usize>,
    /// The array, if one was lent in place of the bytes.
    lent: Option<LentArray>,
}

/// The slots of a node as one call uses them.
pub struct NodeSlots<'a> {
    end: &'a mut Endpoint,
    lane: &'a mut Lane,
}

impl Lane {
    /// A lane that is not open, on the slots of `end`.
    #[inline]
    pub fn new(end: &Endpoint) -> Self {
        let ranks = end.ranks.len();
        Self {
            end: end.id,
            call: 0,
            outbox: Outbox::new(0, ranks),
            inbox: Inbox::new(end.me, 0, ranks),
            expected: Vec::new(),
            lending: Vec::new(),
            seen: Vec::new(),
            sent: Vec::new(),
        }
    }

    /// From now on it is the lane of call number `call`; calls have the same numbers on all ranks. It takes part in the
    /// slots until it is closed.
    #[inline]
    pub fn open(&mut self, end: &mut Endpoint, call: u64) {
        self.assert_of(end);
        self.call = call;
        self.sent.clear();
        self.lending.clear();
        self.seen.clear();
        end.past.pause();
        self.outbox.begin(call);
        self.inbox.begin(call);
        end.open.push(call);
    }

    /// Panics unless the slots that it knows are those of `end`: others may be on their way to somebody else.
    #[inline]
    fn assert_of(&self, end: &Endpoint) {
        assert_eq!(self.end, end.id, "a lane on slots of another end");
    }

    /// Hands back what others have sent to this rank in this call, of which nothing was expected.
    pub fn discard(&self, end: &Endpoint) {
        self.assert_of(end);
        (0..end.ranks.len()).for_each(|from| self.inbox.hand_all_back(end.headers(from)));
    }

    /// The call is over.
    #[inline]
    pub fn close(&mut self, end: &mut Endpoint) {
        self.assert_of(end);
        end.open.retain(|&call| call != self.call);
    }
}

impl<'a> NodeSlots<'a> {
    /// `lane` is open on the slots of `end`.
    #[inline]
    pub fn new(end: &'a mut Endpoint, lane: &'a mut Lane) -> Self {
        lane.assert_of(end);
        Self { end, lane }
    }

    /// Whether `rank` is on this node.
    #[inline]
    pub fn reaches(&self, rank: Rank) -> bool {
        self.end.reaches(rank)
    }

    /// Slots in each direction.
    #[inline]
    pub fn slots(&self) -> usize {
        self.end.area.slots
    }

    #[inline]
    fn expected(&self, slot: Slot) -> &Expected {
        let expected = self.lane.expected[slot.0].as_ref();
        expected
            .filter(|expected| expected.at.is_some())
            .unwrap_or_else(|| panic!("{slot:?} has not arrived"))
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
        self.end.kept()
    }

    #[inline]
    fn under_way(&mut self, to: Rank) -> usize {
        let Self { end, lane } = self;
        let to = end.number(to);
        let headers = end.headers(end.me);
        lane.sent.retain(|&(slot, _, stamp)| headers[slot].holds(stamp));
        lane.sent.iter().filter(|(_, receiver, _)| *receiver == to).count()
    }

    #[inline]
    fn free_slot(&mut self, _: Rank, spare: usize) -> Result<Option<Slot>, Length> {
        let Self { end, lane } = self;
        let earliest = end.open.iter().all(|&call| lane.call <= call);
        let spare = if earliest { spare } else { spare.max(end.kept()) };
        Ok(Outbox::free(end.headers(end.me), spare).map(Slot))
    }

    #[inline]
    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        self.end.own(slot.0)
    }

    #[inline]
    fn reader(&self, _: Slot) -> BufferReader {
        if self.end.past.is_past() { BufferReader::FarCore } else { BufferReader::NearCore }
    }

    #[inline]
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Length> {
        let Self { end, lane } = self;
        assert!(bytes <= end.area.capacity || bytes == LENT);
        lane.lending.retain(|&lent| lent != slot.0);
        let number = end.number(to);
        let stamp = lane.outbox.next(number);
        lane.sent.retain(|(sent, ..)| *sent != slot.0);
        lane.sent.push((slot.0, number, stamp));
        end.headers(end.me)[slot.0].hand_over(stamp, bytes);
        if bytes != LENT {
            end.past.sent(bytes, Instant::now);
        }
        Ok(())
    }

    #[inline]
    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Length> {
        let Self { end, lane } = self;
        let free = lane.expected.iter().position(Option::is_none).unwrap_or(lane.expected.len());
        if free == end.area.slots {
            return Ok(None);
        }
        if free == lane.expected.len() {
            lane.expected.push(None);
        }
        let from = end.number(from);
        let stamp = lane.inbox.expect(from);
        lane.expected[free] = Some(Expected { from, stamp, bytes, at: None, lent: None });
        Ok(Some(Slot(free)))
    }

    #[inline]
    fn arrived(&mut self) -> Result<Option<Slot>, Length> {
        let Self { end, lane } = self;
        for (k, expected) in lane.expected.iter_mut().enumerate() {
            let Some(expected) = expected.as_mut().filter(|expected| expected.at.is_none()) else { continue };
            let headers = end.headers(expected.from);
            let Some(at) = Inbox::find(headers, expected.stamp) else { continue };
            let mut came = headers[at].bytes();
            expected.at = Some(at);
            if came == LENT {
                let told = LentArray::read(end.arrived(expected.from, at, LentArray::BYTES));
                came = usize::try_from(told.bytes).unwrap_or(usize::MAX);
                expected.lent = Some(told);
            }
            let expected = expected.bytes;
            return if came == expected { Ok(Some(Slot(k))) } else { Err(Length { came, expected }) };
        }
        Ok(None)
    }

    #[inline]
    fn received(&self, slot: Slot) -> &[u8] {
        let Expected { from, at, bytes, lent, .. } = self.expected(slot);
        let bytes = if lent.is_some() { LentArray::BYTES } else { *bytes };
        self.end.arrived(*from, at.unwrap_or(0), bytes)
    }

    #[inline]
    fn lend(&mut self, slot: Slot, to: Rank, bytes: usize, source: &Source) -> Result<bool, Length> {
        // The first ones may be all memory of programs, in which the others lie, too.
        let seen = &mut self.lane.seen;
        let lent = self.end.arrays.iter().rev().find_map(|arrays| arrays.lend(source, bytes, seen));
        let Some(lent) = lent.flatten() else { return Ok(false) };
        if self.end.area.capacity < LentArray::BYTES {
            return Ok(false);
        }
        lent.write(self.fill(slot));
        self.send(slot, to, LENT)?;
        self.lane.lending.push(slot.0);
        self.end.lent += 1;
        Ok(true)
    }

    #[inline]
    fn lent(&self, slot: Slot) -> Option<Source<'_>> {
        let Expected { from, lent: Some(lent), .. } = self.expected(slot) else { return None };
        // SAFETY: the slot is this receiver's until `release`, which this borrow keeps off.
        Some(unsafe { lent.source(&self.end.arrays, *from) })
    }

    #[inline]
    fn release(&mut self, slot: Slot) {
        let Self { end, lane } = self;
        let Some(Expected { from, at: Some(at), .. }) = lane.expected[slot.0].take() else {
            panic!("{slot:?} has not arrived");
        };
        end.headers(from)[at].hand_back();
    }

    #[inline]
    fn all_sent(&mut self) -> Result<bool, Length> {
        let Self { end, lane } = self;
        lane.lending.retain(|&slot| !end.headers(end.me)[slot].is_senders());
        Ok(lane.lending.is_empty())
    }
}
