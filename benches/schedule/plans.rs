//! Times the planning of one rank's part of redistributions of a cube, on 4 ranks of one node and on 1,024 ranks of
//! many nodes.

use super::problems::elements;
use criterion::{BenchmarkId, Criterion};
use reblock::plan::rank_plan::RankPlan;
use reblock::system::settings::Settings;
use reblock_plan::layout::distribution::{Axis, Cyclic, Grid, Rank};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::layout::problem::Problem;
use reblock_plan::machine::Proximity;
use reblock_plan::plan::Place;
use std::hint::black_box;

/// Block size and number of processes of each dimension.
type Layout = [(u64, u32); 3];

/// Returns the redistribution of a cube with `n` elements in each dimension.
fn cube(n: u64, from: Layout, to: Layout) -> Problem {
    let axis = |(block, procs)| Axis::new(Cyclic::new(block, procs, 0).expect("a valid distribution"), 0);
    let dims = from.into_iter().zip(to).map(|(p, q)| Overlap { from: axis(p), to: axis(q), len: n });
    let grid = |layout: Layout| Grid::row_major(&layout.map(|(_, procs)| procs));
    Problem::whole(dims.collect(), grid(from), grid(to))
}

fn plan(problem: &Problem, rank: u32, proximity: Proximity, settings: &Settings) -> RankPlan {
    let ranks = u32::try_from(problem.from.size()).expect("a few");
    let me = Place::of(problem, Rank(rank), ranks);
    RankPlan::new(problem.clone(), me, 8, settings, proximity).expect("there is always a way")
}

/// Returns the number of elements that the rank receives or keeps in the last phase.
fn gets(plan: &RankPlan) -> u64 {
    let plan = &plan.phases.list.last().expect("a plan has a phase");
    let received = plan.receives.messages.iter().map(|message| elements(plan.receives.product(message)));
    received.sum::<u64>() + plan.copy.as_ref().map_or(0, |kept| elements(kept.product(0)))
}

/// Times the planning of rank 0's part.
pub fn plans(c: &mut Criterion) {
    let settings = Settings::read(|_| None).expect("no setting is unusable");
    let block = [(32, 2), (32, 2), (64, 1)];
    let cases = [
        ("BLOCK,BLOCK,* on 2x2 to CYCLIC(2),*,CYCLIC(3)", 64, block, [(2, 2), (64, 1), (3, 2)]),
        (
            "BLOCK,BLOCK,BLOCK on 2x2x1 to CYCLIC(2),CYCLIC(3),CYCLIC on 1x2x2",
            64,
            block,
            [(2, 1), (3, 2), (1, 2)],
        ),
        ("BLOCK,*,* on 4 to CYCLIC(2),*,*", 64, [(16, 4), (64, 1), (64, 1)], [(2, 4), (64, 1), (64, 1)]),
        (
            "BLOCK,BLOCK,BLOCK on 16x8x8 to CYCLIC(2),CYCLIC(3),CYCLIC on 8x8x16",
            1024,
            [(64, 16), (128, 8), (128, 8)],
            [(2, 8), (3, 8), (1, 16)],
        ),
    ];
    let mut group = c.benchmark_group("plan");
    for (name, n, from, to) in cases {
        let problem = cube(n, from, to);
        let ranks = problem.from.size();
        let proximity = if ranks <= 4 { Proximity::OneNode } else { Proximity::Nodes { early: 0 } };
        let all = 0..u32::try_from(ranks).expect("a few");
        let moved: u64 = all.map(|rank| gets(&plan(&problem, rank, proximity, &settings))).sum();
        assert_eq!(moved, n * n * n, "{name}: each element comes once");
        group.bench_function(BenchmarkId::new(format!("{ranks} ranks"), name), |b| {
            b.iter(|| plan(black_box(&problem), 0, proximity, &settings));
        });
    }
    group.finish();
}
