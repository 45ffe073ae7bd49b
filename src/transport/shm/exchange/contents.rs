//! Contents of a region: a record, and a list of messages for each receiving rank.
//!
//! Ranks push messages side by side. The list of a receiver begins in the table, at the message that was pushed last;
//! each message has the place of the next one. So a region has bytes for the messages that exist, not for all pairs of
//! ranks, and a receiver finds its messages without reading others.

use super::layout::{ALIGN, HEADER_BYTES, LENGTHS_BYTES, LIST_BYTES, MAX_RECORD_BYTES, RECORD_ROOM, Region};
use super::region::RegionState;
use crate::system::budget::MAX_EARLY_MESSAGE;
use crate::transport::Length;
use crate::transport::shm::Segment;
use std::sync::atomic::{AtomicU32, Ordering};

const _: () = assert!(HEADER_BYTES == size_of::<Header>() && LIST_BYTES == size_of::<AtomicU32>());
const _: () = assert!(MAX_EARLY_MESSAGE <= u16::MAX as u64, "a header has 16 bits for the length");

#[derive(Clone, Copy)]
#[repr(C)]
struct Header {
    /// Place of the next message to the same rank, in units of [`ALIGN`] from the table; 0 if there is none.
    next: u32,
    /// Number of the sender among the ranks of its node.
    from: u16,
    bytes: u16,
}

/// A message in a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Message {
    /// Number of the sender among the ranks of its node.
    pub from: usize,
    /// Offset of the bytes in the region.
    at: usize,
    pub bytes: usize,
}

/// Access to the contents of a region.
#[derive(Clone, Copy)]
pub(super) struct Contents<'a> {
    segment: &'a Segment,
    region: &'a Region,
    state: &'a RegionState,
}

/// Returns where a record of `bytes` bytes begins in a region, so that it ends where the table begins.
pub(super) fn record_start(bytes: usize) -> usize {
    RECORD_ROOM - head_bytes(bytes)
}

/// Returns the bytes of the lengths and of a record of `bytes` bytes.
fn head_bytes(bytes: usize) -> usize {
    LENGTHS_BYTES + bytes.next_multiple_of(ALIGN)
}

impl<'a> Contents<'a> {
    /// Combines a region of `segment`, the memory of the node, with its state.
    pub fn new(segment: &'a Segment, region: &'a Region, state: &'a RegionState) -> Self {
        Self { segment, region, state }
    }

    /// Returns the address of `bytes` bytes at offset `at` of the region. Panics unless they lie within it.
    pub fn at(self, at: usize, bytes: usize) -> *mut u8 {
        let region = self.region;
        assert!(at <= region.bytes && bytes <= region.bytes - at, "{bytes} bytes at {at} of {region:?}");
        self.segment.at(region.start + at..region.start + at + bytes)
    }

