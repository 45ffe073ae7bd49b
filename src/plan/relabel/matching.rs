//! Which pairs together are worth most, no place and no rank being in two of them?

use super::PlacePair;
use super::components::components;
use super::greedy::{EndStates, Worth, greedy};

/// The pairs, and whether no others keep more bytes. `places` and `holders` say how many there are, `work` how many inner
/// steps the exact algorithm may take in all.
pub fn best(
    mut pairs: Vec<PlacePair>,
    places: usize,
    holders: usize,
    mut work: u64,
) -> (Vec<PlacePair>, bool) {
    let (mut chosen, mut rest) = (Vec::new(), Vec::new());
    let mut ends = EndStates::new(places, holders);
    for part in components(&mut pairs, places, holders) {
        match solved(part, &mut ends, &mut work) {
            Ok(best) => chosen.extend(best),
            // Without the pairs that only keep places where they are, it may fall apart.
            Err(_) => rest.extend(part.iter().copied().filter(|pair| pair.bytes > 0)),
        }
    }
    let (mut optimal, mut ends) = (true, EndStates::new(places, holders));
    for part in components(&mut rest, places, holders) {
        chosen.extend(solved(part, &mut ends, &mut work).unwrap_or_else(|greedy| {
            optimal = false;
            let staying: Vec<PlacePair> = part.iter().copied().filter(PlacePair::stays).collect();
            if Worth::sum(&staying) > Worth::sum(&greedy) { staying } else { greedy }
        }));
    }
    (chosen, optimal)
}

/// The best pairs of a component; or those of the greedy assignment, if the best are not known.
fn solved(
    part: &mut [PlacePair],
    ends: &mut EndStates,
    work: &mut u64,
) -> Result<Vec<PlacePair>, Vec<PlacePair>> {
    let (taken, best) = greedy(part, ends);
    if best { Ok(taken) } else { exact(part, work).ok_or(taken) }
}

#[cfg(feature = "relabel")]
use super::exact::exact;

/// The exact algorithm is not there.
#[cfg(not(feature = "relabel"))]
fn exact(_: &[PlacePair], _: &mut u64) -> Option<Vec<PlacePair>> {
    None
}
