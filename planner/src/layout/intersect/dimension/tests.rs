//! Compares the fast paths with a walk over all elements, in all small cases and in random large cases.

use super::*;
use crate::layout::distribution::{Cyclic, Dist, GenBlock, Indirect};
use crate::layout::intersect::Family;

fn axis(block: u64, procs: u32, first: u32, start: u64) -> Axis {
    Axis::new(Cyclic::new(block, procs, first).unwrap(), start)
}

/// Creates a section of `len` indices, from `start` on, of a GEN_BLOCK with random sizes.
fn gen_block(rng: &mut fastrand::Rng, len: u64, start: u64) -> Axis {
    let procs = rng.u32(1..9);
    Axis::new(GenBlock::random(rng, procs, start + len), start)
}

fn indices(runs: &Runs<1>) -> Vec<u64> {
    runs.families().into_iter().flat_map(Family::indices).map(|[i]| i).collect()
}

/// Oracle: looks up the owner of every element on both sides.
fn deal(o: &Overlap) -> Vec<Vec<Vec<u64>>> {
    let mut sets = vec![vec![Vec::new(); o.to.dist.procs() as usize]; o.from.dist.procs() as usize];
    for i in 0..o.len {
        sets[o.from.owner(i) as usize][o.to.owner(i) as usize].push(i);
    }
    sets
}

fn check(o: &Overlap) {
    let want = deal(o);
    let (procs, dests) = (o.from.dist.procs(), o.to.dist.procs());
    for (p, q) in (0..procs).flat_map(|p| (0..dests).map(move |q| (p, q))) {
        let set = &want[p as usize][q as usize];
        let runs = o.shared(p, q);
        assert_eq!(&indices(&runs), set, "p={p} q={q} {o:?}");
        assert_eq!(runs.total(), set.len() as u64);
        for bound in [0, 1, o.len / 3, o.len / 2, o.len] {
            assert_eq!(
                runs.rank(bound),
                set.iter().filter(|&&i| i < bound).count() as u64,
                "{o:?} below {bound}"
            );
        }
    }
    check_single_blocks(o, &want);
    check_lists(o, &want);
    check_division(o, &want);
    for p in 0..procs {
        let met: Vec<u32> = (0..dests).filter(|&q| !want[p as usize][q as usize].is_empty()).collect();
        assert_eq!(o.destinations(p), met, "destinations of {p} {o:?}");
    }
    for q in 0..dests {
        let met: Vec<u32> = (0..procs).filter(|&p| !want[p as usize][q as usize].is_empty()).collect();
        assert_eq!(o.sources(q), met, "sources of {q} {o:?}");
    }
}

/// Checks that a walk along a process's own indices finds the oracle's shared indices and their local indices.
fn check_division(o: &Overlap, want: &[Vec<Vec<u64>>]) {
    let local = |axis: &Axis, set: &Vec<u64>| set.iter().map(|&i| axis.local(i).0).collect::<Vec<_>>();
    for (source, axis, procs) in [(true, &o.from, o.from.dist.procs()), (false, &o.to, o.to.dist.procs())] {
        for coord in 0..procs {
            let mut got = Vec::new();
            if !o.divide(coord, source, |other, local| got.push((other, indices(&local)))) {
                continue;
            }
            let row: Vec<&Vec<u64>> = match source {
                true => want[coord as usize].iter().collect(),
                false => want.iter().map(|row| &row[coord as usize]).collect(),
            };
            let shared = (0..).zip(row).filter(|(_, set)| !set.is_empty());
            assert_eq!(
                got,
                shared.map(|(other, set)| (other, local(axis, set))).collect::<Vec<_>>(),
                "{o:?}"
            );
        }
    }
}

/// Checks the messages of [`Overlap::single_block_messages`] against the oracle, if each process has at most one block.
fn check_single_blocks(o: &Overlap, want: &[Vec<Vec<u64>>]) {
    let Some(messages) = o.single_block_messages() else { return };
    let mut all: Vec<(u64, (u32, u32, u64))> = Vec::new();
    for (p, row) in (0..).zip(want) {
        for (q, set) in (0..).zip(row) {
            if let Some(first) = set.first() {
                assert_eq!(set.last().unwrap() - first + 1, set.len() as u64, "one run a pair {o:?}");
                all.push((*first, (p, q, set.len() as u64)));
            }
        }
    }
    all.sort_unstable();
    assert_eq!(messages, all.into_iter().map(|(_, message)| message).collect::<Vec<_>>(), "{o:?}");
}

