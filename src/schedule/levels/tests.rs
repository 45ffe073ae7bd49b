//! The front against exhaustive search, and on the papers' examples.

use super::super::colouring::tests::exhaustive;
use super::super::graph::Edge;
use super::super::graph::tests::random;
use super::*;
use crate::layout::{Axis, Cyclic};
use crate::overlap::Overlap;
use num_integer::Integer;

/// Steps and cost of each schedule of the front.
fn points(graph: &Graph) -> Vec<(u64, u64)> {
    let point = |steps: Vec<u32>| {
        let c = Certificate::count(graph, &steps);
        (c.steps, c.cost)
    };
    front(graph).into_iter().map(point).collect()
}

/// The least cost of each number of steps up to one at which it is the least of all; `None` if that takes long.
fn truth(graph: &Graph) -> Option<Vec<(u64, u64)>> {
    let mut points: Vec<(u64, u64)> = Vec::new();
    let least = u64::from(graph.max_degree());
    for steps in least..=least + 4 {
        let cost = exhaustive(graph, usize::try_from(steps).unwrap())?;
        if points.last().is_none_or(|&(_, before)| cost < before) {
            points.push((steps, cost));
        }
    }
    Some(points)
}

/// cyclic(r) on P to cyclic(s) on Q, one period.
fn example(p: u32, r: u64, q: u32, s: u64) -> Graph {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let len = (r * u64::from(p)).lcm(&(s * u64::from(q)));
    super::super::dimension::Line::new(Overlap { from: axis(r, p), to: axis(s, q), len })
        .graph()
        .unwrap()
        .clone()
}

#[test]
fn two_of_the_examples_of_desprez_et_al_cost_less_in_one_step_more() {
    assert_eq!(points(&example(16, 3, 16, 5)), [(7, 15)]);
    assert_eq!(points(&example(16, 7, 16, 11)), [(16, 77)]);
    assert_eq!(points(&example(15, 3, 15, 5)), [(10, 25), (11, 23)]);
    assert_eq!(points(&example(12, 4, 8, 3)), [(4, 8)]);
    assert_eq!(points(&example(15, 2, 6, 3)), [(10, 20), (11, 16)]);
}

/// Complete but for a few messages, so that no port has a step to spare.
fn dense(rng: &mut fastrand::Rng, heaviest: u64) -> Graph {
    let (senders, receivers) = (rng.u32(3..8), rng.u32(2..4));
    let mut edges = Vec::new();
    for (sender, receiver) in (0..senders).flat_map(|p| (0..receivers).map(move |q| (p, q))) {
        if rng.u8(0..10) > 0 {
            edges.push(Edge { sender, receiver, bytes: rng.u64(1..=heaviest) });
        }
    }
    Graph::new(senders, receivers, edges)
}

#[test]
fn fronts_are_close_to_the_exhaustive_ones() {
    let mut rng = fastrand::Rng::with_seed(31);
    let (mut same, mut all, mut gain, mut reached) = (0, 0, 0, 0);
    let mut worst = 0;
    while all < 4000 {
        let heaviest = [2, 3, 4, 20][rng.usize(0..4)];
        let g = if rng.bool() { random(&mut rng, 7, heaviest) } else { dense(&mut rng, heaviest) };
        if g.edges().is_empty() || g.edges().len() > 20 {
            continue;
        }
        let Some(truth) = truth(&g) else { continue };
        let ours = points(&g);
        all += 1;
        same += u32::from(ours == truth);
        gain += u32::from(truth.len() > 1);
        reached += u32::from(truth.len() > 1 && ours == truth);
        for &(steps, cost) in &ours {
            let best = truth.iter().take_while(|&&(n, _)| n <= steps).last().unwrap().1;
            assert!(cost >= best, "{g:?}");
            worst = worst.max((cost * 100).div_ceil(best));
        }
    }
    println!(
        "{same} of {all} fronts; {reached} of {gain} that have more than one point; worst cost {worst} %"
    );
    assert!(same >= 3990 && reached >= 16 && worst <= 112);
}
