//! Chooses a process grid: a nearly square one, or one that is cheap to reach from a matrix's present grid.
//!
//! The cost to reach a grid is the price of moving the matrices there. Sudarsan and Ribbens (2007, section 4.2) compare
//! nearly square, skewed and one-dimensional grids.

use crate::layout::distribution::{Axis, Cyclic, Grid, nearly_square};
use crate::layout::intersect::Overlap;
use crate::machine::Machine;
use crate::schedule::certificate::Certificate;
use crate::schedule::chooser::choose;
use crate::schedule::colouring;
use crate::schedule::cost_model::scheduled;
use crate::schedule::traffic::Traffic;

/// A matrix in block-cyclic distribution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// Rows and columns, each at least 1.
    pub extent: [u64; 2],
    /// Rows and columns of a block, each at least 1.
    pub block: [u64; 2],
    /// Size of an element in bytes.
    pub element: u64,
}

/// A process grid, and the time to move all matrices there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Choice {
    /// Rows and columns of processes.
    pub grid: [u32; 2],
    /// Predicted time in seconds; 0 if nothing moves.
    pub seconds: f64,
}

/// Iterates over all grids of `procs` processes, the squarest first. Of two grids p x q and q x p, the one with more
/// columns comes first.
pub fn grids(procs: u32) -> impl Iterator<Item = [u32; 2]> {
    let rows = (1..=procs.isqrt()).rev().filter(move |rows| procs % rows == 0);
    rows.flat_map(move |rows| {
        let transposed = (rows * rows != procs).then_some([procs / rows, rows]);
        std::iter::once([rows, procs / rows]).chain(transposed)
    })
}

/// Returns the grid of `procs` processes with the cheapest move of `matrices` from the grid `present`. Both grids have
/// ranks 0, 1, 2, … in row-major order.
///
/// The longer side is at most `skew` times the shorter one. Grids that leave a process without a block of some matrix
/// are considered only if all grids do. Of several cheapest grids the squarest is returned. If `skew` admits no grid,
/// the nearly square one is returned.
pub fn cheapest_grid(
    procs: u32,
    matrices: &[Matrix],
    present: [u32; 2],
    skew: u32,
    machine: &Machine,
) -> Choice {
    let allowed = |grid: &[u32; 2]| grid[0].max(grid[1]) <= grid[0].min(grid[1]).saturating_mul(skew);
    let blocks = |matrix: &Matrix, d: usize| matrix.extent[d].div_ceil(matrix.block[d]);
    let has_all = |matrix: &Matrix, grid: &[u32; 2]| (0..2).all(|d| u64::from(grid[d]) <= blocks(matrix, d));
    let filled = |grid: &[u32; 2]| matrices.iter().all(|matrix| has_all(matrix, grid));
    let mut candidates: Vec<[u32; 2]> = grids(procs).filter(allowed).collect();
    if candidates.iter().any(filled) {
        candidates.retain(filled);
    }
    if candidates.is_empty() {
        candidates.push(nearly_square(procs));
    }
    let total = |grid| matrices.iter().map(|matrix| seconds(matrix, present, grid, machine)).sum::<f64>();
    let price = |grid| Choice { grid, seconds: total(grid) };
    let cheaper = |a: Choice, b: Choice| if b.seconds < a.seconds { b } else { a };
    candidates.into_iter().map(price).reduce(cheaper).expect("there is one")
}

/// Returns the predicted time, in seconds, to move `matrix` from one grid to another.
pub fn seconds(matrix: &Matrix, from: [u32; 2], to: [u32; 2], machine: &Machine) -> f64 {
    if from == to {
        return 0.0;
    }
    let traffic = traffic(matrix, from, to).with_budget_for(machine);
    let listed = traffic.listed();
    if listed.is_some_and(|listed| listed.messages() == 0) {
        return 0.0;
    }
    let reckoned = choose(&traffic, machine, None).map_or(f64::INFINITY, |schedule| schedule.price);
    // The chooser gives no price if any order of the messages is good enough.
    match listed.filter(|_| reckoned.is_infinite()) {
        Some(listed) => {
            scheduled(machine, &Certificate::count(&listed.graph, &colouring::colour(&listed.graph)))
        }
        None => reckoned,
    }
}

/// Returns the traffic of moving `matrix` from one grid to another.
pub fn traffic(matrix: &Matrix, from: [u32; 2], to: [u32; 2]) -> Traffic {
    let overlap = |d: usize| {
        let axis = |procs| Axis::new(Cyclic::new(matrix.block[d].max(1), procs, 0).unwrap_or(Cyclic::ONE), 0);
        Overlap { from: axis(from[d]), to: axis(to[d]), len: matrix.extent[d] }
    };
    Traffic::new(vec![overlap(0), overlap(1)], matrix.element, Grid::row_major(&from), Grid::row_major(&to))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATRIX: Matrix = Matrix { extent: [8000, 8000], block: [100, 100], element: 8 };

    #[test]
    fn grids_of_a_number_are_listed_from_the_squarest_on() {
        assert_eq!(grids(12).collect::<Vec<_>>(), [[3, 4], [4, 3], [2, 6], [6, 2], [1, 12], [12, 1]]);
    }

    #[test]
    fn the_cheapest_grid_is_found_by_trying_all() {
        let mut rng = fastrand::Rng::with_seed(4);
        for _ in 0..40 {
            let present = [rng.u32(1..6), rng.u32(1..6)];
            let (procs, skew) = (rng.u32(1..31), rng.u32(1..9));
            let choice = cheapest_grid(procs, &[MATRIX], present, skew, &Machine::NETWORK);
            assert_eq!(choice.grid[0] * choice.grid[1], procs);
            let others = (1..=procs).filter(|rows| procs % rows == 0).map(|rows| [rows, procs / rows]);
            for other in others.filter(|g| g[0].max(g[1]) <= g[0].min(g[1]) * skew) {
                let price = seconds(&MATRIX, present, other, &Machine::NETWORK);
                assert!(price >= choice.seconds, "{present:?} -> {other:?}, {choice:?}");
            }
        }
    }

    #[test]
    fn an_unchanged_grid_costs_nothing_and_each_process_gets_blocks() {
        let stays = cheapest_grid(12, &[MATRIX], [6, 2], 3, &Machine::NETWORK);
        assert_eq!(stays, Choice { grid: [6, 2], seconds: 0.0 });
        let bounded = cheapest_grid(12, &[MATRIX], [6, 2], 2, &Machine::NETWORK);
        assert!(bounded.seconds > 0.0 && [[3, 4], [4, 3]].contains(&bounded.grid), "{bounded:?}");
        let flat = Matrix { extent: [100, 100_000], ..MATRIX };
        assert_eq!(cheapest_grid(16, &[flat], [1, 4], 16, &Machine::NETWORK).grid, [1, 16]);
        assert_eq!(
            cheapest_grid(7, &[MATRIX], [1, 4], 2, &Machine::NETWORK).grid,
            [1, 7],
            "a prime has no other"
        );
        let both = cheapest_grid(16, &[flat, MATRIX], [1, 4], 16, &Machine::NETWORK);
        assert_eq!(both.grid, [1, 16], "only there each process has a block of either");
        assert_eq!(cheapest_grid(6, &[], [1, 4], 9, &Machine::NETWORK).grid, [2, 3], "nothing to move");
    }
}
