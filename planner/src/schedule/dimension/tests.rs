//! Compares the schedules of one dimension with messages, steps and costs that are counted pair by pair. Formats,
//! offsets, alignments and lengths are random; most sections are shorter than the common period of their two
//! distributions.

use super::super::certificate::Certificate;
use super::super::chooser::{choose, run_scheduler};
use super::super::course::Course;
use super::super::graph::tests::messages;
use super::super::table::find_by_name;
use super::super::traffic::Traffic;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, GenBlock, Grid, Indirect};
use crate::machine::Machine;

/// Builds the source or the target of a redistribution of `len` elements: a section of a random axis, which is
/// block-cyclic, GEN_BLOCK or has a list of owners. The alignment and the section are sometimes strided.
fn axis(rng: &mut fastrand::Rng, len: u64) -> Axis {
    let procs = rng.u32(1..14);
    let start = rng.u64(0..12);
    let (stride, step) = if rng.u8(0..6) == 0 { (rng.u64(1..4), rng.u64(1..4)) } else { (1, 1) };
    let extent = start + step * len;
    let template = 5 + stride * extent;
    let aligned = |dist: Dist, rng: &mut fastrand::Rng| match stride {
        1 => Axis::new(dist, 0),
        _ => Axis::aligned(dist, rng.u64(0..5), stride),
    };
    let dist: Dist = match rng.u8(0..8) {
        0 | 1 => GenBlock::random(rng, procs, template).into(),
        2 => Indirect::new(procs, (0..template).map(|_| (rng.u32(0..procs), 1))).unwrap().into(),
        // BLOCK, sometimes with blocks that are not full.
        3 | 4 => Cyclic::new(template.div_ceil(procs.into()) + rng.u64(0..3), procs, 0).unwrap().into(),
        _ => Cyclic::new(rng.u64(1..40), procs, rng.u32(0..procs)).unwrap().into(),
    };
    aligned(dist, rng).section(start, step)
}

/// Builds the traffic of a dimension of one-byte elements between two disjoint sets of ranks; at most `list` messages
/// may be listed.
fn traffic(overlap: &Overlap, list: u64) -> Traffic {
    let (p, q) = (overlap.from.dist.procs(), overlap.to.dist.procs());
    let grids = (Grid::row_major(&[p]), Grid::affine(&[q], p.into(), &[1]));
    Traffic::new(vec![overlap.clone()], 1, grids.0, grids.1).with_effort(Effort { search: 0, list })
}

/// Checks that the steps and the cost that scheduler `name` states are no lower than a count over the messages in
/// `graph`, and its bounds no higher. Returns the count; `None` if the scheduler does not apply. Panics if a message
/// has no step.
fn check(traffic: &Traffic, name: &str, graph: &Graph) -> Option<Certificate> {
    let schedule = run_scheduler(find_by_name(name).unwrap(), traffic, &Machine::STEPS).ok()?;
    let (Course::Direct(order), Some(claimed)) = (&schedule.course, &schedule.certificate) else {
        panic!("{name}")
    };
    let overlap = &traffic.dims[0].overlap;
    let step = |e: &Edge| {
        let step = order.step(&[e.sender], &[e.receiver]);
        let step = step.unwrap_or_else(|| panic!("{e:?} {overlap:?} {order:?}"));
        assert!(step < order.steps(), "{e:?} {overlap:?} {order:?}");
        u32::try_from(step).unwrap()
    };
    let counted = Certificate::count(graph, &graph.edges().iter().map(step).collect::<Vec<_>>());
    assert!(
        counted.steps <= claimed.steps && counted.cost <= claimed.cost,
        "{claimed:?} {counted:?} {overlap:?}"
    );
    let (bounds, least) = (&claimed.bounds, &counted.bounds);
    assert!(bounds.steps <= least.steps && bounds.cost <= least.cost, "{claimed:?} {counted:?} {overlap:?}");
    assert!(bounds.load <= least.load, "{claimed:?} {counted:?} {overlap:?}");
    if claimed.exact {
        assert_eq!((claimed.steps, claimed.cost), (counted.steps, counted.cost), "{name} {overlap:?}");
    }
    Some(counted)
}

