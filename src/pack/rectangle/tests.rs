//! Compares the kernels with their naive twins, element by element, for every instruction set and distance.

use super::super::block::LINE;
use super::*;
use crate::layout::intersect::{Family, Runs, Slice};

/// Bytes around each array that must stay untouched.
pub(in crate::pack) const GUARD: usize = 80;
pub(in crate::pack) const ELEMENTS: [usize; 5] = [1, 2, 4, 8, 16];

/// One dimension of a copy: index sets, and the strides in bytes on both sides.
pub(in crate::pack) type Loop = (Slice<2>, [i64; 2]);

/// The naive twin: calls `element` with the position of each element on both sides.
pub(in crate::pack) fn naive(origin: [usize; 2], loops: &[Loop], element: &mut impl FnMut([usize; 2])) {
    let Some(((slice, stride), inner)) = loops.split_last() else { return element(origin) };
    for at in indices(slice) {
        let moved = [0, 1].map(|d| origin[d].wrapping_add_signed(at[d] as isize * stride[d] as isize));
        naive(moved, inner, element);
    }
}

/// Returns, for coordinate `d`, the position of the first element in memory that has room for all elements and guards,
/// and the bytes of that memory.
pub(in crate::pack) fn room(rng: &mut fastrand::Rng, loops: &[Loop], element: usize, d: usize) -> [usize; 2] {
    // Bytes before and behind the first element.
    let far = |(slice, stride): &Loop| (slice.end(d) as i64 - 1).max(0) * stride[d];
    let (ahead, back): (Vec<i64>, Vec<i64>) = loops.iter().map(far).partition(|&far| far > 0);
    let [before, behind] =
        [-back.iter().sum::<i64>(), ahead.iter().sum::<i64>() + element as i64].map(|n| n as usize);
    let origin = GUARD + rng.usize(0..LINE) + before;
    [origin, origin + behind + GUARD]
}

fn indices(slice: &Slice<2>) -> Vec<[u64; 2]> {
    let run = |f: Family<2>, k: u64| {
        (0..f.run_len()).map(move |e| [0, 1].map(|d| f.first(d) + k * f.stride()[d] + e))
    };
    slice.each().flat_map(|f| (0..f.count()).flat_map(move |k| run(f, k))).collect()
}

/// Returns random families that ascend on both sides, with runs of up to `most` elements. Groups of families sometimes
/// repeat at equal distances.
pub(in crate::pack) fn families(rng: &mut fastrand::Rng, most: u64, total: u64) -> Vec<Family<2>> {
    let (mut out, mut at, mut left) = (Vec::new(), [rng.u64(0..4), rng.u64(0..4)], total);
    while left > 0 {
        let mut body = Vec::new();
        let mut end = at;
        for _ in 0..rng.u64(1..4) {
            let len = rng.u64(1..=most);
            let count = rng.u64(1..12);
            let apart = [0, 1].map(|_| if rng.bool() { len } else { len + rng.u64(0..5) });
            let stride = if count > 1 { apart } else { [0; 2] };
            let family = Family::new(end.map(|e| e + rng.u64(0..3)), stride, len, count).unwrap();
            end = [family.end(0), family.end(1)];
            body.push(family);
        }
        let period = [0, 1].map(|d| end[d] - at[d] + rng.u64(0..3));
        let times = if rng.bool() { 1 } else { rng.u64(2..14) };
        for k in 0..times {
            out.extend(body.iter().map(|f| f.shifted(period.map(|p| p * k))));
        }
        at = [0, 1].map(|d| at[d] + period[d] * times);
        left = left.saturating_sub(body.iter().map(Family::total).sum::<u64>() * times);
    }
    out
}

pub(in crate::pack) fn plain(dims: Vec<Vec<Family<2>>>) -> Vec<Slice<2>> {
    dims.into_iter().map(Slice::from).collect()
}

