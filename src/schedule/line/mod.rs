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
//! Time of a walk: O(messages + ports x steps).

mod chain;
mod rule;

use super::graph::Graph;
use chain::Chain;
use std::ops::Range;

/// Steps that fit in the set of a state.
const MOST_STEPS: u32 = 64;
/// Ports that the search walks past, at the most.
const BUDGET: usize = 1_000_000;
/// Ports walked past again after a cost was raised.
const BACK: usize = 32;

/// A step for each message of `graph`, which are in the order of the line, in as few steps as its maximum degree, at no
/// higher cost than those of `known`, schedules with as many steps. `None`: they are on no line, or a port has too many.
pub fn colour(graph: &Graph, known: &[Vec<u32>]) -> Option<Vec<u32>> {
    let steps = graph.max_degree();
    let chain = Chain::new(graph).filter(|_| steps <= MOST_STEPS && steps > 0)?;
    let mut search = Search::new(&chain, steps as usize);
    for schedule in known {
        let mut costs = vec![0; steps as usize];
        for (e, &step) in graph.edges().iter().zip(schedule) {
            let cost = &mut costs[step as usize];
            *cost = e.bytes.max(*cost);
        }
        costs.sort_unstable_by(|a, b| b.cmp(a));
        search.descend(&costs);
    }
    search.run();
    chain.steps(&search.best)
}

/// The search for the cheapest costs.
struct Search<'a> {
    chain: &'a Chain,
    least: Vec<u64>,
    rooms: Vec<u8>,
    best: Vec<u64>,
    budget: usize,
}

impl<'a> Search<'a> {
    fn new(chain: &'a Chain, steps: usize) -> Self {
        let least = chain.least(steps);
        // Steps that cost as much as the longest message hold everything.
        let best = vec![least[0]; steps];
        Self { chain, least, rooms: Vec::new(), best, budget: BUDGET }
    }

    fn run(&mut self) {
        let mended = self.mended();
        self.descend(&mended);
        let costs = vec![self.least[0]; self.best.len()];
        self.choose(costs, 1);
    }

    /// Costs that hold everything: from what is certain up, raised wherever a port cannot be passed. Costs only go up, so
    /// what was passed need not be walked past again.
    fn mended(&mut self) -> Vec<u64> {
        let mut costs = self.least.clone();
        let mut reached = Vec::with_capacity(self.chain.ports());
        loop {
            self.chain.rooms(&costs, &mut self.rooms);
            let (from, before) = (reached.len(), reached.last().copied());
            let room = |length: u32| self.rooms[length as usize];
            let rest = from..self.chain.ports();
            let Some(stuck) = self.chain.walk(rest, before, costs.len(), room, |last| reached.push(last))
            else {
                return costs;
            };
            let back = stuck.saturating_sub(BACK);
            reached.truncate(back);
            costs = self.raised(&costs, back..stuck + 1, reached.last().copied());
        }
    }

    /// The least raise of one step that lets `ports` be passed; of all steps if none does.
    fn raised(&mut self, costs: &[u64], ports: Range<usize>, before: Option<u64>) -> Vec<u64> {
        let lengths = &self.chain.lengths;
        let mut best: Option<(u64, Vec<u64>)> = None;
        for k in 1..costs.len() {
            let from = lengths.partition_point(|&l| l <= costs[k]);
            let with = |cost: u64| {
                let mut trial = costs.to_vec();
                trial[k] = cost;
                trial.sort_unstable_by(|a, b| b.cmp(a));
                trial
            };
            let passes = |cost: u64| {
                let trial = with(cost);
                let room = |length: u32| {
                    let room = trial.partition_point(|&c| c >= lengths[length as usize]);
                    u8::try_from(room).expect("no more than 64 steps")
                };
                self.chain.walk(ports.clone(), before, trial.len(), room, |_| ()).is_none()
            };
            // Passing is certain from some length on, if at all.
            let at = from + lengths[from..].partition_point(|&cost| !passes(cost));
            if let Some(&cost) = lengths.get(at) {
                let raise = cost - costs[k];
                if best.as_ref().is_none_or(|(least, _)| raise < *least) {
                    best = Some((raise, with(cost)));
                }
            }
        }
        best.map_or_else(|| vec![self.least[0]; costs.len()], |(_, costs)| costs)
    }

    fn holds(&mut self, costs: &[u64]) -> bool {
        self.chain.rooms(costs, &mut self.rooms);
        let (mut passed, all) = (0, 0..self.chain.ports());
        let room = |length: u32| self.rooms[length as usize];
        let stuck = self.chain.walk(all, None, costs.len(), room, |_| passed += 1);
        self.budget = self.budget.saturating_sub(passed + 1);
        stuck.is_none()
    }

    /// Lowers one of the costs that hold everything after the other as far as it goes, from the cheapest step on and from
    /// the dearest on.
    fn descend(&mut self, known: &[u64]) {
        let count = known.len();
        let orders: [Vec<usize>; 2] = [(1..count).rev().collect(), (1..count).collect()];
        for order in orders {
            let mut costs = known.to_vec();
            for k in order {
                let place = |search: &Self, cost| search.chain.lengths.partition_point(|&l| l < cost);
                let (low, high) = (place(self, self.least[k]), place(self, costs[k]));
                let with = |search: &Self, at: usize| {
                    let mut trial = costs.clone();
                    trial[k] = search.chain.lengths.get(low + at).copied().unwrap_or(costs[k]).min(costs[k]);
                    // Dearest first again; the others stay what they are.
                    trial.sort_unstable_by(|a, b| b.cmp(a));
                    trial
                };
                let at = self.lowest(high - low, with);
                costs = with(self, at);
            }
            if costs.iter().sum::<u64>() < self.best.iter().sum() {
                self.best = costs;
            }
        }
    }

    /// The lowest number up to `high` for which the costs hold, if they do for all from some number on; `high` if the
    /// budget is spent.
    fn lowest(&mut self, high: usize, costs: impl Fn(&Self, usize) -> Vec<u64>) -> usize {
        let (mut low, mut high) = (0, high);
        while low < high && self.budget > 0 {
            let middle = (low + high) / 2;
            if self.holds(&costs(self, middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        high
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
        let from = self.chain.lengths.partition_point(|&l| l < self.least[k]);
        for at in from..self.chain.lengths.len() {
            let cost = self.chain.lengths[at];
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
