//! Random problems, and an oracle that inspects all elements and all assignments.

use super::super::{Relabelling, candidate_ranks};
use crate::layout::distribution::{Axis, Cyclic, GenBlock, Grid, Indirect, Rank};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use fastrand::Rng;
use std::collections::HashSet;

pub fn cyclic(block: u64, procs: u32) -> Axis {
    Axis::new(Cyclic::new(block, procs, 0).unwrap(), 0)
}

/// Distributes `len` indices to `procs` processes in a random format.
fn any_axis(rng: &mut Rng, procs: u32, len: u64) -> Axis {
    match rng.u8(0..5) {
        0 => Axis::new(GenBlock::random(rng, procs, len), 0),
        1 => Axis::new(Indirect::new(procs, (0..len).map(|_| (rng.u32(0..procs), 1))).unwrap(), 0),
        2 => cyclic(len.div_ceil(procs.into()).max(1), procs),
        _ => Axis::new(Cyclic::new(rng.u64(1..5), procs, rng.u32(0..procs)).unwrap(), rng.u64(0..4)),
    }
}

/// Returns the random extents of a grid of at most `most` places. The grid has `dims` dimensions, and perhaps one more
/// for copies.
fn any_extents(rng: &mut Rng, dims: usize, most: u32) -> Vec<u32> {
    let mut left = most;
    let mut extents: Vec<u32> = (0..dims + rng.usize(0..2))
        .map(|_| {
            let extent = rng.u32(1..=left);
            left /= extent;
            extent
        })
        .collect();
    rng.shuffle(&mut extents);
    extents
}

pub fn permuted(rng: &mut Rng, extents: &[u32], pool: u32) -> Grid {
    let mut ranks: Vec<u32> = (0..pool).collect();
    rng.shuffle(&mut ranks);
    Grid::from_ranks(extents, &ranks[..extents.iter().product::<u32>() as usize]).unwrap()
}

/// Returns a problem of one to three dimensions between grids of at most `most` out of `pool` ranks.
pub fn any_problem(rng: &mut Rng, most: u32, pool: u32) -> Problem {
    let dims = rng.usize(1..4);
    let (from, to) = (any_extents(rng, dims, most), any_extents(rng, dims, most));
    let dims = (0..dims).map(|d| {
        let len = rng.u64(0..40);
        Overlap { from: any_axis(rng, from[d], len), to: any_axis(rng, to[d], len), len }
    });
    let dims = dims.collect();
    Problem::whole(dims, permuted(rng, &from, pool), permuted(rng, &to, pool))
}

/// Oracle: counts the elements of each place of the target that `rank` has in the source, one by one along each
/// dimension.
fn shared(problem: &Problem, rank: Rank) -> Vec<u64> {
    let part = problem.from.places().find(|at| problem.from.rank(at) == rank);
    let count = |(d, dim): (usize, &Overlap), part: &[u32], at: &[u32]| {
        let both = |&i: &u64| dim.from.owner(i) == part[d] && dim.to.owner(i) == at[d];
        (0..dim.len).filter(both).count() as u64
    };
    let of_place = |at: Vec<u32>| match &part {
        Some(part) => problem.dims.iter().enumerate().map(|dim| count(dim, part, &at)).product(),
        None => 0,
    };
    problem.to.places().map(of_place).collect()
}

/// Oracle: maximum of (elements, places that stay) over all assignments of the places from `place` on. A holder that
/// gets a place keeps `kept[holder][place]` elements.
fn most(kept: &[Vec<u64>], place: usize, used: &mut Vec<bool>) -> (u64, u64) {
    if kept.is_empty() || place == kept[0].len() {
        return (0, 0);
    }
    let mut best = (0, 0);
    for holder in 0..kept.len() {
        if !std::mem::replace(&mut used[holder], true) {
            let (elements, stay) = most(kept, place + 1, used);
            best = best.max((elements + kept[holder][place], stay + u64::from(holder == place)));
            used[holder] = false;
        }
    }
    best
}

pub fn present(problem: &Problem) -> Vec<Rank> {
    problem.to.ranks().collect()
}

/// Returns (elements kept, places that stay) of a result, which must assign a candidate to each place.
pub fn worth(problem: &Problem, answer: &Relabelling, others: &[Rank]) -> (u64, u64) {
    let now = present(problem);
    let candidates = candidate_ranks(&now, others);
    let used: HashSet<&Rank> = answer.ranks.iter().collect();
    assert_eq!((used.len(), answer.ranks.len()), (now.len(), now.len()), "one rank each {problem:?}");
    assert!(answer.ranks.iter().all(|rank| candidates.contains(rank)), "{problem:?}");
    let kept = answer.ranks.iter().enumerate().map(|(place, &rank)| shared(problem, rank)[place]).sum();
    (kept, answer.ranks.iter().zip(&now).filter(|(a, b)| a == b).count() as u64)
}

/// Calls `check` with small random problems, further candidate ranks, and the oracle's result.
pub fn each_small(seed: u64, mut check: impl FnMut(&Problem, &[Rank], (u64, u64))) {
    let mut rng = Rng::with_seed(seed);
    for _ in 0..2000 {
        let problem = any_problem(&mut rng, 6, 8);
        let now = present(&problem);
        let room = 7 - now.len();
        let others: Vec<Rank> = (0..rng.usize(0..=room)).map(|_| Rank(rng.u32(0..9))).collect();
        let kept: Vec<_> =
            candidate_ranks(&now, &others).iter().map(|&rank| shared(&problem, rank)).collect();
        let best = most(&kept, 0, &mut vec![false; kept.len()]);
        check(&problem, &others, best);
    }
}
