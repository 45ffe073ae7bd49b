//! Compares the number of steps with the minimum, and the cost with an exhaustive search.

use super::super::certificate::Certificate;
use super::super::graph::Edge;
use super::super::graph::tests::{graph, random};
use super::*;
use std::collections::{BTreeMap, HashSet};

/// Returns the lowest cost of any schedule of `graph` in `steps` steps, by branch and bound. Suitable for about twenty
/// messages; `None` if the search takes too long.
pub fn exhaustive(graph: &Graph, steps: usize) -> Option<u64> {
    let order = graph.heaviest_first();
    let bytes: Vec<u64> = order.iter().map(|&e| graph.edges()[e as usize].bytes).collect();
    // Minimum number of steps of the first k messages, by the busiest port.
    let mut degrees = (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]);
    let mut needed = vec![0];
    for &edge in &order {
        let e: Edge = graph.edges()[edge as usize];
        degrees.0[e.sender as usize] += 1;
        degrees.1[e.receiver as usize] += 1;
        needed.push(
            needed[needed.len() - 1].max(degrees.0[e.sender as usize]).max(degrees.1[e.receiver as usize]),
        );
    }
    // Lower bound of the cost that the messages after the first k add, if `opened` steps have messages.
    let to_pay = |k: usize, opened: usize| -> u64 {
        let gap = |j: usize| bytes[j] - bytes.get(j + 1).copied().unwrap_or(0);
        (k..bytes.len()).map(|j| (needed[j + 1].max(opened) - opened) as u64 * gap(j)).sum()
    };
    let to_pay = (0..=order.len()).map(|k| (0..=steps).map(|opened| to_pay(k, opened)).collect()).collect();
    let mut search = Search {
        graph,
        order,
        to_pay,
        busy: (vec![0; graph.senders() as usize], vec![0; graph.receivers() as usize]),
        steps,
        best: u64::MAX,
        visits: 20_000_000,
    };
    search.place(0, 0, 0);
    (search.visits > 0).then_some(search.best)
}

struct Search<'a> {
    graph: &'a Graph,
    order: Vec<u32>,
    to_pay: Vec<Vec<u64>>,
    /// Bit sets of the busy steps, by sender and by receiver.
    busy: (Vec<u64>, Vec<u64>),
    steps: usize,
    best: u64,
    visits: u64,
}

impl Search<'_> {
    fn place(&mut self, k: usize, opened: usize, sum: u64) {
        self.visits = self.visits.saturating_sub(1);
        if self.visits == 0 || sum + self.to_pay[k][opened] >= self.best {
            return;
        }
        let Some(&edge) = self.order.get(k) else {
            self.best = sum;
            return;
        };
        let e: Edge = self.graph.edges()[edge as usize];
        let (p, q) = (e.sender as usize, e.receiver as usize);
        // Messages come heaviest first, so the first message of a step is its cost. Steps without messages are
        // interchangeable, so only one of them is tried.
        for step in 0..(opened + 1).min(self.steps) {
            let bit = 1 << step;
            if (self.busy.0[p] | self.busy.1[q]) & bit == 0 {
                self.busy.0[p] |= bit;
                self.busy.1[q] |= bit;
                let more = if step == opened { e.bytes } else { 0 };
                self.place(k + 1, opened.max(step + 1), sum + more);
                self.busy.0[p] &= !bit;
                self.busy.1[q] &= !bit;
            }
        }
    }
}

#[test]
fn random_graphs_get_the_fewest_steps() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..400 {
        let g = random(&mut rng, 40, 1000);
        let c = Certificate::count(&g, &colour(&g));
        assert_eq!(c.steps, c.bounds.steps);
        assert!(c.cost >= c.bounds.cost);
    }
}

#[test]
fn complete_graphs_get_the_fewest_steps() {
    for n in [1, 2, 3, 63, 64, 65, 130] {
        let edges: Vec<_> =
            (0..n).flat_map(|p| (0..n).map(move |q| (p, q, u64::from((p * 7 + q * 3) % 11) + 1))).collect();
        let g = graph(n, n, &edges);
        let c = Certificate::count(&g, &colour(&g));
        assert_eq!(c.steps, u64::from(n));
    }
}

#[test]
fn costs_are_close_to_the_exhaustive_minimum() {
    let mut rng = fastrand::Rng::with_seed(5);
    // Number of graphs by cost, in percent of the minimum.
    let (mut ratios, mut too_long) = (BTreeMap::new(), 0);
    while ratios.values().sum::<u32>() < 1000 {
        let g = random(&mut rng, 9, 20);
        if g.edges().is_empty() || g.edges().len() > 30 {
            continue;
        }
        let Some(best) = exhaustive(&g, g.max_degree() as usize) else {
            too_long += 1;
            continue;
        };
        let c = Certificate::count(&g, &colour(&g));
        assert!(c.bounds.cost <= best && best <= c.cost);
        *ratios.entry((c.cost * 100).div_ceil(best)).or_default() += 1;
    }
    println!("percent of the minimum: {ratios:?}; {too_long} searches took too long");
    assert!(ratios[&100] >= 920 && ratios.keys().all(|&percent| percent <= 130));
}

#[test]
fn ports_of_a_star_take_no_memory_for_steps_that_they_cannot_use() {
    // A table of each port's steps would take 64 GiB.
    let count = 1 << 17;
    let edges = (0..count).map(|receiver| Edge { sender: 0, receiver, bytes: 1 }).collect();
    let steps = colour(&Graph::new(1, count, edges));
    assert_eq!(steps.iter().collect::<HashSet<_>>().len(), count as usize);
}
