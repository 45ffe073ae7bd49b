//! Tests whether two sections of one matrix intersect, against a list of their elements.

use super::super::Routine;
use super::*;
use crate::layout::distribution::Grid;
use std::collections::HashSet;

#[test]
fn sections_of_one_matrix_meet_where_an_element_is_read_and_written() {
    let seed = 11;
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut apart, mut met) = (0, 0);
    for case in 0..4000 {
        let extent = [random.u64(1..6), random.u64(1..6)];
        let shift = random.i64(-3..4);
        let part = [Part::Whole, Part::Upper { shift }, Part::Lower { shift }][random.usize(0..3)];
        let transposed = random.bool();
        let mut matrix = || {
            let descriptor = Descriptor::new([12, 12], [2, 3], [0, 0], 12);
            let start = [random.i64(1..7), random.i64(1..7)];
            Matrix { grid: Grid::row_major(&[1, 1]), at: [0, 0], descriptor, start }
        };
        let (a, b) = (matrix(), matrix());
        let routine = Routine { letter: 'd', family: Family::Lacpy, element: 8 };
        let call = Call { routine, extent, part, transposed, update: None, a: None, b: None };
        let moved: Vec<(u64, u64)> =
            (0..extent[1]).flat_map(|j| part.rows(extent[0], j).map(move |i| (i, j))).collect();
        let at = |matrix: &Matrix, i: u64, j: u64| (matrix.start[0] as u64 + i, matrix.start[1] as u64 + j);
        let read = |&(i, j): &(u64, u64)| if transposed { at(&a, j, i) } else { at(&a, i, j) };
        let read: HashSet<_> = moved.iter().map(read).collect();
        let meets = moved.iter().any(|&(i, j)| read.contains(&at(&b, i, j)));
        assert_eq!(
            call.sections_overlap([&a, &b]),
            meets,
            "seed {seed}, case {case}: {:?} {:?} {call:?}",
            a.start,
            b.start
        );
        *if meets { &mut met } else { &mut apart } += 1;
    }
    assert!(apart > 500 && met > 500, "{apart} apart, {met} not");
}
