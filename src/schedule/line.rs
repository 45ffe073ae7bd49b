//! Messages that lie on a line, as those of a GEN_BLOCK redistribution do: the least cost at the fewest steps, by exact
//! search where that is quick, and close to it by descent where it is not.
//!
//! In the order of the array, the messages of each port are consecutive, so two ports share at most one message, the last
//! of the one and the first of the other: the ports are a chain. Whether steps that cost w1 >= w2 >= ... can hold all
//! messages is decided by one walk along the chain, with the set of steps that the shared message may be in as its state:
//! within a port all messages are in different steps, a message of b bytes in one of the first steps, those that cost at
//! least b. So what is left is a search for the cheapest w, pruned by what is certain for each of them: step k costs at
//! least the smallest t such that no port has more than k messages longer than t.
//!
//! Time of a walk: O(messages x steps).

use super::graph::Graph;
use std::ops::RangeInclusive;

/// Steps that fit in the set of a state.
const MOST_STEPS: u32 = 64;
/// Walks of the search, times messages.
const BUDGET: usize = 4_000_000;

/// A step for each message of `graph`, which are in the order of the line, in as few steps as its maximum degree, at no
/// higher cost than `known`, such a schedule. `None`: they are on no line, or a port has too many.
pub fn colour(graph: &Graph, known: &[u32]) -> Option<Vec<u32>> {
    let steps = graph.max_degree();
    let chain = Chain::new(graph).filter(|_| steps <= MOST_STEPS && steps > 0)?;
    let mut costs = vec![0; steps as usize];
    for (e, &step) in graph.edges().iter().zip(known) {
        let cost = &mut costs[step as usize];
        *cost = e.bytes.max(*cost);
    }
    costs.sort_unstable_by(|a, b| b.cmp(a));
    let mut search = Search::new(&chain, costs);
    search.run();
    chain.walk(&search.best)
}

/// The chain of ports.
struct Chain {
    bytes: Vec<u64>,
    /// The messages of each port that has more than one, in order; the first may be the last of the one before.
    ports: Vec<RangeInclusive<usize>>,
    /// Whether a message is at no such port.
    alone: Vec<bool>,
}

impl Chain {
    fn new(graph: &Graph) -> Option<Self> {
        let edges = graph.edges();
        let mut ports = Vec::new();
        let mut run = |port: &dyn Fn(usize) -> u32, count: u32| {
            let mut seen = vec![false; count as usize];
            let mut first = 0;
            for e in 0..edges.len() {
                if e + 1 == edges.len() || port(e + 1) != port(e) {
                    if std::mem::replace(&mut seen[port(e) as usize], true) {
                        return false;
                    }
                    if e > first {
                        ports.push(first..=e);
                    }
                    first = e + 1;
                }
            }
            true
        };
        let on_line =
            run(&|e| edges[e].sender, graph.senders()) && run(&|e| edges[e].receiver, graph.receivers());
        ports.sort_unstable_by_key(|p| *p.start());
        let chained = ports.windows(2).all(|w| w[1].start() >= w[0].end());
        let mut alone = vec![true; edges.len()];
        for port in &ports {
            alone[port.clone()].fill(false);
        }
        (on_line && chained).then(|| Self { bytes: edges.iter().map(|e| e.bytes).collect(), ports, alone })
    }

    /// What the k-th dearest step costs at least.
    fn least(&self, steps: usize) -> Vec<u64> {
        let mut least = vec![0; steps];
        for port in &self.ports {
            let mut bytes = self.bytes[port.clone()].to_vec();
            bytes.sort_unstable_by(|a, b| b.cmp(a));
            for (least, b) in least.iter_mut().zip(bytes) {
                *least = b.max(*least);
            }
        }
        least[0] = self.bytes.iter().copied().max().unwrap_or(0);
        least
    }

    /// The steps that each message may be in, if steps of the given costs, dearest first, hold all: at each port, what
    /// its last message may be in.
    fn reach(&self, costs: &[u64]) -> Option<Vec<u64>> {
        let mut reached = Vec::with_capacity(self.ports.len());
        let mut shared = None;
        for port in &self.ports {
            let first = match shared {
                Some((message, steps)) if message == *port.start() => steps,
                _ => allowed(self.bytes[*port.start()], costs),
            };
            let last = self.last(port, first, costs);
            if last == 0 {
                return None;
            }
            reached.push(last);
            shared = Some((*port.end(), last));
        }
        let alone = self.bytes.iter().zip(&self.alone).filter(|(_, alone)| **alone);
        alone.into_iter().all(|(b, _)| allowed(*b, costs) != 0).then_some(reached)
    }

    /// The steps that a port's last message may be in, if its first may be in those of `first`.
    fn last(&self, port: &RangeInclusive<usize>, first: u64, costs: &[u64]) -> u64 {
        let rule = Rule::new(&self.bytes[port.start() + 1..*port.end()], costs);
        let last = allowed(self.bytes[*port.end()], costs);
        (0..costs.len())
            .filter(|&c| last & (1 << c) != 0 && rule.others(c, first) != 0)
            .fold(0, |set, c| set | 1 << c)
    }

