//! One exchange, as a call uses it: pack messages, post the record, wait, read records and messages.

use super::NodeExchange;
use super::contents::{Message, record_start};
use super::layout::{MAX_RECORD_BYTES, Region};
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, Requests};
use crate::transport::Length;
use crate::transport::error::Error;

/// If [`ExchangeCall::poll`] has started more than these bytes of a message, it starts no other message, so that MPI may
/// give the core to other ranks: these bytes occupy the port for longer than starting them takes. Ranks that share a
/// core then start their messages in turn, and all ports are busy early.
const MAX_BURST_BYTES: usize = 1 << 10;
/// Maximum bytes of a piece of a message. MPI sends a long message only after the receiver has answered: Open MPI over
/// TCP from 64 KiB on, MPICH with UCX over TCP already at 30,000 bytes. The answer is late if the receiver waits for a
/// core, or if it queues behind a message that the receiver sends on the same connection.
const MAX_PIECE_BYTES: usize = 16_000;
/// Maximum number of pieces of one message in flight.
const MAX_PIECES_IN_FLIGHT: usize = 8;

/// State of one call's exchange on this rank. Later calls reuse this value.
#[derive(Default)]
pub(crate) struct CallExchange {
    number: u64,
    tag: i32,
    is_posted: bool,
    /// Whether the last `poll` stopped after a long message.
    is_paused: bool,
    /// Number of regions, from distance 0 on, that this rank has seen complete.
    complete: usize,
    /// The distances for which this rank is a leader.
    led: Vec<Led>,
    /// For each entry of `led`, [`CallExchange::max_in_flight`] requests for pieces that are sent, and as many for
    /// pieces that are received.
    requests: Requests,
    /// Maximum number of pieces of one message in flight.
    max_in_flight: usize,
    /// Messages that this rank expects: sender and bytes.
    expected: Vec<(Rank, usize)>,
    /// Index in `received` of each expected message that has been reported: the first ones.
    found: Vec<usize>,
    /// All messages to this rank by sender, once this rank has listed them: sender, distance of its node, message.
    received: Vec<(Rank, usize, Message)>,
}

/// The messages to and from the nodes at one distance, for one of their leaders.
struct Led {
    /// Distance between the nodes.
    k: usize,
    outgoing: MessageProgress,
    incoming: MessageProgress,
}

/// Progress of a message between nodes, which travels in pieces of at most [`MAX_PIECE_BYTES`].
#[derive(Clone, Copy, Default)]
struct MessageProgress {
    /// Offset of the next piece in the region; 0 before the message begins.
    next: usize,
    /// Offset of the end of the message; 0 before it begins. Of a message to this node, the maximum end of the first
    /// piece until that piece is here.
    end: usize,
    /// Number of pieces in flight.
    in_flight: usize,
    /// Bytes received.
    came: usize,
}

