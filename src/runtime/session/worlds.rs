//! Contexts with processes of several MPI_COMM_WORLDs; some may be without reblock.
//!
//! A process that MPI_Comm_spawn started, or that joined by MPI_Comm_connect, has reblock only if the library was
//! preloaded into it, too. `env LD_PRELOAD=... program` does not do that under Open MPI: the launcher's daemon starts
//! new processes with its own environment. A process without reblock takes part in no agreement, so the others would
//! wait for it for ever.
//!
//! Each rank of such a communicator sees by itself that it has processes of another world, and these see the same. So
//! all ranks that have reblock decide alike without a message: ScaLAPACK makes the call, on all ranks.
//!
//! There are two exceptions: `REBLOCK_SPAWNED=1` states that all processes have reblock, and a session of reblock's
//! own interface, made by all its ranks together, proves it.

use super::{Session, sessions};
use crate::mpi::{Attribute, Comm, MpiError};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use std::sync::Arc;

/// The ranks in MPI_COMM_WORLD of this world's processes, kept with a communicator that also has processes of other
/// worlds.
static SEVERAL: Attribute<Vec<u32>> = Attribute::new();

/// Returns an error if some processes of `comm` may be without reblock: on all ranks that have it, or on none.
pub(super) fn check_worlds(comm: &Comm) -> Result<(), Error> {
    if comm.size()? == 1 || Settings::of_process().map_err(Error::Host)?.spawned {
        return Ok(());
    }
    if let Some(ranks) = SEVERAL.get(comm)? {
        return Err(Error::Worlds(ranks.to_vec()));
    }
    let ranks = comm.ranks_in(&Comm::world())?;
    if ranks.iter().all(Option::is_some) || is_known(comm)? {
        return Ok(());
    }
    let here = SEVERAL.get_or_make(comm, || ranks.into_iter().flatten().collect())?;
    Err(Error::Worlds(here.to_vec()))
}

/// Returns whether `comm` has processes of several worlds. Only for the line of a rank that waits.
pub(super) fn spans_worlds(comm: &Comm) -> Result<bool, MpiError> {
    Ok(comm.ranks_in(&Comm::world())?.contains(&None))
}

/// Returns whether all processes of `comm` are in one session of reblock's own interface.
fn is_known(comm: &Comm) -> Result<bool, MpiError> {
    for session in sessions().iter().filter(|session| !session.is_of_contexts() && !session.is_broken()) {
        if comm.ranks_in(&session.comm())?.iter().all(Option::is_some) {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Session {
    /// Returns the session of the context with communicator `comm`, all of whose processes call reblock's own
    /// interface.
    pub(super) fn of_own_context(comm: &Comm) -> Result<Arc<Self>, Error> {
        match Self::of_known_context(comm)? {
            Some(session) => Ok(session),
            None => Self::of_new_context(comm),
        }
    }
}
