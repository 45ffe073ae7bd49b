//! Edge colouring by alternating paths, heaviest messages first: the fewest steps for any graph, at a low cost.
//!
//! König (1916): a bipartite graph of maximum degree D has an edge colouring with D colours. A colour is a step.
//!
//! ```text
//! for each message, heaviest first:
//!     if both ports are free in some step: take the first one
//!     else: sender is free in step a, receiver in step b
//!         exchange a and b along the alternating path from the receiver; then take a
//! ```
//!
//! Only as many steps are open as the maximum degree of the messages inserted so far. So heavy messages gather in few
//! steps. Steps a and b are chosen with nearly equal costs, so that an exchange raises neither cost much.
//!
//! Time: O(E (D/64 + L)) for paths of L messages, which are short unless ports are nearly full. Memory: O(E) (`ports`).

mod ports;

use super::graph::Graph;
use ports::PortSteps;

const NONE: u32 = u32::MAX;

fn first_bit(words: impl Iterator<Item = u64>) -> Option<usize> {
    words.enumerate().find(|(_, w)| *w != 0).map(|(k, w)| k * 64 + w.trailing_zeros() as usize)
}

struct Colouring<'a> {
    graph: &'a Graph,
    send: PortSteps,
    receive: PortSteps,
    /// Bit sets of the free steps of the current message's sender and receiver.
    free: (Vec<u64>, Vec<u64>),
    step: Vec<u32>,
    /// Upper bound of the cost of each step, in bytes.
    cost: Vec<u64>,
    /// Messages inserted so far at each sender and receiver; `needed` is the maximum.
    degrees: (Vec<usize>, Vec<usize>),
    needed: usize,
}

impl<'a> Colouring<'a> {
    fn new(graph: &'a Graph) -> Self {
        let (degrees, steps) = (graph.degrees(), graph.max_degree() as usize);
        Self {
            graph,
            send: PortSteps::new(&degrees.0, steps),
            receive: PortSteps::new(&degrees.1, steps),
            free: (Vec::new(), Vec::new()),
            step: vec![NONE; graph.edges().len()],
            cost: vec![0; steps],
            degrees: (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]),
            needed: 0,
        }
    }

    fn insert(&mut self, edge: u32) {
        let e = self.graph.edges()[edge as usize];
        let degrees = (&mut self.degrees.0[e.sender as usize], &mut self.degrees.1[e.receiver as usize]);
        *degrees.0 += 1;
        *degrees.1 += 1;
        self.needed = self.needed.max(*degrees.0).max(*degrees.1);
        self.send.free(e.sender, &mut self.free.0);
        self.receive.free(e.receiver, &mut self.free.1);
        let both = self.free.0.iter().zip(&self.free.1).map(|(s, r)| s & r);
        let step = first_bit(both).filter(|&step| step < self.needed).unwrap_or_else(|| {
            let (a, b) = self.closest_free_steps();
            self.exchange_steps(e.receiver, a, b);
            a
        });
        self.put(edge, step);
    }

    /// Returns two open steps: the sender is free in the first, the receiver in the second. Goes through the steps in
    /// which one of the two ports is free, and compares each with the last step in which the other port was free.
    /// Returns the pair whose costs differ least.
    fn closest_free_steps(&self) -> (usize, usize) {
        let (mut last_s, mut last_r) = (None, None);
        let mut best = None;
        for (k, (&s, &r)) in self.free.0.iter().zip(&self.free.1).enumerate() {
            let mut either = s | r;
            while either != 0 {
                let bit = either & either.wrapping_neg();
                either ^= bit;
                let step = k * 64 + bit.trailing_zeros() as usize;
                if step >= self.needed {
                    break;
                }
                // The two ports are never free in the same step: the caller would have taken that step.
                if s & bit != 0 {
                    last_s = Some(step)
                } else {
                    last_r = Some(step)
                }
                if let (Some(a), Some(b)) = (last_s, last_r) {
                    let gap = self.cost[a].abs_diff(self.cost[b]);
                    if best.is_none_or(|(least, _)| gap < least) {
                        best = Some((gap, (a, b)));
                    }
                }
            }
        }
        best.expect("both ports have fewer messages than there are steps").1
    }

    fn put(&mut self, edge: u32, step: usize) {
        let e = self.graph.edges()[edge as usize];
        self.send.put(e.sender, step, edge);
        self.receive.put(e.receiver, step, edge);
        self.step[edge as usize] = u32::try_from(step).expect("fewer steps than messages");
        self.cost[step] = self.cost[step].max(e.bytes);
    }

    /// Exchanges steps a and b along the path that starts at `receiver` with a message in step a.
    fn exchange_steps(&mut self, receiver: u32, a: usize, b: usize) {
        let mut path = Vec::new();
        let (mut port, mut at_receiver, mut step) = (receiver, true, a);
        loop {
            let ports = if at_receiver { &self.receive } else { &self.send };
            let Some(edge) = ports.get(port, step) else { break };
            path.push(edge);
            let e = self.graph.edges()[edge as usize];
            port = if at_receiver { e.sender } else { e.receiver };
            at_receiver = !at_receiver;
            step = a + b - step;
        }
        self.exchange(&path, a, b);
    }

    /// Moves each of `edges` from step a to step b or back. Both steps stay matchings.
    fn exchange(&mut self, edges: &[u32], a: usize, b: usize) {
        for &edge in edges {
            let (e, step) = (self.graph.edges()[edge as usize], self.step[edge as usize] as usize);
            self.send.clear(e.sender, step);
            self.receive.clear(e.receiver, step);
        }
        for &edge in edges {
            self.put(edge, a + b - self.step[edge as usize] as usize);
        }
    }
}

/// Returns a step for each message of `graph`. There are as many steps as its maximum degree, and their cost is low.
pub fn colour(graph: &Graph) -> Vec<u32> {
    let mut colouring = Colouring::new(graph);
    for edge in graph.heaviest_first() {
        colouring.insert(edge);
    }
    colouring.step
}

#[cfg(test)]
pub(super) mod tests;
