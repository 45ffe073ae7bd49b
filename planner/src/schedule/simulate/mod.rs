//! Simulates the ports of a redistribution until all messages have arrived.
//!
//! Steps are an order, not barriers: no port waits for a step that has none of its messages. So the time of a schedule
//! is not the sum of its longest messages. The simulation gives the same result on every rank. It behaves like the
//! library over MPI, and like MPI over a network:
//!
//! - A sender sends its messages in the order of the steps. It has at most a window of unacknowledged pieces. It begins
//!   the next message when at most [`MAX_IN_FLIGHT_BYTES`] bytes are unacknowledged. The shortest pieces need no
//!   acknowledgement ([`Machine::max_unacknowledged`]).
//! - Pieces from several senders queue at the receiver's port, first come, first served. Senders are as fast as
//!   receivers.
//! - A receiver posts receives for a window of pieces, in the order of the steps. A piece may arrive before its receive
//!   is posted. It occupies the port nevertheless, and is received when its receive is posted.
//! - MPI sends a piece of more than [`EAGER_BYTES`] bytes only after its receive is posted.
//! - If ranks of a node share its port, their pieces leave one after the other, in the order in which they become
//!   ready. Messages within a node take no time.
//!
//! Time: O(W E log E) for E messages and a window of W; [`is_simulated`] limits E.

mod port;

use super::graph::{Edge, Graph};
use super::limits::{EAGER_BYTES, MAX_SIMULATED_WINDOW};
use super::node_ports::NodePorts;
use super::planning_budget::Effort;
use super::without;
use crate::budget;
use crate::machine::MAX_IN_FLIGHT_BYTES;
use crate::machine::{Machine, real};
use port::{InPort, OutPort, Receiver, Sender, SimulatedMessage};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Returns true if a schedule of `messages` messages is simulated: messages contend for ports, and `effort` permits the
/// time.
pub fn is_simulated(messages: u64, effort: Effort, machine: &Machine) -> bool {
    machine.contends() && messages <= effort.search && !without::is_left_out("simulation")
}

/// Returns the seconds until all messages of `graph` have arrived, if message `e` goes in step `steps[e]`. Each rank
/// has a port of its own.
pub fn seconds(graph: &Graph, steps: &[u32], machine: &Machine) -> f64 {
    seconds_in_order((graph.edges(), None), &in_order(steps), machine, false)
}

/// Returns the indices of messages, sorted by `steps`.
pub fn in_order(steps: &[u32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..).take(steps.len()).collect();
    order.sort_unstable_by_key(|&e| steps[e as usize]);
    order
}

/// Returns the seconds until all messages `edges` have arrived, sent in `order`. `nodes` has the nodes' ports, if ranks
/// share them. If `parts`, edges between the same two ranks are parts of one message, and a part does not wait until
/// the previous part is acknowledged.
pub fn seconds_in_order(
    (edges, nodes): (&[Edge], Option<&NodePorts>),
    order: &[u32],
    machine: &Machine,
    parts: bool,
) -> f64 {
    let (ends, renumbered) = renumber_ports(edges);
    let between =
        order.iter().copied().filter(|&e| nodes.is_none_or(|nodes| !nodes.is_within(&edges[e as usize])));
    let mut ports = Simulation::new((&ends, nodes), &renumbered, between, machine, parts);
    while let Some(Reverse((now, kind, message))) = ports.events.pop() {
        ports.now = f64::from_bits(now);
        match kind {
            EventKind::Arrives => ports.arrive(message),
            EventKind::Leaves => ports.finish_piece(message),
            EventKind::Starts => ports.start_piece(message),
        }
    }
    ports.now
}

