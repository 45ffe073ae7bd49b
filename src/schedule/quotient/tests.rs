//! A few ports take as long as all: simulated both ways.

use super::super::certificate::Certificate;
use super::super::clock;
use super::super::machine::Machine;
use super::super::table::{Course, named};
use super::*;
use crate::layout::{Axis, Cyclic, Grid};
use crate::overlap::Overlap;
use num_integer::Integer;
use std::collections::BTreeMap;

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
    println!("{found:?}");
}
