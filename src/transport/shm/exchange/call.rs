//! One exchange, as a call uses it: pack messages, post the record, wait, read records and messages.

use super::{ALIGN, ENTRY_BYTES, MAX_RECORD_BYTES, NodeExchange, RECORD_ROOM, Region};
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, Requests};
use crate::transport::Length;
use crate::transport::error::Error;

/// Bytes before a record: its length and the bytes of the table, as two u32. The table has 0 bytes if no rank has packed
/// a message; then it is not sent.
const LENGTHS_BYTES: usize = size_of::<u64>();

/// State of one call's exchange on this rank. Later calls reuse this value.
#[derive(Default)]
pub(crate) struct CallExchange {
    /// Number of the exchange.
    number: u64,
    tag: i32,
    is_posted: bool,
    /// Number of regions, from distance 0 on, that this rank has seen complete.
    complete: usize,
    /// The distances for which this rank is a leader. Entry i uses requests 2 i to send and 2 i + 1 to receive.
    led: Vec<Led>,
    requests: Requests,
    /// Messages from ranks that this rank expects: sender and bytes. The first `arrived` have been reported.
    expected: Vec<(Rank, usize)>,
    arrived: usize,
}

/// The messages to and from the nodes at one distance, for one of their leaders.
struct Led {
    /// Distance between the nodes.
    k: usize,
    outgoing: Flight,
    incoming: Flight,
}

/// State of a message between nodes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flight {
    NotBegun,
    UnderWay,
    Done,
}

/// An exchange in progress.
pub(crate) struct ExchangeCall<'a> {
    all: &'a NodeExchange,
    call: &'a mut CallExchange,
    comm: Comm<'a>,
}

impl CallExchange {
    /// Begins the next exchange of `all`, whose messages have tag `tag`. Ranks must begin their exchanges in the same
    /// order, and end each by [`ExchangeCall::close`].
    pub fn begin(&mut self, all: &mut NodeExchange, tag: i32) {
        (self.number, self.tag, self.is_posted, self.complete) = (all.next, tag, false, 0);
        all.next += 1;
        self.arrived = 0;
        self.expected.clear();
        self.led.clear();
        let (outgoing, incoming) = (Flight::NotBegun, Flight::NotBegun);
        self.led.extend(all.led().map(|k| Led { k, outgoing, incoming }));
        if self.requests.count() != 2 * self.led.len() {
            self.requests = Requests::new(2 * self.led.len());
        }
    }

    /// Returns whether no message of this rank is in flight.
    pub fn is_idle(&self) -> bool {
        self.requests.all_idle()
    }
}

impl<'a> ExchangeCall<'a> {
    /// Combines an exchange with this rank's access to it. `comm` must carry reblock's messages only.
    pub fn new(all: &'a NodeExchange, call: &'a mut CallExchange, comm: Comm<'a>) -> Self {
        Self { all, call, comm }
    }

    /// Returns the maximum bytes of a message between two ranks.
    pub fn limit(&self) -> usize {
        self.all.limit()
    }

    /// Returns the room for the message of `bytes` bytes to `to`, for writing; `None` while an earlier exchange uses
    /// it. Call it at most once for each rank, and before [`ExchangeCall::post`].
    pub fn pack(&mut self, to: Rank, bytes: usize) -> Option<&mut [u8]> {
        assert!(!self.call.is_posted && bytes <= self.limit(), "{bytes} bytes to {to:?}");
        let (all, (k, number)) = (self.all, self.all.ahead(to));
        let region = &all.layout.sent[k];
        let state = all.state(region);
        if !state.is_turn(self.call.number) {
            return None;
        }
        let before = usize::try_from(state.take(bytes.next_multiple_of(ALIGN) as u64));
        let at = region.table + before.expect("the messages of a region fit in memory");
        let room = all.at(region, RECORD_ROOM + at, bytes);
        let entry = entry(all, region, RECORD_ROOM, (number, all.me, all.ranks()));
        let entry_value =
            [at / ALIGN, bytes].map(|n| u32::try_from(n).expect("a region has less than 2 GiB"));
        // SAFETY: entry and room are within the region, which `at` asserts, and belong to this rank alone until `post`
        // counts it: the region is this exchange's, and `take` returns distinct ranges.
        unsafe {
            entry.write(entry_value);
            Some(std::slice::from_raw_parts_mut(room, bytes))
        }
    }