/// Renumbers the senders and receivers that have messages, without gaps. Returns their numbers in `edges`, and the
/// messages with the new numbers.
fn renumber_ports(edges: &[Edge]) -> ([Vec<u32>; 2], Vec<Edge>) {
    let busy = |port: fn(&Edge) -> u32| {
        let mut ports: Vec<u32> = edges.iter().map(port).collect();
        ports.sort_unstable();
        ports.dedup();
        ports
    };
    let (senders, receivers) = (busy(|e| e.sender), busy(|e| e.receiver));
    let place = |ports: &[u32], port| {
        u32::try_from(ports.partition_point(|&other| other < port)).expect("no more ports than before")
    };
    let edge =
        |e: &Edge| Edge { sender: place(&senders, e.sender), receiver: place(&receivers, e.receiver), ..*e };
    let edges = edges.iter().map(edge).collect();
    ([senders, receivers], edges)
}

/// An event: (bits of the time in seconds, kind, message). Times are not negative, so their bits sort like the times.
type Event = (u64, EventKind, u32);

/// Kind of an event of a piece. Simultaneous events are handled in the order of these kinds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum EventKind {
    /// The whole piece has arrived.
    Arrives,
    /// The last byte of the piece leaves the sender.
    Leaves,
    /// The first byte of the piece leaves the sender.
    Starts,
}

struct Simulation<'a> {
    machine: &'a Machine,
    events: BinaryHeap<Reverse<Event>>,
    now: f64,
    senders: Vec<Sender>,
    receivers: Vec<Receiver>,
    /// Ports through which pieces leave and arrive: one for each rank, or for each node.
    outgoing: Vec<OutPort>,
    incoming: Vec<InPort>,
    messages: Vec<SimulatedMessage>,
    /// True if messages between the same two ranks are parts of one message.
    parts: bool,
    window: u64,
    /// Maximum bytes of a piece that needs no acknowledgement.
    max_unacknowledged: u64,
}

impl<'a> Simulation<'a> {
    fn new(
        ([senders, receivers], nodes): (&[Vec<u32>; 2], Option<&NodePorts>),
        edges: &[Edge],
        order: impl Iterator<Item = u32>,
        machine: &'a Machine,
        parts: bool,
    ) -> Self {
        let window = u64::from(machine.window).min(MAX_SIMULATED_WINDOW);
        let piece = budget::message(machine.room, machine.window.into());
        let sender = |(own, &number): (usize, &u32)| Sender {
            port: nodes.map_or(own, |nodes| nodes.of_sender(number)),
            ..Sender::default()
        };
        let receiver = |(own, &number): (usize, &u32)| Receiver {
            port: nodes.map_or(own, |nodes| nodes.of_receiver(number)),
            ..Receiver::default()
        };
        let count = nodes.map_or(senders.len().max(receivers.len()), NodePorts::count);
        let mut ports = Self {
            machine,
            events: BinaryHeap::new(),
            now: 0.0,
            senders: senders.iter().enumerate().map(sender).collect(),
            receivers: receivers.iter().enumerate().map(receiver).collect(),
            outgoing: vec![OutPort::default(); count],
            incoming: vec![InPort::default(); count],
            messages: edges.iter().map(|&edge| SimulatedMessage::new(edge, piece, window)).collect(),
            parts,
            window,
            max_unacknowledged: machine.max_unacknowledged(),
        };
        for message in order {
            let e = edges[message as usize];
            ports.senders[e.sender as usize].messages.push(message);
            ports.receivers[e.receiver as usize].messages.push(message);
        }
        (0..ports.receivers.len()).for_each(|receiver| ports.post_receives(receiver));
        (0..ports.senders.len()).for_each(|sender| ports.send_next(sender));
        ports
    }

    fn schedule(&mut self, seconds: f64, kind: EventKind, message: u32) {
        self.events.push(Reverse((seconds.to_bits(), kind, message)));
    }

