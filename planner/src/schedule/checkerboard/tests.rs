//! Compares schedules of grids in one to three dimensions with a count over all messages, and with known numbers of
//! steps.

use super::super::caterpillar;
use super::super::chooser::run_scheduler;
use super::super::course::Course;
use super::super::graph::{Bounds, Edge, Graph};
use super::super::order::port;
use super::super::planning_budget::Effort;
use super::super::table::find_by_name;
use super::*;
use crate::layout::distribution::{Axis, Cyclic, GenBlock, Grid};
use crate::layout::intersect::Overlap;
use crate::machine::Machine;
use num_integer::Integer;

/// Builds the traffic of one superblock, with blocks of one element and row-major ranks from 0 on both grids.
pub(super) fn superblock(from: &[u32], to: &[u32]) -> Traffic {
    let dim = |(&p, &q): (&u32, &u32)| {
        let axis = |procs| Axis::new(Cyclic::new(1, procs, 0).unwrap(), 0);
        Overlap { from: axis(p), to: axis(q), len: u64::from(p.lcm(&q)) }
    };
    let dims = from.iter().zip(to).map(dim).collect();
    Traffic::new(dims, 1, Grid::row_major(from), Grid::row_major(to))
}

/// Counts the steps and the cost of `order` over all messages of a traffic; if `kept`, self copies count as messages.
pub fn recount(traffic: &Traffic, order: &dyn Order, kept: bool) -> Certificate {
    let (mut edges, mut steps) = (Vec::new(), Vec::new());
    for from in traffic.from.places() {
        for to in traffic.to.places() {
            let elements: u64 =
                (0..from.len()).map(|d| traffic.dims[d].overlap.shared(from[d], to[d]).total()).product();
            if elements > 0 && (kept || traffic.from.rank(&from) != traffic.to.rank(&to)) {
                let port = |grid, at: &[u32]| port(grid, at).unwrap();
                let (sender, receiver) = (port(&traffic.from, &from), port(&traffic.to, &to));
                edges.push(Edge { sender, receiver, bytes: elements * traffic.element });
                let step = order.step(&from, &to).expect("every message has a step");
                steps.push(u32::try_from(step).unwrap());
            }
        }
    }
    let size = |grid: &Grid| u32::try_from(grid.size()).unwrap();
    Certificate::count(&Graph::new(size(&traffic.from), size(&traffic.to), edges), &steps)
}

/// Runs the scheduler `name`; returns its order and its certificate.
pub fn of(traffic: &Traffic, name: &str) -> Result<(Arc<dyn Order>, Certificate), String> {
    let schedule = run_scheduler(find_by_name(name).unwrap(), traffic, &Machine::STEPS)?;
    let Course::Direct(order) = schedule.course else { unreachable!("no chain") };
    Ok((order, schedule.certificate.unwrap()))
}

#[test]
fn dimensions_are_scheduled_together_if_their_busiest_sides_differ() {
    // The grid has more rows and fewer columns afterwards. 2 steps suffice, but the product of the dimensions'
    // schedules has 4.
    let traffic = superblock(&[2, 4], &[4, 2]);
    let (together, _) = of(&traffic, "classes").unwrap();
    assert_eq!(recount(&traffic, together.as_ref(), true).steps, 2);
    let (product, _) = of(&traffic, "checkerboard").unwrap();
    assert_eq!(recount(&traffic, product.as_ref(), true).steps, 4);
}

fn random_axis(rng: &mut fastrand::Rng, procs: u32, len: u64) -> Axis {
    let start = rng.u64(0..5);
    if rng.u8(0..4) == 0 {
        return Axis::new(GenBlock::random(rng, procs, start + len), start);
    }
    Axis::new(Cyclic::new(rng.u64(1..9), procs, rng.u32(0..procs)).unwrap(), start)
}

/// Builds random distributions in one to three dimensions, on the same or other ranks.
pub fn random_traffic(rng: &mut fastrand::Rng) -> Traffic {
    let dims = rng.usize(1..4);
    let mut extents = || -> Vec<u32> { (0..dims).map(|_| rng.u32(1..5)).collect() };
    let (from, mut to) = (extents(), extents());
    let same = rng.u8(0..4) == 0;
    if same {
        to.clone_from(&from);
    }
    let mut dim = |d: usize| {
        let len = rng.u64(1..40);
        Overlap { from: random_axis(rng, from[d], len), to: random_axis(rng, to[d], len), len }
    };
    let overlaps = (0..dims).map(&mut dim).collect();
    let strides: Vec<i64> = (0..dims).map(|d| to[d + 1..].iter().map(|&e| i64::from(e)).product()).collect();
    let to = Grid::affine(&to, if same { 0 } else { rng.i64(0..6) }, &strides);
    Traffic::new(overlaps, 4, Grid::row_major(&from), to)
}

