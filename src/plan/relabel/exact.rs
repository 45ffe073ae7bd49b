//! Which pairs of a component together are worth most? By the algorithm of Kuhn and Munkres, on a full matrix.

use super::PlacePair;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

/// Entries of a matrix, at the most: 16 MiB.
const ENTRIES: usize = 1 << 20;

/// The pairs that are worth most together: most bytes, and then most places that stay. `None` if that takes more inner steps
/// than are left of `work`, or too large a matrix.
pub fn exact(pairs: &[PlacePair], work: &mut u64) -> Option<Vec<PlacePair>> {
    let places = numbers(pairs.iter().map(|pair| pair.place));
    let holders = numbers(pairs.iter().map(|pair| pair.holder));
    let (rows, columns) = (places.len().min(holders.len()), places.len().max(holders.len()));
    let entries = rows.checked_mul(columns).filter(|&entries| entries <= ENTRIES)?;
    *work = work.checked_sub((rows * entries) as u64)?;
    let index = |all: &[u32], n: u32| all.binary_search(&n).expect("all of them are listed");
    let at = |pair: &PlacePair| {
        let (place, holder) = (index(&places, pair.place), index(&holders, pair.holder));
        if places.len() == rows { (place, holder) } else { (holder, place) }
    };
    // All places that stay together are worth less than a byte.
    let byte = rows as i128 + 1;
    let mut worth = Matrix::new(rows, columns, 0i128);
    for pair in pairs {
        worth[at(pair)] = i128::from(pair.bytes) * byte + i128::from(pair.stays());
    }
    let (_, columns) = kuhn_munkres(&worth);
    Some(pairs.iter().copied().filter(|pair| columns[at(pair).0] == at(pair).1).collect())
}

/// Each number once, ascending.
fn numbers(all: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut all: Vec<u32> = all.collect();
    all.sort_unstable();
    all.dedup();
    all
}
