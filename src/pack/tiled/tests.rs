//! Compares transposed copies and all updates with their naive twins, element by element, for every instruction set.

use super::super::instructions::{CopyOptions, Instructions};
use super::super::rectangle::tests::{
    ELEMENTS, Loop, check, families, listed, naive, plain, room, with_strides,
};
use super::super::runs::CacheUse;
use super::super::update::{Combine, Number, Scalar};
use super::*;
use crate::layout::intersect::Family;

const CASES: usize = if cfg!(miri) { 12 } else { 200 };

fn whole(rng: &mut fastrand::Rng, most: u64) -> Vec<Family<2>> {
    vec![Family::one_run([rng.u64(0..3), rng.u64(0..3)], rng.u64(1..=most))]
}

/// Draws index sets until their product is small enough.
fn few(mut draw: impl FnMut() -> Vec<Vec<Family<2>>>) -> Vec<Vec<Family<2>>> {
    let most = if cfg!(miri) { 800 } else { 8_000 };
    let total = |dim: &Vec<Family<2>>| dim.iter().map(Family::total).sum::<u64>();
    loop {
        let dims = draw();
        if dims.iter().map(total).product::<u64>() <= most {
            return dims;
        }
    }
}

/// Returns two to four dimensions, in different memory orders on the two sides. Sometimes one is backwards.
fn transposed_dims(rng: &mut fastrand::Rng, element: usize, size: u64) -> Vec<Loop> {
    let size = if cfg!(miri) { size.min(24) } else { size };
    let dims = few(|| {
        let mut one = |_| match rng.u8(0..5) {
            0 => families(rng, 1, size / 2),
            1 => families(rng, 9, size / 2),
            _ => whole(rng, size),
        };
        let mut dims: Vec<_> = (0..2).map(&mut one).collect();
        for _ in 0..rng.usize(0..3) {
            dims.insert(rng.usize(0..=dims.len()), whole(rng, 3));
        }
        dims
    });
    let mut dims = plain(dims);
    if rng.u8(0..4) == 0 {
        let some = few(|| vec![families(rng, 3, size / 2)]).remove(0);
        dims[0] = listed(rng, &some[..some.len().min(20)]);
    }
    let (rank, slack) = (dims.len(), if rng.bool() { 0 } else { 5 });
    let mut loops = with_strides(rng, dims, element, slack);
    let mut order: Vec<usize> = (0..rank).collect();
    rng.shuffle(&mut order);
    let mut stride = element as i64;
    for &k in &order {
        loops[k].1[1] = stride;
        stride *= loops[k].0.end(1).max(1) as i64;
        stride += [0, element as i64, 1][rng.usize(0..3)];
    }
    if rng.u8(0..4) == 0 {
        loops[rng.usize(0..rank)].1[rng.usize(0..2)] *= -1;
    }
    loops
}

#[test]
fn transposed_copies_do_what_their_naive_twins_do() {
    let mut rng = fastrand::Rng::with_seed(21);
    for case in 0..CASES {
        let element = ELEMENTS[case % 5];
        let size = [10, 40, 10, 1100 / element as u64][case / 5 % 4].min(150);
        let loops = transposed_dims(&mut rng, element, size);
        check(&mut rng, &loops, element);
    }
}

fn special(rng: &mut fastrand::Rng, number: Number) -> Vec<u8> {
    let double = |rng: &mut fastrand::Rng| match rng.u8(0..12) {
        0 => f64::NAN,
        1 => f64::INFINITY,
        2 => f64::NEG_INFINITY,
        3 => -0.0,
        4 => 0.0,
        5 => f64::MAX,
        6 => f64::from_bits(rng.u64(1..9)),
        7 => 1.0,
        _ => rng.f64() - 0.5,
    };
    let float = |rng: &mut fastrand::Rng| match rng.u8(0..12) {
        0 => f32::from_bits(rng.u32(1..9)),
        1 => f32::MAX,
        _ => double(rng) as f32,
    };
    let integer = |rng: &mut fastrand::Rng| if rng.bool() { rng.i64(-2..3) } else { rng.i64(..) };
    match number {
        Number::Int32 => (integer(rng) as i32).to_ne_bytes().to_vec(),
        Number::Int64 => integer(rng).to_ne_bytes().to_vec(),
        Number::Float => float(rng).to_ne_bytes().to_vec(),
        Number::Double => double(rng).to_ne_bytes().to_vec(),
        Number::Complex => (0..2).flat_map(|_| float(rng).to_ne_bytes()).collect(),
        Number::DoubleComplex => (0..2).flat_map(|_| double(rng).to_ne_bytes()).collect(),
    }
}

/// Returns a random valid update, with factors of 0, 1, -1 or any number.
fn random(rng: &mut fastrand::Rng, number: Number) -> Update {
    let factor = |rng: &mut fastrand::Rng| match rng.u8(0..5) {
        0 => number.scalar(0),
        1 => number.scalar(1),
        2 => number.scalar(-1),
        _ => Scalar::of(&special(rng, number)),
    };
    const COMBINE: [Combine; 6] =
        [Combine::Add, Combine::Add, Combine::Minimum, Combine::Maximum, Combine::And, Combine::Or];
    loop {
        let factors = [factor(rng), factor(rng)];
        if let Some(update) = Update::new(number, COMBINE[rng.usize(0..6)], rng.bool(), factors) {
            return update;
        }
    }
}

