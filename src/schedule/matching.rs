//! The heaviest matching of a small graph (Kuhn and Munkres' Hungarian method, with potentials and shortest augmenting
//! paths), for the two strategies of Desprez et al. 1998, section 4.5: *stepwise*, where every step is the heaviest
//! matching among those that serve all ports with the most messages left, so that steps are fewest; and *greedy*, where
//! every step is the heaviest matching of what is left.
//!
//! Time: O(n^3) a step for n ports on the larger side.

use super::graph::Graph;

/// What a step has to serve.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// All ports with the most messages left, then as many bytes as possible.
    Stepwise,
    /// As many bytes as possible.
    Greedy,
}

/// More than twice the messages of a graph.
const MORE: u64 = 1 << 32;

/// A step for each message of `graph`.
pub fn colour(graph: &Graph, strategy: Strategy) -> Vec<u32> {
    let mut steps = vec![u32::MAX; graph.edges().len()];
    let mut left: Vec<u32> = (0..).take(steps.len()).collect();
    let mut step = 0;
    while !left.is_empty() {
        for edge in heaviest(graph, &left, strategy) {
            steps[edge as usize] = step;
        }
        left.retain(|&edge| steps[edge as usize] == u32::MAX);
        step += 1;
    }
    steps
}

/// The heaviest matching among the messages `left`.
fn heaviest(graph: &Graph, left: &[u32], strategy: Strategy) -> Vec<u32> {
    let n = graph.senders().max(graph.receivers()) as usize;
    let mut degrees = (vec![0u32; n], vec![0u32; n]);
    let mut total = 1i128;
    for &edge in left {
        let e = graph.edges()[edge as usize];
        degrees.0[e.sender as usize] += 1;
        degrees.1[e.receiver as usize] += 1;
        total += i128::from(e.bytes);
    }
    let busiest = degrees.0.iter().chain(&degrees.1).copied().max().unwrap_or(0);
    let mut best = vec![None; n * n];
    let mut worth = vec![0i128; n * n];
    for &edge in left {
        let e = graph.edges()[edge as usize];
        let (p, q) = (e.sender as usize, e.receiver as usize);
        let served = i128::from(degrees.0[p] == busiest) + i128::from(degrees.1[q] == busiest);
        let bonus = if strategy == Strategy::Stepwise { served * total } else { 0 };
        // Of several messages between two ports the heaviest; of equally heavy matchings the one whose ports have the
        // most messages left, so that fewer steps follow.
        let busy = i128::from(degrees.0[p] + degrees.1[q]);
        let value = (i128::from(e.bytes) + bonus) * i128::from(MORE) + busy;
        if value > worth[p * n + q] {
            worth[p * n + q] = value;
            best[p * n + q] = Some(edge);
        }
    }
    assignment(n, &worth).into_iter().enumerate().filter_map(|(p, q)| best[p * n + q]).collect()
}

/// The column of each row in a perfect assignment of greatest worth.
fn assignment(n: usize, worth: &[i128]) -> Vec<usize> {
    // Rows and columns from 1; row_of[0] is the row being inserted. Least cost, so worth counts negative.
    let (mut u, mut v) = (vec![0i128; n + 1], vec![0i128; n + 1]);
    let mut row_of = vec![0; n + 1];
    for row in 1..=n {
        row_of[0] = row;
        let mut least = vec![i128::MAX; n + 1];
        let mut from = vec![0; n + 1];
        let mut done = vec![false; n + 1];
        let mut col = 0;
        while row_of[col] != 0 {
            done[col] = true;
            let row = row_of[col];
            let (mut delta, mut next) = (i128::MAX, 0);
            for j in 1..=n {
                if done[j] {
                    continue;
                }
                let slack = -worth[(row - 1) * n + j - 1] - u[row] - v[j];
                if slack < least[j] {
                    (least[j], from[j]) = (slack, col);
                }
                if least[j] < delta {
                    (delta, next) = (least[j], j);
                }
            }
            for j in 0..=n {
                if done[j] {
                    u[row_of[j]] += delta;
                    v[j] -= delta;
                } else if least[j] < i128::MAX {
                    least[j] -= delta;
                }
            }
            col = next;
        }
        while col != 0 {
            row_of[col] = row_of[from[col]];
            col = from[col];
        }
    }
    let mut column = vec![0; n];
    for col in 1..=n {
        column[row_of[col] - 1] = col - 1;
    }
    column
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Certificate;
    use super::super::graph::tests::random;
    use super::*;

    /// The greatest worth by trying all permutations.
    fn exhaustive(n: usize, worth: &[i128]) -> i128 {
        fn place(n: usize, worth: &[i128], row: usize, used: u32) -> i128 {
            let free = (0..n).filter(|j| used & (1 << j) == 0);
            free.map(|j| worth[row * n + j] + place(n, worth, row + 1, used | 1 << j)).max().unwrap_or(0)
        }
        place(n, worth, 0, 0)
    }

    #[test]
    fn assignments_are_as_good_as_the_best_permutation() {
        let mut rng = fastrand::Rng::with_seed(2);
        for _ in 0..300 {
            let n = rng.usize(1..7);
            let worth: Vec<i128> = (0..n * n).map(|_| i128::from(rng.u8(0..20))).collect();
            let column = assignment(n, &worth);
            let mut sorted = column.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..n).collect::<Vec<_>>());
            let sum: i128 = column.iter().enumerate().map(|(i, j)| worth[i * n + j]).sum();
            assert_eq!(sum, exhaustive(n, &worth));
        }
    }

    #[test]
    fn stepwise_has_the_fewest_steps_and_greedy_is_a_schedule() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..100 {
            let g = random(&mut rng, 12, 30);
            let stepwise = Certificate::count(&g, &colour(&g, Strategy::Stepwise));
            let greedy = Certificate::count(&g, &colour(&g, Strategy::Greedy));
            assert!(stepwise.fewest_steps());
            assert!(greedy.steps >= stepwise.steps);
        }
    }
}
