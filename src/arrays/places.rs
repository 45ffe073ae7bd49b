//! TO WHICH ranks do the target's places go, if the program leaves that open?

use crate::layout::distribution::Rank;
use crate::layout::mapping::Arrangement;
use crate::layout::problem::Problem;
use crate::plan::relabel::relabel;
use std::collections::HashSet;

/// The arrangement of the target with which most data stays where it is, of elements of `element` bytes; `None` if that is
/// `now`, or if nobody knows how much processes share.
pub fn relabelled(problem: &Problem, element: usize, now: &Arrangement) -> Option<Arrangement> {
    if problem.dims.iter().any(|dim| dim.is_partial() && dim.along_lists().is_none()) {
        return None;
    }
    // Also the ranks that have no part of the target now, as it lies at one index of an axis that is dealt out.
    let places = now.grid();
    let all: Vec<Rank> = places.places().map(|at| places.rank(&at)).collect();
    let answer = relabel(problem, element as u64, &all);
    let mut next = answer.successors(&problem.to);
    // Ranks that lose their place without getting another of the target have those that others gave up for it.
    let taken: HashSet<Rank> = next.values().copied().collect();
    let mut left = all.iter().filter(|rank| next.contains_key(rank) && !taken.contains(rank)).copied();
    let new: Vec<Rank> =
        all.iter().filter(|rank| !next.contains_key(rank) && taken.contains(rank)).copied().collect();
    let freed: Vec<(Rank, Rank)> = new.into_iter().zip(&mut left).collect();
    next.extend(freed);
    let moved = now.translated(|rank| Some(next.get(&Rank(rank)).map_or(rank, |next| next.0)))?;
    (moved != *now).then_some(moved)
}