/// Returns all indices of `families` or a random part of them, as a list.
pub(in crate::pack) fn listed(rng: &mut fastrand::Rng, families: &[Family<2>]) -> Slice<2> {
    let (wide, equal) = (rng.u8(0..8) == 0, rng.bool());
    let list = Runs::listed(families, wide, equal);
    let (from, to) =
        if rng.bool() { (0, list.total()) } else { (rng.u64(0..=list.total()), rng.u64(0..=list.total())) };
    let mut slice = Slice::default();
    list.slice(from.min(to)..to.max(from), &mut slice);
    slice
}

/// Returns the dimensions with the strides of arrays that just hold them, with up to `slack` elements between rows.
pub(in crate::pack) fn with_strides(
    rng: &mut fastrand::Rng,
    dims: Vec<Slice<2>>,
    element: usize,
    slack: u64,
) -> Vec<Loop> {
    let mut stride = [element as i64; 2];
    let mut loops = Vec::new();
    for slice in dims {
        let ends = [0, 1].map(|d| slice.end(d));
        loops.push((slice, stride));
        stride = [0, 1].map(|d| stride[d] * ends[d] as i64 + element as i64 * rng.u64(0..=slack) as i64);
    }
    loops
}

pub(in crate::pack) fn check(rng: &mut fastrand::Rng, loops: &[Loop], element: usize) {
    let [(origin_from, bytes_from), (origin_to, bytes_to)] =
        [0, 1].map(|d| room(rng, loops, element, d).into());
    let origin = [origin_from, origin_to];
    let from: Vec<u8> = (0..bytes_from).map(|_| rng.u8(..)).collect();
    let mut want = vec![0x5A; bytes_to];
    naive(origin, loops, &mut |[src, dst]| {
        want[dst..dst + element].copy_from_slice(&from[src..src + element])
    });
    for &instructions in Instructions::ALL.iter().filter(|i| i.available()) {
        for (ahead, stream) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut to = vec![0x5A; want.len()];
            let how = CopyOptions { element, caches: CacheUse { prefetch: ahead, stream }, instructions };
            let mut nest = Nest::new();
            nest.add_copy(loops.iter().map(|(slice, stride)| (*stride, slice)));
            // SAFETY: the vectors hold the last element on either side.
            unsafe { copy(from[origin[0]..].as_ptr(), to[origin[1]..].as_mut_ptr(), &nest, how) };
            assert!(to == want, "{how:?} {loops:?}");
        }
    }
}

#[test]
fn every_kernel_does_what_its_naive_twin_does() {
    for missing in Instructions::ALL.iter().filter(|i| !i.available()) {
        println!("not on this machine: {missing:?}");
    }
    let mut rng = fastrand::Rng::with_seed(3);
    for case in 0..400 {
        let most = [1, 2, 3, 8, 70][case % 5];
        let element = ELEMENTS[case / 5 % 5];
        let (total, wide) = (rng.u64(1..300), rng.u64(1..8));
        let dims = plain(vec![families(&mut rng, most, total), families(&mut rng, 3, wide)]);
        let loops = with_strides(&mut rng, dims, element, 5);
        check(&mut rng, &loops, element);
    }
}

/// Returns `runs` random runs of 1 to `most` units; a unit has 1 to 3 indices.
fn irregular(rng: &mut fastrand::Rng, runs: u64, most: u64) -> Vec<Family<2>> {
    let (unit, mut at) = (rng.u64(1..4), [rng.u64(0..4), rng.u64(0..4)]);
    let mut run = |_| {
        let family = Family::one_run(at.map(|at| at + rng.u64(0..4)), unit * rng.u64(1..=most));
        at = [family.end(0), family.end(1)];
        family
    };
    (0..runs).map(&mut run).collect()
}

#[test]
fn lists_are_copied_like_their_runs() {
    let mut rng = fastrand::Rng::with_seed(10);
    for case in 0..400 {
        // Runs of equal or different lengths.
        let (most, element) = ([1, 2, 3, 9, 150][case % 5], ELEMENTS[case / 5 % 5]);
        let (runs, wide) = (rng.u64(1..30), rng.u64(1..4));
        let (rows, cols) = (irregular(&mut rng, runs, most), irregular(&mut rng, wide, 2));
        let mut dims = vec![listed(&mut rng, &rows)];
        dims.push(if rng.bool() { cols.into() } else { listed(&mut rng, &cols) });
        if rng.bool() {
            dims.insert(0, vec![Family::one_run([0; 2], rng.u64(1..7))].into());
        }
        let slack = if rng.bool() { 0 } else { 5 };
        let loops = with_strides(&mut rng, dims, element, slack);
        check(&mut rng, &loops, element);
    }
}

