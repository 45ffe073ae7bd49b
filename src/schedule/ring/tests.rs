//! Schedules in closed form of GEN_BLOCK and CYCLIC(k), against messages that are found one by one.

use super::super::blocks::Even;
use super::super::certificate::Certificate;
use super::super::graph::{Edge, Graph};
use super::beat::Beat;
use super::lap::Lap;
use super::placed::{Message, Placed, Port};
use super::repair::Steps;
use super::*;
use crate::layout::{Axis, Cyclic, Dist, GenBlock};
use fastrand::Rng;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Ways to choose the sizes of blocks.
#[derive(Clone, Copy, Debug)]
enum Sizes {
    /// Any up to twice the mean.
    Even,
    /// Those between random cuts: a few are many times as long as most.
    Cuts,
    /// All alike, but for a few elements.
    Alike,
    /// Half of them 0.
    Sparse,
}

const SIZES: [Sizes; 4] = [Sizes::Even, Sizes::Cuts, Sizes::Alike, Sizes::Sparse];

/// `procs` blocks with a mean of about `mean` elements.
fn gen_block(rng: &mut Rng, procs: u32, mean: u64, sizes: Sizes) -> Dist {
    let total = mean * u64::from(procs);
    let mut cuts: Vec<u64> = (1..procs).map(|_| rng.u64(0..=total)).chain([0, total]).collect();
    cuts.sort_unstable();
    let mut one = |k: usize| match sizes {
        Sizes::Even => rng.u64(0..=2 * mean),
        Sizes::Cuts => cuts[k + 1] - cuts[k],
        Sizes::Alike => mean + rng.u64(0..3),
        Sizes::Sparse => rng.u64(0..=4 * mean) * u64::from(rng.bool()),
    };
    let mut sizes: Vec<u64> = (0..procs as usize).map(&mut one).collect();
    sizes[0] += 1;
    GenBlock::new(&sizes).unwrap().into()
}

/// GEN_BLOCK on one side, CYCLIC(k) on the other, of up to `procs` processes each.
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

/// All messages, by a walk from owner to owner.
fn messages(dim: &Overlap) -> Graph {
    let (mut met, mut x) = (BTreeMap::new(), 0);
    while x < dim.len {
        let count = dim.from.stretch(x).min(dim.to.stretch(x)).min(dim.len - x);
        *met.entry((dim.from.owner(x), dim.to.owner(x))).or_insert(0) += count;
        x += count;
    }
    let edge = |((sender, receiver), bytes)| Edge { sender, receiver, bytes };
    Graph::new(dim.from.dist.procs(), dim.to.dist.procs(), met.into_iter().map(edge).collect())
}

/// The figures of a schedule with this step of each message; panics if it is none.
fn count(graph: &Graph, step: impl Fn(u32, u32) -> u64) -> Certificate {
    let step = |e: &Edge| u32::try_from(step(e.sender, e.receiver)).unwrap();
    Certificate::count(graph, &graph.edges().iter().map(step).collect::<Vec<_>>())
}

/// The two sides of a lap: the GEN_BLOCK one, the other, and whether the first one is the destination.
fn sides(dim: &Overlap) -> (&Axis, Even, bool) {
    match Even::new(&dim.to, dim.len) {
        Some(inner) => (&dim.from, inner, false),
        None => (&dim.to, Even::new(&dim.from, dim.len).unwrap(), true),
    }
}

/// All messages of a lap, as (outer process, inner process, message), by where they first meet.
fn firsts(dim: &Overlap) -> Vec<(u32, u32, Message)> {
    let (outer, inner, _) = sides(dim);
    let (mut met, mut all) = (HashSet::new(), Vec::new());
    for x in 0..dim.len {
        let (own, block) = (outer.owner(x), inner.at(x));
        let process = u32::try_from(block % inner.procs).unwrap();
        if met.insert((own, process)) {
            let is_head = outer.owner(inner.start(block)) == own;
            all.push((own, process, if is_head { Message::Head(block) } else { Message::Other(own) }));
        }
    }
    all
}

