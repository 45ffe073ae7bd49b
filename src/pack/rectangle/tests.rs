//! The kernels against their naive twin, one element at a time, for every instruction set and distance: whatever the
//! best way is on this machine, the others are right, too.

use super::super::block::LINE;
use super::*;

/// Bytes around each array that nobody may touch.
const GUARD: usize = 80;

/// The naive twin: element by element, in bytes.
fn naive(from: &[u8], to: &mut [u8], ld: [usize; 2], rows: &[Family<2>], cols: &[Family<2>], element: usize) {
    for col in indices(cols) {
        for row in indices(rows) {
            let [src, dst] = [0, 1].map(|d| (col[d] * ld[d] + row[d]) * element);
            to[dst..dst + element].copy_from_slice(&from[src..src + element]);
        }
    }
}

fn indices(families: &[Family<2>]) -> Vec<[usize; 2]> {
    let run =
        |f: Family<2>, k: u64| (0..f.len).map(move |e| f.start.map(|s| s + e).map(index).map(|s| (s, k)));
    let at =
        |f: Family<2>| move |at: [(usize, u64); 2]| [0, 1].map(|d| at[d].0 + index(at[d].1 * f.stride[d]));
    families.iter().flat_map(|&f| (0..f.count).flat_map(move |k| run(f, k)).map(at(f))).collect()
}

/// Random families that ascend on both sides: `most` elements a run at most, some repeated at equal distances.
fn families(rng: &mut fastrand::Rng, most: u64, total: u64) -> Vec<Family<2>> {
    let (mut out, mut at, mut left) = (Vec::new(), [rng.u64(0..4), rng.u64(0..4)], total);
    while left > 0 {
        let mut body = Vec::new();
        let mut end = at;
        for _ in 0..rng.u64(1..4) {
            let len = rng.u64(1..=most);
            let count = rng.u64(1..12);
            let apart = [0, 1].map(|_| if rng.bool() { len } else { len + rng.u64(0..5) });
            let stride = if count > 1 { apart } else { [0; 2] };
            let family = Family { start: end.map(|e| e + rng.u64(0..3)), stride, len, count };
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

fn ends(families: &[Family<2>]) -> [u64; 2] {
    [0, 1].map(|d| families.iter().map(|f| f.end(d)).max().unwrap_or(0))
}

/// Copies with every instruction set and distance, from and to addresses that are off by a few elements or bytes.
fn check(rng: &mut fastrand::Rng, rows: &[Family<2>], cols: &[Family<2>], element: usize, dense_ld: bool) {
    let (height, width) = (ends(rows), ends(cols));
    let ld = height.map(|h| if dense_ld { h } else { h + rng.u64(0..5) });
    let bytes = |d: usize| index(ld[d] * (width[d] - 1) + height[d]) * element;
    // An array is exactly as large as the last column needs, inside its guards.
    let skew = [0, 1].map(|_| GUARD + rng.usize(0..LINE));
    let from: Vec<u8> = (0..bytes(0) + skew[0] + GUARD).map(|_| rng.u8(..)).collect();
    let mut want = vec![0x5A; bytes(1) + skew[1] + GUARD];
    naive(&from[skew[0]..], &mut want[skew[1]..], ld.map(index), rows, cols, element);
    for &instructions in Instructions::ALL.iter().filter(|i| i.available()) {
        for (ahead, stream) in [(false, false), (false, true), (true, false), (true, true)] {
            let mut to = vec![0x5A; want.len()];
            let how = How { element, distance: Distance { ahead, stream }, instructions };
            let source = Side { base: from[skew[0]..].as_ptr(), ld: ld[0] };
            let destination = Side { base: to[skew[1]..].as_mut_ptr(), ld: ld[1] };
            // SAFETY: the vectors hold the last element of the last column on either side.
            unsafe { copy(source, destination, rows.iter().copied(), cols.iter().copied(), how) };
            assert!(to == want, "{how:?} ld={ld:?} rows={rows:?} cols={cols:?}");
        }
    }
}

#[test]
fn every_kernel_does_what_its_naive_twin_does() {
    for missing in Instructions::ALL.iter().filter(|i| !i.available()) {
        println!("not on this machine: {missing:?}");
    }
    let mut rng = fastrand::Rng::with_seed(3);
    for case in 0..300 {
        let most = [1, 2, 3, 8, 70][case % 5];
        let (total, wide) = (rng.u64(1..300), rng.u64(1..8));
        let (rows, cols) = (families(&mut rng, most, total), families(&mut rng, 3, wide));
        check(&mut rng, &rows, &cols, [4, 8, 16][case % 3], false);
    }
}

#[test]
fn every_length_and_stride_of_short_runs() {
    let mut rng = fastrand::Rng::with_seed(4);
    for (len, element) in (1..=70).flat_map(|len| [4, 8, 16].map(|element| (len, element))) {
        for gap in [[0, 0], [1, 0], [0, 1], [2, 3], [61, 5]] {
            let count = rng.u64(2..40);
            let rows = [Family { start: [1, 2], stride: gap.map(|g| len + g), len, count }];
            let cols = [Family { start: [0, 1], stride: [2, 3], len: 1, count: 3 }];
            check(&mut rng, &rows, &cols, element, false);
        }
    }
}

#[test]
fn one_run_a_column() {
    let mut rng = fastrand::Rng::with_seed(5);
    for (len, element) in (1..40).chain([300, 2000]).flat_map(|len| [4, 8, 16].map(|element| (len, element)))
    {
        for (start, dense_ld) in [([0, 0], true), ([0, 3], true), ([2, 0], false), ([200, 1], false)] {
            check(&mut rng, &[Family::run(start, len)], &[Family::run([1, 0], 9)], element, dense_ld);
        }
    }
}

#[test]
fn an_empty_rectangle_is_no_copy() {
    let mut rng = fastrand::Rng::with_seed(6);
    let some = [Family::run([0, 0], 3)];
    for (rows, cols) in [(&some[..], &[][..]), (&[], &some), (&[], &[])] {
        let how = How {
            element: 8,
            distance: Distance { ahead: true, stream: true },
            instructions: Instructions::best(),
        };
        let (from, mut to) = ([rng.u8(..); 32], [7; 32]);
        let sides = (Side { base: from.as_ptr(), ld: 3 }, Side { base: to.as_mut_ptr(), ld: 3 });
        // SAFETY: no element is named.
        unsafe { copy(sides.0, sides.1, rows.iter().copied(), cols.iter().copied(), how) };
        assert_eq!(to, [7; 32]);
    }
}
