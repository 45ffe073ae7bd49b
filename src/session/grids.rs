//! Which ranks of the enclosing communicator make up a context's grid? Asking MPI costs time in proportion to the grid,
//! so the last answers are kept, under numbers that contexts' communicators carry as attributes.

use crate::layout::Grid;
use crate::mpi::{Attribute, Comm, MpiError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Never given twice in a process, so that a communicator freed and another one at the same address differ.
static IDENTITIES: Attribute<u64> = Attribute::new();
static NEXT: AtomicU64 = AtomicU64::new(0);

/// Answers kept.
const KEPT: usize = 16;

/// Recently asked grids, the last one first.
#[derive(Default)]
pub struct Grids(Vec<(u64, Grid)>);

impl Grids {
    /// The `rows` x `cols` grid of the context with communicator `comm`, in ranks of `enclosing`; `None` if one of its
    /// processes is not in there. Local: other ranks need not ask.
    pub fn of(
        &mut self,
        comm: &Comm,
        rows: u32,
        cols: u32,
        enclosing: &Comm,
    ) -> Result<Option<Grid>, MpiError> {
        if comm == enclosing {
            return Ok(Some(Grid::row_major(&[rows, cols])));
        }
        let identity = identity(comm)?;
        if let Some(at) = self.0.iter().position(|(id, _)| *id == identity) {
            self.0[..=at].rotate_right(1);
            return Ok(Some(self.0[0].1.clone()));
        }
        let Some(ranks) = comm.ranks_in(enclosing)?.into_iter().collect::<Option<Vec<u32>>>() else {
            return Ok(None);
        };
        let grid = Grid::from_ranks(&[rows, cols], &ranks);
        if let Some(grid) = &grid {
            self.0.truncate(KEPT - 1);
            self.0.insert(0, (identity, grid.clone()));
        }
        Ok(grid)
    }
}

fn identity(comm: &Comm) -> Result<u64, MpiError> {
    if let Some(identity) = IDENTITIES.get(comm)? {
        return Ok(*identity);
    }
    let identity = Arc::new(NEXT.fetch_add(1, Ordering::Relaxed));
    IDENTITIES.set(comm, identity.clone())?;
    Ok(*identity)
}
