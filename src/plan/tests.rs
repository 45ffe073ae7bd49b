//! What a plan costs.

use super::*;
use crate::layout::{Cyclic, Grid};
use crate::schedule::checkerboard;

/// Families held by the plan of each rank of a 2x3 to 3x2 redistribution of an n x n matrix.
fn stored(n: u64, block: u64, to_block: u64) -> Vec<usize> {
    let axis = |block, procs, start| Axis::new(Cyclic::new(block, procs, 0).unwrap(), start);
    let dim = |p, q| Overlap { from: axis(block, p, 1), to: axis(to_block, q, 2), len: n };
    let (from, to) = (Grid::row_major(&[2, 3]), Grid::row_major(&[3, 2]));
    let problem = Problem::whole(vec![dim(2, 3), dim(3, 2)], from, to);
    let families = |side: &Side| -> usize {
        side.shares.iter().flatten().map(|s| s.indices.stored() + s.local.stored()).sum()
    };
    (0..6)
        .map(|rank| {
            let traffic = problem.traffic(8);
            let (order, _) = checkerboard::order(&traffic).unwrap();
            let plan = Plan::new(&problem, &Place::of(&problem, Rank(rank), 6), &traffic, &order);
            families(&plan.sends) + families(&plan.receives)
        })
        .collect()
}

#[test]
fn a_plan_holds_one_period_however_large_the_matrix() {
    for (block, to_block) in [(1, 1), (1, 2), (2, 3), (7, 4)] {
        // Multiples of every period, so that no plan has a cut end that another lacks.
        let small = stored(6 * 840, block, to_block);
        assert_eq!(small, stored(6 * 840 * 1000, block, to_block), "{block} -> {to_block}");
        assert_eq!(small, stored(6 * 840 * 100_000, block, to_block), "{block} -> {to_block}");
    }
}
