//! Relabelling: assigns the target's places to ranks so that as little data as possible moves.
//!
//! If a rank has part p of the source and gets place t of the target, the elements that p and t share stay. Choosing
//! the ranks is an assignment problem that maximizes the bytes that stay. The name comes from Kabić, Pintarelli,
//! Kozhevnikov and VandeVondele, "COSTA: communication-optimal shuffle and transpose algorithm with process
//! relabeling", 2021.
//!
//! Dimensions are not solved one by one, because the best assignment of a product is not the product of the best
//! assignments. Example: coordinate 0 of the source shares 2 indices with coordinate 0 of the target and 1 with
//! coordinate 1; coordinate 1 of the source shares 1 and 0. In one dimension both assignments keep 2 indices. In two
//! such dimensions their products keep 4 elements, but the best assignment of the four places keeps 6.
//!
//! - **Copies.** If the target has copies, each place of each copy gets a rank. If the source has copies, each rank
//!   with a copy of a part counts as having that part.
//! - **Ties.** Among the assignments that keep the most bytes, the optimal one leaves the most places on their present
//!   ranks. If the assignment found keeps no more bytes than the present one, all places stay.
//! - **Optimal.** Places and ranks that share data form components, and each component is assigned by itself. If the
//!   greedy assignment reaches an upper bound, it is optimal. Otherwise an exact algorithm (feature `relabel`) computes
//!   the optimum, for components of up to 1024 ranks, within a limit of work for all components together.
//! - **Approximate.** Beyond these limits a component gets the greedy or the present assignment, whichever keeps more.
//!   It keeps at least half of the optimum, in O(E log E) for E pairs of a place and a rank that share data.
//! - **Too many pairs.** With more than [`MAX_PAIRS`] of these pairs, in all or along one dimension, all places stay.
//!
//! The result follows from the arguments alone, so all ranks compute the same one. It ignores which ranks share a node.

mod components;
#[cfg(feature = "relabel")]
mod exact;
mod greedy;
mod matching;
mod pairs;
mod volumes;

use crate::layout::distribution::{Grid, Rank};
use crate::layout::problem::Problem;
pub use pairs::MAX_PAIRS;
use pairs::PlacePair;
use std::collections::{HashMap, HashSet};
use volumes::PlaceVolumes;

/// Maximum number of inner steps of the exact algorithm, for all components together: enough for 1024 ranks that share
/// data with all places. It then takes from a few milliseconds, if few ranks share data, to two seconds on the
/// benchmark machine.
const MAX_WORK: u64 = 1 << 30;

/// An assignment of ranks to the target's places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relabelling {
    /// The rank of each place of the target's grid, in row-major order.
    pub ranks: Vec<Rank>,
    /// Bytes that stay if places keep their present ranks.
    pub before: u64,
    /// Bytes that stay if places are on `ranks`.
    pub after: u64,
    /// Whether this assignment is proved to keep the most bytes.
    pub optimal: bool,
}

/// Computes the ranks for the target's places of `problem`, with elements of `element` bytes, among their present ranks
/// and `others`. No rank may be twice in either grid. All elements of the section count, even if only a trapezoid
/// moves.
///
/// # Panics
///
/// May panic if a rank is twice in the target's grid.
pub fn relabel(problem: &Problem, element: u64, others: &[Rank]) -> Relabelling {
    relabel_within(problem, element, others, MAX_WORK)
}

/// Implements [`relabel`] with at most `work` inner steps of the exact algorithm.
fn relabel_within(problem: &Problem, element: u64, others: &[Rank], work: u64) -> Relabelling {
    let mut volumes = PlaceVolumes::new(problem, element);
    let now: Vec<Rank> = problem.to.ranks().collect();
    let before = volumes.kept_bytes(&now);
    let stay = |optimal| Relabelling { ranks: now.clone(), before, after: before, optimal };
    if before == volumes.all() {
        return stay(true);
    }
    let candidates = candidate_ranks(&now, others);
    let Some(pairs) = volumes.pairs(&candidates) else { return stay(false) };
    let (chosen, optimal) = matching::best_pairs(pairs, now.len(), candidates.len(), work);
    let ranks = complete_assignment(&chosen, &candidates, now.len());
    let after = volumes.kept_bytes(&ranks);
    if after > before { Relabelling { ranks, before, after, optimal } } else { stay(optimal) }
}

/// Returns the present ranks in the order of the places, then the ranks of `others` that are not among them, ascending.
fn candidate_ranks(now: &[Rank], others: &[Rank]) -> Vec<Rank> {
    let known: HashSet<Rank> = now.iter().copied().collect();
    assert_eq!(known.len(), now.len(), "a rank is once in a grid");
    let mut new: Vec<Rank> = others.iter().copied().filter(|rank| !known.contains(rank)).collect();
    new.sort_unstable();
    new.dedup();
    [now, &new].concat()
}

/// Returns a rank for each place: the chosen one, or else its present one if that is free, or else the first free one.
fn complete_assignment(chosen: &[PlacePair], candidates: &[Rank], places: usize) -> Vec<Rank> {
    let (mut holders, mut free) = (vec![None; places], vec![true; candidates.len()]);
    for pair in chosen {
        holders[pair.place as usize] = Some(pair.holder as usize);
        free[pair.holder as usize] = false;
    }
    for (place, holder) in holders.iter_mut().enumerate() {
        if holder.is_none() && free[place] {
            *holder = Some(place);
            free[place] = false;
        }
    }
    let mut left = (0..candidates.len()).filter(|&holder| free[holder]);
    let mut any = || left.next().expect("no fewer candidates than places");
    holders.into_iter().map(|holder| candidates[holder.unwrap_or_else(&mut any)]).collect()
}

impl Relabelling {
    /// Returns the target's grid `to` with the assigned ranks.
    pub fn grid(&self, to: &Grid) -> Grid {
        let ranks: Vec<u32> = self.ranks.iter().map(|rank| rank.0).collect();
        Grid::from_ranks(to.extents(), &ranks).expect("a rank for every place")
    }

    /// Maps the present rank of each place of the target's grid `to` to the assigned one.
    pub fn successors(&self, to: &Grid) -> HashMap<Rank, Rank> {
        to.ranks().zip(self.ranks.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests;
