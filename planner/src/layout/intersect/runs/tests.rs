//! Compares sets of runs with lists of their indices.

use super::*;

/// Creates up to 59 families, whose run lengths are multiples of a random unit.
fn families(rng: &mut fastrand::Rng) -> Vec<Family<2>> {
    let (unit, most) = (rng.u64(1..4), rng.u64(1..5));
    let mut at = [rng.u64(0..5), rng.u64(0..5)];
    let families = rng.usize(0..60);
    let mut one = |_| {
        let len = unit * rng.u64(1..=most);
        let count = if rng.u8(0..4) == 0 { rng.u64(1..6) } else { 1 };
        let stride = if count > 1 { [0, 1].map(|_| len + rng.u64(0..4)) } else { [0; 2] };
        let family = Family { start: at, stride, len, count };
        at = [0, 1].map(|d| family.end(d) + rng.u64(0..4));
        family
    };
    (0..families).map(&mut one).collect()
}

fn indices(slice: &Slice<2>) -> Vec<[u64; 2]> {
    slice.each().flat_map(Family::indices).collect()
}

#[test]
fn a_slice_of_a_list_is_a_slice_of_its_indices() {
    let mut rng = fastrand::Rng::with_seed(6);
    let mut kinds = [0; 2];
    for case in 0..600 {
        let families = families(&mut rng);
        let all = indices(&families.clone().into());
        let runs = match case % 3 {
            0 => Runs::listed(&families, case % 2 == 0, rng.bool()),
            _ => {
                let mut builder = Builder::new();
                families.iter().for_each(|&family| builder.push(family));
                Runs::from_builder(builder)
            }
        };
        kinds[usize::from(matches!(runs.0, Form::Listed(_)))] += 1;
        assert_eq!(runs.total(), all.len() as u64, "{families:?}");
        assert_eq!([0, 1].map(|d| runs.extent(d)), all.last().map_or([0; 2], |last| last.map(|i| i + 1)));
        let mut slice = Slice::default();
        for _ in 0..20 {
            let (a, b) = (rng.usize(0..=all.len()), rng.usize(0..=all.len()));
            let (from, to) = (a.min(b), a.max(b));
            runs.slice(from as u64..to as u64, &mut slice);
            assert_eq!(indices(&slice), all[from..to], "{from}..{to} of {families:?}");
            assert_eq!(slice.total(), (to - from) as u64);
            assert_eq!(slice.is_empty(), from == to);
            assert_eq!(
                [0, 1].map(|d| slice.end(d)),
                all[from..to].last().map_or([0; 2], |l| l.map(|i| i + 1))
            );
            assert_eq!(slice.single().is_some(), slice.each().count() == 1);
        }
    }
    assert!(kinds.iter().all(|&n| n > 100), "{kinds:?} families and lists");
}

#[test]
fn lists_count_and_map_their_indices() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..300 {
        let one =
            |f: &Family<2>| Family { start: [f.start[0]], stride: [f.stride[0]], len: f.len, count: f.count };
        let families: Vec<Family<1>> = families(&mut rng).iter().map(one).collect();
        let (wide, equal) = (rng.bool(), rng.bool());
        let runs = Runs::listed(&families, wide, equal);
        let run = |f: Family<1>, k: u64| f.start[0] + k * f.stride[0]..f.start[0] + k * f.stride[0] + f.len;
        let all: Vec<u64> =
            families.iter().flat_map(|&f| (0..f.count).flat_map(move |k| run(f, k))).collect();
        assert_eq!((runs.first(), runs.end()), (all.first().copied(), all.last().map_or(0, |i| i + 1)));
        for bound in 0..runs.end() + 3 {
            assert_eq!(runs.rank(bound), all.iter().filter(|&&i| i < bound).count() as u64, "{families:?}");
        }
        let moved: Vec<[u64; 2]> = all.iter().map(|i| [i + 3, i + 70]).collect();
        assert_eq!(indices(&runs.map(|i| [i + 3, i + 70]).whole()), moved);
    }
}

#[test]
fn lists_take_few_bytes() {
    let mut rng = fastrand::Rng::with_seed(8);
    for (most, bytes) in [(1, 4), (20, 8)] {
        let mut builder = Builder::new();
        let mut at = 0;
        for _ in 0..10_000 {
            let len = rng.u64(1..=most);
            builder.push(Family::run([at], len));
            at += len + rng.u64(1..4);
        }
        let runs = Runs::from_builder(builder);
        assert!(runs.bytes() <= 10_001 * bytes, "{} bytes for 10000 runs of up to {most}", runs.bytes());
    }
    let mut regular = Builder::new();
    (0..1000).for_each(|k| regular.push(Family::run([3 * k], 2)));
    assert_eq!(Runs::from_builder(regular).stored(), 1, "a family");
}
