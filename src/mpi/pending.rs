//! WHEN is a call complete that MPI carries on by itself, and what must stay untouched until then?

use super::error::{MpiError, check};
use mpi_sys::*;
use std::ffi::c_int;

/// A call under way, and the buffers that MPI reads and writes meanwhile. They are on the heap, so this can be moved.
pub(super) struct Pending<B> {
    request: MPI_Request,
    /// `None` once the call is complete and they are given back.
    buffers: Option<B>,
}

impl<B> Pending<B> {
    /// Lets `begin`, which calls the MPI function `name`, start. What MPI is told to use lies in `buffers`, behind a pointer of
    /// theirs: a `Vec` or a `Box`.
    pub fn start(
        name: &'static str,
        mut buffers: B,
        begin: impl FnOnce(&mut B, &mut MPI_Request) -> c_int,
    ) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut request = unsafe { RSMPI_REQUEST_NULL };
        let code = begin(&mut buffers, &mut request);
        // From here on the buffers are leaked unless the call completes.
        let this = Self { request, buffers: Some(buffers) };
        check(name, code).map(|()| this)
    }

    /// The buffers, told once: when the call is complete.
    pub fn test(&mut self) -> Result<Option<B>, MpiError> {
        let mut done = 0;
        // SAFETY: the request is this struct's own; no status is asked for.
        check("MPI_Test", unsafe { MPI_Test(&mut self.request, &mut done, RSMPI_STATUS_IGNORE) })?;
        Ok(if done == 0 { None } else { self.buffers.take() })
    }
}

impl<B> Drop for Pending<B> {
    /// What MPI still uses is leaked: that happens only where an error ends the job.
    fn drop(&mut self) {
        // SAFETY: a constant of mpi-sys.
        if self.request != unsafe { RSMPI_REQUEST_NULL } {
            std::mem::forget(self.buffers.take());
        }
    }
}
