//! WHAT does a port of the simulation know? What is on its way, in pieces, and what waits for it. Nothing of time but its queue's.

use super::super::graph::Edge;
use crate::system::machine::real;

/// Pieces between the first window of a message and its last that stand for all there: how those are cut makes no difference to
/// when a sender may begin, or a receiver await, another message.
pub const LUMPS: u64 = 2;

/// A message in pieces.
#[derive(Clone, Debug)]
pub struct Message {
    pub edge: Edge,
    /// Pieces that have started, come, were awaited, and both of these.
    pub sent: u64,
    pub came: u64,
    pub awaited: u64,
    pub received: u64,
    /// Bytes of a piece but the last.
    piece: u64,
    /// Pieces before and behind the lumps, and bytes of all of these; there are none where pieces are few.
    window: u64,
    between: Option<u64>,
}

impl Message {
    /// The message `edge` in pieces of so many bytes, of which so many are a window.
    pub fn new(edge: Edge, piece: u64, window: u64) -> Self {
        let between = edge.bytes.div_ceil(piece).saturating_sub(2 * window);
        let between = (between > LUMPS).then_some(between * piece);
        Self { edge, sent: 0, came: 0, awaited: 0, received: 0, piece, window, between }
    }

    /// Its pieces.
    pub fn count(&self) -> u64 {
        self.between.map_or_else(|| self.edge.bytes.div_ceil(self.piece), |_| 2 * self.window + LUMPS)
    }

    /// Bytes of piece `k`.
    pub fn bytes(&self, k: u64) -> u64 {
        match self.between {
            Some(bytes) if k == self.window => bytes / LUMPS + bytes % LUMPS,
            Some(bytes) if (self.window..self.window + LUMPS).contains(&k) => bytes / LUMPS,
            _ if k + 1 < self.count() => self.piece,
            _ => self.edge.bytes - (self.edge.bytes - 1) / self.piece * self.piece,
        }
    }

    /// Its sender and its receiver.
    pub fn ends(&self) -> (usize, usize) {
        (self.edge.sender as usize, self.edge.receiver as usize)
    }
}

/// A sender's port.
#[derive(Clone, Default)]
pub struct Sender {
    /// Its messages, in order, and how many of them it has begun.
    pub messages: Vec<u32>,
    pub begun: usize,
    /// The last of these.
    pub current: Option<u32>,
    /// Whether a piece is leaving.
    pub busy: bool,
    /// Pieces, and their bytes, of which it will hear that they were received.
    pub unacknowledged: u64,
    pub bytes: u64,
}

/// A receiver's port.
#[derive(Clone, Default)]
pub struct Receiver {
    /// Its messages, in order; all pieces of those before `next` are awaited or were received.
    pub messages: Vec<u32>,
    pub next: usize,
    /// Pieces that it awaits.
    pub awaited: u64,
    /// Pieces that are leaving their senders.
    pub flows: u64,
    /// Bytes that have left their senders and have not come, as of `since`.
    pub queued: f64,
    since: f64,
}

impl Receiver {
    /// The port at the time `now`, which a byte takes `byte` seconds to pass.
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
                let of = Message::new(Edge { sender: 0, receiver: 0, bytes }, piece, window);
                assert_eq!((0..of.count()).map(|k| of.bytes(k)).sum::<u64>(), bytes, "{of:?}");
                assert!(of.count() <= 2 * window + LUMPS.max(2), "{of:?}");
            }
        }
    }
}
