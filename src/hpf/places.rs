//! TO WHICH ranks do the target's places go, if the program leaves that open?

use crate::layout::Rank;
use crate::mapping::Arrangement;
use crate::problem::Problem;
use crate::relabel::relabel;

/// The arrangement of the target with which most data stays where it is, of elements of `element` bytes; `None` if that is
/// `now`, or if nobody knows how much processes share.
pub fn relabelled(problem: &Problem, element: usize, now: &Arrangement) -> Option<Arrangement> {
    if problem.dims.iter().any(|dim| dim.is_partial() && dim.along_lists().is_none()) {
        return None;
    }
    let answer = relabel(problem, element as u64, &[]);
    let next = answer.successors(&problem.to);
    let moved = now.translated(|rank| Some(next.get(&Rank(rank)).map_or(rank, |next| next.0)))?;
    (moved != *now).then_some(moved)
}
