//! Messages between nodes that a rank sends and receives as a leader, in pieces.

use super::NodeExchange;
use super::contents::record_start;
use super::layout::Region;
use crate::mpi::{Comm, Requests};
use crate::transport::Length;
use crate::transport::error::Error;

/// If [`LedMessages::advance`] has started more than these bytes of a message, it starts no other message, so that MPI
/// may give the core to other ranks: these bytes occupy the port for longer than starting them takes. Ranks that share
/// a core then start their messages in turn, and all ports are busy early.
const MAX_BURST_BYTES: usize = 1 << 10;
/// Maximum bytes of a piece of a message. MPI sends a long message only after the receiver has answered: Open MPI over
/// TCP from 64 KiB on, MPICH with UCX over TCP already at 30,000 bytes. The answer is late if the receiver waits for a
/// core, or if it queues behind a message that the receiver sends on the same connection.
const MAX_PIECE_BYTES: usize = 16_000;
/// Maximum number of pieces of one message in flight.
const MAX_PIECES_IN_FLIGHT: usize = 8;

/// The exchange in progress.
#[derive(Clone, Copy)]
pub(super) struct CurrentExchange<'a> {
    pub all: &'a NodeExchange,
    pub comm: Comm<'a>,
    pub number: u64,
    pub tag: i32,
}

/// The messages that this rank sends and receives as a leader in one exchange. Later exchanges reuse this value.
#[derive(Default)]
pub(super) struct LedMessages {
    /// One entry for each distance for which this rank is a leader.
    list: Vec<Led>,
    /// For each entry of `list`, `max_in_flight` requests for pieces that are sent, and as many for pieces that are
    /// received.
    requests: Requests,
    /// Maximum number of pieces of one message in flight; less than [`MAX_PIECES_IN_FLIGHT`] if regions are short.
    max_in_flight: usize,
}

/// The messages to and from the nodes at one distance, for one of their leaders.
struct Led {
    /// Distance between the nodes.
    k: usize,
    outgoing: MessageProgress,
    incoming: MessageProgress,
}

/// Progress of a message between nodes.
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

impl LedMessages {
    /// Begins the next exchange of `all`.
    pub fn begin(&mut self, all: &NodeExchange) {
        let (outgoing, incoming) = (MessageProgress::default(), MessageProgress::default());
        self.list.clear();
        self.list.extend(all.led().map(|k| Led { k, outgoing, incoming }));
        self.max_in_flight = all.layout.longest.div_ceil(MAX_PIECE_BYTES).min(MAX_PIECES_IN_FLIGHT);
        let requests = 2 * self.list.len() * self.max_in_flight;
        if self.requests.count() != requests {
            self.requests = Requests::new(requests);
        }
    }

    /// Returns whether no piece is in flight.
    pub fn is_idle(&self) -> bool {
        self.requests.all_idle()
    }

    /// Returns whether all messages have been sent and received.
    pub fn are_done(&self) -> bool {
        self.list.iter().all(|led| led.incoming.is_done() && led.outgoing.is_done())
    }

    /// Advances all messages. Completes the regions of those that have been received, and passes on the regions of
    /// those that have been sent. Returns whether it stopped after a long message, before all that can start have
    /// started.
    pub fn advance(&mut self, current: CurrentExchange) -> Result<bool, Error> {
        for i in 0..self.list.len() {
            self.receive(i, current)?;
        }
        let mut is_paused = false;
        for i in 0..self.list.len() {
            if self.send(i, current)? > MAX_BURST_BYTES {
                is_paused = true;
                break;
            }
        }
        while let Some((request, came)) = self.requests.completed()? {
            let message = request / self.max_in_flight;
            let led = &mut self.list[message / 2];
            if message % 2 == 0 {
                led.outgoing.in_flight -= 1;
                if led.outgoing.is_done() {
                    pass_on(current.all, &current.all.layout.sent[led.k], current.number);
                }
            } else {
                self.count_received(message / 2, came, current)?;
            }
        }
        Ok(is_paused)
    }

    /// Starts to send the next pieces of the message of entry `i`, once all ranks of the node have packed. Returns
    /// their bytes.
    fn send(&mut self, i: usize, current: CurrentExchange) -> Result<usize, Error> {
        let CurrentExchange { all, comm, number, tag } = current;
        let led = &mut self.list[i];
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
        while let Some((request, at, bytes)) = self.take_piece(2 * i) {
            let from = contents.at(at, bytes);
            self.requests.keep_owner(request, all.segment.clone());
            // SAFETY: the bytes are within the segment, which the request owns. All ranks have written them, and none
            // does so again before `pass_on`.
            unsafe { self.requests.send_from(request, (comm, to, tag), from, bytes) }?;
        }
        Ok(self.list[i].outgoing.next - start)
    }

    /// Starts to receive the message of entry `i`, once all ranks of the node have read the region's previous message.
    fn receive(&mut self, i: usize, current: CurrentExchange) -> Result<(), Error> {
        let (all, led) = (current.all, &mut self.list[i]);
        let region = &all.layout.received[led.k];
        if led.incoming.end > 0 || !all.state(region).is_turn(current.number) {
            return Ok(());
        }
        // The first piece says where the message ends.
        led.incoming.end = region.bytes.min(MAX_PIECE_BYTES);
        self.receive_pieces(i, current)
    }

    /// Starts to receive the next pieces of the message of entry `i`.
    fn receive_pieces(&mut self, i: usize, current: CurrentExchange) -> Result<(), Error> {
        let (all, k) = (current.all, self.list[i].k);
        let (contents, (_, from)) = (all.contents(&all.layout.received[k]), all.far_leaders(k));
        while let Some((request, at, bytes)) = self.take_piece(2 * i + 1) {
            let into = contents.at(at, bytes);
            self.requests.keep_owner(request, all.segment.clone());
            // SAFETY: the bytes are within the segment, which the request owns. The region is this exchange's. Before
            // `complete` no rank reads it, except this one its head, which is in the first piece and arrives before
            // others are received.
            unsafe { self.requests.receive_into(request, (current.comm, from, current.tag), into, bytes) }?;
        }
        Ok(())
    }

    /// Counts a piece of the message of entry `i` that has been received, with `came` bytes. Starts to receive the next
    /// ones, or completes the region.
    fn count_received(&mut self, i: usize, came: usize, current: CurrentExchange) -> Result<(), Error> {
        let (all, led) = (current.all, &mut self.list[i]);
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
            all.state(region).complete(current.number);
        }
        self.receive_pieces(i, current)
    }

    /// Takes the next piece of message number `message`: entry i sends number 2 i and receives number 2 i + 1. Returns
    /// an idle request, the offset of the piece in its region, and its bytes; `None` if there is no piece, or the
    /// maximum number of pieces is in flight.
    fn take_piece(&mut self, message: usize) -> Option<(usize, usize, usize)> {
        let led = &mut self.list[message / 2];
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

/// Passes a region that this node has written on to the next exchange, without messages. All ranks, and MPI, must be
/// done with it.
pub(super) fn pass_on(all: &NodeExchange, region: &Region, number: u64) {
    // SAFETY: by this fn's contract.
    unsafe { all.contents(region).clear() };
    all.state(region).pass_on(number);
}