#[test]
fn certificates_of_random_grids_equal_a_recount() {
    let mut rng = fastrand::Rng::with_seed(12);
    let mut met = [0; 6];
    for _ in 0..300 {
        let traffic = random_traffic(&mut rng);
        // Closed forms count self copies as messages.
        let unseen = traffic.between(traffic.dims.iter().map(|dim| dim.overlap.clone()).collect());
        let unseen = unseen.with_effort(Effort { search: 0, list: 0 });
        let names = ["circulant", "classes", "ring", "checkerboard", "stars", "complete"];
        for (times, name) in met.iter_mut().zip(names) {
            let Ok((order, certificate)) = of(&traffic, name) else { continue };
            *times += 1;
            assert_eq!(recount(&traffic, order.as_ref(), false), certificate, "{name} {traffic:?}");
            let Ok((order, claimed)) = of(&unseen, name) else { continue };
            let counted = recount(&traffic, order.as_ref(), true);
            assert!(counted.steps <= claimed.steps && counted.cost <= claimed.cost, "{name} {traffic:?}");
            let (bounds, true_bounds) = (claimed.bounds, counted.bounds);
            assert!(bounds.steps <= true_bounds.steps && bounds.load <= true_bounds.load, "{traffic:?}");
            assert!(bounds.cost <= true_bounds.cost, "{traffic:?}");
            assert!(
                !claimed.exact || (claimed.steps, claimed.cost) == (counted.steps, counted.cost),
                "{traffic:?}"
            );
        }
    }
    assert!(met.iter().all(|&times| times > 20), "{met:?}");
}

/// Builds an n x n traffic from blocks of r to blocks of s, between two grids.
fn grids((r, from): (u64, [u32; 2]), (s, to): (u64, [u32; 2]), n: u64) -> Traffic {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let dims = (0..2).map(|d| Overlap { from: axis(r, from[d]), to: axis(s, to[d]), len: n });
    Traffic::new(dims.collect(), 8, Grid::row_major(&from), Grid::row_major(&to))
}

#[test]
fn dimensions_of_different_kinds_without_whole_periods_take_the_fewest_steps() {
    // (Blocks and grid before, blocks and grid after, rows, fewest steps).
    let cases = [
        ((37, [100, 100]), (53, [125, 80]), 200_000, 7040),
        ((64, [1000, 1000]), (96, [500, 2000]), 100_000, 12),
    ];
    for ((r, from), (s, to), n, steps) in cases {
        let traffic = grids((r, from), (s, to), n);
        let product = of(&traffic, "checkerboard").unwrap().1;
        let c = fewest(&traffic);
        println!(
            "{r} on {from:?} to {s} on {to:?}: {} steps, {} as a product, cost {} / {}, bounds {:?}",
            c.steps, product.steps, c.cost, product.cost, c.bounds
        );
        assert_eq!((c.steps, c.bounds.steps), (steps, steps));
        assert!(c.cost < 2 * c.bounds.cost);
    }
}

fn fewest(traffic: &Traffic) -> Certificate {
    let names = ["classes", "checkerboard", "stars", "complete"];
    let all = names.iter().filter_map(|name| of(traffic, name).ok());
    all.map(|(_, c)| c).min_by_key(|c| (c.steps, c.cost)).unwrap()
}

#[test]
fn bounds_of_messages_leave_out_kept_elements() {
    let mut rng = fastrand::Rng::with_seed(43);
    let mut kept = 0;
    for _ in 0..600 {
        let traffic = random_traffic(&mut rng);
        let counted = recount(&traffic, caterpillar::order(&traffic, false).as_ref(), false);
        let claimed = traffic.bounds();
        let least = if traffic.may_keep_elements() { traffic.sent_bounds(claimed) } else { claimed };
        let bounds = counted.bounds;
        let less = |of: fn(&Bounds) -> u64| of(&least) <= of(&bounds);
        assert!(
            less(|b| b.steps) && less(|b| b.cost) && less(|b| b.load),
            "{least:?} {bounds:?} {traffic:?}"
        );
        kept += usize::from(claimed.steps > bounds.steps);
    }
    assert!(kept > 20, "{kept}");
}
