//! The one collective that reblock needs, nonblocking so that the caller decides how to wait.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use mpi_sys::*;

/// Numbers of one rank, told to all.
pub struct Broadcast {
    numbers: Vec<u32>,
    request: MPI_Request,
}

impl Broadcast {
    /// Collective over `comm`: all ranks give as many numbers; those of `root` count.
    pub fn start(comm: Comm, root: u32, numbers: Vec<u32>) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut this = Self { numbers, request: unsafe { RSMPI_REQUEST_NULL } };
        let (buffer, count, root) = (this.numbers.as_mut_ptr(), int(this.numbers.len()), int(root as usize));
        // SAFETY: the buffer is neither touched nor freed before the request completes.
        check("MPI_Ibcast", unsafe {
            MPI_Ibcast(buffer.cast(), count, RSMPI_UINT32_T, root, comm.0, &mut this.request)
        })?;
        Ok(this)
    }

    /// The numbers, once they are there; asked for until then.
    pub fn test(&mut self) -> Result<Option<Vec<u32>>, MpiError> {
        let mut done = 0;
        // SAFETY: the request is this struct's own; no status is asked for.
        check("MPI_Test", unsafe { MPI_Test(&mut self.request, &mut done, RSMPI_STATUS_IGNORE) })?;
        Ok((done != 0).then(|| std::mem::take(&mut self.numbers)))
    }
}

impl Drop for Broadcast {
    /// What MPI still uses is leaked: that happens only where an error ends the job.
    fn drop(&mut self) {
        // SAFETY: a constant of mpi-sys.
        if self.request != unsafe { RSMPI_REQUEST_NULL } {
            std::mem::forget(std::mem::take(&mut self.numbers));
        }
    }
}
