//! Finds matchings among the messages of a graph that serve all required ports, and prefers heavy messages.
//!
//! First, each message whose two ports are free is taken, heaviest first. A required port that is still unserved then
//! gets a message along an alternating path. The path ends at an unserved port of the other side, or at a port that is
//! not required and gives up its message. If some matching serves all required ports, the symmetric difference of that
//! matching and the present matching contains this path.

use super::graph::Graph;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// The messages of a graph that are not removed yet. Ports are numbered: senders first, then receivers.
pub struct Remaining<'a> {
    graph: &'a Graph,
    edges: Vec<u32>,
    /// Messages of each port, heaviest first, removed ones included.
    at: Vec<Vec<u32>>,
    gone: Vec<bool>,
    degree: Vec<u32>,
    search: Search,
}

impl<'a> Remaining<'a> {
    pub fn new(graph: &'a Graph) -> Self {
        let edges = graph.heaviest_first();
        let ports = (graph.senders() + graph.receivers()) as usize;
        let mut at = vec![Vec::new(); ports];
        let mut degree = vec![0; ports];
        for &edge in &edges {
            for port in ports_of(graph, edge) {
                at[port].push(edge);
                degree[port] += 1;
            }
        }
        let search = Search { from: vec![NONE; ports], seen: Vec::new(), queue: VecDeque::new() };
        Self { graph, gone: vec![false; edges.len()], edges, at, degree, search }
    }

    pub fn ports(&self) -> usize {
        self.at.len()
    }

    pub fn edges(&self) -> &[u32] {
        &self.edges
    }

    pub fn ports_of(&self, edge: u32) -> [usize; 2] {
        ports_of(self.graph, edge)
    }

    pub fn degree(&self, port: usize) -> u32 {
        self.degree[port]
    }

    /// Yields the remaining messages at a port, heaviest first.
    pub fn at(&self, port: usize) -> impl Iterator<Item = u32> + '_ {
        self.at[port].iter().copied().filter(|&edge| !self.gone[edge as usize])
    }

    pub fn remove(&mut self, edges: &[u32]) {
        for &edge in edges {
            self.gone[edge as usize] = true;
            for port in ports_of(self.graph, edge) {
                self.degree[port] -= 1;
            }
        }
        let gone = &self.gone;
        self.edges.retain(|&edge| !gone[edge as usize]);
    }

    /// Returns a matching that serves every `must` port. Panics if there is none.
    pub fn matching(&mut self, must: impl Fn(usize) -> bool) -> Vec<u32> {
        let mut matched = vec![NONE; self.at.len()];
        for &edge in &self.edges {
            let [s, r] = ports_of(self.graph, edge);
            if matched[s] == NONE && matched[r] == NONE {
                (matched[s], matched[r]) = (edge, edge);
            }
        }
        let mut search = std::mem::take(&mut self.search);
        for port in 0..self.at.len() {
            if matched[port] == NONE && must(port) {
                self.augment(port, &must, &mut matched, &mut search);
            }
        }
        self.search = search;
        let senders = self.graph.senders() as usize;
        matched[..senders].iter().copied().filter(|&edge| edge != NONE).collect()
    }

    fn other(&self, edge: u32, port: usize) -> usize {
        let [s, r] = ports_of(self.graph, edge);
        s + r - port
    }

    /// Augments the matching along an alternating path from `start`, so that it serves `start` too.
    fn augment(&self, start: usize, must: impl Fn(usize) -> bool, matched: &mut [u32], search: &mut Search) {
        search.clear();
        search.queue.push_back(start);
        while let Some(port) = search.queue.pop_front() {
            // `port` is on the side of `start`; if it is another port, the path reached it by its matched message.
            if port != start && !must(port) {
                let edge = std::mem::replace(&mut matched[port], NONE);
                return self.exchange_along_path(start, self.other(edge, port), matched, search);
            }
            for edge in self.at(port) {
                let far = self.other(edge, port);
                if search.from[far] != NONE || edge == matched[port] {
                    continue;
                }
                search.mark_reached(far, edge);
                match matched[far] {
                    NONE => return self.exchange_along_path(start, far, matched, search),
                    next => search.queue.push_back(self.other(next, far)),
                }
            }
        }
        unreachable!("a matching that serves all the given ports exists");
    }

    /// Exchanges matched and unmatched messages along the path found, from `far` on the other side back to `start`.
    fn exchange_along_path(&self, start: usize, mut far: usize, matched: &mut [u32], search: &Search) {
        loop {
            let edge = search.from[far];
            let near = self.other(edge, far);
            let before = std::mem::replace(&mut matched[near], edge);
            matched[far] = edge;
            if near == start {
                return;
            }
            far = self.other(before, near);
        }
    }
}

fn ports_of(graph: &Graph, edge: u32) -> [usize; 2] {
    let e = graph.edges()[edge as usize];
    [e.sender as usize, (graph.senders() + e.receiver) as usize]
}

#[derive(Default)]
struct Search {
    /// By port: the message through which the search reached the port.
    from: Vec<u32>,
    seen: Vec<usize>,
    queue: VecDeque<usize>,
}

impl Search {
    fn mark_reached(&mut self, port: usize, edge: u32) {
        self.from[port] = edge;
        self.seen.push(port);
    }

    fn clear(&mut self) {
        for port in self.seen.drain(..) {
            self.from[port] = NONE;
        }
        self.queue.clear();
    }
}
