//! Least costs against exhaustive search, and the papers' examples.

use super::super::certificate::Certificate;
use super::super::colouring;
use super::super::graph::Edge;
use super::*;

/// The messages between two GEN_BLOCKs of the given sizes, in the order of the line.
fn between(from: &[u64], to: &[u64]) -> Graph {
    let (mut edges, mut p, mut q) = (Vec::new(), 0, 0);
    let (mut here, mut there) = (from[0], to[0]);
    loop {
        let bytes = here.min(there);
        if bytes > 0 {
            edges.push(Edge { sender: p as u32, receiver: q as u32, bytes });
        }
        here -= bytes;
        there -= bytes;
        if here == 0 {
            p += 1;
            let Some(&size) = from.get(p) else { break };
            here = size;
        }
        if there == 0 {
            q += 1;
            let Some(&size) = to.get(q) else { break };
            there = size;
        }
    }
    Graph::new(from.len() as u32, to.len() as u32, edges)
}

fn solve(g: &Graph) -> Certificate {
    let known = colouring::colour(g);
    let steps = colour(g, std::slice::from_ref(&known)).expect("messages on a line");
    let c = Certificate::count(g, &steps);
    assert!(c.fewest_steps() && c.cost <= Certificate::count(g, &known).cost);
    c
}

fn sizes(rng: &mut fastrand::Rng, total: u64, procs: usize) -> Vec<u64> {
    let mut cuts: Vec<u64> = (1..procs).map(|_| rng.u64(0..=total)).collect();
    cuts.extend([0, total]);
    cuts.sort_unstable();
    cuts.windows(2).map(|w| w[1] - w[0]).collect()
}

#[test]
fn examples_have_the_least_cost() {
    // Yu and Tsai, Table 1, whose own schedule costs 36.
    let g = between(&[7, 27, 32, 15, 15, 7, 14], &[16, 12, 14, 17, 27, 23, 8]);
    let c = solve(&g);
    assert_eq!((c.messages, c.steps, c.cost, c.bounds.load), (13, 3, 33, 32));
    let c = solve(&between(&[12, 20, 15, 14, 11, 9, 9, 11], &[17, 10, 13, 6, 17, 12, 11, 15]));
    assert_eq!((c.messages, c.steps, c.cost, c.bounds.load), (15, 3, 25, 20));
    let c = solve(&between(&[24, 26, 14, 36], &[15, 34, 40, 11]));
    assert_eq!((c.messages, c.steps, c.cost, c.bounds.load), (7, 3, 40, 40));
}

#[test]
fn random_lines_have_the_least_cost() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..400 {
        let total = rng.u64(1..60);
        let (p, q) = (rng.usize(1..8), rng.usize(1..8));
        let g = between(&sizes(&mut rng, total, p), &sizes(&mut rng, total, q));
        let best = colouring::tests::exhaustive(&g, g.max_degree() as usize).unwrap();
        assert_eq!(solve(&g).cost, best, "{g:?}");
    }
}

#[test]
fn long_lines_get_the_fewest_steps_quickly() {
    let mut rng = fastrand::Rng::with_seed(9);
    let uneven =
        |rng: &mut fastrand::Rng, n: usize| -> Vec<u64> { (0..n).map(|_| rng.u64(300..1700)).collect() };
    let (from, mut to) = (uneven(&mut rng, 2000), uneven(&mut rng, 2000));
    let (a, b): (u64, u64) = (from.iter().sum(), to[..1999].iter().sum());
    to[1999] = a.saturating_sub(b).max(1);
    let c = solve(&between(&from, &to));
    println!("{c:?}");
    assert!(c.cost <= 2 * c.bounds.cost);
}

#[test]
fn messages_on_no_line_are_left_to_others() {
    let edge = |sender, receiver| Edge { sender, receiver, bytes: 1 };
    let square = Graph::new(2, 2, vec![edge(0, 0), edge(0, 1), edge(1, 1), edge(1, 0)]);
    assert_eq!(colour(&square, &[]), None);
}