impl MessageProgress {
    /// Returns whether the whole message has been sent or received; false before it begins.
    fn is_done(self) -> bool {
        self.end > 0 && self.next == self.end && self.in_flight == 0
    }
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
        self.is_paused = false;
        self.received.clear();
        self.expected.clear();
        self.found.clear();
        self.led.clear();
        let (outgoing, incoming) = (MessageProgress::default(), MessageProgress::default());
        self.led.extend(all.led().map(|k| Led { k, outgoing, incoming }));
        self.max_in_flight = all.layout.longest.div_ceil(MAX_PIECE_BYTES).min(MAX_PIECES_IN_FLIGHT);
        let requests = 2 * self.led.len() * self.max_in_flight;
        if self.requests.count() != requests {
            self.requests = Requests::new(requests);
        }
    }

    /// Returns whether the last [`ExchangeCall::poll`] stopped after a long message; false if asked again before the
    /// next one.
    pub fn take_pause(&mut self) -> bool {
        std::mem::take(&mut self.is_paused)
    }

    /// Returns whether no message of this rank is in flight.
    pub fn is_idle(&self) -> bool {
        self.requests.all_idle()
    }

    /// Takes the next piece of message number `message`: entry i of `led` sends number 2 i and receives number 2 i + 1.
    /// Returns an idle request, the offset of the piece in its region, and its bytes; `None` if there is no piece, or
    /// the maximum number of pieces is in flight.
    fn take_piece(&mut self, message: usize) -> Option<(usize, usize, usize)> {
        let led = &mut self.led[message / 2];
        let progress = if message % 2 == 0 { &mut led.outgoing } else { &mut led.incoming };
        if progress.next == progress.end || progress.in_flight == self.max_in_flight {
            return None;
        }
        let mut requests = message * self.max_in_flight..(message + 1) * self.max_in_flight;
        let request =
            requests.find(|&request| self.requests.is_idle(request)).expect("fewer pieces in flight");
        let (at, bytes) = (progress.next, (progress.end - progress.next).min(MAX_PIECE_BYTES));
        progress.next += bytes;
        progress.in_flight += 1;
        Some((request, at, bytes))
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
        // SAFETY: the region is this exchange's, and this rank is not counted among those that have packed.
        Some(unsafe { all.contents(region).push(number, all.me, bytes) })
    }

    /// Posts this rank's record, unless that is done. `write` writes it to a room of [`MAX_RECORD_BYTES`] bytes.
    /// `merge` merges the records of all ranks of the node: it gets these rooms, and a room for the result, whose
    /// length it returns. Returns false, and posts nothing, while an earlier exchange uses the own region.
    pub fn post(
        &mut self,
        write: impl FnOnce(&mut [u8]),
        merge: impl FnOnce(&mut dyn Iterator<Item = &'a [u8]>, &mut [u8]) -> Result<usize, Error>,
    ) -> Result<bool, Error> {
        let (all, number) = (self.all, self.call.number);
        let own = &all.layout.sent[0];
        if self.call.is_posted {
            return Ok(true);
        }
        if !all.state(own).is_turn(number) {
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
        if all.counts().has_packed(all.ranks()) {
            // SAFETY: within the segment. All ranks have written their records, and none writes again before this rank
            // has read region 0.
            let read =
                |rank| unsafe { std::slice::from_raw_parts(record(rank).cast_const(), MAX_RECORD_BYTES) };
            let mut merged = [0; MAX_RECORD_BYTES];
            let length = merge(&mut (0..all.ranks()).map(read), &mut merged)?;
            // SAFETY: this rank completes the region.
            unsafe { all.contents(own).put_record(0, &merged[..length]) };
            all.state(own).complete(number);
        }
        Ok(true)
    }

    /// Advances the sends and receives that this rank makes as a leader. Returns whether the messages of all nodes are
    /// here, and no message of this rank is in flight.
    pub fn poll(&mut self) -> Result<bool, Error> {
        let (all, number) = (self.all, self.call.number);
        for i in 0..self.call.led.len() {
            self.receive(i)?;
        }
        self.call.is_paused = false;
        for i in 0..self.call.led.len() {
            if self.send(i)? > MAX_BURST_BYTES {
                self.call.is_paused = true;
                break;
            }
        }
        while let Some((request, came)) = self.call.requests.completed()? {
            let message = request / self.call.max_in_flight;
            let led = &mut self.call.led[message / 2];
            if message % 2 == 0 {
                led.outgoing.in_flight -= 1;
                if led.outgoing.is_done() {
                    pass_on(all, &all.layout.sent[led.k], number);
                }
            } else {
                self.count_received(message / 2, came)?;
            }
        }
        let is_complete = |region: &&Region| all.state(region).is_complete(number);
        let complete = &mut self.call.complete;
        *complete += all.layout.received[*complete..].iter().take_while(is_complete).count();
        let is_done = |led: &Led| led.incoming.is_done() && led.outgoing.is_done();
        Ok(*complete == all.map.count() && self.call.led.iter().all(is_done))
    }

    /// Starts to send the next pieces of the message of entry `i` of `led`, once all ranks of the node have packed.
    /// Returns their bytes.
    fn send(&mut self, i: usize) -> Result<usize, Error> {
        let (all, number) = (self.all, self.call.number);
        let led = &mut self.call.led[i];
        let (own, region) = (&all.layout.sent[0], &all.layout.sent[led.k]);
        let contents = all.contents(region);
        if led.outgoing.end == 0 {
            if !(all.state(region).is_turn(number) && all.state(own).is_complete(number)) {
                return Ok(0);
            }
            // Region 0 stays until this rank has read it.
            let record = all.contents(own).record();
            let start = record_start(record.len());
            // SAFETY: the leader completes the region, which no rank of this node reads.
            unsafe { contents.put_record(start, record) };
            (led.outgoing.next, led.outgoing.end) = (start, contents.end());
        }
        let (start, (to, _)) = (led.outgoing.next, all.far_leaders(led.k));
        while let Some((request, at, bytes)) = self.call.take_piece(2 * i) {
            let from = contents.at(at, bytes);
            self.call.requests.keep_owner(request, all.segment.clone());
            // SAFETY: the bytes are within the segment, which the request owns. All ranks have written them, and none
            // does so again before `pass_on`.
            unsafe { self.call.requests.send_from(request, (self.comm, to, self.call.tag), from, bytes) }?;
        }
        Ok(self.call.led[i].outgoing.next - start)
    }

    /// Starts to receive the message of entry `i` of `led`, once all ranks of the node have read the region's previous
    /// message.
    fn receive(&mut self, i: usize) -> Result<(), Error> {
        let led = &mut self.call.led[i];
        let region = &self.all.layout.received[led.k];
        if led.incoming.end > 0 || !self.all.state(region).is_turn(self.call.number) {
            return Ok(());
        }
        // The first piece says where the message ends.
        led.incoming.end = region.bytes.min(MAX_PIECE_BYTES);
        self.receive_pieces(i)
    }

    /// Starts to receive the next pieces of the message of entry `i` of `led`.
    fn receive_pieces(&mut self, i: usize) -> Result<(), Error> {
        let (all, k) = (self.all, self.call.led[i].k);
        let (contents, (_, from)) = (all.contents(&all.layout.received[k]), all.far_leaders(k));
        while let Some((request, at, bytes)) = self.call.take_piece(2 * i + 1) {
            let into = contents.at(at, bytes);
            self.call.requests.keep_owner(request, all.segment.clone());
            // SAFETY: the bytes are within the segment, which the request owns. The region is this exchange's. Before
            // `complete` no rank reads it, except this one its head, which is in the first piece and arrives before
            // others are received.
            unsafe {
                self.call.requests.receive_into(request, (self.comm, from, self.call.tag), into, bytes)
            }?;
        }
        Ok(())
    }

    /// Counts a piece of the message of entry `i` of `led` that has been received, with `came` bytes. Starts to receive
    /// the next ones, or completes the region.
    fn count_received(&mut self, i: usize, came: usize) -> Result<(), Error> {
        let (all, led) = (self.all, &mut self.call.led[i]);
        let region = &all.layout.received[led.k];
        let incoming = &mut led.incoming;
        if incoming.came == 0 {
            incoming.end = all.contents(region).message_bytes();
            incoming.next = incoming.next.min(incoming.end);
        }
        incoming.in_flight -= 1;
        incoming.came += came;
        if incoming.in_flight == 0 && incoming.came != incoming.next {
            return Err(Length { came: incoming.came, expected: incoming.next }.into());
        }
        if incoming.is_done() {
            all.state(region).complete(self.call.number);
        }
        self.receive_pieces(i)
    }

    /// Returns the merged record of each node, once all are here. Each slice is longer than the record.
    pub fn records(&self) -> impl Iterator<Item = &[u8]> {
        self.assert_complete();
        self.all.layout.received.iter().map(|region| self.all.contents(region).record_room())
    }

    /// Expects the message of `bytes` bytes from `from`. Returns its number.
    pub fn expect(&mut self, from: Rank, bytes: usize) -> usize {
        self.call.expected.push((from, bytes));
        self.call.expected.len() - 1
    }

    /// Returns the number of an expected message, if all messages are here. Reports each once.
    pub fn arrived(&mut self) -> Result<Option<usize>, Length> {
        let next = self.call.found.len();
        if next == self.call.expected.len() || self.call.complete < self.all.map.count() {
            return Ok(None);
        }
        if self.call.received.is_empty() {
            self.list()?;
        }
        let (from, expected) = self.call.expected[next];
        let list = &self.call.received;
        let found = list.binary_search_by_key(&from, |&(from, ..)| from);
        let came = found.map_or(0, |at| list[at].2.bytes);
        match found {
            Ok(at) if came == expected => self.call.found.push(at),
            _ => return Err(Length { came, expected }),
        }
        Ok(Some(next))
    }

    /// Returns the bytes of message number `number`, which has arrived.
    pub fn received(&self, number: usize) -> &[u8] {
        let (_, k, message) = self.call.received[self.call.found[number]];
        self.all.contents(&self.all.layout.received[k]).bytes(message)
    }

    /// Lists the messages to this rank, by sender.
    fn list(&mut self) -> Result<(), Length> {
        self.assert_complete();
        let (all, list) = (self.all, &mut self.call.received);
        for (k, region) in all.layout.received.iter().enumerate() {
            let ranks = all.map.of_node((all.node + all.map.count() - k) % all.map.count());
            for message in all.contents(region).messages(all.me, ranks.len()) {
                let message = message?;
                list.push((Rank(ranks[message.from]), k, message));
            }
        }
        list.sort_unstable_by_key(|&(from, ..)| from);
        Ok(())
    }

    /// Ends the exchange, once this rank no longer needs its messages. Does nothing if the exchange is not complete;
    /// then no other exchange on the communicator can complete.
    pub fn close(&mut self) {
        let (all, number) = (self.all, self.call.number);
        if self.call.complete < all.map.count() {
            return;
        }
        // A second call must not count this rank again.
        self.call.complete = 0;
        if all.counts().has_read(all.ranks()) {
            let (own, others) = all.layout.received.split_first().expect("a region for the own node");
            others.iter().for_each(|region| all.state(region).pass_on(number));
            pass_on(all, own, number);
        }
    }

    fn assert_complete(&self) {
        assert!(self.call.complete == self.all.map.count(), "the exchange is not complete");
    }
}

/// Passes a region that this node has written on to the next exchange, without messages. All ranks, and MPI, must be
/// done with it.
fn pass_on(all: &NodeExchange, region: &Region, number: u64) {
    // SAFETY: by this fn's contract.
    unsafe { all.contents(region).clear() };
    all.state(region).pass_on(number);
}

#[cfg(test)]
mod tests {
    use super::super::layout::ALIGN;
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
