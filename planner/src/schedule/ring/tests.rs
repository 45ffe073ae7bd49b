//! Counts the steps of the closed forms between GEN_BLOCK and CYCLIC(k) over messages that are found one by one.

use super::super::certificate::Certificate;
use super::super::graph::tests::messages;
use super::super::graph::{Edge, Graph};
use super::*;
use crate::layout::distribution::{Axis, Cyclic, Dist, GenBlock};
use fastrand::Rng;
use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug)]
enum Sizes {
    /// Independent, up to twice the mean.
    Uniform,
    /// The gaps between random cuts: a few blocks are many times as long as most.
    Cuts,
    /// Equal, except for a few elements.
    Alike,
    /// About half of the blocks are empty.
    Sparse,
}

const SIZES: [Sizes; 4] = [Sizes::Uniform, Sizes::Cuts, Sizes::Alike, Sizes::Sparse];

/// Builds `procs` blocks with a mean of about `mean` elements.
fn gen_block(rng: &mut Rng, procs: u32, mean: u64, sizes: Sizes) -> Dist {
    let cut = GenBlock::random(rng, procs, mean * u64::from(procs));
    let mut one = |coord: u32| match sizes {
        Sizes::Uniform => rng.u64(0..=2 * mean),
        Sizes::Cuts => cut.local_len(cut.total(), coord),
        Sizes::Alike => mean + rng.u64(0..3),
        Sizes::Sparse => rng.u64(0..=4 * mean) * u64::from(rng.bool()),
    };
    let mut sizes: Vec<u64> = (0..procs).map(&mut one).collect();
    sizes[0] += 1;
    GenBlock::new(&sizes).unwrap().into()
}

/// Builds a dimension with GEN_BLOCK on one side and CYCLIC(k) on the other. The numbers of processes are from the
/// range `procs`.
fn random(rng: &mut Rng, procs: std::ops::Range<u32>, sizes: Sizes) -> Overlap {
    let (p, block) = (rng.u32(procs.clone()), rng.u64(1..40));
    let q = if rng.bool() { p } else { rng.u32(procs) };
    let most = rng.u64(1..=30 * block);
    let outer = gen_block(rng, p, most, sizes);
    let Dist::GenBlock(blocks) = &outer else { unreachable!("just made") };
    let start = rng.u64(0..blocks.total().min(3 * block));
    let (len, head) = (blocks.total() - start, rng.u32(0..q));
    let outer = Axis::new(outer, 0).section(start, 1);
    let inner = Axis::new(Cyclic::new(block, q, head).unwrap(), 0).section(rng.u64(0..50), 1);
    if rng.bool() { Overlap { from: outer, to: inner, len } } else { Overlap { from: inner, to: outer, len } }
}

/// Counts the steps and the cost of the schedule given by `step`. Panics if a port has two messages in a step.
fn count(graph: &Graph, step: impl Fn(u32, u32) -> u64) -> Certificate {
    let step = |e: &Edge| u32::try_from(step(e.sender, e.receiver)).unwrap();
    Certificate::count(graph, &graph.edges().iter().map(step).collect::<Vec<_>>())
}

#[test]
fn laps_of_blocks_of_any_size_are_schedules_of_few_steps() {
    let (mut fewest, mut many, mut cases) = (0, 0, 0);
    for seed in 0..1_200 {
        let mut rng = Rng::with_seed(seed);
        let dim = random(&mut rng, 1..41, SIZES[seed as usize % SIZES.len()]);
        let ring = Ring::new(&dim, None);
        let c = count(&messages(&dim), |p, q| ring.step(&[p], &[q]).unwrap());
        assert!(
            ring.steps() <= PairwiseExchange::new(&dim, None).steps && c.steps <= ring.steps(),
            "seed {seed}"
        );
        fewest += u32::from(c.fewest_steps());
        many += u32::from(4 * c.steps > 5 * c.bounds.steps);
        cases += 1;
    }
    println!("{cases} cases: fewest steps in {fewest}, more than 1.25 times as many in {many}");
    assert!(fewest * 100 >= cases * 50 && many * 100 <= cases * 20, "{fewest} {many} of {cases}");
}

#[test]
fn nearly_all_of_medium_size_take_about_the_fewest_steps() {
    let whole = std::env::var_os("PLANNING").is_some_and(|value| value == "whole");
    let cases = if whole { 250 } else { 25 };
    let mut rng = Rng::with_seed(41);
    for sizes in SIZES {
        let (mut many, mut more) = (0, BTreeMap::new());
        for _ in 0..cases {
            let dim = random(&mut rng, 50..2001, sizes);
            let ring = Ring::new(&dim, None);
            let c = count(&messages(&dim), |p, q| ring.step(&[p], &[q]).unwrap());
            many += u32::from(4 * c.steps > 5 * c.bounds.steps);
            *more.entry(ring.steps() - c.bounds.steps).or_insert(0) += 1;
        }
        println!(
            "{sizes:?}: more than 1.25 times the fewest in {many} of {cases}; cases by steps more: {more:?}"
        );
        assert!(many * 10 <= cases, "{sizes:?}: {many} of {cases}");
    }
}