    /// Starts the next piece of sender `number`, if it may be sent now.
    fn send_next(&mut self, number: usize) {
        let sender = &self.senders[number];
        if sender.busy || sender.unacknowledged >= self.window {
            return;
        }
        let current = sender.current.map(|message| (message, &self.messages[message as usize]));
        if let Some((message, of)) = current.filter(|(_, of)| of.sent < of.count()) {
            if of.awaited > of.sent || of.bytes(of.sent) <= EAGER_BYTES {
                self.senders[number].busy = true;
                self.start_piece(message);
            }
            return;
        }
        let Some(&message) = sender.messages.get(sender.begun) else { return };
        let of = &self.messages[message as usize];
        let part = self.parts && current.is_some_and(|(_, last)| last.edge.receiver == of.edge.receiver);
        if (sender.bytes > MAX_IN_FLIGHT_BYTES && !part) || (of.awaited == 0 && of.bytes(0) > EAGER_BYTES) {
            return;
        }
        let shared = if of.edge.bytes > MAX_IN_FLIGHT_BYTES { 1.0 } else { f64::from(self.machine.window) };
        let sender = &mut self.senders[number];
        (sender.current, sender.busy) = (Some(message), true);
        sender.begun += 1;
        let start_up = self.machine.start_up / shared;
        if start_up > 0.0 {
            self.schedule(self.now + start_up, EventKind::Starts, message);
        } else {
            self.start_piece(message);
        }
    }

    /// Starts the next piece of a message, or queues it at the port.
    fn start_piece(&mut self, message: u32) {
        let of = &mut self.messages[message as usize];
        let (sender, receiver) = of.ends();
        let port = &mut self.outgoing[self.senders[sender].port];
        if port.busy {
            port.waiting.push_back(message);
            return;
        }
        port.busy = true;
        let bytes = of.bytes(of.sent);
        of.sent += 1;
        if bytes > self.max_unacknowledged {
            self.senders[sender].unacknowledged += 1;
            self.senders[sender].bytes += bytes;
        }
        let port = self.receivers[receiver].port;
        self.incoming[port].queue(self.now, self.machine.byte).flows += 1;
        self.schedule(self.now + real(bytes) * self.machine.byte, EventKind::Leaves, message);
    }

    fn finish_piece(&mut self, message: u32) {
        let (sender, receiver) = self.messages[message as usize].ends();
        let port = self.receivers[receiver].port;
        let port = self.incoming[port].queue(self.now, self.machine.byte);
        port.flows -= 1;
        let queued = port.queued * self.machine.byte;
        self.senders[sender].busy = false;
        let port = &mut self.outgoing[self.senders[sender].port];
        port.busy = false;
        if let Some(next) = port.waiting.pop_front() {
            self.start_piece(next);
        }
        if queued > 0.0 {
            self.schedule(self.now + queued, EventKind::Arrives, message);
        } else {
            self.arrive(message);
        }
        self.send_next(sender);
    }

    fn arrive(&mut self, message: u32) {
        let of = &mut self.messages[message as usize];
        of.arrived += 1;
        let (_, receiver) = of.ends();
        self.receive(message);
        self.post_receives(receiver);
    }

    fn post_receives(&mut self, number: usize) {
        loop {
            let receiver = &mut self.receivers[number];
            let Some(&message) = receiver.messages.get(receiver.next) else { return };
            if receiver.awaited >= self.window {
                return;
            }
            let of = &mut self.messages[message as usize];
            of.awaited += 1;
            receiver.awaited += 1;
            receiver.next += usize::from(of.awaited == of.count());
            self.receive(message);
        }
    }

    /// Receives the pieces of `message` that have arrived and are awaited. The sender gets the acknowledgements at once
    /// and continues.
    fn receive(&mut self, message: u32) {
        let of = &mut self.messages[message as usize];
        let (sender, receiver) = of.ends();
        while of.received < of.arrived.min(of.awaited) {
            let bytes = of.bytes(of.received);
            of.received += 1;
            self.receivers[receiver].awaited -= 1;
            if bytes > self.max_unacknowledged {
                self.senders[sender].unacknowledged -= 1;
                self.senders[sender].bytes -= bytes;
            }
        }
        self.send_next(sender);
    }
}

#[cfg(test)]
mod tests;