#[test]
fn repairs_make_a_schedule_and_never_more_steps() {
    let (mut fewest, mut fewest_before, mut unfinished, mut cases) = (0, 0, 0, 0);
    for seed in 0..1_200 {
        let mut rng = Rng::with_seed(seed);
        let dim = random(&mut rng, 1..41, SIZES[seed as usize % SIZES.len()]);
        let (graph, firsts) = (messages(&dim), firsts(&dim));
        let (outer, inner, backwards) = sides(&dim);
        let lap = Lap::new(outer, dim.len, &inner).unwrap();
        let check = |steps: &Steps| {
            let step = |message| match message {
                Message::Head(block) => steps.exceptions.of_head(block, &steps.beat),
                Message::Other(coord) => steps.exceptions.of_other(coord),
            };
            let end = |process: u32| inner.coord(process.into());
            let ends = |&(p, q, message)| (if backwards { (end(q), p) } else { (p, end(q)) }, step(message));
            let by_ends: HashMap<(u32, u32), u64> = firsts.iter().map(ends).collect();
            let all = steps.beat.steps + steps.behind;
            assert!(by_ends.values().all(|&step| step < all), "seed {seed}");
            count(&graph, |p, q| by_ends[&(p, q)]);
            all
        };
        let before = check(&Steps::unrepaired(&lap).unwrap());
        let bound = graph.bounds((1, 1)).steps;
        let repaired = Steps::fewest(&lap, usize::MAX).map(|steps| check(&steps));
        assert!(lap.most > set::MOST || repaired.is_some_and(|steps| steps <= before), "seed {seed}");
        // What is begun and not finished is dropped.
        let followed = rng.usize(0..10);
        match Steps::fewest(&lap, followed) {
            Some(steps) => assert_eq!(Some(check(&steps)), repaired, "seed {seed}"),
            None => unfinished += 1,
        }
        let ring = Ring::new(&dim, None);
        let c = count(&graph, |p, q| ring.step(p, q).unwrap());
        let turns = Turns::new(&dim, None).steps;
        assert!(ring.steps() <= before.min(turns), "seed {seed}");
        assert!(lap.most > bound || lap.most > set::MOST || ring.steps() == bound, "seed {seed}");
        fewest += u32::from(ring.steps() == bound);
        fewest_before += u32::from(before.min(turns) == bound);
        cases += 1;
        assert!(c.steps >= bound, "seed {seed}");
    }
    println!(
        "{cases} cases: fewest steps in {fewest}, {fewest_before} without repairs; {unfinished} unfinished"
    );
    assert!(fewest * 100 >= cases * 93 && fewest_before < fewest && unfinished > 0, "{fewest} of {cases}");
}

#[test]
fn the_message_of_a_step_is_that_of_a_list() {
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let dim = random(&mut rng, 1..25, SIZES[seed as usize % SIZES.len()]);
        let (outer, inner, _) = sides(&dim);
        let lap = Lap::new(outer, dim.len, &inner).unwrap();
        let Some(beat) = Beat::least(lap.heads.min(inner.procs), lap.rounds(), inner.procs) else { continue };
        if beat.steps > set::MOST {
            continue;
        }
        let firsts = firsts(&dim);
        let mut placed = Placed::new(&lap, beat);
        let mut steps: Vec<Option<u64>> = firsts
            .iter()
            .map(
                |&(_, _, message)| {
                    if let Message::Head(block) = message { Some(beat.step(block)) } else { None }
                },
            )
            .collect();
        for _ in 0..40 {
            // In a step that is free at both ends, or in none.
            let moved = rng.usize(0..firsts.len());
            let (p, q, message) = firsts[moved];
            assert_eq!(placed.ends(message), (p, q), "seed {seed}");
            let shares = |k: usize| firsts[k].0 == p || firsts[k].1 == q;
            let step = Some(rng.u64(0..beat.steps));
            let is_free = (0..firsts.len()).all(|k| k == moved || !shares(k) || steps[k] != step);
            steps[moved] = step.filter(|_| is_free);
            placed.put(message, steps[moved]);
            for (port, is_its) in [
                (Port::Outer(p), &(|k: usize| firsts[k].0 == p) as &dyn Fn(usize) -> bool),
                (Port::Inner(q), &|k: usize| firsts[k].1 == q),
            ] {
                let taken = placed.taken(port);
                for step in 0..beat.steps {
                    let naive = (0..firsts.len()).find(|&k| is_its(k) && steps[k] == Some(step));
                    assert_eq!(
                        placed.message(port, step),
                        naive.map(|k| firsts[k].2),
                        "seed {seed}, {port:?}"
                    );
                    assert!(naive.is_none() || taken.has(step), "seed {seed}, {port:?}");
                }
            }
        }
    }
}

#[test]
fn nearly_all_of_medium_size_have_the_fewest_steps() {
    let whole = std::env::var_os("PLANNING").is_some_and(|value| value == "whole");
    let cases = if whole { 250 } else { 25 };
    let mut rng = Rng::with_seed(41);
    for sizes in SIZES {
        let (mut fewest, mut more) = (0, BTreeMap::new());
        for _ in 0..cases {
            let dim = random(&mut rng, 50..2001, sizes);
            let graph = messages(&dim);
            let ring = Ring::new(&dim, None);
            let c = count(&graph, |p, q| ring.step(p, q).unwrap());
            fewest += u32::from(c.fewest_steps());
            *more.entry(ring.steps() - c.bounds.steps).or_insert(0) += 1;
        }
        println!("{sizes:?}: {fewest} of {cases} with the fewest steps; cases by steps more: {more:?}");
        assert!(fewest * 100 >= cases * 92, "{sizes:?}: {fewest} of {cases}");
    }
}
