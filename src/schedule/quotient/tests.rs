//! A few ports take as long as all: simulated both ways.

use super::super::certificate::Certificate;
use super::super::clock;
use super::super::effort::Effort;
use super::super::machine::Machine;
use super::super::table::{Course, named};
use super::*;
use crate::layout::{Axis, Cyclic, Grid};
use crate::overlap::Overlap;
use num_integer::Integer;
use std::collections::BTreeMap;

/// cyclic(r) to cyclic(s), one period, on so many senders and as many receivers in each dimension.
fn cyclic(grid: &[u32], (r, s): (u64, u64)) -> Traffic {
    let axis = |block, procs| Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0);
    let dim = |&procs: &u32| Overlap {
        from: axis(r, procs),
        to: axis(s, procs),
        len: r.lcm(&s) * u64::from(procs),
    };
    let strides: Vec<i64> =
        (0..grid.len()).map(|d| grid[d + 1..].iter().map(|&e| i64::from(e)).product()).collect();
    let to = Grid::affine(grid, 2_000_000, &strides);
    Traffic::new(grid.iter().map(dim).collect(), 64, Grid::row_major(grid), to)
}

#[test]
fn a_million_processes_take_as_long_as_a_few() {
    // Fewer of them have all messages listed.
    let few = |t: Traffic| t.limited(Effort { search: 1 << 7, list: 1 << 10 });
    for (name, blocks, small, large) in [
        ("classes", (3, 5), [44].as_slice(), [1_000_004].as_slice()),
        ("circulant", (4, 12), &[75], &[999_999]),
        ("checkerboard", (2, 3), &[10, 10], &[1000, 1000]),
        ("levels", (3, 5), &[1001], &[1_000_001]),
    ] {
        let all = cyclic(small, blocks);
        let price = |t: &Traffic| {
            let schedule = (named(name).unwrap().build)(t, &Machine::NETWORK).unwrap();
            assert!(schedule.simulated, "{name}");
            schedule.price
        };
        let [few, all, many] =
            [few(cyclic(small, blocks)), all, few(cyclic(large, blocks))].map(|t| price(&t));
        // Of listed messages, some come late.
        let same = (few / all - 1.0).abs() < 0.1 && (few / many - 1.0).abs() < 1e-9;
        assert!(same, "{name} {few} {all} {many}");
    }
}

#[test]
fn idle_senders_and_unequal_messages_are_not_even() {
    let edge = |sender, receiver, bytes| Edge { sender, receiver, bytes };
    let of = |edges: Vec<Edge>, steps: Vec<u32>| Quotient { graph: Graph::new(2, 2, edges), steps };
    assert!(of(vec![edge(0, 0, 3), edge(1, 1, 3)], vec![0, 0]).is_even());
    assert!(!of(vec![edge(0, 0, 3), edge(1, 1, 4)], vec![0, 0]).is_even());
    assert!(!of(vec![edge(0, 0, 3), edge(1, 1, 3)], vec![0, 1]).is_even());
}

/// Whole periods on grids of no rank in common, so that all messages are sent.
fn random(rng: &mut fastrand::Rng, dims: usize, most: u32) -> Traffic {
    let mut extents = || -> Vec<u32> { (0..dims).map(|_| rng.u32(1..=most)).collect() };
    let (from, to) = (extents(), extents());
    let dim = |d: usize, rng: &mut fastrand::Rng| {
        let mut axis = |procs: u32| {
            let block = rng.u64(1..9);
            (
                block * u64::from(procs),
                Axis::new(Cyclic::new(block, procs, rng.u32(0..procs)).unwrap(), rng.u64(0..9)),
            )
        };
        let ((p, from), (q, to)) = (axis(from[d]), axis(to[d]));
        Overlap { from, to, len: p.lcm(&q) }
    };
    let all = (0..dims).map(|d| dim(d, rng)).collect();
    let strides: Vec<i64> = (0..dims).map(|d| to[d + 1..].iter().map(|&e| i64::from(e)).product()).collect();
    Traffic::new(all, 8 << rng.u32(0..16), Grid::row_major(&from), Grid::affine(&to, 10_000, &strides))
}

#[test]
fn as_long_as_all_ports() {
    let mut rng = fastrand::Rng::with_seed(47);
    let mut found: BTreeMap<(&str, usize), [usize; 3]> = BTreeMap::new();
    for case in 0..600 {
        let dims = 1 + case % 3;
        let t = random(&mut rng, dims, [40, 8, 4][dims - 1]);
        let machine = Machine { window: rng.u32(1..9), room: 1 << rng.u32(16..26), ..Machine::NETWORK };
        let Some(list) = t.listed().filter(|list| (1..4000).contains(&list.messages())) else { continue };
        for name in ["circulant", "classes", "checkerboard", "levels"] {
            let Ok(schedule) = (named(name).unwrap().build)(&t, &machine) else { continue };
            let Course::Direct(order) = &schedule.course else { panic!("one phase") };
            let tally = found.entry((name, dims)).or_default();
            tally[0] += 1;
            let Some(few) = of(&t, order, 1 << 12) else { continue };
            tally[1] += 1;
            tally[2] += usize::from(few.steps.len() < list.graph.edges().len());
            let all = clock::seconds(&list.graph, &Certificate::steps(&t, order).unwrap(), &machine);
            let few = clock::seconds(&few.graph, &few.steps, &machine);
            assert!((few / all - 1.0).abs() < 1e-9, "{name}: {few} {all} {t:?}");
        }
    }
    println!("with a schedule, with fewer ports or listed, with fewer messages: {found:?}");
    for (name, dims) in
        [("circulant", 1), ("classes", 1), ("checkerboard", 1), ("checkerboard", 2), ("checkerboard", 3)]
    {
        let [all, simulated, fewer] = found[&(name, dims)];
        assert!(10 * simulated > 9 * all && 5 * fewer > all, "{name} {dims}");
    }
}