/// Checks the messages of [`Overlap::messages_along_lists`] against the oracle, if a side is GEN_BLOCK or INDIRECT.
fn check_lists(o: &Overlap, want: &[Vec<Vec<u64>>]) {
    let Some(list) = o.messages_along_lists() else { return };
    let mut all = Vec::new();
    for (p, row) in (0..).zip(want) {
        all.extend(
            (0..).zip(row).filter(|(_, set)| !set.is_empty()).map(|(q, set)| (p, q, set.len() as u64)),
        );
    }
    assert_eq!(list, all, "{o:?}");
}

#[test]
fn every_small_overlap_is_dealt_like_the_oracle() {
    for (r, s) in (1..6).flat_map(|r| (1..6).map(move |s| (r, s))) {
        for (p, q) in (1..5).flat_map(|p| (1..5).map(move |q| (p, q))) {
            for (a0, b0) in [(0, 0), (1, 0), (0, 3), (4, 7), (13, 2)] {
                for len in [0, 1, 5, 24, 61] {
                    check(&Overlap {
                        from: axis(r, p, (r as u32 + 1) % p, a0),
                        to: axis(s, q, q - 1, b0),
                        len,
                    });
                }
            }
        }
    }
}

#[test]
fn random_overlaps_are_dealt_like_the_oracle() {
    let seed = std::env::var("REBLOCK_TEST_SEED")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..1500 {
        let mut side = || {
            let procs = rng.u32(1..12);
            let block = if rng.bool() { rng.u64(1..9) } else { rng.u64(1..300) };
            axis(block, procs, rng.u32(0..procs), rng.u64(0..1000))
        };
        let (from, to) = (side(), side());
        check(&Overlap { from, to, len: rng.u64(0..3000) });
    }
}

#[test]
fn random_overlaps_with_gen_block_are_dealt_like_the_oracle() {
    let mut rng = fastrand::Rng::with_seed(3);
    for case in 0..1500 {
        let len = rng.u64(0..200);
        let (a, b) = (rng.u64(0..30), rng.u64(0..30));
        let mut cyclic = |start| {
            let procs = rng.u32(1..6);
            axis(rng.u64(1..40), procs, rng.u32(0..procs), start)
        };
        let (from, to) = (cyclic(a), cyclic(b));
        let from = if case % 3 == 1 { from } else { gen_block(&mut rng, len, a) };
        let to = if case % 3 == 2 { to } else { gen_block(&mut rng, len, b) };
        check(&Overlap { from, to, len });
    }
}

/// Creates a random distribution, alignment and section of `len` indices.
fn any(rng: &mut fastrand::Rng, len: u64) -> Axis {
    let (origin, stride) = (rng.u64(0..30), if rng.bool() { 1 } else { rng.u64(1..9) });
    let (start, step) = (rng.u64(0..10), if rng.u8(0..3) > 0 { 1 } else { rng.u64(1..5) });
    let extent = start + step * len + 1;
    let total = origin + stride * extent + rng.u64(0..5);
    let procs = rng.u32(1..7);
    let dist: Dist = match rng.u8(0..5) {
        0 => gen_block(rng, total, 0).dist,
        1 => {
            let most = rng.u64(1..30);
            let mut left = total;
            let mut runs = Vec::new();
            while left > 0 {
                let run = rng.u64(1..=most).min(left);
                runs.push((rng.u32(0..procs), run));
                left -= run;
            }
            Indirect::new(procs, runs).unwrap().into()
        }
        2 => Cyclic::new(total.div_ceil(procs.into()), procs, 0).unwrap().into(),
        _ => Cyclic::new(rng.u64(1..25), procs, rng.u32(0..procs)).unwrap().into(),
    };
    Axis::aligned(dist, origin, stride).section(start, step)
}

