//! WHAT stars can the messages of a dimension be dealt into, and how many forests of them are there? In a forest, a port of the busier
//! side has up to m messages, and one of the other side at most one.

use super::super::graph::Graph;
use super::super::levels;
use super::super::traffic::Traffic;
use super::short;

/// The most messages of a port in a star.
const MOST: u32 = 8;

/// The stars of a dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Star {
    /// Whether there are several senders around a receiver.
    pub gathers: bool,
    /// The most messages of a star.
    pub size: u32,
}

/// The messages of a dimension, and the most of a sender and of a receiver.
pub struct Dim<'a> {
    pub graph: &'a Graph,
    pub most: (u64, u64),
}

impl<'a> Dim<'a> {
    /// All dimensions, if the messages of each by itself can be listed quickly.
    pub fn all(traffic: &'a Traffic) -> Option<Vec<Self>> {
        traffic.lines.iter().map(|line| short(line).map(Self::new)).collect()
    }

    fn new(graph: &'a Graph) -> Self {
        let (send, receive) = graph.most();
        Self { graph, most: (send.into(), receive.into()) }
    }
}

impl Star {
    /// Stars around ports of the busier side, where a port of either side has so many messages at the most.
    pub fn around((send, receive): (u64, u64), size: u32) -> Self {
        Self { gathers: receive > send, size }
    }

    /// The messages that ports may have in a forest.
    pub fn room(self) -> levels::Room {
        if self.gathers { (1, self.size) } else { (self.size, 1) }
    }

    /// No larger star takes fewer forests, where a port of either side has so many messages at the most.
    pub fn largest((send, receive): (u64, u64)) -> u32 {
        let (busier, other) = (send.max(receive), send.min(receive).max(1));
        u32::try_from(busier.div_ceil(other)).unwrap_or(MOST).clamp(1, MOST)
    }

    /// How many forests the messages take, where a port of either side has so many at the most.
    pub fn forests(self, (send, receive): (u64, u64)) -> u64 {
        let room = self.room();
        send.div_ceil(room.0.into()).max(receive.div_ceil(room.1.into()))
    }
}
