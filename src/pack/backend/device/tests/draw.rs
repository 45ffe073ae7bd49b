//! Draws index sets, shapes, contents and updates.

use crate::layout::intersect::{Family, Runs, Slice};
use crate::layout::strides::{ArrayDim, Shape};
use crate::pack::{Combine, Number, Scalar, Update};

/// Bytes around an array, which no copy may change.
const MARGIN: usize = 48;

/// Returns a few families in ascending order, and an extent that contains them.
pub fn families<const D: usize>(rng: &mut fastrand::Rng) -> (Vec<Family<D>>, u64) {
    let (mut at, mut all) = ([(); D].map(|()| rng.u64(0..3)), Vec::new());
    let long = rng.u8(0..6) == 0;
    for _ in 0..rng.usize(1..4) {
        let len = if long { rng.u64(1..150) } else { rng.u64(1..6) };
        let count = rng.u64(1..5);
        let stride = [(); D].map(|()| if count > 1 { len + rng.u64(0..4) } else { 0 });
        all.push(Family::new(at, stride, len, count).unwrap());
        at = std::array::from_fn(|d| all.last().unwrap().end(d) + rng.u64(0..3));
    }
    (all, at.into_iter().max().unwrap() + rng.u64(0..2))
}

/// Returns the families as an index set, sometimes as a list.
pub fn slice(rng: &mut fastrand::Rng, families: &[Family<1>]) -> Slice<1> {
    if rng.bool() { Runs::listed(families, rng.bool(), rng.bool()).whole() } else { families.to_vec().into() }
}

/// Returns a shape with these extents, the bytes of memory around it, and the place of its first element there. Its
/// dimensions are in random order in memory, in either direction.
pub fn layout(rng: &mut fastrand::Rng, element: usize, extents: &[u64]) -> (Shape, usize, usize) {
    let mut dims = vec![ArrayDim::default(); extents.len()];
    let mut order: Vec<usize> = (0..extents.len()).collect();
    if rng.bool() {
        rng.shuffle(&mut order);
    }
    let gap = if rng.bool() { 0 } else { rng.i64(0..3) };
    let (mut stride, mut first) = (element as i64 + if rng.u8(0..12) == 0 { rng.i64(0..9) } else { 0 }, 0);
    let backwards = rng.u8(0..4) == 0;
    for d in order {
        let extent = extents[d] as i64;
        let back = backwards && rng.bool();
        dims[d] = ArrayDim { extent: extents[d], stride: if back { -stride } else { stride } };
        first += if back { (extent - 1).max(0) * stride } else { 0 };
        stride *= extent + gap;
    }
    let skew = if rng.u8(0..3) == 0 { rng.usize(0..17) } else { 16 };
    let at = MARGIN + skew + first as usize;
    (Shape::new(element, &dims), stride as usize + element + 2 * MARGIN + 32, at)
}

/// Returns the bytes of a number, with parts among `choices` unless that is empty.
fn number(rng: &mut fastrand::Rng, number: Number, choices: &[f64]) -> Vec<u8> {
    let real = |rng: &mut fastrand::Rng| match choices {
        [] => f64::from(rng.i32(-4000..4000)) / 7.0,
        some => some[rng.usize(..some.len())],
    };
    let [a, b] = [real(rng), real(rng)];
    match number {
        Number::Int32 => (a as i32).wrapping_mul(rng.i32(1..1 << 30) | 1).to_ne_bytes().to_vec(),
        Number::Int64 => (a as i64).wrapping_mul(rng.i64(1..1 << 60) | 1).to_ne_bytes().to_vec(),
        Number::Float => (a as f32).to_ne_bytes().to_vec(),
        Number::Double => a.to_ne_bytes().to_vec(),
        Number::Complex => [a as f32, b as f32].map(f32::to_ne_bytes).concat(),
        Number::DoubleComplex => [a, b].map(f64::to_ne_bytes).concat(),
    }
}

/// Returns random bytes, or numbers for an update.
pub fn contents(rng: &mut fastrand::Rng, bytes: usize, update: Option<&Update>, at: usize) -> Vec<u8> {
    let mut all = vec![0; bytes];
    rng.fill(&mut all);
    if let Some(update) = update {
        let element = update.number().bytes();
        for number_at in all[at % element..].chunks_exact_mut(element) {
            number_at.copy_from_slice(&number(rng, update.number(), &[]));
        }
    }
    all
}

pub fn random_update(rng: &mut fastrand::Rng) -> Update {
    let of = Number::ALL[rng.usize(0..6)];
    let combine = [Combine::Add, Combine::Minimum, Combine::Maximum, Combine::And, Combine::Or];
    loop {
        let factor = |rng: &mut fastrand::Rng| match rng.u8(0..4) {
            0 => of.scalar(0),
            1 => of.scalar(1),
            2 => of.scalar(-1),
            _ => Scalar::of(&number(rng, of, &[0.5, 3.25, 1.0 / 3.0, -0.7])),
        };
        let factors = [factor(rng), factor(rng)];
        let combine = if rng.bool() { Combine::Add } else { combine[rng.usize(0..5)] };
        if let Some(update) = Update::new(of, combine, rng.bool(), factors) {
            return update;
        }
    }
}
