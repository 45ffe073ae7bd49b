//! The same number of steps at lower cost: two steps at a time.
//!
//! Two steps together are disjoint paths and cycles, whose messages alternate between the steps; each of them may be
//! turned round without a port being twice in a step. A message *pulls* with a high power of its length, and the half of
//! a path or cycle that pulls more goes to the step that pulls more: so long messages gather in few steps, and others get
//! cheaper. When no pair of steps can be made better that way, a few paths are turned at will and the pairs tried again;
//! what costs no more is kept. All of that within a budget of work, and only as long as the bound is not reached. Which
//! paths are turned depends on nothing but the count of trials: every rank gets the same steps.

use super::graph::Graph;
use super::without;
use std::ops::Range;

/// Paths turned at will at a time.
const KICK: usize = 2;
/// Multiples of this, modulo 2^64, are spread evenly (the golden ratio).
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Messages looked at, at the most, for so many messages of a graph: a fraction of a millisecond where they are a few
/// hundred, a tenth of a second where they are a million.
fn budget(messages: usize) -> usize {
    (256 * messages).min(10_000 + 32 * messages).min(2_000_000)
}

/// Steps of the messages of `graph` at no higher cost than `steps`, and no more of them.
pub fn improve(graph: &Graph, steps: Vec<u32>) -> Vec<u32> {
    if without::is_out("pairs of steps") {
        return steps;
    }
    let bound = graph.bounds((1, 1)).cost;
    let mut all = Steps::new(graph, &steps);
    let (mut best, mut least) = (steps, all.total());
    let mut work = Work::new(graph);
    let mut dirty: Vec<usize> = (0..all.cost.len()).rev().collect();
    let mut trial = 0;
    while least > bound && work.left > 0 {
        all.descend(&mut dirty, &mut work);
        let cost = all.total();
        if cost <= least {
            best.clone_from(&all.step);
            least = cost;
        } else {
            all.take(&best);
        }
        work.left = work.left.saturating_sub(best.len());
        dirty.clear();
        for _ in 0..KICK {
            trial += 1;
            all.kick(trial, &mut dirty, &mut work);
        }
    }
    best
}

/// A schedule by steps.
struct Steps<'a> {
    graph: &'a Graph,
    /// The step of each message, and the messages of each step.
    step: Vec<u32>,
    edges: Vec<Vec<u32>>,
    /// The longest message of each step.
    cost: Vec<u64>,
    /// The two ports of each message: of all senders, then of all receivers.
    ports: Vec<[u32; 2]>,
    /// What draws a message into a dear step.
    pull: Vec<f64>,
}

/// Two steps taken together, and the budget.
struct Work {
    left: usize,
    /// Pairs of steps taken so far: what bears another number is of one before.
    pair: u32,
    /// The message at each port (senders, then receivers), in the one step and in the other, and the pair.
    at: [Vec<(u32, u32)>; 2],
    /// The pair in which a message was met.
    seen: Vec<u32>,
    /// The messages of all paths and cycles, one after the other, and where each of them ends.
    edges: Vec<u32>,
    parts: Vec<Component>,
}

/// A path or cycle: its messages in [`Work::edges`] and the pull that it has in each of the two steps.
struct Component {
    edges: Range<usize>,
    pull: [f64; 2],
}

impl Work {
    fn new(graph: &Graph) -> Self {
        let ports = (graph.senders() + graph.receivers()) as usize;
        Self {
            left: budget(graph.edges().len()),
            pair: 0,
            at: [vec![(0, 0); ports], vec![(0, 0); ports]],
            seen: vec![0; graph.edges().len()],
            edges: Vec::new(),
            parts: Vec::new(),
        }
    }

    /// Meets a message, if it was not met yet.
    fn meets(&mut self, edge: u32) -> bool {
        let first = std::mem::replace(&mut self.seen[edge as usize], self.pair) != self.pair;
        if first {
            self.edges.push(edge);
        }
        first
    }
}

impl<'a> Steps<'a> {
    fn new(graph: &'a Graph, steps: &[u32]) -> Self {
        let count = steps.iter().max().map_or(0, |&s| s as usize + 1);
        let longest = graph.edges().iter().map(|e| e.bytes).max().unwrap_or(1);
        let mut all = Self {
            graph,
            step: Vec::new(),
            edges: vec![Vec::new(); count],
            cost: vec![0; count],
            ports: graph.edges().iter().map(|e| [e.sender, graph.senders() + e.receiver]).collect(),
            pull: graph.edges().iter().map(|e| pull(e.bytes, longest)).collect(),
        };
        all.take(steps);
        all
    }

    /// Takes these steps, no more of them than before.
    fn take(&mut self, steps: &[u32]) {
        self.step.clear();
        self.step.extend_from_slice(steps);
        self.edges.iter_mut().for_each(Vec::clear);
        self.cost.fill(0);
        for (edge, &step) in (0..).zip(steps) {
            let bytes = self.graph.edges()[edge as usize].bytes;
            self.edges[step as usize].push(edge);
            self.cost[step as usize] = self.cost[step as usize].max(bytes);
        }
    }

    fn total(&self) -> u64 {
        self.cost.iter().sum()
    }

