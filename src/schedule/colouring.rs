//! Minimum steps for any graph, then low cost: edge colouring by alternating paths, heaviest messages first.
//!
//! König (1916): a bipartite graph of maximum degree D has an edge colouring with D colours; a colour is a step. Messages
//! are inserted heaviest first, each into the first step in which both of its ports are free. Where there is none, its
//! sender is free in some step a and its receiver in some step b: the messages that lie on the alternating a-b path from
//! the receiver change places, after which both ports are free in a. Only the steps that the messages so far need by
//! their own maximum degree are used, so heavy messages gather in few steps, and a and b are chosen to cost nearly the
//! same, so that they stay there. Then pairs of steps are improved: the two
//! steps together are paths and cycles, each of which may be turned round ([`super::pairs`]).
//!
//! Time: O(E (D/64 + path)) for the insertion, where a path is short unless ports are nearly full.

use super::graph::Graph;
use super::pairs;

const NONE: u32 = u32::MAX;

/// Message at each (port, step), for the senders or the receivers.
struct Ports {
    steps: usize,
    words: usize,
    edge: Vec<u32>,
    /// One bit a step: is the port free in it?
    free: Vec<u64>,
}

impl Ports {
    fn new(ports: u32, steps: usize) -> Self {
        let words = steps.div_ceil(64);
        let mut free = vec![u64::MAX; ports as usize * words];
        if steps % 64 != 0 {
            for port in 0..ports as usize {
                free[port * words + words - 1] = (1 << (steps % 64)) - 1;
            }
        }
        Self { steps, words, edge: vec![NONE; ports as usize * steps], free }
    }

    fn get(&self, port: u32, step: usize) -> u32 {
        self.edge[port as usize * self.steps + step]
    }

    fn set(&mut self, port: u32, step: usize, edge: u32) {
        self.edge[port as usize * self.steps + step] = edge;
        let word = &mut self.free[port as usize * self.words + step / 64];
        let bit = 1 << (step % 64);
        *word = if edge == NONE { *word | bit } else { *word & !bit };
    }

    fn free(&self, port: u32) -> &[u64] {
        &self.free[port as usize * self.words..(port as usize + 1) * self.words]
    }
}

fn first_bit(words: impl Iterator<Item = u64>) -> Option<usize> {
    words.enumerate().find(|(_, w)| *w != 0).map(|(k, w)| k * 64 + w.trailing_zeros() as usize)
}

/// A colouring under construction.
struct Colouring<'a> {
    graph: &'a Graph,
    send: Ports,
    receive: Ports,
    step: Vec<u32>,
    /// What each step costs at the most.
    cost: Vec<u64>,
    /// Messages inserted at each port, and the most at one.
    degrees: (Vec<usize>, Vec<usize>),
    needed: usize,
}

impl<'a> Colouring<'a> {
    fn new(graph: &'a Graph) -> Self {
        let steps = graph.max_degree() as usize;
        Self {
            graph,
            send: Ports::new(graph.senders(), steps),
            receive: Ports::new(graph.receivers(), steps),
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
        let (free_s, free_r) = (self.send.free(e.sender), self.receive.free(e.receiver));
        let both =
            first_bit(free_s.iter().zip(free_r).map(|(s, r)| s & r)).filter(|&step| step < self.needed);
        let step = both.unwrap_or_else(|| {
            let (a, b) = self.closest(e.sender, e.receiver);
            self.turn(e.receiver, a, b);
            a
        });
        self.put(edge, step);
    }

    /// A step in which the sender is free and one in which the receiver is, of those that are needed so far: the two
    /// whose longest messages differ least, so that exchanging messages makes neither much dearer.
    fn closest(&self, sender: u32, receiver: u32) -> (usize, usize) {
        let (free_s, free_r) = (self.send.free(sender), self.receive.free(receiver));
        let (mut last_s, mut last_r) = (None, None);
        let mut best = None;
        for (k, (&s, &r)) in free_s.iter().zip(free_r).enumerate() {
            let mut either = s | r;
            while either != 0 {
                let bit = either & either.wrapping_neg();
                either ^= bit;
                let step = k * 64 + bit.trailing_zeros() as usize;
                if step >= self.needed {
                    break;
                }
                // Not both: such a step would have been taken.
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
        self.send.set(e.sender, step, edge);
        self.receive.set(e.receiver, step, edge);
        self.step[edge as usize] = u32::try_from(step).expect("fewer steps than messages");
        self.cost[step] = self.cost[step].max(e.bytes);
    }

    /// Exchanges steps a and b along the path that starts at `receiver` with a message in step a.
    fn turn(&mut self, receiver: u32, a: usize, b: usize) {
        let mut path = Vec::new();
        let (mut port, mut at_receiver, mut step) = (receiver, true, a);
        loop {
            let edge = if at_receiver { self.receive.get(port, step) } else { self.send.get(port, step) };
            if edge == NONE {
                break;
            }
            path.push(edge);
            let e = self.graph.edges()[edge as usize];
            port = if at_receiver { e.sender } else { e.receiver };
            at_receiver = !at_receiver;
            step = a + b - step;
        }
        self.exchange(&path, a, b);
    }

    /// Moves each of `edges`, which lie in steps a and b, to the other one; together they stay a matching each.
    fn exchange(&mut self, edges: &[u32], a: usize, b: usize) {
        for &edge in edges {
            let (e, step) = (self.graph.edges()[edge as usize], self.step[edge as usize] as usize);
            self.send.set(e.sender, step, NONE);
            self.receive.set(e.receiver, step, NONE);
        }
        for &edge in edges {
            self.put(edge, a + b - self.step[edge as usize] as usize);
        }
    }
}

/// A step for each message of `graph`: as few steps as its maximum degree, cheap where that can be had quickly.
pub fn colour(graph: &Graph) -> Vec<u32> {
    pairs::improve(graph, fewest(graph))
}

/// The same before pairs of steps are improved.
pub fn fewest(graph: &Graph) -> Vec<u32> {
    let mut colouring = Colouring::new(graph);
    for edge in graph.heaviest_first() {
        colouring.insert(edge);
    }
    colouring.step
}

#[cfg(test)]
pub(super) mod tests;