    /// A step for each message in steps of the given costs, dearest first.
    fn walk(&self, costs: &[u64]) -> Option<Vec<u32>> {
        let reached = self.reach(costs)?;
        let mut step = vec![u32::MAX; self.bytes.len()];
        for (e, b) in self.bytes.iter().enumerate().filter(|(e, _)| self.alone[*e]) {
            step[e] = allowed(*b, costs).trailing_zeros();
        }
        for (k, port) in self.ports.iter().enumerate().rev() {
            let (first, last) = (*port.start(), *port.end());
            if step[last] == u32::MAX {
                step[last] = reached[k].trailing_zeros();
            }
            let before = k.checked_sub(1).filter(|&j| *self.ports[j].end() == first);
            let may = before.map_or_else(|| allowed(self.bytes[first], costs), |j| reached[j]);
            let rule = Rule::new(&self.bytes[first + 1..last], costs);
            step[first] = rule.others(step[last] as usize, may).trailing_zeros();
            let mut taken = 1u64 << step[first] | 1 << step[last];
            // The rest, heaviest first: what the heaviest can be in, all can.
            let mut inner: Vec<usize> = (first + 1..last).collect();
            inner.sort_unstable_by_key(|&e| std::cmp::Reverse(self.bytes[e]));
            for e in inner {
                let free = allowed(self.bytes[e], costs) & !taken;
                step[e] = free.trailing_zeros();
                taken |= 1 << step[e];
            }
        }
        Some(step)
    }
}

/// The first steps: those that cost at least `bytes`.
fn allowed(bytes: u64, costs: &[u64]) -> u64 {
    match costs.partition_point(|&c| c >= bytes) {
        64 => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// In which pairs of steps may the first and the last message of a port be, so that the others fit? Those can be in the
/// first so many steps each, so they fit if for every number k of first steps, at most k messages are confined to them;
/// where there is no room to spare neither of the two may be, where there is room for one not both.
struct Rule {
    /// Neither may be below.
    none_below: usize,
    /// Not both may be below.
    one_below: usize,
}

impl Rule {
    fn new(inner: &[u64], costs: &[u64]) -> Self {
        let mut room: Vec<usize> = inner.iter().map(|&b| costs.partition_point(|&c| c >= b)).collect();
        room.sort_unstable();
        let mut rule = Self { none_below: 0, one_below: 0 };
        for (before, &k) in room.iter().enumerate() {
            match k.checked_sub(before + 1) {
                None => return Self { none_below: usize::MAX, one_below: usize::MAX },
                Some(0) => rule.none_below = k,
                Some(1) => rule.one_below = k,
                _ => (),
            }
        }
        rule
    }

    /// The steps among `set` that one of the two may be in while the other is in `step`.
    fn others(&self, step: usize, set: u64) -> u64 {
        if step < self.none_below {
            return 0;
        }
        let below = if step < self.one_below { self.one_below.max(self.none_below) } else { self.none_below };
        let mask = if below >= 64 { 0 } else { u64::MAX << below };
        set & mask & !(1 << step)
    }
}

/// The search for the cheapest costs.
struct Search<'a> {
    chain: &'a Chain,
    least: Vec<u64>,
    /// All lengths of messages, ascending.
    lengths: Vec<u64>,
    best: Vec<u64>,
    budget: usize,
}

impl<'a> Search<'a> {
    fn new(chain: &'a Chain, known: Vec<u64>) -> Self {
        let mut lengths = chain.bytes.clone();
        lengths.sort_unstable();
        lengths.dedup();
        let least = chain.least(known.len());
        Self { chain, least, lengths, best: known, budget: BUDGET }
    }

    fn run(&mut self) {
        self.descend();
        let costs = vec![self.least[0]; self.best.len()];
        self.choose(costs, 1);
    }

    fn holds(&mut self, costs: &[u64]) -> bool {
        self.budget = self.budget.saturating_sub(self.chain.bytes.len());
        self.chain.reach(costs).is_some()
    }

    /// Lowers one cost after the other as far as it goes, from the cheapest step on and from the dearest on.
    fn descend(&mut self) {
        let known = self.best.clone();
        let count = known.len();
        let orders: [Vec<usize>; 2] = [(1..count).rev().collect(), (1..count).collect()];
        for order in orders {
            let mut costs = known.clone();
            for k in order {
                costs[k] = self.lowest(&costs, k, self.least[k]);
                // Dearest first again; the others stay what they are.
                costs.sort_unstable_by(|a, b| b.cmp(a));
            }
            if costs.iter().sum::<u64>() < self.best.iter().sum() {
                self.best = costs;
            }
        }
    }

    /// The lowest cost of step k, at least `least`, with the others as they are; they hold as they are.
    fn lowest(&mut self, costs: &[u64], k: usize, least: u64) -> u64 {
        let (mut low, mut high) =
            (self.lengths.partition_point(|&l| l < least), self.lengths.partition_point(|&l| l < costs[k]));
        while low < high {
            let middle = (low + high) / 2;
            let mut trial = costs.to_vec();
            trial[k] = self.lengths[middle];
            trial.sort_unstable_by(|a, b| b.cmp(a));
            if self.holds(&trial) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        self.lengths.get(high).copied().unwrap_or(costs[k])
    }

    /// Tries all costs of step k on, with those before chosen; the ones behind are the same as k's for now.
    fn choose(&mut self, costs: Vec<u64>, k: usize) {
        let count = costs.len();
        let best: u64 = self.best.iter().sum();
        let before: u64 = costs[..k].iter().sum();
        let after: u64 = self.least[(k + 1).min(count)..].iter().sum();
        if k >= count {
            if before < best && self.holds(&costs) {
                self.best = costs;
            }
            return;
        }
        let from = self.lengths.partition_point(|&l| l < self.least[k]);
        for at in from..self.lengths.len() {
            let cost = self.lengths[at];
            if cost > costs[k - 1] || before + cost + after >= self.best.iter().sum() || self.budget == 0 {
                return;
            }
            let mut trial = costs.clone();
            trial[k..].fill(cost);
            if self.holds(&trial) {
                self.choose(trial, k + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests;
