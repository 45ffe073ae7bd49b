//! The two matching strategies of Desprez et al. 1998, section 4.5, for small graphs.
//!
//! *Stepwise*: each step is the heaviest of all matchings that serve all ports with the most messages left. This
//! strategy has the fewest steps. *Greedy*: each step is the heaviest matching of the messages left.
//!
//! Matchings are found by the Hungarian method of Kuhn and Munkres, with potentials and shortest augmenting paths.
//! Time: O(n^3) a step, for n ports on the larger side.

use super::graph::Graph;

/// The objective of each step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strategy {
    /// Serves all ports with the most messages left, then moves as many bytes as possible.
    Stepwise,
    /// Moves as many bytes as possible.
    Greedy,
}

/// Weight of a byte relative to the tie-breaker, which is the sum of the degrees of a matching's ports. It must exceed
/// the largest such sum: twice the number of messages of a graph.
const BYTE_WEIGHT: u64 = 1 << 32;

/// Returns a step for each message of `graph`.
pub fn colour(graph: &Graph, strategy: Strategy) -> Vec<u32> {
    let mut steps = vec![u32::MAX; graph.edges().len()];
    let mut left: Vec<u32> = (0..).take(steps.len()).collect();
    let mut step = 0;
    while !left.is_empty() {
        for edge in match_heaviest(graph, &left, strategy) {
            steps[edge as usize] = step;
        }
        left.retain(|&edge| steps[edge as usize] == u32::MAX);
        step += 1;
    }
    steps
}

fn match_heaviest(graph: &Graph, left: &[u32], strategy: Strategy) -> Vec<u32> {
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
        // Takes the heaviest of several messages between two ports. Among equally heavy matchings, prefers ports with
        // the most messages left, so that fewer steps follow.
        let busy = i128::from(degrees.0[p] + degrees.1[q]);
        let value = (i128::from(e.bytes) + bonus) * i128::from(BYTE_WEIGHT) + busy;
        if value > worth[p * n + q] {
            worth[p * n + q] = value;
            best[p * n + q] = Some(edge);
        }
    }
    assignment(n, &worth).into_iter().enumerate().filter_map(|(p, q)| best[p * n + q]).collect()
}

/// Returns the column of each row in a perfect assignment of greatest worth. `worth` is an n x n matrix, by rows.
fn assignment(n: usize, worth: &[i128]) -> Vec<usize> {
    // Rows and columns count from 1. row_of[col] is the row matched to a column, or 0; row_of[0] is the row being
    // inserted. The method minimises, so worth is negated.
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
