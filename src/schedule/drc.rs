//! Degree reduction and colouring (Yu and Tsai, "An efficient scheduling algorithm for irregular data redistribution"):
//! for the messages of a GEN_BLOCK redistribution, and for any others.
//!
//! While some port has more than two messages left, a step takes messages heaviest first as long as they fit; then what
//! is left is paths and cycles, which two steps hold. The paper's greedy step may leave a busiest port unserved, and then
//! there is a step too many; here each such port is served by exchanging messages along an alternating path that ends
//! at a free port or at one that is not among the busiest. König's theorem says that there always is one.
//!
//! Time: O(E log E) for the order, O(E) a step beside the exchanges, which are rare and short.

use super::graph::Graph;
use super::pairs;
use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// A step for each message of `graph`, as few steps as its maximum degree.
pub fn colour(graph: &Graph) -> Vec<u32> {
    let mut steps = vec![NONE; graph.edges().len()];
    let mut left = Remaining::new(graph);
    let mut step = 0;
    while left.max_degree() > 2 {
        let matching = left.heavy_matching();
        left.remove(&matching);
        for edge in matching {
            steps[edge as usize] = step;
        }
        step += 1;
    }
    for (edge, second) in left.two_colours() {
        steps[edge as usize] = step + u32::from(second);
    }
    pairs::improve(graph, steps)
}

/// The messages that have no step yet. Ports are numbered: senders, then receivers.
struct Remaining<'a> {
    graph: &'a Graph,
    /// Heaviest first.
    edges: Vec<u32>,
    /// Of each port, its messages; those with a step are passed over.
    at: Vec<Vec<u32>>,
    gone: Vec<bool>,
    degree: Vec<u32>,
}

impl<'a> Remaining<'a> {
    fn new(graph: &'a Graph) -> Self {
        let edges = graph.heaviest_first();
        let ports = (graph.senders() + graph.receivers()) as usize;
        let mut all = Self {
            graph,
            at: vec![Vec::new(); ports],
            gone: vec![false; edges.len()],
            degree: vec![0; ports],
            edges,
        };
        for edge in all.edges.clone() {
            for port in all.ports(edge) {
                all.at[port].push(edge);
                all.degree[port] += 1;
            }
        }
        all
    }

    fn ports(&self, edge: u32) -> [usize; 2] {
        let e = self.graph.edges()[edge as usize];
        [e.sender as usize, (self.graph.senders() + e.receiver) as usize]
    }

    fn other(&self, edge: u32, port: usize) -> usize {
        let [s, r] = self.ports(edge);
        s + r - port
    }

    fn max_degree(&self) -> u32 {
        self.degree.iter().copied().max().unwrap_or(0)
    }

    fn remove(&mut self, matching: &[u32]) {
        for &edge in matching {
            self.gone[edge as usize] = true;
            for port in self.ports(edge) {
                self.degree[port] -= 1;
            }
        }
        let gone = &self.gone;
        self.edges.retain(|&edge| !gone[edge as usize]);
    }

    /// A matching that serves every port of maximum degree: heaviest messages first, mended where that is not enough.
    fn heavy_matching(&self) -> Vec<u32> {
        let mut matched = vec![NONE; self.at.len()];
        for &edge in &self.edges {
            let [s, r] = self.ports(edge);
            if matched[s] == NONE && matched[r] == NONE {
                (matched[s], matched[r]) = (edge, edge);
            }
        }
        let busiest = self.max_degree();
        let mut search = Search { from: vec![NONE; self.at.len()], seen: Vec::new(), queue: VecDeque::new() };
        for port in 0..self.at.len() {
            if self.degree[port] == busiest && matched[port] == NONE {
                self.serve(port, busiest, &mut matched, &mut search);
            }
        }
        let senders = self.graph.senders() as usize;
        matched[..senders].iter().copied().filter(|&edge| edge != NONE).collect()
    }

    /// Changes the matching along an alternating path from `start` so that it serves that port too.
    fn serve(&self, start: usize, busiest: u32, matched: &mut [u32], search: &mut Search) {
        search.clear();
        search.queue.push_back(start);
        while let Some(port) = search.queue.pop_front() {
            // `port` is on the side of `start`, reached by a matched message, or `start` itself.
            if port != start && self.degree[port] < busiest {
                let edge = std::mem::replace(&mut matched[port], NONE);
                return self.flip(start, self.other(edge, port), matched, search);
            }
            for &edge in self.at[port].iter().filter(|&&edge| !self.gone[edge as usize]) {
                let far = self.other(edge, port);
                if search.from[far] != NONE || edge == matched[port] {
                    continue;
                }
                search.reach(far, edge);
                match matched[far] {
                    NONE => return self.flip(start, far, matched, search),
                    next => search.queue.push_back(self.other(next, far)),
                }
            }
        }
        unreachable!("a matching that serves all ports of maximum degree exists");
    }

    /// Matches along the path found, from its end `far` on the other side back to `start`.
    fn flip(&self, start: usize, mut far: usize, matched: &mut [u32], search: &Search) {
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

    /// Which of two steps each message gets, where no port has more than two; the longer half of each path first.
    fn two_colours(&self) -> Vec<(u32, bool)> {
        let mut second = vec![None; self.gone.len()];
        for &start in &self.edges {
            // Walk from the heaviest message of a path or cycle both ways.
            let mut stack = vec![(start, false)];
            while let Some((edge, colour)) = stack.pop() {
                if second[edge as usize].is_some() {
                    continue;
                }
                second[edge as usize] = Some(colour);
                for port in self.ports(edge) {
                    let next = self.at[port].iter().filter(|&&e| e != edge && !self.gone[e as usize]);
                    stack.extend(next.map(|&e| (e, !colour)));
                }
            }
        }
        self.edges
            .iter()
            .map(|&edge| (edge, second[edge as usize].expect("every message was walked to")))
            .collect()
    }
}

/// A search for an alternating path.
struct Search {
    /// By which message a port was reached.
    from: Vec<u32>,
    seen: Vec<usize>,
    queue: VecDeque<usize>,
}

impl Search {
    fn reach(&mut self, port: usize, edge: u32) {
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

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::graph::tests::{graph, random};
    use super::*;

    #[test]
    fn random_graphs_get_the_fewest_steps() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..400 {
            let g = random(&mut rng, 25, 50);
            let c = Certificate::count(&g, &colour(&g));
            assert!(c.fewest_steps(), "{c:?}");
        }
    }

    #[test]
    fn the_papers_example() {
        // Table 2: edge ij is source i -> destination j.
        let edges = [
            (3, 4, 17),
            (4, 5, 15),
            (2, 2, 12),
            (6, 5, 10),
            (2, 1, 9),
            (3, 3, 8),
            (7, 7, 8),
            (1, 1, 7),
            (3, 5, 7),
            (6, 6, 7),
            (3, 2, 6),
            (7, 6, 6),
            (5, 5, 5),
        ];
        let edges: Vec<_> = edges.iter().map(|&(i, j, bytes)| (i - 1, j - 1, bytes)).collect();
        let g = graph(7, 7, &edges);
        let c = Certificate::count(&g, &colour(&g));
        // Table 6: 4 steps of cost 17 + 10 + 7 + 6, which is the least by exhaustive search.
        assert_eq!((c.steps, c.cost), (4, 40));
    }
}
