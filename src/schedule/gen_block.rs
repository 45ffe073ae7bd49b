//! GEN_BLOCK to GEN_BLOCK, and any messages that lie on a line: the best of edge colouring, degree reduction (Yu and Tsai)
//! and the search along the line, all of which have the fewest steps.

use super::certificate::Certificate;
use super::graph::Graph;
use super::{colouring, drc, line};

/// Messages for which everything is tried; beyond, the search along the line alone where it can.
const SMALL: usize = 4096;

/// A step for each message of `graph`, which are in the order of the line if they lie on one.
pub fn colour(graph: &Graph) -> Vec<u32> {
    let cost = |steps: &Vec<u32>| Certificate::count(graph, steps).cost;
    let found = line::colour(graph, &[]);
    let large = graph.edges().len() > SMALL;
    if let Some(found) = found.filter(|found| large || cost(found) == graph.bounds((1, 1)).cost) {
        return found;
    }
    let mut known = vec![drc::colour(graph)];
    if !large {
        known.push(colouring::colour(graph));
    }
    let found = line::colour(graph, &known);
    found.or_else(|| known.into_iter().min_by_key(cost)).expect("a schedule that is known")
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