    /// Adds a message of `bytes` bytes from rank number `from` of this node to rank number `to` of the other one.
    /// Returns its room.
    ///
    /// # Safety
    /// The region belongs to the exchange in progress, and the calling rank has not been counted among those that have
    /// packed it.
    pub unsafe fn push(self, to: usize, from: usize, bytes: usize) -> &'a mut [u8] {
        let limited = "regions, ranks of a node and messages are limited";
        let taken = HEADER_BYTES + bytes.next_multiple_of(ALIGN);
        let before = usize::try_from(self.state.take(taken as u64)).expect(limited);
        let place = self.region.table + before;
        let next =
            self.first(RECORD_ROOM, to).swap(u32::try_from(place / ALIGN).expect(limited), Ordering::Relaxed);
        let [from, length] = [from, bytes].map(|n| u16::try_from(n).expect(limited));
        let room = self.at(RECORD_ROOM + place, HEADER_BYTES + bytes);
        // SAFETY: the bytes are within the region, which `at` asserts, and belong to this rank alone until it is
        // counted: the region is this exchange's, and `take` returns distinct ranges. They are aligned, as all lengths
        // are.
        unsafe {
            room.cast::<Header>().write(Header { next, from, bytes: length });
            std::slice::from_raw_parts_mut(room.add(HEADER_BYTES), bytes)
        }
    }

    /// Writes the lengths and a record at offset `start`.
    ///
    /// # Safety
    /// All ranks have packed the region, and none reads it before the calling rank completes it.
    pub unsafe fn put_record(self, start: usize, record: &[u8]) {
        let bytes = head_bytes(record.len());
        assert!(bytes <= RECORD_ROOM - start);
        // SAFETY: the bytes are within the region, and this rank's alone by this fn's contract.
        let head = unsafe { std::slice::from_raw_parts_mut(self.at(start, bytes), bytes) };
        let rest = self.end() - RECORD_ROOM;
        for (n, place) in [record.len(), rest].into_iter().zip(head.chunks_exact_mut(size_of::<u32>())) {
            place.copy_from_slice(&u32::try_from(n).expect("a region has less than 2 GiB").to_ne_bytes());
        }
        head[LENGTHS_BYTES..LENGTHS_BYTES + record.len()].copy_from_slice(record);
    }

    /// Returns the end of the table and messages of a region that this node has packed.
    pub fn end(self) -> usize {
        RECORD_ROOM + if self.taken() == 0 { 0 } else { self.region.table + self.taken() }
    }

    fn taken(self) -> usize {
        usize::try_from(self.state.taken()).expect("the messages of a region fit in memory")
    }

    /// Removes all messages of a region that this node has written.
    ///
    /// # Safety
    /// All ranks, and MPI, are done with the region, and it has not been passed on.
    pub unsafe fn clear(self) {
        if self.taken() > 0 {
            // SAFETY: the table is within the region, and this rank's alone, by this fn's contract.
            unsafe { self.at(RECORD_ROOM, self.region.table).write_bytes(0, self.region.table) };
        }
    }

    /// Returns the first bytes of a region that is complete, or whose first piece has arrived: lengths, and the room of
    /// the record.
    fn head(self) -> (&'a [u8], &'a [u8]) {
        let head = self.at(0, RECORD_ROOM);
        // SAFETY: the head is within the region. Nobody writes it after that, before this rank has read the region.
        let head = unsafe { std::slice::from_raw_parts(head.cast_const(), RECORD_ROOM) };
        head.split_at(LENGTHS_BYTES)
    }

    /// Returns the bytes of the record, and of table and messages. Lengths above their maxima are reduced to them.
    fn lengths(self) -> (usize, usize) {
        let (lengths, _) = self.head();
        let length = |k: usize| {
            let bytes = lengths[k * size_of::<u32>()..][..size_of::<u32>()].try_into();
            u32::from_ne_bytes(bytes.expect("four bytes")) as usize
        };
        (length(0).min(MAX_RECORD_BYTES), length(1).min(self.region.bytes - RECORD_ROOM))
    }

    /// Returns the record of a complete region.
    pub fn record(self) -> &'a [u8] {
        &self.record_room()[..self.lengths().0]
    }

    /// Returns the bytes of a complete region from its record on, [`MAX_RECORD_BYTES`] of them.
    pub fn record_room(self) -> &'a [u8] {
        self.head().1
    }

    /// Returns the bytes of the message from another node to this region, once its record is here.
    pub fn message_bytes(self) -> usize {
        let (record, rest) = self.lengths();
        head_bytes(record) + rest
    }

    /// Returns the messages of a complete region, sent by `senders` ranks, to rank number `me` of this node. Returns an
    /// error if the list does not end, or leads out of the region.
    pub fn messages(
        self,
        me: usize,
        senders: usize,
    ) -> impl Iterator<Item = Result<Message, Length>> + use<'a> {
        let (record, rest) = self.lengths();
        let table = if self.region.is_received { head_bytes(record) } else { RECORD_ROOM };
        let room = self.region.bytes - table;
        let mut next = if rest == 0 { 0 } else { self.first(table, me).load(Ordering::Relaxed) };
        let mut left = senders;
        std::iter::from_fn(move || {
            if next == 0 {
                return None;
            }
            let at = next as usize * ALIGN + HEADER_BYTES;
            if left == 0 || at > room {
                next = 0;
                return Some(Err(Length { came: at, expected: room }));
            }
            let header = self.at(table + at - HEADER_BYTES, HEADER_BYTES).cast::<Header>();
            // SAFETY: the header is within the region, which `at` asserts, and aligned; nobody writes it before this
            // rank has read the region.
            let header = unsafe { header.read() };
            let message = Message { from: header.from.into(), at: table + at, bytes: header.bytes.into() };
            (next, left) = (header.next, left - 1);
            if message.from >= senders || message.bytes > room - at {
                next = 0;
                return Some(Err(Length { came: message.bytes, expected: room - at }));
            }
            Some(Ok(message))
        })
    }

    /// Returns the bytes of a message of this region.
    pub fn bytes(self, message: Message) -> &'a [u8] {
        let bytes = self.at(message.at, message.bytes);
        // SAFETY: the bytes are within the region, which `at` asserts; nobody writes them before this rank has read it.
        unsafe { std::slice::from_raw_parts(bytes, message.bytes) }
    }

    /// Returns the place of the first message to rank number `to`, in the table at offset `table`.
    fn first(self, table: usize, to: usize) -> &'a AtomicU32 {
        let entry = self.at(table + to * size_of::<AtomicU32>(), size_of::<AtomicU32>());
        // SAFETY: the entry is within the region, which `at` asserts, and aligned; ranks access it as an atomic, or as
        // the only ones.
        unsafe { &*entry.cast::<AtomicU32>() }
    }
}

