//! Best matching of places and ranks: component by component, greedy first, exact within a limit of work.

use super::components::components;
use super::greedy::{EndStates, Worth, solve_greedily};
use super::pairs::PlacePair;

/// Returns the chosen pairs, and whether they are optimal. `places` and `holders` are the numbers of places and of
/// candidate ranks; `work` is the maximum number of inner steps of the exact algorithm for all components together.
pub fn best_pairs(
    mut pairs: Vec<PlacePair>,
    places: usize,
    holders: usize,
    mut work: u64,
) -> (Vec<PlacePair>, bool) {
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    let mut ends = EndStates::new(places, holders);
    for part in components(&mut pairs, places, holders) {
        match solve(part, &mut ends, &mut work) {
            Ok(best) => chosen.extend(best),
            // Without its pairs of 0 bytes, the component may split into smaller ones.
            Err(_) => rest.extend(part.iter().copied().filter(|pair| pair.bytes > 0)),
        }
    }
    let (mut optimal, mut ends) = (true, EndStates::new(places, holders));
    for part in components(&mut rest, places, holders) {
        chosen.extend(solve(part, &mut ends, &mut work).unwrap_or_else(|greedy| {
            optimal = false;
            let staying: Vec<PlacePair> = part.iter().copied().filter(PlacePair::stays).collect();
            if Worth::sum(&staying) > Worth::sum(&greedy) { staying } else { greedy }
        }));
    }
    (chosen, optimal)
}

/// Returns the best pairs of a component. Returns the greedy pairs as an error if the best pairs were not found.
fn solve(
    part: &mut [PlacePair],
    ends: &mut EndStates,
    work: &mut u64,
) -> Result<Vec<PlacePair>, Vec<PlacePair>> {
    let (taken, best) = solve_greedily(part, ends);
    if best { Ok(taken) } else { solve_exactly(part, work).ok_or(taken) }
}

#[cfg(feature = "relabel")]
use super::exact::solve_exactly;

/// Replaces the exact algorithm, which is not built.
#[cfg(not(feature = "relabel"))]
fn solve_exactly(_: &[PlacePair], _: &mut u64) -> Option<Vec<PlacePair>> {
    None
}
