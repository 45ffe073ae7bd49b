//! The same number of steps at lower cost: two steps at a time.
//!
//! Two steps together are disjoint paths and cycles, whose messages alternate between the steps; each of them may be
//! turned round without a port being twice in a step. The dearer step costs the longest message of both anyway, so the
//! best choice is known at once: the heavier half of every path goes to the dearer step, and the cheaper step costs the
//! largest of the lighter halves. Pairs are taken until none gets cheaper, within a budget of work.

use super::graph::Graph;

const NONE: u32 = u32::MAX;
/// Messages looked at, at the most: so many, and so many for each message of the graph.
const BUDGET: (usize, usize) = (20_000, 8);

/// A schedule by steps.
struct Steps<'a> {
    graph: &'a Graph,
    /// The messages of each step.
    edges: Vec<Vec<u32>>,
    /// The longest message of each step.
    cost: Vec<u64>,
}

/// The messages of one step by port.
struct Matching {
    at_sender: Vec<u32>,
    at_receiver: Vec<u32>,
}

impl Matching {
    fn new(graph: &Graph) -> Self {
        Self {
            at_sender: vec![NONE; graph.senders() as usize],
            at_receiver: vec![NONE; graph.receivers() as usize],
        }
    }

    fn mark(&mut self, graph: &Graph, edges: &[u32], present: bool) {
        for &edge in edges {
            let e = graph.edges()[edge as usize];
            let value = if present { edge } else { NONE };
            self.at_sender[e.sender as usize] = value;
            self.at_receiver[e.receiver as usize] = value;
        }
    }
}

/// Steps of the messages of `graph` at no higher cost than `steps`, and as many.
pub fn improve(graph: &Graph, mut steps: Vec<u32>) -> Vec<u32> {
    let count = steps.iter().max().map_or(0, |&s| s as usize + 1);
    let mut all = Steps { graph, edges: vec![Vec::new(); count], cost: vec![0; count] };
    for (edge, &step) in (0..).zip(&steps) {
        all.edges[step as usize].push(edge);
        all.cost[step as usize] = all.cost[step as usize].max(graph.edges()[edge as usize].bytes);
    }
    let mut budget = BUDGET.0 + BUDGET.1 * steps.len();
    let (mut one, mut two) = (Matching::new(graph), Matching::new(graph));
    let mut seen = vec![false; steps.len()];
    while all.pass(&mut one, &mut two, &mut seen, &mut budget) {}
    for (step, edges) in (0..).zip(&all.edges) {
        for &edge in edges {
            steps[edge as usize] = step;
        }
    }
    steps
}

impl Steps<'_> {
    /// Tries every pair once; whether any got cheaper and there is budget left.
    fn pass(
        &mut self,
        one: &mut Matching,
        two: &mut Matching,
        seen: &mut [bool],
        budget: &mut usize,
    ) -> bool {
        let mut better = false;
        for a in 0..self.edges.len() {
            one.mark(self.graph, &self.edges[a], true);
            for b in a + 1..self.edges.len() {
                let work = self.edges[a].len() + self.edges[b].len();
                if *budget < work {
                    one.mark(self.graph, &self.edges[a], false);
                    return false;
                }
                *budget -= work;
                two.mark(self.graph, &self.edges[b], true);
                let turned = self.turned(a, b, one, two, seen);
                two.mark(self.graph, &self.edges[b], false);
                if let Some(turned) = turned {
                    one.mark(self.graph, &self.edges[a], false);
                    self.exchange(a, b, &turned);
                    one.mark(self.graph, &self.edges[a], true);
                    better = true;
                }
            }
            one.mark(self.graph, &self.edges[a], false);
        }
        better
    }

    /// The messages to move to the other step of the two, if that makes them cheaper.
    fn turned(
        &self,
        a: usize,
        b: usize,
        one: &Matching,
        two: &Matching,
        seen: &mut [bool],
    ) -> Option<Vec<u32>> {
        let a_is_dearer = self.cost[a] >= self.cost[b];
        let mut parts = Vec::new();
        let mut least = 0;
        for &edge in self.edges[a].iter().chain(&self.edges[b]) {
            if !seen[edge as usize] {
                let part = self.component(edge, one, two, seen);
                least = least.max(part.heaviest[0].min(part.heaviest[1]));
                parts.push(part);
            }
        }
        for &edge in self.edges[a].iter().chain(&self.edges[b]) {
            seen[edge as usize] = false;
        }
        if least >= self.cost[a].min(self.cost[b]) {
            return None;
        }
        let cheaper = usize::from(a_is_dearer);
        let too_heavy = |part: &Component| part.heaviest[cheaper] > least;
        Some(parts.into_iter().filter(too_heavy).flat_map(|part| part.edges).collect())
    }

    /// The path or cycle of `edge` in the union of both steps.
    fn component(&self, edge: u32, one: &Matching, two: &Matching, seen: &mut [bool]) -> Component {
        let mut part = Component { edges: Vec::new(), heaviest: [0; 2] };
        let mut stack = vec![edge];
        while let Some(edge) = stack.pop() {
            if edge == NONE || std::mem::replace(&mut seen[edge as usize], true) {
                continue;
            }
            let e = self.graph.edges()[edge as usize];
            let (sender, receiver) = (e.sender as usize, e.receiver as usize);
            let side = usize::from(one.at_sender[sender] != edge);
            part.heaviest[side] = part.heaviest[side].max(e.bytes);
            part.edges.push(edge);
            let other = if side == 0 { two } else { one };
            stack.extend([other.at_sender[sender], other.at_receiver[receiver]]);
        }
        part
    }

    fn exchange(&mut self, a: usize, b: usize, turned: &[u32]) {
        let mut to_other: Vec<u32> = turned.to_vec();
        to_other.sort_unstable();
        let moved = |edge: &u32| to_other.binary_search(edge).is_ok();
        let split = |edges: &[u32]| edges.iter().copied().partition::<Vec<u32>, _>(moved);
        let ((from_a, mut keep_a), (from_b, mut keep_b)) = (split(&self.edges[a]), split(&self.edges[b]));
        keep_a.extend(from_b);
        keep_b.extend(from_a);
        (self.edges[a], self.edges[b]) = (keep_a, keep_b);
        for step in [a, b] {
            let bytes = |&edge: &u32| self.graph.edges()[edge as usize].bytes;
            self.cost[step] = self.edges[step].iter().map(bytes).max().unwrap_or(0);
        }
    }
}

/// A path or cycle, with the longest message that it has in each of the two steps.
struct Component {
    edges: Vec<u32>,
    heaviest: [u64; 2],
}
