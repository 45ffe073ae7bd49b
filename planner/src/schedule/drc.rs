//! Degree reduction and colouring (Yu and Tsai, "An efficient scheduling algorithm for irregular data redistribution"),
//! for GEN_BLOCK and any other messages.
//!
//! While some port has more than two messages left, each step takes the heaviest messages whose ports are free. The
//! remaining messages form paths and cycles, which take two steps. Deviation: the paper's greedy step may leave out one
//! of the ports with the most messages, and the schedule then has one step too many. Here each step serves all of these
//! ports (`cover.rs`), which is possible by König's theorem.
//!
//! Time for E messages: O(E log E) to sort them, O(E) for a step. Few greedy steps need a repair, and repairs are
//! local.

use super::cover::Remaining;
use super::graph::Graph;

/// Returns a step for each message of `graph`. There are as many steps as the busiest port has messages.
pub fn colour(graph: &Graph) -> Vec<u32> {
    let mut steps = vec![u32::MAX; graph.edges().len()];
    let mut left = Remaining::new(graph);
    let mut step = 0;
    loop {
        let degrees: Vec<u32> = (0..left.ports()).map(|port| left.degree(port)).collect();
        let busiest = degrees.iter().copied().max().unwrap_or(0);
        if busiest <= 2 {
            break;
        }
        let matching = left.matching(|port| degrees[port] == busiest);
        left.remove(&matching);
        for edge in matching {
            steps[edge as usize] = step;
        }
        step += 1;
    }
    two_steps(&left, step, &mut steps);
    steps
}

/// Gives the remaining messages `step` and the next step, in turn along paths and cycles. No port may have more than
/// two messages left.
fn two_steps(left: &Remaining, step: u32, steps: &mut [u32]) {
    for &start in left.edges() {
        let mut stack = vec![(start, step)];
        while let Some((edge, mine)) = stack.pop() {
            if steps[edge as usize] != u32::MAX {
                continue;
            }
            steps[edge as usize] = mine;
            for port in left.ports_of(edge) {
                let next = left.at(port).filter(|&e| e != edge);
                stack.extend(next.map(|e| (e, 2 * step + 1 - mine)));
            }
        }
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
        // Table 6: 4 steps of cost 17 + 10 + 7 + 6, the minimum by exhaustive search.
        assert_eq!((c.steps, c.cost), (4, 40));
    }
}