#[test]
fn any_number_of_dimensions_in_any_order() {
    let mut rng = fastrand::Rng::with_seed(9);
    for case in 0..600 {
        let element = ELEMENTS[case % 5];
        let rank = rng.usize(0..6);
        let whole = |rng: &mut fastrand::Rng| vec![Family::one_run([0; 2], rng.u64(1..6))];
        // One to six indices: the product stays small.
        let some = |rng: &mut fastrand::Rng| {
            let (len, count, gap) = (rng.u64(1..4), rng.u64(1..3), [rng.u64(0..3), rng.u64(0..3)]);
            let stride = if count > 1 { gap.map(|gap| len + gap) } else { [0; 2] };
            vec![Family::new([rng.u64(0..3), rng.u64(0..3)], stride, len, count).unwrap()]
        };
        let dims = (0..rank).map(|_| if rng.bool() { whole(&mut rng) } else { some(&mut rng) }).collect();
        let dims = plain(dims);
        let slack = if rng.bool() { 0 } else { 3 };
        let mut loops = with_strides(&mut rng, dims, element, slack);
        match rng.u8(0..3) {
            // Dimensions in a different order on each side.
            0 => {
                let order: Vec<usize> = {
                    let mut o: Vec<usize> = (0..rank).collect();
                    rng.shuffle(&mut o);
                    o
                };
                let mut stride = element as i64;
                for &k in &order {
                    loops[k].1[1] = stride;
                    stride *= loops[k].0.end(1) as i64;
                }
            }
            // Backwards on one side.
            1 if rank > 0 => loops[rng.usize(0..rank)].1[0] *= -1,
            _ => (),
        }
        if element == 4 && rng.bool() {
            // Elements that are parts of larger elements.
            loops.iter_mut().for_each(|(_, stride)| stride[0] *= 3);
        }
        check(&mut rng, &loops, element);
    }
}

#[test]
fn every_length_and_stride_of_short_runs() {
    let mut rng = fastrand::Rng::with_seed(4);
    for (len, element) in (1..=70).flat_map(|len| ELEMENTS.map(|element| (len, element))) {
        for gap in [[0, 0], [1, 0], [0, 1], [2, 3], [61, 5]] {
            let count = rng.u64(2..40);
            let rows = vec![Family::new([1, 2], gap.map(|g| len + g), len, count).unwrap()];
            let cols = vec![Family::new([0, 1], [2, 3], 1, 3).unwrap()];
            let loops = with_strides(&mut rng, plain(vec![rows, cols]), element, 5);
            check(&mut rng, &loops, element);
        }
    }
}

#[test]
fn one_run_a_column() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (len, element) in (1..40).chain([300, 2000]).flat_map(|len| ELEMENTS.map(|element| (len, element))) {
        for (start, slack) in [([0, 0], 0), ([0, 3], 0), ([2, 0], 5), ([200, 1], 5)] {
            let dims = plain(vec![vec![Family::one_run(start, len)], vec![Family::one_run([1, 0], 9)]]);
            let loops = with_strides(&mut rng, dims, element, slack);
            check(&mut rng, &loops, element);
        }
    }
}

#[test]
fn an_empty_product_is_no_copy() {
    let mut rng = fastrand::Rng::with_seed(6);
    let some = || vec![Family::one_run([0, 0], 3)];
    for dims in
        [vec![some(), vec![]], vec![vec![], some()], vec![vec![], vec![]], vec![some(), some(), vec![]]]
    {
        let loops = with_strides(&mut rng, plain(dims), 8, 0);
        check(&mut rng, &loops, 8);
    }
}