    /// Posts this rank's record, unless that is done. `write` writes it to a room of [`MAX_RECORD_BYTES`] bytes. `merge`
    /// merges the records of all ranks of the node: it gets these rooms, and a room for the result, whose length it
    /// returns. Returns false, and posts nothing, while an earlier exchange uses some region.
    pub fn post(
        &mut self,
        write: impl FnOnce(&mut [u8]),
        merge: impl FnOnce(&mut dyn Iterator<Item = &'a [u8]>, &mut [u8]) -> Result<usize, Error>,
    ) -> Result<bool, Error> {
        let (all, number) = (self.all, self.call.number);
        if self.call.is_posted {
            return Ok(true);
        }
        if !all.layout.sent.iter().all(|region| all.state(region).is_turn(number)) {
            return Ok(false);
        }
        let record = |rank: usize| {
            let at = all.layout.records + rank * MAX_RECORD_BYTES;
            all.segment.at(at..at + MAX_RECORD_BYTES)
        };
        // SAFETY: the room is within the segment, and this rank's own: `NodeExchange::new` has claimed it. Others read
        // it after this rank is counted below, and not after region 0 is passed on, so not now.
        write(unsafe { std::slice::from_raw_parts_mut(record(all.me), MAX_RECORD_BYTES) });
        self.call.is_posted = true;
        let (own, others) = all.layout.sent.split_first().expect("a region for the own node");
        if all.state(own).has_packed(all.ranks()) {
            // SAFETY: within the segment. All ranks have written their records, and none writes again before this rank
            // has read region 0.
            let read =
                |rank| unsafe { std::slice::from_raw_parts(record(rank).cast_const(), MAX_RECORD_BYTES) };
            let mut merged = [0; MAX_RECORD_BYTES];
            let length = merge(&mut (0..all.ranks()).map(read), &mut merged)?;
            put_record(all, own, 0, &merged[..length]);
            all.state(own).complete(number);
        }
        for state in others.iter().map(|region| all.state(region)) {
            if state.has_packed(all.ranks()) {
                state.complete(number);
            }
        }
        Ok(true)
    }

    /// Does what this rank can do now as a leader. Returns whether the messages of all nodes are here, and no message of
    /// this rank is in flight.
    pub fn poll(&mut self) -> Result<bool, Error> {
        let (all, number) = (self.all, self.call.number);
        for i in 0..self.call.led.len() {
            self.send(i)?;
            self.receive(i)?;
        }
        while let Some((slot, came)) = self.call.requests.completed()? {
            let led = &mut self.call.led[slot / 2];
            if slot % 2 == 0 {
                led.outgoing = Flight::Done;
                let region = &all.layout.sent[led.k];
                pass_on(all, region, number);
            } else {
                led.incoming = Flight::Done;
                let region = &all.layout.received[led.k];
                let (record, table) = head(all, region);
                let expected = head_bytes(record.len()) + table;
                if came < expected {
                    return Err(Length { came, expected }.into());
                }
                all.state(region).complete(number);
            }
        }
        let is_complete = |region: &&Region| all.state(region).is_complete(number);
        let complete = &mut self.call.complete;
        *complete += all.layout.received[*complete..].iter().take_while(is_complete).count();
        let is_done = |led: &Led| (led.incoming, led.outgoing) == (Flight::Done, Flight::Done);
        Ok(*complete == all.map.count() && self.call.led.iter().all(is_done))
    }

    /// Starts to send message number `i` of this leader, once all ranks of the node have packed.
    fn send(&mut self, i: usize) -> Result<(), Error> {
        let (all, number) = (self.all, self.call.number);
        let led = &mut self.call.led[i];
        let (own, region) = (&all.layout.sent[0], &all.layout.sent[led.k]);
        let state = all.state(region);
        if led.outgoing != Flight::NotBegun
            || !(state.is_complete(number) && all.state(own).is_complete(number))
        {
            return Ok(());
        }
        // Region 0 stays until this rank has read it.
        let (record, _) = head(all, own);
        let start = RECORD_ROOM - head_bytes(record.len());
        put_record(all, region, start, record);
        let bytes = RECORD_ROOM + packed_bytes(all, region) - start;
        let (from, (to, _)) = (all.at(region, start, bytes), all.far_leaders(led.k));
        self.call.requests.own(2 * i, all.segment.clone());
        // SAFETY: the bytes are within the segment, which the request owns. All ranks have written them, and none does
        // so again before `pass_on`.
        unsafe { self.call.requests.send_from(2 * i, (self.comm, to, self.call.tag), from, bytes) }?;
        led.outgoing = Flight::UnderWay;
        Ok(())
    }

    /// Starts to receive message number `i` of this leader, once all ranks of the node have read the region's previous
    /// message.
    fn receive(&mut self, i: usize) -> Result<(), Error> {
        let all = self.all;
        let led = &mut self.call.led[i];
        let region = &all.layout.received[led.k];
        if led.incoming != Flight::NotBegun || !all.state(region).is_turn(self.call.number) {
            return Ok(());
        }
        let (into, (_, from)) = (all.at(region, 0, region.bytes), all.far_leaders(led.k));
        let requests = &mut self.call.requests;
        requests.own(2 * i + 1, all.segment.clone());
        // SAFETY: the bytes are within the segment, which the request owns. The region is this exchange's, and no rank
        // reads it before `complete`.
        unsafe { requests.receive_into(2 * i + 1, (self.comm, from, self.call.tag), into, region.bytes) }?;
        led.incoming = Flight::UnderWay;
        Ok(())
    }

    /// Returns the merged record of each node, once all are here. Each slice is longer than the record.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.assert_complete();
        self.all.layout.received.iter().map(|region| record_room(self.all, region))
    }