#[test]
fn any_two_formats_alignments_and_sections_are_dealt_like_the_oracle() {
    let seed = std::env::var("REBLOCK_TEST_SEED").ok().and_then(|s| s.parse().ok());
    let seed = seed.unwrap_or_else(|| fastrand::u64(..));
    println!("REBLOCK_TEST_SEED={seed}");
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..4000 {
        let len = rng.u64(0..300);
        let (from, to) = (any(&mut rng, len), any(&mut rng, len));
        check(&Overlap { from, to, len });
    }
}

#[test]
fn lists_of_owners_without_structure_are_divided_like_the_oracle() {
    let mut rng = fastrand::Rng::with_seed(17);
    for case in 0..60 {
        // The lists are long enough to be stored as equal pieces. Some runs are long.
        let (len, procs) = (rng.u64(500..3000), rng.u32(1..5));
        let mut listed = || {
            let runs =
                (0..len).map(|_| (rng.u32(0..procs), if rng.u8(..) == 0 { rng.u64(1..400) } else { 1 }));
            Axis::new(Indirect::new(procs, runs.collect::<Vec<_>>()).unwrap(), 0)
        };
        let (from, to) = (listed(), listed());
        let to = if case % 2 == 0 { to } else { axis(rng.u64(1..4), procs, 0, 0) };
        let o = Overlap { from, to, len };
        assert!((0..procs).all(|coord| o.divide(coord, true, |_, _| ())));
        check(&o);
    }
}

#[test]
fn long_sections_of_strided_axes_stay_periodic() {
    let cyclic = |block, procs| Dist::from(Cyclic::new(block, procs, 0).unwrap());
    // A walk along so many indices would not end.
    let len = 10u64.pow(15);
    let strided = Axis::aligned(cyclic(3, 5), 7, 2);
    let other = Axis::aligned(cyclic(5, 4), 1, 3);
    let block = Axis::new(cyclic(len.div_ceil(4), 4), 0);
    for (from, to) in [(&strided, &other), (&strided, &block), (&block, &other), (&other, &strided)] {
        let o = Overlap { from: from.clone(), to: to.clone(), len };
        let mut total = 0;
        for p in 0..from.dist.procs() {
            for q in o.destinations(p) {
                let runs = o.shared(p, q);
                assert!(runs.stored() < 200, "{} families", runs.stored());
                total += runs.total();
            }
        }
        assert_eq!(total, len);
    }
}

#[test]
fn planning_examines_one_period_only() {
    // 10^15 elements in blocks of 1 and 2 on a million processes. Arithmetic finds the few runs of a pair.
    let o = Overlap { from: axis(1, 1_000_000, 3, 17), to: axis(2, 1_000_003, 5, 11), len: 10u64.pow(15) };
    let q = o.to.owner(123_456);
    let p = o.from.owner(123_456);
    let runs = o.shared(p, q);
    assert!(runs.families().len() <= 4, "{}", runs.families().len());
    assert!(runs.families().iter().any(|f| (123_456 - f.start[0]) % f.stride[0].max(1) < f.len));
    assert!(o.shared(p, q).total() >= 900);
    // A walk visits each partner once or twice.
    for (coord, other, source) in [(p, q, true), (q, p, false)] {
        let mut partners = 0;
        o.divide(coord, source, |with, local| {
            partners += 1;
            assert!(local.stored() <= 4, "{} families", local.stored());
            assert!(with != other || local.total() == runs.total());
        });
        assert!(partners >= 500_000, "{partners} partners");
    }
}

#[test]
fn extreme_sizes_do_not_overflow() {
    let o =
        Overlap { from: axis(1 << 61, 3, 2, 1 << 60), to: axis((1 << 60) + 1, 4, 1, 12345), len: 1 << 62 };
    let total: u64 =
        (0..3).flat_map(|p| (0..4).map(move |q| (p, q))).map(|(p, q)| o.shared(p, q).total()).sum();
    assert_eq!(total, 1 << 62);
    for (procs, source) in [(3, true), (4, false)] {
        let mut total = 0;
        assert!((0..procs).all(|coord| o.divide(coord, source, |_, local| total += local.total())));
        assert_eq!(total, 1 << 62);
    }
    let one_block = Overlap { from: axis(i64::MAX as u64, 5, 0, 9), to: axis(7, 2, 0, 3), len: 1000 };
    check(&one_block);
}
