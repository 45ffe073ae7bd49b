//! Cache of process grids: the ranks of the enclosing communicator that form a context's grid. Asking MPI takes time
//! in proportion to the grid and makes groups, so the context's communicator keeps one answer for each session.

use crate::layout::distribution::Grid;
use crate::mpi::{Attribute, Comm, MpiError};
use std::sync::{Mutex, PoisonError};

/// Pairs of a session's number and the grid in its ranks, most recently used first.
type Answers = Mutex<Vec<(u64, Grid)>>;

static ANSWERS: Attribute<Answers> = Attribute::new();

/// Maximum number of answers kept with a communicator: one for each enclosing context.
const MAX_ANSWERS: usize = 64;

/// Returns the grid of shape `extents` on the context's communicator `comm`, in ranks of `enclosing`, the
/// communicator of session `session`. `None` if one of its processes is not in `enclosing`. Local.
pub fn grid_of(
    comm: &Comm,
    extents: &[u32],
    enclosing: &Comm,
    session: u64,
) -> Result<Option<Grid>, MpiError> {
    if let Some(grid) = ANSWERS.with(comm, |answers| find(answers, session))?.flatten() {
        return Ok(Some(grid));
    }
    let ranks = comm.ranks_in(enclosing)?.into_iter().collect::<Option<Vec<u32>>>();
    let grid = ranks.and_then(|ranks| Grid::from_ranks(extents, &ranks));
    if let Some(grid) = &grid {
        let answers = ANSWERS.get_or_make(comm, || Mutex::new(Vec::new()))?;
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.truncate(MAX_ANSWERS - 1);
        answers.insert(0, (session, grid.clone()));
    }
    Ok(grid)
}

fn find(answers: &Answers, session: u64) -> Option<Grid> {
    let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
    let at = answers.iter().position(|(asked, _)| *asked == session)?;
    if at > 0 {
        answers[..=at].rotate_right(1);
    }
    Some(answers[0].1.clone())
}
