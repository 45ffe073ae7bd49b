//! Relabelling: assigns the target's places to ranks so that most data stays where it is.

use crate::layout::distribution::Rank;
use crate::layout::mapping::Arrangement;
use crate::layout::problem::Problem;
use crate::plan::relabel::relabel;
use std::collections::HashSet;

/// Returns the target's arrangement that keeps most data in place, for elements of `element` bytes. `None` if that is
/// `now`, or if the ranks do not know how much they share.
pub fn relabelled(problem: &Problem, element: usize, now: &Arrangement) -> Option<Arrangement> {
    if problem.dims.iter().any(|dim| dim.is_partial() && dim.along_lists().is_none()) {
        return None;
    }
    // All ranks of the arrangement. Some have no part of the target if the target lies at one index of a distributed
    // axis.
    let all: Vec<Rank> = now.grid().ranks().collect();
    let answer = relabel(problem, element as u64, &all);
    let mut next = answer.successors(&problem.to);
    // A rank that loses its place gets the old place of a rank that moves into the target's grid from outside, so that
    // each rank of the arrangement has one place.
    let taken: HashSet<Rank> = next.values().copied().collect();
    let mut left = all.iter().filter(|rank| next.contains_key(rank) && !taken.contains(rank)).copied();
    let new: Vec<Rank> =
        all.iter().filter(|rank| !next.contains_key(rank) && taken.contains(rank)).copied().collect();
    let freed: Vec<(Rank, Rank)> = new.into_iter().zip(&mut left).collect();
    next.extend(freed);
    let moved = now.translated(|rank| Some(next.get(&Rank(rank)).map_or(rank, |next| next.0)))?;
    (moved != *now).then_some(moved)
}
