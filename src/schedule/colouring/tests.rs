//! Fewest steps always; cost against exhaustive search.

use super::super::certificate::Certificate;
use super::super::graph::Edge;
use super::super::graph::tests::{graph, random};
use super::*;

/// The least cost of any schedule of `graph` in `steps` steps, by trying all. For a dozen messages.
pub fn exhaustive(graph: &Graph, steps: usize) -> u64 {
    struct Search<'a> {
        graph: &'a Graph,
        order: Vec<u32>,
        send: Vec<u64>,
        receive: Vec<u64>,
        cost: Vec<u64>,
        best: u64,
    }
    impl Search<'_> {
        fn place(&mut self, k: usize, sum: u64) {
            if sum >= self.best {
                return;
            }
            let Some(&edge) = self.order.get(k) else {
                self.best = sum;
                return;
            };
            let e: Edge = self.graph.edges()[edge as usize];
            for step in 0..self.cost.len() {
                let bit = 1 << step;
                if self.send[e.sender as usize] & bit == 0 && self.receive[e.receiver as usize] & bit == 0 {
                    let opened = self.cost[step] == 0;
                    // Heaviest first, so a step costs what its first message has.
                    if opened {
                        self.cost[step] = e.bytes;
                    }
                    self.send[e.sender as usize] |= bit;
                    self.receive[e.receiver as usize] |= bit;
                    self.place(k + 1, sum + if opened { e.bytes } else { 0 });
                    self.send[e.sender as usize] &= !bit;
                    self.receive[e.receiver as usize] &= !bit;
                    if opened {
                        self.cost[step] = 0;
                        break;
                    }
                }
            }
        }
    }
    let mut search = Search {
        graph,
        order: graph.heaviest_first(),
        send: vec![0; graph.senders() as usize],
        receive: vec![0; graph.receivers() as usize],
        cost: vec![0; steps],
        best: u64::MAX,
    };
    search.place(0, 0);
    search.best
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
fn small_graphs_are_close_to_the_exhaustive_minimum() {
    let mut rng = fastrand::Rng::with_seed(5);
    let (mut optimal, mut worst, mut sum, mut cases) = (0, 1.0f64, 0.0, 0);
    while cases < 300 {
        let g = random(&mut rng, 5, 20);
        if g.edges().is_empty() || g.edges().len() > 14 {
            continue;
        }
        let best = exhaustive(&g, g.max_degree() as usize);
        let c = Certificate::count(&g, &colour(&g));
        assert!(c.bounds.cost <= best && best <= c.cost);
        let ratio = c.cost as f64 / best as f64;
        (worst, sum, cases) = (worst.max(ratio), sum + ratio, cases + 1);
        optimal += usize::from(c.cost == best);
    }
    println!("optimal {optimal} of {cases}, mean {:.4}, worst {worst:.4}", sum / f64::from(cases));
    assert!(worst <= 1.25, "worst {worst}");
}