#[cfg(not(loom))]
#[cfg(test)]
mod tests {
    use super::super::{Layout, NodeExchange, NodeMap};
    use super::*;
    use crate::layout::distribution::Rank;
    use crate::transport::shm::Segment;
    use std::sync::Arc;

    const RECEIVERS: usize = 5;

    /// Returns rank 0 of a node of three ranks; the other node has [`RECEIVERS`] ranks.
    fn rank() -> NodeExchange {
        let machines: Vec<u64> = [0; 3].into_iter().chain([1; RECEIVERS]).collect();
        let map = Arc::new(NodeMap::new(&machines));
        let layout = Layout::new(&map, 0, 64);
        let segment = Arc::new(Segment::private(layout.bytes()).unwrap());
        NodeExchange::new(segment, layout, map, Rank(0))
    }

    /// Copies what a node sends to the beginning of the other node's region, as MPI does. Returns the number of bytes.
    fn travel<'a>(sent: Contents<'a>, received: Contents<'a>) -> usize {
        let start = record_start(3);
        let bytes = sent.end() - start;
        // SAFETY: this thread alone uses both regions.
        unsafe {
            sent.put_record(start, b"abc");
            let (from, to) = (sent.at(start, bytes), received.at(0, bytes));
            to.copy_from(from, bytes);
        }
        bytes
    }

    #[test]
    fn a_region_holds_only_the_messages_that_exist() {
        let all = rank();
        let sent = all.contents(&all.layout.sent[1]);
        assert_eq!(sent.end(), RECORD_ROOM, "no table without messages");
        let list = [(4, 0, 9), (1, 2, 64), (4, 2, 1), (4, 1, 0)];
        for (to, from, bytes) in list {
            // SAFETY: the region belongs to exchange 0, and no rank has been counted.
            unsafe { sent.push(to, from, bytes) }.fill(from as u8 + 7);
        }
        assert_eq!(sent.end(), RECORD_ROOM + all.layout.sent[1].table + (8 + 16) + (8 + 64) + (8 + 8) + 8);
        // The other node's region is as long; here one serves as both.
        let region = Region { is_received: true, ..all.layout.sent[1] };
        let received = Contents::new(&all.segment, &region, all.state(&region));
        assert!(travel(sent, received) < sent.end());
        assert_eq!(received.record(), b"abc");
        for to in 0..RECEIVERS {
            let came: Vec<_> = received.messages(to, 3).map(Result::unwrap).collect();
            let wanted: Vec<_> = list.iter().rev().filter(|message| message.0 == to).collect();
            assert_eq!(came.len(), wanted.len());
            for (message, &&(_, from, bytes)) in came.into_iter().zip(&wanted) {
                assert_eq!((message.from, received.bytes(message)), (from, &vec![from as u8 + 7; bytes][..]));
            }
        }
    }

    #[test]
    fn a_list_that_leads_astray_is_an_error() {
        let all = rank();
        let own = all.contents(&all.layout.sent[0]);
        // SAFETY: the region belongs to exchange 0, and no rank has been counted; this thread alone uses it.
        unsafe {
            own.push(1, 2, 8);
            own.put_record(0, b"");
        }
        let first = || own.first(RECORD_ROOM, 1);
        let place = first().load(Ordering::Relaxed);
        assert_eq!(own.messages(1, 3).filter_map(Result::ok).count(), 1);
        assert!(own.messages(1, 2).any(|message| message.is_err()), "a sender that does not exist");
        for astray in [u32::MAX, small(own.region.bytes / ALIGN)] {
            first().store(astray, Ordering::Relaxed);
            assert!(own.messages(1, 3).any(|message| message.is_err()), "{astray}");
        }
        first().store(place, Ordering::Relaxed);
        let header = own.at(RECORD_ROOM + place as usize * ALIGN, HEADER_BYTES).cast::<Header>();
        // SAFETY: within the region, which this thread alone uses.
        unsafe { header.write(Header { next: place, from: 2, bytes: 8 }) };
        assert_eq!(own.messages(1, 3).count(), 4, "three messages, then an error");
    }

    fn small(n: usize) -> u32 {
        n.try_into().unwrap()
    }
}
