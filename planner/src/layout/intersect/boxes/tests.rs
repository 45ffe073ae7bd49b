//! Checks that every intersecting pair of boxes is reported once, and no other pair.

use super::*;
use fastrand::Rng;

fn found(a: &Boxes, b: &Boxes) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    each_pair(a, b, |i, j| {
        all.push((i, j));
        ControlFlow::Continue(())
    });
    all.sort_unstable();
    all
}

/// Oracle: tries all pairs of boxes one by one.
fn brute(a: &Boxes, b: &Boxes) -> Vec<(usize, usize)> {
    let intersects =
        |i: usize, j: usize| intersect_boxes(a.get(i), b.get(j)).all(|range| range.start < range.end);
    (0..a.len()).flat_map(|i| (0..b.len()).filter(move |&j| intersects(i, j)).map(move |j| (i, j))).collect()
}

fn any(rng: &mut Rng, dims: usize, count: usize, most: u64) -> Boxes {
    let mut boxes = Boxes::new(dims);
    for _ in 0..count {
        boxes.push((0..dims).map(|_| {
            let start = rng.u64(0..most);
            start..start + rng.u64(1..=(most / 2).max(1))
        }));
    }
    boxes
}

/// Creates a tiling: each axis is cut at random positions.
fn tiling(rng: &mut Rng, cuts: &[usize], extent: u64) -> Boxes {
    let axes: Vec<Vec<Range<u64>>> = cuts
        .iter()
        .map(|&cuts| {
            let mut at: Vec<u64> = (0..cuts).map(|_| rng.u64(1..extent)).chain([0, extent]).collect();
            at.sort_unstable();
            at.dedup();
            at.windows(2).map(|pair| pair[0]..pair[1]).collect()
        })
        .collect();
    let mut boxes = Boxes::new(cuts.len());
    for mut number in 0..axes.iter().map(Vec::len).product() {
        boxes.push(axes.iter().map(|axis| {
            let range = axis[number % axis.len()].clone();
            number /= axis.len();
            range
        }));
    }
    boxes
}

#[test]
fn all_intersecting_pairs_are_found_once() {
    let seed = 21;
    let mut rng = Rng::with_seed(seed);
    for case in 0..400 {
        let (dims, most) = (rng.usize(1..5), rng.u64(2..60));
        let (m, n) = (rng.usize(0..150), rng.usize(0..150));
        let (a, b) = (any(&mut rng, dims, m, most), any(&mut rng, dims, n, most));
        assert_eq!(found(&a, &b), brute(&a, &b), "seed {seed}, case {case}");
        assert_eq!(found(&a, &a), brute(&a, &a), "seed {seed}, case {case}");
    }
}

#[test]
fn tilings_and_huge_indices_are_intersected() {
    let seed = 22;
    let mut rng = Rng::with_seed(seed);
    for case in 0..60 {
        let dims = rng.usize(1..4);
        let cuts = |rng: &mut Rng| (0..dims).map(|_| rng.usize(0..12)).collect::<Vec<_>>();
        let extent = if rng.bool() { 40 } else { 1 << 62 };
        let (here, there) = (cuts(&mut rng), cuts(&mut rng));
        let (a, b) = (tiling(&mut rng, &here, extent), tiling(&mut rng, &there, extent));
        assert_eq!(found(&a, &b), brute(&a, &b), "seed {seed}, case {case}");
    }
}

/// Each slab intersects all slabs of another direction, and only itself among the slabs of its own direction.
#[test]
fn crossing_slabs_all_intersect() {
    let slabs = |along: usize| {
        let mut boxes = Boxes::new(3);
        (0..200).for_each(|k| boxes.push((0..3).map(|d| if d == along { k..k + 1 } else { 0..200 })));
        boxes
    };
    assert_eq!(found(&slabs(0), &slabs(2)).len(), 200 * 200);
    assert_eq!(found(&slabs(1), &slabs(1)).len(), 200);
}

/// There are more tiles than a test could try pair by pair.
#[test]
fn a_hundred_thousand_tiles_intersect_only_their_neighbours() {
    for (dims, side, shift) in [(2usize, 320u64, 3u64), (3, 47, 5)] {
        let tiles = |first: u64| {
            let mut boxes = Boxes::new(dims);
            for mut number in 0..side.pow(dims as u32) {
                boxes.push((0..dims).map(|_| {
                    let at = first + number % side * 10;
                    number /= side;
                    at..at + 10
                }));
            }
            boxes
        };
        // After the shift, each tile intersects two tiles along each dimension, except the tile at the end.
        let count = found(&tiles(0), &tiles(shift)).len() as u64;
        assert_eq!(count, (2 * side - 1).pow(dims as u32));
    }
}

#[test]
fn a_search_can_be_stopped() {
    let mut boxes = Boxes::new(2);
    (0..500).for_each(|_| boxes.push([0..9, 0..9]));
    let mut calls = 0;
    each_pair(&boxes, &boxes, |_, _| {
        calls += 1;
        if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(calls, 3);
}
