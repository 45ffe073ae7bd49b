//! GEN_BLOCK to GEN_BLOCK, and any messages that lie on a line: the best of edge colouring, degree reduction (Yu and Tsai)
//! and the search along the line, all of which have the fewest steps.

use super::certificate::Certificate;
use super::graph::Graph;
use super::{colouring, drc, line};

/// Messages for which everything is tried; beyond, only what takes linear time.
const SMALL: usize = 4096;

/// A step for each message of `graph`, which are in the order of the line if they lie on one.
pub fn colour(graph: &Graph) -> Vec<u32> {
    let mut best = drc::colour(graph);
    let cost = |steps: &[u32]| Certificate::count(graph, steps).cost;
    if graph.edges().len() <= SMALL {
        let other = colouring::colour(graph);
        if cost(&other) < cost(&best) {
            best = other;
        }
    }
    line::colour(graph, &best).unwrap_or(best)
}

#[cfg(test)]
mod tests {
    use super::super::graph::tests::random;
    use super::*;

    #[test]
    fn no_graph_gets_more_steps_than_it_needs() {
        let mut rng = fastrand::Rng::with_seed(10);
        for _ in 0..100 {
            let g = random(&mut rng, 10, 30);
            let c = Certificate::count(&g, &colour(&g));
            assert!(c.fewest_steps());
        }
    }
}
