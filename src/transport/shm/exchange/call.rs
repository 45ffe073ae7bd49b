//! One exchange, as a call uses it: pack messages, post the record, wait, read records and messages.

use super::NodeExchange;
use super::contents::Message;
use super::layout::{MAX_RECORD_BYTES, Region};
use super::led::{CurrentExchange, LedMessages, pass_on};
use crate::layout::distribution::Rank;
use crate::mpi::Comm;
use crate::transport::Length;
use crate::transport::error::Error;

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
    /// Messages between nodes that this rank sends and receives as a leader.
    led: LedMessages,
    /// Messages that this rank expects: sender and bytes.
    expected: Vec<(Rank, usize)>,
    /// Index in `received` of each expected message that has been reported: the first ones.
    found: Vec<usize>,
    /// All messages to this rank by sender, once this rank has listed them: sender, distance of its node, message.
    received: Vec<(Rank, usize, Message)>,
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
        self.led.begin(all);
    }

    /// Returns whether the last [`ExchangeCall::poll`] stopped after a long message; false if asked again before the
    /// next one.
    pub fn take_pause(&mut self) -> bool {
        std::mem::take(&mut self.is_paused)
    }

    /// Returns whether no message of this rank is in flight.
    pub fn is_idle(&self) -> bool {
        self.led.is_idle()
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
        let current = CurrentExchange { all, comm: self.comm, number, tag: self.call.tag };
        self.call.is_paused = self.call.led.advance(current)?;
        let is_complete = |region: &&Region| all.state(region).is_complete(number);
        let complete = &mut self.call.complete;
        *complete += all.layout.received[*complete..].iter().take_while(is_complete).count();
        Ok(*complete == all.map.count() && self.call.led.are_done())
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
