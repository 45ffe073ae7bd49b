//! Nonblocking MPI calls, and ownership of their buffers until they complete.

use super::error::{MpiError, check};
use mpi_sys::*;
use std::ffi::c_int;

/// A call under way, and the buffers that MPI uses until it completes. They are on the heap, so a `Pending` may move.
pub(super) struct Pending<B> {
    request: MPI_Request,
    /// `None` once the call is complete and the buffers are returned.
    buffers: Option<B>,
}

impl<B> Pending<B> {
    /// Starts the call `begin` of the MPI function `name`. `begin` must give MPI only memory that `buffers` owns on the
    /// heap, in a `Vec` or a `Box`.
    pub fn start(
        name: &'static str,
        mut buffers: B,
        begin: impl FnOnce(&mut B, &mut MPI_Request) -> c_int,
    ) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        let code = begin(&mut buffers, &mut request);
        // From here on, dropping `this` leaks the buffers if MPI may still use them.
        let this = Self { request, buffers: Some(buffers) };
        check(name, code).map(|()| this)
    }

    /// Returns the buffers once the call is complete.
    pub fn test(&mut self) -> Result<Option<B>, MpiError> {
        let mut done = 0;
        // SAFETY: the request is this struct's own; no status is asked for.
        check("MPI_Test", unsafe { MPI_Test(&mut self.request, &mut done, RSMPI_STATUS_IGNORE) })?;
        Ok(if done == 0 { None } else { self.buffers.take() })
    }
}

impl<B> Drop for Pending<B> {
    /// Leaks buffers that MPI may still use: only after an error, or if `TaggedMessages` are dropped unsent.
    fn drop(&mut self) {
        // SAFETY: a constant of mpi-sys.
        if self.request != unsafe { RSMPI_REQUEST_NULL } {
            std::mem::forget(self.buffers.take());
        }
    }
}
