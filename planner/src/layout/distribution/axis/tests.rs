//! Compares owners, local indices, stretches and round robins of random axes with a walk over all indices.

use super::*;
use crate::layout::distribution::GenBlock;

fn random(rng: &mut fastrand::Rng, extent: u64) -> Dist {
    let procs = rng.u32(1..6);
    match rng.u8(0..3) {
        0 => GenBlock::random(rng, procs, extent).into(),
        1 => Indirect::new(procs, (0..extent).map(|_| (rng.u32(0..procs), 1))).unwrap().into(),
        _ => Cyclic::new(rng.u64(1..12), procs, rng.u32(0..procs)).unwrap().into(),
    }
}

#[test]
fn elements_have_the_owner_of_their_template_index() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..3000 {
        let (origin, stride, extent) = (rng.u64(0..30), rng.u64(1..7), rng.u64(1..50));
        let dist = random(&mut rng, origin + stride * extent + 3);
        let owners: Vec<u32> = (0..extent).map(|x| dist.owner(Global(origin + stride * x))).collect();
        let mut held = vec![0; dist.procs() as usize];
        let whole = Axis::aligned(dist.clone(), origin, stride);
        let (start, step) = (rng.u64(0..extent), rng.u64(1..4));
        let section = whole.section(start, step);
        for (x, &owner) in (0..).zip(&owners) {
            let at = (owner, held[owner as usize]);
            assert_eq!((whole.owner(x), whole.local(x).0), at, "{whole:?} at {x}");
            if x >= start && (x - start) % step == 0 {
                let i = (x - start) / step;
                assert_eq!((section.owner(i), section.local(i).0), at, "{section:?} at {i}");
                check_stretch(&section, i, (extent - start).div_ceil(step));
            }
            assert_eq!(whole.global(extent, owner, Local(at.1)), x, "{whole:?}");
            held[owner as usize] += 1;
            for c in 0..dist.procs() {
                assert_eq!(whole.local_len(x + 1, c), held[c as usize], "{whole:?} up to {x}");
            }
        }
        check_round_robin(&section, (extent - start).div_ceil(step));
        let (back, procs) = (whole.reversed(extent), dist.procs());
        for x in 0..extent {
            let (owner, local) = (whole.owner(x), whole.local(x).0);
            let mirrored = (procs - 1 - owner, held[owner as usize] - 1 - local);
            let there = extent - 1 - x;
            if procs > 1 || !matches!(whole.dist, Dist::Cyclic(_)) {
                assert_eq!(
                    (back.owner(there), back.local(there).0),
                    mirrored,
                    "{whole:?} at {x} from behind"
                );
            } else {
                assert_eq!(back.local(there).0, mirrored.1, "{whole:?} at {x} from behind");
            }
        }
    }
}

fn check_stretch(axis: &Axis, i: u64, len: u64) {
    for k in 1..axis.run_length_from(i).min(len - i) {
        assert_eq!(axis.owner(i + k), axis.owner(i));
        assert_eq!(axis.local(i + k).0, axis.local(i).0 + k * axis.step(), "{axis:?} from {i}");
    }
}

fn check_round_robin(axis: &Axis, len: u64) {
    if let Some(RoundRobin { block, procs, lead, head }) = axis.round_robin() {
        for i in 0..len {
            let owner = (u64::from(head) + (i + lead) / block) % u64::from(procs);
            assert_eq!(u64::from(axis.owner(i)), owner, "{axis:?} at {i}");
        }
    }
}

#[test]
fn equal_places_are_equal_values() {
    let cyclic = |block, first| Cyclic::new(block, 4, first).unwrap();
    assert_eq!(Axis::aligned(cyclic(6, 1), 0, 1), Axis::new(cyclic(6, 1), 0));
    assert_eq!(Axis::aligned(cyclic(6, 0), 15, 3), Axis::aligned(cyclic(2, 2), 1, 1));
    assert_eq!(Axis::aligned(cyclic(6, 0), 48, 1), Axis::new(cyclic(6, 0), 0));
}

#[test]
fn large_strides_and_extents_are_counted_in_closed_form() {
    let axis = Axis::aligned(Cyclic::new(1000, 1 << 20, 7).unwrap(), 12345, 1_000_003);
    let extent = 1 << 40;
    let share: u64 = (0..4).map(|c| axis.local_len(extent, c)).sum();
    assert!((share as i64 - (4 * (extent >> 20)) as i64).abs() < 100, "{share}");
    assert_eq!(axis.local(extent).0, axis.local_len(extent, axis.owner(extent)));
}