    /// Expects the message of `bytes` bytes from `from`. Returns its number.
    pub fn expect(&mut self, from: Rank, bytes: usize) -> usize {
        self.call.expected.push((from, bytes));
        self.call.expected.len() - 1
    }

    /// Returns the number of an expected message, if all messages are here. Reports each once.
    pub fn arrived(&mut self) -> Result<Option<usize>, Length> {
        let next = self.call.arrived;
        if next == self.call.expected.len() || self.call.complete < self.all.map.count() {
            return Ok(None);
        }
        self.message(next)?;
        self.call.arrived += 1;
        Ok(Some(next))
    }

    /// Returns the bytes of message number `number`, which has arrived.
    pub fn received(&self, number: usize) -> &[u8] {
        self.message(number).unwrap_or_else(|_| panic!("message {number} has not arrived"))
    }

    fn message(&self, number: usize) -> Result<&[u8], Length> {
        self.assert_complete();
        let (from, bytes) = self.call.expected[number];
        let (all, (k, number)) = (self.all, self.all.behind(from));
        let region = &all.layout.received[k];
        let (record, table_bytes) = head(all, region);
        if table_bytes == 0 {
            return Err(Length { came: 0, expected: bytes });
        }
        let table = if k == 0 { RECORD_ROOM } else { head_bytes(record.len()) };
        let ranks = all.map.of_node((all.node + all.map.count() - k) % all.map.count()).len();
        // SAFETY: the entry is within the region, which `at` asserts, and nobody writes it before this rank has read
        // the region, which `close` tells.
        let [place, came] = unsafe { entry(all, region, table, (all.me, number, ranks)).read() };
        if came as usize != bytes {
            return Err(Length { came: came as usize, expected: bytes });
        }
        let room = all.at(region, table + place as usize * ALIGN, bytes);
        // SAFETY: as for the entry.
        Ok(unsafe { std::slice::from_raw_parts(room, bytes) })
    }

