use super::super::level::PairedRuns;
use super::*;
use crate::layout::intersect::Family;

/// The families of a loop, and its strides.
type NestLoop = (Vec<Family<2>>, [isize; 2]);

fn run(len: u64) -> Vec<Family<2>> {
    vec![Family::one_run([0; 2], len)]
}

fn family(PairedRuns { start, stride, len, count }: PairedRuns) -> Family<2> {
    Family::new(start, stride, len, count).unwrap()
}

fn arranged(dims: &[([i64; 2], Vec<Family<2>>)]) -> (Vec<NestLoop>, [isize; 2]) {
    let mut nest = Nest::new();
    let slices: Vec<Slice<2>> = dims.iter().map(|(_, families)| families.clone().into()).collect();
    nest.add_copy(dims.iter().map(|(stride, _)| *stride).zip(&slices));
    let families = |level: &Level<'_>| {
        let mut all = Vec::new();
        level.each(|f| all.push(family(f)));
        (all, level.stride())
    };
    (nest.levels().iter().map(families).collect(), nest.offset)
}

#[test]
fn contiguous_dimensions_become_one() {
    // 3 x 4 x 5 elements of 8 bytes, dense on both sides, and three indices of the last dimension.
    let dims = [([8, 8], run(3)), ([24, 24], run(4)), ([96, 96], vec![Family::one_run([1, 2], 3)])];
    assert_eq!(arranged(&dims), (vec![(vec![Family::one_run([12, 24], 36)], [8, 8])], [0, 0]));
    // A gap on one side prevents the merge.
    let dims = [([8, 8], run(3)), ([24, 32], run(4)), ([96, 128], run(5))];
    assert_eq!(arranged(&dims).0, [(run(3), [8, 8]), (run(20), [24, 32])]);
    // The first dimension as a whole, and every other index of the second.
    let every_other = |len: u64| vec![Family::new([0, len], [2 * len, len], len, 3).unwrap()];
    let dims = [([8, 8], run(6)), ([48, 48], every_other(1))];
    assert_eq!(arranged(&dims).0, [(every_other(6), [8, 8])]);
}

#[test]
fn the_destination_is_written_in_the_order_of_its_addresses() {
    let dims = [([8, 800], run(10)), ([80, 8], run(100))];
    assert_eq!(arranged(&dims).0, [(run(100), [80, 8]), (run(10), [8, 800])]);
}

#[test]
fn a_single_index_is_an_offset() {
    let one = |at| vec![Family::one_run(at, 1)];
    let dims = [([8, 8], one([7, 3])), ([80, 16], run(100)), ([-8, 4], one([2, 5]))];
    assert_eq!(arranged(&dims), (vec![(run(100), [80, 16])], [56 - 16, 24 + 20]));
}

#[test]
fn buffers_have_no_gaps() {
    let rows = vec![Family::new([3], [10], 2, 4).unwrap(), Family::one_run([50], 1)].into();
    let cols = vec![Family::one_run([7], 5)].into();
    let mut nest = Nest::new();
    nest.add_pack(4, [(4, &rows), (400, &cols)].into_iter());
    let [rows, cols] = nest.levels() else { panic!("two loops") };
    let mut families = Vec::new();
    rows.each(|f| families.push(family(f)));
    cols.each(|f| families.push(family(f)));
    let first = Family::new([3, 0], [10, 2], 2, 4).unwrap();
    assert_eq!(
        families,
        [first, Family::new([50, 8], [0, 1], 1, 1).unwrap(), Family::new([7, 0], [0, 5], 5, 1).unwrap()]
    );
    assert_eq!((cols.stride(), nest.runs(4)), ([400, 36], 25));
}
