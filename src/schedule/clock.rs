//! WHEN is the last port done? A schedule is an order and no barrier: no port waits for a step that it takes no part in. So what
//! a schedule takes is not the sum of its longest messages, but what a simulation of the ports says, the same on every rank.
//!
//! It does as the library does over MPI. A sender takes its messages in the order of the steps, one long one at a time: the
//! next begins when the one before has been taken. Short ones overlap, so that a window of them shares a start-up. Messages
//! travel in pieces, and a receiver awaits a window of pieces in the order of the steps: long messages one by one, several
//! short ones at a time. What comes from several senders at a time shares the port evenly. Ports know nothing of each other
//! but that.
//!
//! Time: O(W E log E) for E messages and a window of W; [`suits`] says where that is little. If there are more, a few ports may stand
//! for all ([`quotient`](super::quotient)).

use super::effort::Effort;
use super::graph::Graph;
use super::machine::{LONG, Machine, real};
use crate::budget;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pieces in all windows, at the most: some 10 ms.
const PIECES: u64 = 1 << 17;

/// Whether so many messages are simulated.
pub fn suits(messages: u64, effort: Effort, machine: &Machine) -> bool {
    machine.contends() && messages <= most(effort, machine)
}

/// The messages that are simulated at the most: none where ports are not scarce; else it must not take long, `effort` permitting.
pub fn most(effort: Effort, machine: &Machine) -> u64 {
    if machine.contends() { effort.search.min(PIECES / u64::from(machine.window)) } else { 0 }
}

/// Seconds until all messages of `graph` are through, message `e` being in step `steps[e]` at both of its ports.
pub fn seconds(graph: &Graph, steps: &[u32], machine: &Machine) -> f64 {
    let mut order: Vec<u32> = (0..).take(steps.len()).collect();
    order.sort_unstable_by_key(|&e| steps[e as usize]);
    let mut ports = Ports::new(graph, &order, machine);
    while let Some(Reverse(event)) = ports.events.pop() {
        ports.now = f64::from_bits(event.time);
        match event.what {
            What::Flows(message) => ports.flow(message),
            What::Comes(receiver, version) if ports.receivers[receiver].version == version => {
                ports.come(receiver);
            }
            What::Comes(..) => {}
        }
    }
    ports.now
}

/// What happens, and when; the earliest first, and of two at a time the one whose message or receiver comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    /// The bits of a number of seconds, which are in the same order.
    time: u64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// A receiver gets the next piece, unless something else came meanwhile.
    Comes(usize, u32),
    /// The first byte of a message is on its way.
    Flows(u32),
}

struct Ports<'a> {
    graph: &'a Graph,
    machine: &'a Machine,
    events: BinaryHeap<Reverse<Event>>,
    now: f64,
    /// Of each sender, its messages, and how many of them it has begun.
    sends: Vec<(Vec<u32>, usize)>,
    receivers: Vec<Receiver>,
    /// Of each message, the pieces that have not come.
    left: Vec<u64>,
    /// Of each message, whether its receiver awaits it, and whether its sender waits until it does.
    awaited: Vec<bool>,
    held: Vec<bool>,
    /// Bytes of a piece.
    piece: u64,
}

/// A receiver's port.
#[derive(Clone, Default)]
struct Receiver {
    /// Its messages, in order; those before `next` are awaited or have come.
    messages: Vec<u32>,
    next: usize,
    /// Pieces of those that have not come.
    pieces: u64,
    /// What is on its way, as often as there are messages: how far all have come when one of them has its next piece that counts,
    /// as bits, as above; the message, and how far all have come when it is through, as bits.
    flows: BinaryHeap<Reverse<(u64, u32, u64)>>,
    /// How far all have come: the bytes that a message would have got which was there from the start, as of `since`.
    each: f64,
    since: f64,
    version: u32,
}

