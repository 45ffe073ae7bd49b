//! Sessions that outlive their BLACS contexts: programs make a grid, use it once or twice, and make the next one of the
//! same processes. Duplicate, shared memory and plans are then ready.
//!
//! All ranks decide together, when a session is made, whether to keep it until MPI ends. So a rank needs no message to
//! see that all ranks of a kept session have it.

use super::Session;
use crate::mpi::{Attribute, Comm, finalized};
use crate::transport::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of kept sessions, each of which may hold shared memory: that of all processes and that of a subset.
const MAX_KEPT: usize = 2;

static KEPT: Mutex<Vec<Arc<Session>>> = Mutex::new(Vec::new());
static AT_FINALIZE: Attribute<SessionReleaser> = Attribute::new();

/// Attribute of MPI_COMM_SELF whose destructor releases the kept sessions.
struct SessionReleaser;

/// Returns whether this process may keep another session. Local. Only sessions whose ranks are all in `MPI_COMM_WORLD`
/// may be kept: other processes may end earlier, and MPI requires that their communicators are freed before.
pub fn has_room() -> bool {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).len() < MAX_KEPT
}

/// Keeps `session` until MPI ends.
pub fn keep(session: &Arc<Session>) -> Result<(), Error> {
    // MPI_Finalize begins by deleting the attributes of MPI_COMM_SELF.
    AT_FINALIZE.get_or_make(&Comm::own(), || SessionReleaser)?;
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if !kept.iter().any(|known| Arc::ptr_eq(known, session)) {
        kept.push(session.clone());
    }
    Ok(())
}

impl Drop for SessionReleaser {
    fn drop(&mut self) {
        if !finalized() {
            release_kept();
        }
    }
}

pub fn release_kept() {
    let kept = std::mem::take(&mut *KEPT.lock().unwrap_or_else(PoisonError::into_inner));
    drop(kept);
}