    /// Ends the exchange, whose messages this rank does not need any more. Does nothing if the exchange is not complete;
    /// then no other exchange on the communicator can complete.
    pub fn close(&mut self) {
        let (all, number) = (self.all, self.call.number);
        if self.call.complete < all.map.count() {
            return;
        }
        // A second call must not count this rank again.
        self.call.complete = 0;
        let (own, others) = all.layout.received.split_first().expect("a region for the own node");
        if all.state(own).has_read(all.ranks()) {
            pass_on(all, own, number);
        }
        for state in others.iter().map(|region| all.state(region)) {
            if state.has_read(all.ranks()) {
                state.pass_on(number);
            }
        }
    }

    fn assert_complete(&self) {
        assert!(self.call.complete == self.all.map.count(), "the exchange is not complete");
    }
}

/// Returns the bytes of a record of `bytes` bytes with its length.
fn head_bytes(bytes: usize) -> usize {
    LENGTHS_BYTES + bytes.next_multiple_of(ALIGN)
}

/// Writes a record and its length at offset `start` of a region. The caller must be the rank that completes it.
fn put_record(all: &NodeExchange, region: &Region, start: usize, record: &[u8]) {
    let bytes = head_bytes(record.len());
    assert!(bytes <= RECORD_ROOM - start);
    // SAFETY: the bytes are within the region, and this rank's alone: all ranks have written their messages, and none
    // reads the region yet.
    let head = unsafe { std::slice::from_raw_parts_mut(all.at(region, start, bytes), bytes) };
    let table = if all.state(region).taken() == 0 { 0 } else { region.table };
    for (n, place) in [record.len(), table].into_iter().zip(head.chunks_exact_mut(size_of::<u32>())) {
        place.copy_from_slice(&u32::try_from(n).expect("a region has less than 2 GiB").to_ne_bytes());
    }
    head[LENGTHS_BYTES..LENGTHS_BYTES + record.len()].copy_from_slice(record);
}

/// Returns the bytes of a region's table and messages, once all ranks have packed; 0 without messages.
fn packed_bytes(all: &NodeExchange, region: &Region) -> usize {
    match all.state(region).taken() {
        0 => 0,
        taken => region.table + usize::try_from(taken).expect("the messages of a region fit in memory"),
    }
}

/// Returns the first bytes of a complete region: lengths, and the room of the record.
fn head_room<'a>(all: &'a NodeExchange, region: &Region) -> (&'a [u8], &'a [u8]) {
    let head = all.at(region, 0, RECORD_ROOM);
    // SAFETY: the head is within the region, which nobody writes before this rank has read it.
    let head = unsafe { std::slice::from_raw_parts(head.cast_const(), RECORD_ROOM) };
    head.split_at(LENGTHS_BYTES)
}

/// Returns the bytes of a complete region from its record on, as many as a record can have.
fn record_room<'a>(all: &'a NodeExchange, region: &Region) -> &'a [u8] {
    head_room(all, region).1
}

/// Returns the record of a complete region, and the bytes of its table. Lengths above their maxima are reduced to them.
fn head<'a>(all: &'a NodeExchange, region: &Region) -> (&'a [u8], usize) {
    let (lengths, record) = head_room(all, region);
    let length = |k: usize| {
        let bytes = lengths[k * size_of::<u32>()..][..size_of::<u32>()].try_into();
        u32::from_ne_bytes(bytes.expect("four bytes")) as usize
    };
    (&record[..length(0).min(MAX_RECORD_BYTES)], length(1).min(region.table))
}

/// Returns the entry, for the message to rank number `to` from rank number `from` of `ranks`, in the table at offset
/// `table` of a region.
fn entry(
    all: &NodeExchange,
    region: &Region,
    table: usize,
    (to, from, ranks): (usize, usize, usize),
) -> *mut [u32; 2] {
    all.at(region, table + (to * ranks + from) * ENTRY_BYTES, ENTRY_BYTES).cast()
}

/// Passes a region that this node has written on to the next exchange, with an empty table. All ranks, and MPI, must be
/// done with it.
fn pass_on(all: &NodeExchange, region: &Region, number: u64) {
    if all.state(region).taken() > 0 {
        // SAFETY: the table is within the region, and this rank's alone, by this fn's contract.
        unsafe { all.at(region, RECORD_ROOM, region.table).write_bytes(0, region.table) };
    }
    all.state(region).pass_on(number);
}