/// Returns whether numbers are equal bit for bit; all NaNs are equal, because their bits are unspecified.
fn same(number: Number, a: &[u8], b: &[u8]) -> bool {
    let nan = |part: &[u8]| match number {
        Number::Int32 | Number::Int64 => false,
        Number::Float | Number::Complex => f32::from_ne_bytes(part.try_into().unwrap()).is_nan(),
        Number::Double | Number::DoubleComplex => f64::from_ne_bytes(part.try_into().unwrap()).is_nan(),
    };
    let part = match number {
        Number::Complex => 4,
        Number::DoubleComplex => 8,
        _ => number.bytes(),
    };
    a.chunks(part).zip(b.chunks(part)).all(|(a, b)| a == b || (nan(a) && nan(b)))
}

fn check_update(rng: &mut fastrand::Rng, loops: &[Loop], update: &Update) {
    let (number, element) = (update.number(), update.number().bytes());
    let [[x, x_bytes], [y, y_bytes]] = [0, 1].map(|d| room(rng, loops, element, d));
    let (mut from, mut before) = (vec![0x5A; x_bytes], vec![0x5A; y_bytes]);
    let mut elements = Vec::new();
    naive([x, y], loops, &mut |at| elements.push(at));
    for &[src, dst] in &elements {
        from[src..src + element].copy_from_slice(&special(rng, number));
        before[dst..dst + element].copy_from_slice(&special(rng, number));
    }
    let mut want = before.clone();
    for &[src, dst] in &elements {
        // SAFETY: the elements lie within the vectors.
        unsafe { update.element(from[src..].as_ptr(), want[dst..].as_mut_ptr()) };
    }
    for &instructions in Instructions::ALL.iter().filter(|i| i.available()) {
        for stream in [false, true] {
            let mut to = before.clone();
            let how = CopyOptions { element, caches: CacheUse { prefetch: stream, stream }, instructions };
            let mut nest = Nest::new();
            nest.add_copy(loops.iter().map(|(slice, stride)| (*stride, slice)));
            let source = if update.ignores_source() { std::ptr::null() } else { from[x..].as_ptr() };
            // SAFETY: the vectors hold all elements on both sides.
            unsafe { super::update(source, to[y..].as_mut_ptr(), &nest, how, update) };
            for &[_, dst] in &elements {
                let [got, want] = [&to, &want].map(|all| &all[dst..dst + element]);
                assert!(same(number, got, want), "{update:?} {how:?} {loops:?}: {got:?} for {want:?}");
                to[dst..dst + element].copy_from_slice(&before[dst..dst + element]);
            }
            assert!(to == before, "nothing else is written: {update:?} {how:?} {loops:?}");
        }
    }
}

#[test]
fn updates_do_what_their_naive_twin_does() {
    let mut rng = fastrand::Rng::with_seed(22);
    for case in 0..6 * CASES {
        let number = Number::ALL[case % 6];
        let element = number.bytes();
        let size = [10, 40, 70][case / 6 % 3];
        let loops = if rng.bool() {
            transposed_dims(&mut rng, element, size)
        } else {
            let dims = few(|| {
                let rows = match rng.bool() {
                    true => whole(&mut rng, 3000),
                    false => families(&mut rng, [1, 3, 9][case / 18 % 3], size),
                };
                vec![rows, whole(&mut rng, 5)]
            });
            with_strides(&mut rng, plain(dims), element, 5)
        };
        let update = random(&mut rng, number);
        check_update(&mut rng, &loops, &update);
    }
}

#[test]
fn an_array_is_updated_with_itself() {
    let mut rng = fastrand::Rng::with_seed(23);
    for case in 0..CASES {
        let number = Number::ALL[case % 6];
        let element = number.bytes();
        let update = random(&mut rng, number);
        let mut loops = with_strides(&mut rng, plain(vec![vec![Family::one_run([0; 2], 700)]]), element, 0);
        loops[0].1 = [element as i64 * rng.i64(1..3); 2];
        let before: Vec<u8> = (0..1400).flat_map(|_| special(&mut rng, number)).collect();
        let (mut want, mut got) = (before.clone(), before);
        naive([0; 2], &loops, &mut |[at, _]| {
            let to = want[at..].as_mut_ptr();
            // SAFETY: the element lies within the vector.
            unsafe { update.element(to, to) }
        });
        let how = CopyOptions { element, caches: CacheUse::CACHED, instructions: Instructions::best() };
        let mut nest = Nest::new();
        nest.add_copy(loops.iter().map(|(slice, stride)| (*stride, slice)));
        let base = got.as_mut_ptr();
        // SAFETY: the vector holds all elements.
        unsafe { super::update(base, base, &nest, how, &update) };
        assert!(same(number, &got, &want), "{update:?} {loops:?}");
    }
}
