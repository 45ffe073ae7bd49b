//! State of the simulated ports: their pieces in flight and their messages in order.

use super::super::graph::Edge;
use crate::machine::real;
use std::collections::VecDeque;

/// Number of *lumps*: large pieces that replace all pieces between the first and the last window of a message. This
/// does not affect when the next message begins or is awaited.
pub const LUMPS: u64 = 2;

/// A message of the simulation, and its pieces so far.
#[derive(Clone, Debug)]
pub struct SimulatedMessage {
    pub edge: Edge,
    /// Numbers of pieces so far: started, arrived, awaited (with a posted receive), and received (arrived and awaited).
    pub sent: u64,
    pub arrived: u64,
    pub awaited: u64,
    pub received: u64,
    /// Bytes of each piece except lumps and the last piece.
    piece: u64,
    /// Number of pieces before the lumps; as many follow them.
    window: u64,
    /// Bytes of all lumps together; `None` if the message has too few pieces for lumps.
    between: Option<u64>,
}

impl SimulatedMessage {
    /// Cuts the message `edge` into pieces of `piece` bytes, with `window` pieces in a window.
    pub fn new(edge: Edge, piece: u64, window: u64) -> Self {
        let between = edge.bytes.div_ceil(piece).saturating_sub(2 * window);
        let between = (between > LUMPS).then_some(between * piece);
        Self { edge, sent: 0, arrived: 0, awaited: 0, received: 0, piece, window, between }
    }

    pub fn count(&self) -> u64 {
        self.between.map_or_else(|| self.edge.bytes.div_ceil(self.piece), |_| 2 * self.window + LUMPS)
    }

    pub fn bytes(&self, k: u64) -> u64 {
        match self.between {
            Some(bytes) if k == self.window => bytes / LUMPS + bytes % LUMPS,
            Some(bytes) if (self.window..self.window + LUMPS).contains(&k) => bytes / LUMPS,
            _ if k + 1 < self.count() => self.piece,
            _ => self.edge.bytes - (self.edge.bytes - 1) / self.piece * self.piece,
        }
    }

    pub fn ends(&self) -> (usize, usize) {
        (self.edge.sender as usize, self.edge.receiver as usize)
    }
}

/// The port through which a rank, or all ranks of a node, send.
#[derive(Clone, Default)]
pub struct OutPort {
    /// True while a piece is leaving.
    pub busy: bool,
    /// Messages whose next piece waits for the port.
    pub waiting: VecDeque<u32>,
}

/// The port through which a rank, or all ranks of a node, receive.
#[derive(Clone, Default)]
pub struct InPort {
    /// Number of pieces that are leaving their senders.
    pub flows: u64,
    /// Bytes that have left their senders and have not arrived, at the time `since`.
    pub queued: f64,
    since: f64,
}

#[derive(Clone, Default)]
pub struct Sender {
    /// Number of the port that it uses.
    pub port: usize,
    /// Messages in the order of the steps, and how many of them have begun.
    pub messages: Vec<u32>,
    pub begun: usize,
    pub current: Option<u32>,
    /// True while a piece is leaving, or waits for the port.
    pub busy: bool,
    /// Number of pieces without acknowledgement that need one, and their bytes.
    pub unacknowledged: u64,
    pub bytes: u64,
}

#[derive(Clone, Default)]
pub struct Receiver {
    /// Number of the port that it uses.
    pub port: usize,
    /// Messages in the order of the steps. The receives of all messages before `next` are posted.
    pub messages: Vec<u32>,
    pub next: usize,
    /// Number of pieces with a posted receive that have not been received.
    pub awaited: u64,
}

impl InPort {
    /// Updates the queue to the time `now`, in seconds; a byte takes `byte` seconds to pass the port.
    pub fn queue(&mut self, now: f64, byte: f64) -> &mut Self {
        self.queued = (self.queued + (real(self.flows) - 1.0) * (now - self.since) / byte).max(0.0);
        self.since = now;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_all_bytes() {
        for bytes in 1..200 {
            for (piece, window) in [(7, 1), (7, 4), (64, 2), (1, 3)] {
                let of = SimulatedMessage::new(Edge { sender: 0, receiver: 0, bytes }, piece, window);
                assert_eq!((0..of.count()).map(|k| of.bytes(k)).sum::<u64>(), bytes, "{of:?}");
                assert!(of.count() <= 2 * window + LUMPS.max(2), "{of:?}");
            }
        }
    }
}
