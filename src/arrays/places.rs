//! Relabelling: assigns the target's places to ranks so that most data stays on its rank.

use crate::layout::distribution::Rank;
use crate::layout::mapping::Arrangement;
use crate::layout::problem::Problem;
use crate::plan::relabel::relabel;
use std::collections::HashSet;

/// Returns the target's arrangement that keeps most data on its rank, for elements of `element` bytes. `None` if that
/// is `now`, or if the ranks have not counted the elements that they share.
pub fn relabelled_arrangement(problem: &Problem, element: usize, now: &Arrangement) -> Option<Arrangement> {
    if problem.dims.iter().any(|dim| dim.is_partial() && dim.messages_along_lists().is_none()) {
        return None;
    }
    // If the target lies at one index of a distributed axis, some ranks of the arrangement have no part of it.
    let all: Vec<Rank> = now.grid().ranks().collect();
    let answer = relabel(problem, element as u64, &all);
    let mut next = answer.successors(&problem.to);
    // A rank that loses its place gets that of a rank that enters the target's grid, so that each rank of the
    // arrangement has one place.
    let taken: HashSet<Rank> = next.values().copied().collect();
    let mut left = all.iter().filter(|rank| next.contains_key(rank) && !taken.contains(rank)).copied();
    let new: Vec<Rank> =
        all.iter().filter(|rank| !next.contains_key(rank) && taken.contains(rank)).copied().collect();
    let freed: Vec<(Rank, Rank)> = new.into_iter().zip(&mut left).collect();
    next.extend(freed);
    let moved = now.translated(|rank| Some(next.get(&Rank(rank)).map_or(rank, |next| next.0)))?;
    (moved != *now).then_some(moved)
}