/// Checks `count` random dimensions of fewer than `longest` elements; only a quarter of them unless PLANNING is
/// `whole`.
fn random(seed: u64, count: u32, longest: u64) {
    let whole = std::env::var_os("PLANNING").is_some_and(|value| value == "whole");
    let count = if whole { count } else { count / 4 };
    let mut rng = fastrand::Rng::with_seed(seed);
    let names = ["circulant", "classes", "ring", "edge-colouring"];
    let (mut met, mut fewest, mut steps) = ([0; 4], [0; 4], [(0u64, 0u64); 4]);
    for _ in 0..count {
        let len = rng.u64(1..longest);
        let overlap = Overlap { from: axis(&mut rng, len), to: axis(&mut rng, len), len };
        let graph = messages(&overlap);
        // `unseen` may list no messages, as if there were too many.
        let (all, unseen) = (traffic(&overlap, Effort::MAX.list), traffic(&overlap, 0));
        let dim = &all.dims[0];
        assert!(dim.messages_at_most() >= graph.edges().len() as u64, "{overlap:?}");
        let sorted = |graph: &Graph| {
            let mut all: Vec<_> = graph.edges().iter().map(|e| (e.sender, e.receiver, e.bytes)).collect();
            all.sort_unstable();
            all
        };
        assert_eq!(dim.graph().map(sorted), Some(sorted(&graph)), "{overlap:?}");
        let ((s, r), (send, receive)) =
            (loads::estimate_busiest_ports(&overlap), loads::busiest_ports(&graph, (1, 1)));
        assert!(s.messages <= send.messages && r.messages <= receive.messages, "{overlap:?}");
        assert!(s.elements <= send.elements && r.elements <= receive.elements, "{overlap:?}");
        let taken = choose(&all, &Machine::STEPS, None).unwrap();
        assert!(all.ports() <= 2 || taken.certificate.unwrap().fewest_steps(), "{overlap:?}");
        for (k, name) in names.into_iter().enumerate() {
            check(&unseen, name, &graph);
            let Some(c) = check(&all, name, &graph) else { continue };
            met[k] += 1;
            fewest[k] += u32::from(c.fewest_steps());
            steps[k].0 += c.steps;
            steps[k].1 += c.bounds.steps;
        }
    }
    println!("{names:?}: {met:?}, with the fewest steps {fewest:?}, steps and least {steps:?}");
    assert!(met.iter().all(|&times| times > count / 100), "{met:?}");
}

#[test]
fn random_dimensions_of_few_elements() {
    random(31, 6000, 120);
}

#[test]
fn random_dimensions_of_more_elements() {
    random(32, 4000, 900);
}

#[test]
fn many_processes_take_about_the_fewest_steps_in_closed_form() {
    // Block-cyclic: about 10^6 processes with at most 1,001 messages each, or 1,448 processes that all send to all. All
    // sections are shorter than a period.
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let million = 1_000_000;
    for (r, p, s, q, len) in [
        (1000, million, 1, million, 999_999_993),
        (1000, million, 7, million - 1, 999_999_993),
        (1001, million, 1, million, 1_000_500_000),
        (1000, million, 999, million + 1, 999_999_993),
        (64, million, 63, million, 1_000_000_000),
        (1, million, 1000, million, 999_999_993),
        (690_608, 1448, 1, 1448, 1_000_000_000),
        (690_608, 1448, 1, 1447, 1_000_000_000),
    ] {
        let traffic = traffic(&Overlap { from: axis(r, p), to: axis(s, q), len }, Effort::MAX.list);
        let c = choose(&traffic, &Machine::STEPS, None).unwrap().certificate.unwrap();
        println!("{r} on {p} to {s} on {q}, {len} elements: {} steps, at least {}", c.steps, c.bounds.steps);
        assert!(c.steps <= 3 * c.bounds.steps + 2, "{c:?}");
    }
}

#[test]
fn costs_from_a_sample_of_processes_are_never_too_low() {
    // One process has 100,000 consecutive elements, which all go to one other process. The other runs have one element.
    let (procs, long, runs) = (2_000, 100_000, 2_200_000);
    let owner = |k: u32| (k % procs, if k == 7 { long } else { 1 });
    let from = Axis::new(Indirect::new(procs, (0..runs).map(owner)).unwrap(), 0);
    let len = u64::from(runs) + long - 1;
    let rest = (len - long - 7) / u64::from(procs - 1);
    let mut sizes = vec![rest; procs as usize];
    sizes[0] = len - rest * u64::from(procs - 1);
    let overlap = Overlap { from, to: Axis::new(GenBlock::new(&sizes).unwrap(), 0), len };
    let traffic = traffic(&overlap, Effort::MAX.list);
    assert!(traffic.dims[0].quick_graph().is_none(), "messages are listed");
    let c = choose(&traffic, &Machine::STEPS, None).unwrap().certificate.unwrap();
    assert!(traffic.dims[0].shared_elements_bound() >= long && c.cost >= long, "{c:?}");
}

#[test]
fn pairs_that_share_many_runs_are_not_examined_one_by_one() {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let dim = |p, r, q, s, len| Dimension::new(Overlap { from: axis(r, p), to: axis(s, q), len });
    // The first two dimensions are not counted: 6 pairs of processes have 20 million runs to examine each, and a
    // million pairs have 1,998. The third has 4,096 pairs with few runs to examine, and the last has 10,100 pairs with
    // at most 1,998.
    assert!(dim(2, 10_000_019, 3, 10_000_079, 1 << 50).graph().is_none());
    assert!(dim(1000, 1000, 1001, 999, 1_000_000_000_000).graph().is_none());
    assert_eq!(dim(64, 15_625_000, 64, 1, 1_000_000_000).graph().unwrap().edges().len(), 64 * 64);
    let dim = dim(100, 1000, 101, 999, 1_000_000_000);
    assert!(dim.overlap.search_cost() <= 1998 && dim.graph().is_some());
}

#[test]
fn there_are_no_more_messages_than_elements() {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    for (p, len) in [(96, 55), (96, 1), (3, 2)] {
        let dim = Dimension::new(Overlap { from: axis(1, p), to: axis(len, 1), len });
        assert!(dim.messages() <= len && dim.message_bound() <= len, "{} of {len}", dim.messages());
    }
}
