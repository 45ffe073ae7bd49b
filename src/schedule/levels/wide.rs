//! Steps in which a port may have several messages. Each port counts as so many, its *places*, of which each has one message in a
//! step; which message goes to which place is decided part by part, once it is known how dear its step may be.

use super::super::graph::{Edge, Graph};
use super::super::{colouring, pairs, without};
use super::{Room, least, thinned, within};

/// Lengths by which steps are divided, at the most.
const LENGTHS: usize = 48;
/// Messages that are also coloured without levels, and improved pair by pair, at the most: of more, levels alone are better.
const FEW: usize = 1 << 11;

/// The step of each message, and its place at its sender and its receiver.
#[derive(Clone, Debug)]
pub struct Wide {
    room: Room,
    /// Steps, by message.
    pub steps: Vec<u32>,
    /// Places, by message.
    pub places: Vec<(u32, u32)>,
}

/// As few steps as there can be for the messages of `graph` where ports have so much `room` in each, and the sum of their longest
/// messages, which is low.
pub fn wide(graph: &Graph, room: Room) -> (Wide, u64) {
    let least = least(graph, room);
    let bound: u64 = least.iter().sum();
    let steps = u32::try_from(least.len()).expect("fewer steps than messages");
    if without::is_out("levels of forests") {
        let mut together = Wide::new(graph, room);
        together.colour(graph, &(0..).take(graph.edges().len()).collect::<Vec<u32>>(), 0);
        let cost = together.cost(graph);
        return (together, cost);
    }
    let divided = within(graph, room, steps, &thinned(shorter(graph), LENGTHS));
    let cost = divided.cost(graph);
    if cost == bound || graph.edges().len() > FEW {
        return (divided, cost);
    }
    let mut together = Wide::new(graph, room);
    let all: Vec<u32> = (0..).take(together.steps.len()).collect();
    together.colour(graph, &all, 0);
    let better = |mut one: Wide| {
        one.steps = pairs::improve(&one.ports(graph), one.steps);
        let cost = one.cost(graph);
        (one, cost)
    };
    let both = [better(divided), better(together)];
    both.into_iter().min_by_key(|&(_, cost)| cost).expect("two of them")
}

/// All lengths of messages but the longest, ascending: where no steps of the bound's lengths can be had, slightly longer ones may.
fn shorter(graph: &Graph) -> Vec<u64> {
    let mut lengths: Vec<u64> = graph.edges().iter().map(|e| e.bytes).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths.pop();
    lengths
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

    /// The sum of the longest messages of all steps.
    fn cost(&self, graph: &Graph) -> u64 {
        graph.longest(&self.steps).into_iter().sum()
    }

    /// All messages between places.
    fn ports(&self, graph: &Graph) -> Graph {
        self.split(graph, (0..).take(self.steps.len()))
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