#[cfg(test)]
mod tests {
    use super::super::{Layout, NodeMap};
    use super::*;
    use crate::transport::shm::Segment;
    use std::sync::Arc;

    const LIMIT: usize = 100;

    /// Returns the length of the message from rank `from` to rank `to` in an exchange; 0 if there is none.
    fn length(exchange: u64, from: u32, to: u32) -> usize {
        (exchange as usize * 31 + from as usize * 7 + to as usize * 3) % (LIMIT + 1)
    }

    fn byte(exchange: u64, from: u32, to: u32) -> u8 {
        (exchange * 16 + u64::from(from) * 4 + u64::from(to)).to_le_bytes()[0]
    }

    /// Takes part in `exchanges` exchanges as rank `me` of `ranks`, all on one node, and checks all that it receives.
    fn take_part(all: &mut NodeExchange, (me, ranks): (u32, u32), exchanges: u64) {
        let mut call = CallExchange::default();
        for exchange in 0..exchanges {
            call.begin(all, 0);
            let mut now = ExchangeCall::new(all, &mut call, Comm::own());
            for to in (0..ranks).filter(|&to| length(exchange, me, to) > 0) {
                loop {
                    if let Some(room) = now.pack(Rank(to), length(exchange, me, to)) {
                        room.fill(byte(exchange, me, to));
                        break;
                    }
                    std::thread::yield_now();
                }
            }
            let merge = |records: &mut dyn Iterator<Item = &[u8]>, out: &mut [u8]| {
                out[0] = records.map(|record| record[0]).fold(0, u8::wrapping_add);
                Ok(1)
            };
            while !now.post(|room| room[0] = byte(exchange, me, 0), merge).unwrap() {
                std::thread::yield_now();
            }
            let from = |from: &u32| length(exchange, *from, me) > 0;
            let senders: Vec<u32> = (0..ranks).filter(from).collect();
            for &from in &senders {
                now.expect(Rank(from), length(exchange, from, me));
            }
            while !now.poll().unwrap() {
                assert_eq!(now.arrived(), Ok(None), "nothing arrives before all have posted");
                std::thread::yield_now();
            }
            let all_records = (0..ranks).map(|rank| byte(exchange, rank, 0)).fold(0, u8::wrapping_add);
            assert_eq!(now.records().map(|record| record[0]).collect::<Vec<_>>(), [all_records]);
            for &from in &senders {
                let number = now.arrived().unwrap().expect("all messages are here");
                let want = vec![byte(exchange, from, me); length(exchange, from, me)];
                assert_eq!(now.received(number), want, "from {from} to {me}");
            }
            assert_eq!(now.arrived(), Ok(None));
            now.close();
        }
    }

    #[test]
    fn each_rank_receives_the_messages_of_each_exchange() {
        for ranks in [1, 2, 3, 5] {
            let map = Arc::new(NodeMap::new(&vec![7; ranks as usize]));
            let layout = || Layout::new(&map, 0, LIMIT.next_multiple_of(ALIGN));
            let segment = Arc::new(Segment::private(layout().bytes()).unwrap());
            std::thread::scope(|scope| {
                for me in 0..ranks {
                    let mut all = NodeExchange::new(segment.clone(), layout(), map.clone(), Rank(me));
                    scope.spawn(move || take_part(&mut all, (me, ranks), 200));
                }
            });
        }
    }

    #[test]
    fn a_message_that_was_not_sent_is_an_error() {
        let map = Arc::new(NodeMap::new(&[7]));
        let layout = Layout::new(&map, 0, LIMIT);
        let segment = Arc::new(Segment::private(layout.bytes()).unwrap());
        let mut all = NodeExchange::new(segment, layout, map, Rank(0));
        let mut call = CallExchange::default();
        call.begin(&mut all, 0);
        let mut now = ExchangeCall::new(&all, &mut call, Comm::own());
        assert!(now.post(|_| (), |_, _| Ok(0)).unwrap() && now.poll().unwrap());
        now.expect(Rank(0), 16);
        assert_eq!(now.arrived(), Err(Length { came: 0, expected: 16 }));
    }
}
