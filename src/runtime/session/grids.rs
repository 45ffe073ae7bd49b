//! Cache of process grids: the ranks of a BLACS context's processes in an enclosing communicator. MPI's translation
//! takes time proportional to the grid, so the context's communicator keeps the result for each session.

use crate::layout::distribution::Grid;
use crate::mpi::{Attribute, Comm, MpiError};
use std::sync::{Mutex, PoisonError};

/// Numbers of sessions, each with the grid in its ranks; most recently used first.
type KeptGrids = Mutex<Vec<(u64, Grid)>>;

static KEPT_GRIDS: Attribute<KeptGrids> = Attribute::new();

/// Maximum number of grids kept with a communicator; the least recently used is dropped.
const MAX_KEPT_GRIDS: usize = 64;

/// Returns the grid of shape `extents` formed by the ranks of `comm`, a context's communicator, in ranks of
/// `enclosing`, the communicator of `session`. `None` if a process of `comm` is not in `enclosing`. Local.
pub fn grid_of(
    comm: &Comm,
    extents: &[u32],
    enclosing: &Comm,
    session: u64,
) -> Result<Option<Grid>, MpiError> {
    if let Some(grid) = KEPT_GRIDS.with(comm, |entries| find(entries, session))?.flatten() {
        return Ok(Some(grid));
    }
    let grid = comm.all_ranks_in(enclosing)?.and_then(|ranks| Grid::from_ranks(extents, &ranks));
    if let Some(grid) = &grid {
        let entries = KEPT_GRIDS.get_or_make(comm, || Mutex::new(Vec::new()))?;
        let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.truncate(MAX_KEPT_GRIDS - 1);
        entries.insert(0, (session, grid.clone()));
    }
    Ok(grid)
}

/// Returns the kept grid of `session`, and moves it to the front.
fn find(entries: &KeptGrids, session: u64) -> Option<Grid> {
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let at = entries.iter().position(|(number, _)| *number == session)?;
    if at > 0 {
        entries[..=at].rotate_right(1);
    }
    Some(entries[0].1.clone())
}
