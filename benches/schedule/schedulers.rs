//! Methods that the schedulers are compared with: repeated heaviest matchings as in Desprez et al. 1998, each found by
//! the Kuhn-Munkres algorithm of a library; and a scan of all elements of a period.

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::graph::Graph;
use std::collections::BTreeMap;

/// Returns the step of each message of `graph`, which must have as many senders as receivers and at most one message
/// between two ports. Each matching serves the busiest ports first, so the number of steps is minimal.
pub fn by_matchings(graph: &Graph) -> Vec<u32> {
    let n = graph.senders() as usize;
    let mut edge_at = vec![None; n * n];
    for (edge, e) in graph.edges().iter().enumerate() {
        edge_at[e.sender as usize * n + e.receiver as usize] = Some(edge);
    }
    let heaviest = graph.edges().iter().map(|e| e.bytes).max().unwrap_or(0);
    let busy = i64::try_from(heaviest).expect("short messages") * i64::from(graph.senders()) + 1;
    let mut steps = vec![0; graph.edges().len()];
    let mut left = graph.edges().len();
    let (mut send, mut receive) = graph.degrees();
    for step in 1.. {
        if left == 0 {
            break;
        }
        let most = send.iter().chain(&receive).copied().max().unwrap_or(0);
        let weights = Matrix::from_fn(n, n, |(p, q)| match edge_at[p * n + q] {
            Some(edge) => {
                let served = i64::from(send[p] == most) + i64::from(receive[q] == most);
                i64::try_from(graph.edges()[edge].bytes).expect("short messages") + served * busy
            }
            None => 0,
        });
        for (p, q) in kuhn_munkres(&weights).1.into_iter().enumerate() {
            if let Some(edge) = edge_at[p * n + q].take() {
                steps[edge] = step;
                send[p] -= 1;
                receive[q] -= 1;
                left -= 1;
            }
        }
    }
    steps.iter().map(|step| step - 1).collect()
}

/// Returns the destinations of rank `me` and the number of elements for each destination, in the order of a
/// caterpillar. Looks up the owners of each element.
pub fn by_scanning(dim: &Overlap, me: u32) -> Vec<(u32, u64)> {
    let procs = dim.to.dist.procs();
    let mut found = BTreeMap::new();
    for i in 0..dim.len {
        if dim.from.owner(i) == me {
            *found.entry((dim.to.owner(i) + procs - me) % procs).or_insert(0) += 1;
        }
    }
    found.into_iter().map(|(ahead, elements)| ((me + ahead) % procs, elements)).collect()
}
