//! Random redistributions of all formats, from a few processes to a million.

use super::super::problems::{block, cyclic, uneven};
use reblock_plan::layout::distribution::{Axis, Dist, Grid, Indirect};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::layout::problem::Problem;

fn log_uniform(rng: &mut fastrand::Rng, least: f64, most: f64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let number = (least.ln() + rng.f64() * (most / least).ln()).exp().round() as u64;
    number
}

/// Returns the extents of a random grid of `dims` dimensions with about `procs` processes.
fn extents(rng: &mut fastrand::Rng, dims: usize, procs: u64) -> Vec<u32> {
    let mut left = procs;
    let mut all: Vec<u32> = (1..dims)
        .map(|_| {
            #[allow(clippy::cast_precision_loss)]
            let one = log_uniform(rng, 1.0, left as f64).max(1);
            left = (left / one).max(1);
            u32::try_from(one).expect("few processes")
        })
        .collect();
    all.push(u32::try_from(left).expect("few processes"));
    rng.shuffle(&mut all);
    all
}

/// Returns one side of a dimension. Lists of owners, alignments and strides appear only if there are `few` processes:
/// with many, planning lists their messages, whatever the schedulers.
fn axis(rng: &mut fastrand::Rng, len: u64, procs: u32, few: bool) -> Axis {
    #[allow(clippy::cast_precision_loss)]
    let size = |rng: &mut fastrand::Rng, most: u64| log_uniform(rng, 1.0, most.max(2) as f64);
    let start = if rng.bool() { 0 } else { rng.u64(0..20) };
    let each = (len / u64::from(procs)).max(1);
    match rng.u8(0..if few { 10 } else { 8 }) {
        0..4 => Axis::new(cyclic(size(rng, (2 * each).min(256)), procs), start),
        4 => Axis::new(cyclic(1, procs), start),
        5 => Axis::new(block(len + start, procs), start),
        6 | 7 => Axis::new(uneven(rng, len + start, procs), start),
        8 => {
            let dist = cyclic(rng.u64(1..20), procs);
            Axis::aligned(dist, rng.u64(0..30), rng.u64(1..4)).section(rng.u64(0..10), rng.u64(1..4))
        }
        _ => {
            let mut runs = Vec::new();
            let mut left = len + start;
            while left > 0 {
                let run = rng.u64(1..=each.min(left));
                runs.push((rng.u32(0..procs), run));
                left -= run;
            }
            Axis::new(Dist::from(Indirect::new(procs, runs).expect("a valid list")), start)
        }
    }
}

/// Returns a redistribution of 3 to 48 processes (`few`) or of a thousand to a million, and the bytes of an element.
pub fn random(rng: &mut fastrand::Rng, few: bool) -> (Problem, u64) {
    let (least, most) = if few { (3.0, 48.0) } else { (1e3, 1e6) };
    let dims = rng.usize(1..4);
    let procs = log_uniform(rng, least, most);
    let from = extents(rng, dims, procs);
    let to = match rng.u8(0..4) {
        0 => from.clone(),
        1 => extents(rng, dims, procs),
        _ => {
            let procs = log_uniform(rng, least, most);
            extents(rng, dims, procs)
        }
    };
    let element = if few { 8 << rng.u32(0..16) } else { 8 };
    let each = if few { [60.0, 12.0, 6.0] } else { [2000.0, 60.0, 16.0] };
    let dim = |d: usize| {
        let (p, q) = (from[d], to[d]);
        let len = u64::from(p.max(q)) * log_uniform(rng, 1.0, each[dims - 1]) + rng.u64(0..8);
        let (from, to) = (axis(rng, len, p, few), axis(rng, len, q, few));
        Overlap { from, to, len }
    };
    let all = (0..dims).map(dim).collect();
    let first = if rng.bool() { 0 } else { rng.i64(0..30) };
    let strides: Vec<i64> =
        (0..to.len()).map(|d| to[d + 1..].iter().map(|&e| i64::from(e)).product()).collect();
    (Problem::whole(all, Grid::row_major(&from), Grid::affine(&to, first, &strides)), element)
}