    /// Makes pairs of steps better until none of those with a `dirty` step can be, or the budget is spent.
    fn descend(&mut self, dirty: &mut Vec<usize>, work: &mut Work) {
        let mut waiting = vec![false; self.edges.len()];
        for &step in dirty.iter() {
            waiting[step] = true;
        }
        while let Some(a) = dirty.pop() {
            waiting[a] = false;
            for b in 0..self.edges.len() {
                // The other one's turn comes.
                if b == a || waiting[b] {
                    continue;
                }
                let size = self.edges[a].len() + self.edges[b].len();
                if work.left < size {
                    work.left = 0;
                    return;
                }
                work.left -= size;
                let turned = self.turned(a, b, work);
                if turned.is_empty() {
                    continue;
                }
                self.exchange(a, b, &turned);
                for step in [a, b] {
                    if !std::mem::replace(&mut waiting[step], true) {
                        dirty.push(step);
                    }
                }
            }
        }
    }

    /// The messages to move to the other step of the two to make them better; none if they are as good as can be.
    fn turned(&self, a: usize, b: usize, work: &mut Work) -> Vec<u32> {
        self.components(a, b, work);
        let sum = |side: usize| work.parts.iter().map(|part| part.pull[side]).sum::<f64>();
        let dearer = usize::from(sum(0) < sum(1));
        // By more than sums are rounded.
        let wrong = |part: &&Component| part.pull[1 - dearer] > part.pull[dearer] * (1.0 + 1e-9);
        let turned = work.parts.iter().filter(wrong);
        turned.flat_map(|part| &work.edges[part.edges.clone()]).copied().collect()
    }

    /// Finds the paths and cycles of two steps.
    fn components(&self, a: usize, b: usize, work: &mut Work) {
        work.pair += 1;
        for (at, step) in work.at.iter_mut().zip([a, b]) {
            for &edge in &self.edges[step] {
                for port in self.ports[edge as usize] {
                    at[port as usize] = (edge, work.pair);
                }
            }
        }
        work.edges.clear();
        work.parts.clear();
        for (side, step) in [a, b].into_iter().enumerate() {
            for &edge in &self.edges[step] {
                let start = work.edges.len();
                if work.meets(edge) {
                    let mut pull = [0.0; 2];
                    pull[side] = self.pull[edge as usize];
                    // On from its sender, and from its receiver, as far as it goes.
                    for end in 0..2 {
                        self.follow((edge, side, end), &mut pull, work);
                    }
                    work.parts.push(Component { edges: start..work.edges.len(), pull });
                }
            }
        }
    }

    /// Meets the messages that come behind one of a side, from one of its ends on.
    fn follow(
        &self,
        (mut edge, mut side, mut end): (u32, usize, usize),
        pull: &mut [f64; 2],
        work: &mut Work,
    ) {
        loop {
            side = 1 - side;
            let (next, pair) = work.at[side][self.ports[edge as usize][end] as usize];
            if pair != work.pair || !work.meets(next) {
                return;
            }
            pull[side] += self.pull[next as usize];
            (edge, end) = (next, 1 - end);
        }
    }

    /// Moves messages, whole paths and cycles, to the other one of two steps.
    fn exchange(&mut self, a: usize, b: usize, turned: &[u32]) {
        for &edge in turned {
            let step = &mut self.step[edge as usize];
            *step = if *step as usize == a { b } else { a }.try_into().expect("fewer steps than messages");
        }
        let mut both = std::mem::take(&mut self.edges[a]);
        both.append(&mut self.edges[b]);
        (self.edges[a], self.edges[b]) =
            both.into_iter().partition(|&edge| self.step[edge as usize] as usize == a);
        for step in [a, b] {
            let bytes = |&edge: &u32| self.graph.edges()[edge as usize].bytes;
            self.cost[step] = self.edges[step].iter().map(bytes).max().unwrap_or(0);
        }
    }

    /// Turns the path of some message with some other step, for better or worse.
    fn kick(&mut self, trial: u64, dirty: &mut Vec<usize>, work: &mut Work) {
        let spread = trial.wrapping_mul(SPREAD);
        let pick = |bits: u64, below: usize| usize::try_from(bits % below as u64).expect("below a usize");
        let steps = self.edges.len();
        if steps < 2 {
            work.left = 0;
            return;
        }
        let a = self.step[pick(spread >> 32, self.step.len())] as usize;
        let b = (a + 1 + pick(spread >> 16 & 0xffff, steps - 1)) % steps;
        self.components(a, b, work);
        let part = &work.parts[pick(spread & 0xffff, work.parts.len())];
        self.exchange(a, b, &work.edges[part.edges.clone()]);
        dirty.extend([a, b].into_iter().filter(|step| !dirty.contains(step)).collect::<Vec<_>>());
    }
}

/// The sixteenth power of a length, relative to the longest: by multiplication only, so the same on every machine.
#[allow(clippy::cast_precision_loss)]
fn pull(bytes: u64, longest: u64) -> f64 {
    let second = (bytes as f64 / longest as f64) * (bytes as f64 / longest as f64);
    let fourth = second * second;
    let eighth = fourth * fourth;
    eighth * eighth
}
