//! Optimal assignment of a component, by the algorithm of Kuhn and Munkres on a full matrix.

use super::pairs::PlacePair;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Maximum number of matrix entries: 16 MiB.
const MAX_ENTRIES: usize = 1 << 20;

/// Returns the pairs of an optimal assignment: with the most bytes, and among these with the most places that stay.
/// Returns `None` if the algorithm needs more than `work` inner steps or a matrix of more than `MAX_ENTRIES` entries.
/// Otherwise subtracts the steps from `work`.
pub fn solve_exactly(pairs: &[PlacePair], work: &mut u64) -> Option<Vec<PlacePair>> {
    let places = distinct_numbers(pairs.iter().map(|pair| pair.place));
    let holders = distinct_numbers(pairs.iter().map(|pair| pair.holder));
    let (rows, columns) = (places.len().min(holders.len()), places.len().max(holders.len()));
    let entries = rows.checked_mul(columns).filter(|&entries| entries <= MAX_ENTRIES)?;
    *work = work.checked_sub((rows * entries) as u64)?;
    let index = |all: &[u32], n: u32| all.binary_search(&n).expect("all of them are listed");
    let at = |pair: &PlacePair| {
        let (place, holder) = (index(&places, pair.place), index(&holders, pair.holder));
        if places.len() == rows { (place, holder) } else { (holder, place) }
    };
    // Even if all places stay, that is worth less than one byte.
    let byte = rows as i128 + 1;
    let mut worth = Matrix::new(rows, columns, 0i128);
    for pair in pairs {
        worth[at(pair)] = i128::from(pair.bytes) * byte + i128::from(pair.stays());
    }
    let (_, columns) = kuhn_munkres(&worth);
    Some(pairs.iter().copied().filter(|pair| columns[at(pair).0] == at(pair).1).collect())
}

fn distinct_numbers(all: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
