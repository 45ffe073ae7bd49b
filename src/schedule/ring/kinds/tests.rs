//! Every meeting has a step, no process two in one; figures beside a recount; and how often steps are the fewest.

use super::super::super::certificate::Certificate;
use super::super::super::figures::busiest;
use super::super::super::graph::{Edge, Graph};
use super::*;
use crate::layout::{Axis, Cyclic};
use std::collections::BTreeMap;

/// A section of up to `laps` rounds of the longer side, and no whole period of both.
fn random(rng: &mut fastrand::Rng, procs: u32, blocks: u64, laps: f64) -> Overlap {
    loop {
        let mut axis = || {
            let (block, procs) = (rng.u64(1..=blocks), rng.u32(procs / 4..=procs));
            let axis = Axis::new(Cyclic::new(block, procs, rng.u32(0..procs)).unwrap(), 0);
            (axis.section(rng.u64(0..3 * block), 1), block * u64::from(procs))
        };
        let ((from, one), (to, other)) = (axis(), axis());
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
        // Small.
        let len = (rng.f64() * laps * one.max(other) as f64) as u64;
        if len > 0 && one.lcm(&other) >= len {
            return Overlap { from, to, len };
        }
    }
}

/// All messages, element by element, with the first element of each.
fn messages(dim: &Overlap) -> (Graph, Vec<u64>) {
    let mut shared: BTreeMap<(u32, u32), (u64, u64)> = BTreeMap::new();
    for x in 0..dim.len {
        shared.entry((dim.from.owner(x), dim.to.owner(x))).or_insert((0, x)).0 += 1;
    }
    let edge =
        |(&(sender, receiver), &(bytes, _)): (&(u32, u32), &(u64, u64))| Edge { sender, receiver, bytes };
    let edges = shared.iter().map(edge).collect();
    let firsts = shared.values().map(|&(_, first)| first).collect();
    (Graph::new(dim.from.dist.procs(), dim.to.dist.procs(), edges), firsts)
}

#[test]
fn kinds_have_steps_of_their_own_at_every_process() {
    let mut rng = fastrand::Rng::with_seed(41);
    let (mut tried, mut fewest, mut told, mut steps) = (0, 0, 0, (0, 0));
    for round in 0..600 {
        let dim = random(&mut rng, 40 + round % 60, 9, 4.0);
        let Some(kinds) = Kinds::new(&dim, u64::MAX, 1 << 12) else { continue };
        let (graph, firsts) = messages(&dim);
        let of: Vec<u32> = firsts.iter().map(|&x| u32::try_from(kinds.step(x)).unwrap()).collect();
        assert!(of.iter().all(|&step| u64::from(step) < kinds.steps), "{dim:?}");
        // Panics if a process is twice in a step.
        let counted = Certificate::count(&graph, &of);
        tried += 1;
        steps = (steps.0 + kinds.steps, steps.1 + counted.bounds.steps);
        let Some(figures) = kinds.figures else { continue };
        told += 1;
        fewest += u32::from(counted.fewest_steps());
        let (send, receive) = busiest(&graph, (1, 1));
        assert_eq!((figures.send, figures.receive), (send, receive), "{dim:?}");
        let expected = (counted.steps, counted.cost, counted.bounds.cost);
        assert_eq!((figures.steps, figures.cost, figures.cost_bound), expected, "{dim:?}");
    }
    println!(
        "{tried} tried, {steps:?} steps and least; {told} with figures, {fewest} of them with the fewest steps"
    );
    assert!(tried > 300 && told > 300 && 10 * fewest > 9 * told, "{tried} {fewest} {told}");
}

#[test]
fn however_many_processes_steps_are_about_the_fewest() {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let million = 1_000_000;
    for ((r, p), (s, q), len, least) in [
        ((7, million), (11, million - 1), 123_456_789, 36),
        ((3, million), (5, million - 1), 50_000_000, 34),
        ((16, 5000), (12, 7000), 900_000, 24),
        ((5, 1000), (8, 1200), 60_000, 24),
    ] {
        let dim = Overlap { from: axis(r, p), to: axis(s, q), len };
        let kinds = Kinds::new(&dim, u64::MAX, 1 << 14).unwrap();
        let figures = kinds.figures.unwrap();
        assert_eq!(figures.send.messages.max(figures.receive.messages), least, "{figures:?}");
        assert!(kinds.steps <= least + 1, "{} steps", kinds.steps);
        // Some processes, as they are asked for: what a sender does is in steps of its own.
        for sender in [0, 1, p / 3, p - 1] {
            let first = |receiver| dim.shared(sender, receiver).first().expect("they share some");
            let mut steps: Vec<u64> =
                dim.destinations(sender).into_iter().map(|receiver| kinds.step(first(receiver))).collect();
            let count = steps.len();
            steps.sort_unstable();
            steps.dedup();
            assert_eq!(steps.len(), count, "sender {sender}");
        }
    }
}