impl<'a> Ports<'a> {
    fn new(graph: &'a Graph, order: &[u32], machine: &'a Machine) -> Self {
        let mut sends = vec![(Vec::new(), 0); graph.senders() as usize];
        let mut receivers = vec![Receiver::default(); graph.receivers() as usize];
        for &message in order {
            let e = graph.edges()[message as usize];
            sends[e.sender as usize].0.push(message);
            receivers[e.receiver as usize].messages.push(message);
        }
        let piece = budget::message(machine.room, machine.window.into());
        let left = graph.edges().iter().map(|e| e.bytes.div_ceil(piece)).collect();
        let [awaited, held] = [const { false }; 2].map(|no| vec![no; order.len()]);
        let mut ports = Self {
            graph,
            machine,
            events: BinaryHeap::new(),
            now: 0.0,
            sends,
            receivers,
            left,
            awaited,
            held,
            piece,
        };
        (0..ports.receivers.len()).for_each(|receiver| ports.await_more(receiver));
        (0..ports.sends.len()).for_each(|sender| ports.begin(sender));
        ports
    }

    /// Begins the next message of `sender`, if its receiver awaits it.
    fn begin(&mut self, sender: usize) {
        let (messages, begun) = &mut self.sends[sender];
        let Some(&message) = messages.get(*begun) else { return };
        let e = self.graph.edges()[message as usize];
        if !self.awaited[message as usize] {
            self.held[message as usize] = true;
            return;
        }
        *begun += 1;
        let shared = if e.bytes > LONG { 1.0 } else { f64::from(self.machine.window) };
        let time = (self.now + self.machine.start_up / shared).to_bits();
        self.events.push(Reverse(Event { time, what: What::Flows(message) }));
    }

    fn flow(&mut self, message: u32) {
        let e = self.graph.edges()[message as usize];
        let through = self.advanced(e.receiver as usize).each + real(e.bytes);
        self.expect(e.receiver as usize, message, through);
        self.look(e.receiver as usize);
    }

    /// A piece came: what else is awaited now, and who goes on?
    fn come(&mut self, number: usize) {
        let Some(Reverse((_, message, through))) = self.advanced(number).flows.pop() else { return };
        let left = &mut self.left[message as usize];
        let before = *left;
        *left = (before - 1).min(u64::from(self.machine.window) - 1);
        let (came, is_through) = (before - *left, *left == 0);
        self.receivers[number].pieces -= came;
        if !is_through {
            self.expect(number, message, f64::from_bits(through));
        }
        self.look(number);
        self.await_more(number);
        if is_through {
            self.begin(self.graph.edges()[message as usize].sender as usize);
        }
    }

    /// The next piece of `message` that counts: as long as there are enough to fill the window, none does.
    fn expect(&mut self, number: usize, message: u32, through: f64) {
        let behind = (self.left[message as usize] - 1).min(u64::from(self.machine.window) - 1);
        let receiver = &mut self.receivers[number];
        let next = (through - real(behind * self.piece)).max(receiver.each);
        receiver.flows.push(Reverse((next.to_bits(), message, through.to_bits())));
    }

    /// Awaits as many messages as there is room for in a window of pieces.
    fn await_more(&mut self, number: usize) {
        loop {
            let receiver = &mut self.receivers[number];
            if receiver.pieces >= self.machine.window.into() {
                return;
            }
            let Some(&message) = receiver.messages.get(receiver.next) else { return };
            receiver.next += 1;
            receiver.pieces += self.left[message as usize];
            self.awaited[message as usize] = true;
            if self.held[message as usize] {
                self.begin(self.graph.edges()[message as usize].sender as usize);
            }
        }
    }

    /// A receiver, whose messages have come on.
    fn advanced(&mut self, number: usize) -> &mut Receiver {
        let receiver = &mut self.receivers[number];
        let flows = real(receiver.flows.len().max(1) as u64);
        receiver.each += (self.now - receiver.since) / self.machine.byte / flows;
        receiver.since = self.now;
        receiver
    }

    /// When the next piece comes, if nothing else begins.
    fn look(&mut self, number: usize) {
        let receiver = &mut self.receivers[number];
        receiver.version += 1;
        if let Some(Reverse((next, ..))) = receiver.flows.peek() {
            let bytes = (f64::from_bits(*next) - receiver.each).max(0.0) * real(receiver.flows.len() as u64);
            let time = (self.now + bytes * self.machine.byte).to_bits();
            let what = What::Comes(number, receiver.version);
            self.events.push(Reverse(Event { time, what }));
        }
    }
}

#[cfg(test)]
mod tests;
