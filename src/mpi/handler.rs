//! Error handlers of communicators, to set on another communicator or to restore.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::finalized::finalized;
use mpi_sys::*;
use std::mem::MaybeUninit;

/// A reference to an error handler, freed on drop. Communicators keep their handlers.
pub(super) struct Handler(MPI_Errhandler);

impl Handler {
    pub fn from_comm(comm: &Comm) -> Result<Self, MpiError> {
        let mut handler = MaybeUninit::uninit();
        // SAFETY: `handler` outlives the call.
        check("MPI_Comm_get_errhandler", unsafe { MPI_Comm_get_errhandler(comm.0, handler.as_mut_ptr()) })?;
        // SAFETY: the call succeeded, so MPI has initialized `handler`.
        Ok(Self(unsafe { handler.assume_init() }))
    }

    pub fn set(&self, comm: &Comm) -> Result<(), MpiError> {
        // SAFETY: the handler is valid until it is dropped.
        check("MPI_Comm_set_errhandler", unsafe { MPI_Comm_set_errhandler(comm.0, self.0) })
    }
}

impl Drop for Handler {
    fn drop(&mut self) {
        if finalized() {
            return;
        }
        // SAFETY: the handler came from MPI_Comm_get_errhandler and is freed once. A failure only leaks it.
        unsafe { MPI_Errhandler_free(&mut self.0) };
    }
}
