//! ON WHICH ranks should the target's places lie, so that most data stays where it is?
//!
//! If a rank has part p of the source and gets place t of the target, the elements that p and t share need not move. Which
//! rank gets which place is an assignment problem: maximize the bytes that stay. (Kabić, Pintarelli, Kozhevnikov and
//! VandeVondele, "COSTA: communication-optimal shuffle and transpose algorithm with process relabeling", 2021, call it
//! relabelling.)
//!
//! - **Copies.** A place of the target that is one of several copies counts like any other. A rank that has one of several
//!   copies of a part of the source has that part.
//! - **Ties.** Of the assignments that keep most bytes, the answer is one in which most places stay on their present ranks.
//!   Where nothing is gained, all do.
//! - **Best.** Places and ranks that share no data with any others are assigned by themselves. Where the greedy assignment
//!   meets an upper bound it is the best one; else the best one is computed, for 1024 ranks together and for more where
//!   they fall apart into several sets (the feature `relabel`).
//! - **Good.** Beyond that the greedy assignment or the present one is taken, whichever keeps more: at least half of what
//!   the best one keeps, in O(E log E) for E pairs of a place and a rank that share data.
//! - **Too many pairs.** Where there are more than [`PAIRS`] of them, in all or along one dimension, nothing is changed.
//!
//! The answer follows from the arguments alone, so every rank computes the same one. This folder knows volumes and ranks; it
//! never knows which ranks share a node, nor when data moves.

mod components;
#[cfg(feature = "relabel")]
mod exact;
mod greedy;
mod matching;
mod volumes;

use crate::layout::distribution::{Grid, Rank};
use crate::layout::problem::Problem;
use std::collections::{HashMap, HashSet};
use volumes::PlaceVolumes;

/// Pairs of a place and a rank that are listed, at the most. They take 16 bytes each.
pub const PAIRS: u64 = 1 << 22;

/// Inner steps of the exact algorithm, at the most: those of 1024 ranks that all share data with all places. On the machine
/// of the benchmarks they take from some milliseconds, where few ranks share data, to one or two seconds.
const WORK: u64 = 1 << 30;

/// Ranks for the target's places.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relabelling {
    /// The rank of each place of the target's grid, in row-major order.
    pub ranks: Vec<Rank>,
    /// Bytes that need not move if places stay on their present ranks.
    pub before: u64,
    /// Bytes that need not move if places lie on these ranks.
    pub after: u64,
    /// Whether it is certain that no other assignment keeps more.
    pub optimal: bool,
}

/// A place of the target and a rank that might get it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct PlacePair {
    /// The place's row-major number.
    place: u32,
    /// The rank's number among the candidates, the first of which are the present ranks of places 0, 1, 2, …
    holder: u32,
    /// What would stay.
    bytes: u64,
}

impl PlacePair {
    /// Whether the place would stay on its rank.
    fn stays(&self) -> bool {
        self.place == self.holder
    }
}

/// Which ranks the places of the target of `problem` should have, if elements have `element` bytes. Candidates are the ranks
/// that are in the target's grid now, and `others`; no rank may be twice in either grid. What a trapezoid leaves out counts, as
/// if the whole section moved.
pub fn relabel(problem: &Problem, element: u64, others: &[Rank]) -> Relabelling {
    within(problem, element, others, WORK)
}

/// The same with at most `work` inner steps of the exact algorithm.
fn within(problem: &Problem, element: u64, others: &[Rank], work: u64) -> Relabelling {
    let mut volumes = PlaceVolumes::new(problem, element);
    let now: Vec<Rank> = problem.to.places().map(|at| problem.to.rank(&at)).collect();
    let before = volumes.kept(&now);
    let stay = |optimal| Relabelling { ranks: now.clone(), before, after: before, optimal };
    if before == volumes.all() {
        return stay(true);
    }
    let candidates = candidates(&now, others);
    let Some(pairs) = volumes.pairs(&candidates) else { return stay(false) };
    let (chosen, optimal) = matching::best(pairs, now.len(), candidates.len(), work);
    let ranks = filled(&chosen, &candidates, now.len());
    let after = volumes.kept(&ranks);
    if after > before { Relabelling { ranks, before, after, optimal } } else { stay(optimal) }
}

/// The present ranks in the order of the places, and then those of `others` that are not among them.
fn candidates(now: &[Rank], others: &[Rank]) -> Vec<Rank> {
    let known: HashSet<Rank> = now.iter().copied().collect();
    assert_eq!(known.len(), now.len(), "a rank is once in a grid");
    let mut new: Vec<Rank> = others.iter().copied().filter(|rank| !known.contains(rank)).collect();
    new.sort_unstable();
    new.dedup();
    [now, &new].concat()
}

/// A rank for each place: the chosen one; or its present one, if nobody else gets that; or else the first free one.
fn filled(chosen: &[PlacePair], candidates: &[Rank], places: usize) -> Vec<Rank> {
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
    /// The grid `to` of the target with these ranks.
    pub fn grid(&self, to: &Grid) -> Grid {
        let ranks: Vec<u32> = self.ranks.iter().map(|rank| rank.0).collect();
        Grid::from_ranks(to.extents(), &ranks).expect("a rank for every place")
    }

    /// By the present rank of each place of the target's grid `to`, the rank that the place gets.
    pub fn successors(&self, to: &Grid) -> HashMap<Rank, Rank> {
        to.places().map(|at| to.rank(&at)).zip(self.ranks.iter().copied()).collect()
    }
}

#[cfg(test)]
mod tests;
