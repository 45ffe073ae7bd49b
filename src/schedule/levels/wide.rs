//! Steps in which a port may have several messages. Each port counts as so many, its *places*, of which each has one message in a
//! step; which message goes to which place is decided part by part, once it is known how dear its step may be.

use super::super::colouring;
use super::super::graph::{Edge, Graph};
use super::Room;

/// The step of each message, and its place at its sender and its receiver.
#[derive(Clone, Debug)]
pub struct Wide {
    room: Room,
    /// Steps, by message.
    pub steps: Vec<u32>,
    /// Places, by message.
    pub places: Vec<(u32, u32)>,
}

impl Wide {
    /// All messages in step 0, at place 0.
    pub(super) fn new(graph: &Graph, room: Room) -> Self {
        let count = graph.edges().len();
        Self { room, steps: vec![0; count], places: vec![(0, 0); count] }
    }

    /// Gives `messages` steps from `first` on, as few as there can be, and returns the step behind them.
    pub(super) fn colour(&mut self, graph: &Graph, messages: &[u32], first: u32) -> u32 {
        let mut dealt = (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]);
        let edge = |message: u32| graph.edges()[message as usize];
        let mut ordered = messages.to_vec();
        // Heaviest first, so that messages of one length, which go to different places, can share a step.
        ordered.sort_by_key(|&message| std::cmp::Reverse(edge(message).bytes));
        let next = |turn: &mut u32, room: u32| std::mem::replace(turn, (*turn + 1) % room);
        for &message in &ordered {
            let e = edge(message);
            self.places[message as usize] = (
                next(&mut dealt.0[e.sender as usize], self.room.0),
                next(&mut dealt.1[e.receiver as usize], self.room.1),
            );
        }
        let part = self.split(graph, ordered.iter().copied());
        for (&message, step) in ordered.iter().zip(colouring::fewest(&part)) {
            self.steps[message as usize] = first + step;
        }
        first + part.max_degree()
    }

    fn split(&self, graph: &Graph, messages: impl Iterator<Item = u32>) -> Graph {
        let edge = |message: u32| {
            let (e, (s, r)) = (graph.edges()[message as usize], self.places[message as usize]);
            Edge { sender: e.sender * self.room.0 + s, receiver: e.receiver * self.room.1 + r, ..e }
        };
        Graph::new(
            graph.senders() * self.room.0,
            graph.receivers() * self.room.1,
            messages.map(edge).collect(),
        )
    }
}
