//! WHICH sessions outlive their contexts? Programs make a grid, use it once or twice, and make the next one of the same processes: a
//! kept session has the duplicate, the memory of the node and the plans ready for it. Whether one is kept its ranks decide together,
//! when it is made, and then never let go of it before MPI ends: so each knows that all have it, without asking.

use super::Session;
use crate::mpi::{Attribute, Comm, MpiError, finalized};
use crate::transport::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Sessions that a process keeps: of all its program's processes, and of the part of them that it works in. Each may have memory
/// of the node.
const MOST: usize = 2;

static KEPT: Mutex<Vec<Arc<Session>>> = Mutex::new(Vec::new());
static ENDING: Attribute<Ending> = Attribute::new();

/// Lets go of them all when it is dropped.
struct Ending;

/// Whether this process may keep a session of the ranks of `comm`. Not of processes that were not there when the program began: they
/// may end before it does, which MPI lets them do only if no communicator of theirs is left. Asks no other rank.
pub fn has_room_for(comm: &Comm) -> Result<bool, MpiError> {
    let few = KEPT.lock().unwrap_or_else(PoisonError::into_inner).len() < MOST;
    Ok(few && comm.ranks_in(&Comm::world())?.iter().all(Option::is_some))
}

/// Keeps `session` until MPI ends.
pub fn keep(session: &Arc<Session>) -> Result<(), Error> {
    // When MPI_Finalize begins it deletes the attributes of MPI_COMM_SELF.
    ENDING.get_or_make(&Comm::own(), || Ending)?;
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.iter().any(|known| Arc::ptr_eq(known, session)) {
        kept.push(session.clone());
    }
    Ok(())
}

impl Drop for Ending {
    fn drop(&mut self) {
        if !finalized() {
            let_go();
        }
    }
}

/// Lets go of all of them: MPI ends.
pub fn let_go() {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    drop(kept);
}
