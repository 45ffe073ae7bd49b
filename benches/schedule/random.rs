//! Families of random redistributions. Each family is hard to schedule for a reason of its own.

use super::problems::{cyclic, uneven};
use num_integer::Integer;
use reblock_plan::layout::distribution::{Axis, Dist, Grid};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::layout::problem::{Part, Problem};

pub const FAMILIES: [&str; 9] = [
    "CYCLIC(k), whole periods",
    "CYCLIC(k), any length and offsets",
    "BLOCK and CYCLIC(k)",
    "GEN_BLOCK both",
    "GEN_BLOCK and CYCLIC(k)",
    "aligned and strided",
    "two dimensions",
    "trapezoids",
    "three dimensions",
];

/// Returns a redistribution of a family, and the bytes of an element. Sections have few elements, but
/// elements have up to 256 KiB, so messages are as long as those of larger sections.
pub fn random(family: usize, rng: &mut fastrand::Rng) -> (Problem, u64) {
    let element = 8 << rng.u32(0..16);
    let problem = match family {
        6 | 7 => several(rng, 2, 6, 60),
        8 => several(rng, 3, 3, 16),
        _ => several(rng, 1, 24, 600),
    };
    let one = |dim: Overlap, problem: Problem| Problem { dims: vec![dim], ..problem };
    let (p, q) = (problem.from.extents()[0], problem.to.extents()[0]);
    let problem = match family {
        0 => {
            let (r, s) = (rng.u64(1..8), rng.u64(1..8));
            let len = (r * u64::from(p)).lcm(&(s * u64::from(q))) * rng.u64(1..3);
            one(dim(plain(cyclic(r, p), 0), plain(cyclic(s, q), 0), len), problem)
        }
        1 => problem,
        2..=4 => {
            let len = rng.u64(1..2000);
            let from = match family {
                2 => cyclic(len.div_ceil(p.into()), p),
                _ => uneven(rng, len, p),
            };
            let to = if family == 3 { uneven(rng, len, q) } else { cyclic(rng.u64(1..40), q) };
            let both = dim(plain(from, 0), plain(to, 0), len);
            one(either_way(rng, both, &problem), problem)
        }
        5 => {
            let len = rng.u64(1..300);
            let mut axis = |procs| {
                let stride = rng.u64(1..5);
                let aligned = Axis::aligned(cyclic(rng.u64(1..20), procs), rng.u64(0..30), stride);
                aligned.section(rng.u64(0..10), rng.u64(1..4))
            };
            let both = dim(axis(p), axis(q), len);
            one(both, problem)
        }
        7 => {
            let part = Part::trapezoid(rng.bool(), rng.bool(), problem.dims[0].len, problem.dims[1].len);
            Problem { part, ..problem }
        }
        _ => problem,
    };
    (problem, element)
}

fn dim(from: Axis, to: Axis, len: u64) -> Overlap {
    Overlap { from, to, len }
}

fn plain(dist: Dist, start: u64) -> Axis {
    Axis::new(dist, start)
}

/// Returns `dim`, or in half of the cases its reverse, if both sides have equally many processes.
fn either_way(rng: &mut fastrand::Rng, dim: Overlap, problem: &Problem) -> Overlap {
    if problem.from.extents() == problem.to.extents() && rng.bool() {
        return Overlap { from: dim.to, to: dim.from, len: dim.len };
    }
    dim
}

/// Returns a redistribution of `dims` dimensions, each with random block sizes, at most `len` elements and at most
/// `procs` processes. The two sides have all, some or none of their ranks in common.
fn several(rng: &mut fastrand::Rng, dims: usize, procs: u32, len: u64) -> Problem {
    let mut extents = || -> Vec<u32> { (0..dims).map(|_| rng.u32(1..=procs)).collect() };
    let (from, mut to) = (extents(), extents());
    let same = rng.u8(0..3) == 0;
    if same {
        to.clone_from(&from);
    }
    let all = (0..dims).map(|d| {
        let len = rng.u64(1..=len);
        let mut axis = |procs| plain(cyclic(rng.u64(1..=1 + len / 4), procs), rng.u64(0..20));
        dim(axis(from[d]), axis(to[d]), len)
    });
    let dims = all.collect();
    let strides: Vec<i64> =
        (0..to.len()).map(|d| to[d + 1..].iter().map(|&e| i64::from(e)).product()).collect();
    let to = Grid::affine(&to, if same { 0 } else { rng.i64(0..30) }, &strides);
    Problem::whole(dims, Grid::row_major(&from), to)
}
