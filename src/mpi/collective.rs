//! The two collectives that reblock needs, nonblocking so that the caller decides how to wait.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use mpi_sys::*;

/// Numbers that MPI works on until a request completes.
struct Pending<T> {
    numbers: Vec<T>,
    request: MPI_Request,
}

impl<T> Pending<T> {
    fn new(numbers: Vec<T>) -> Self {
        // SAFETY: a constant of mpi-sys.
        Self { numbers, request: unsafe { RSMPI_REQUEST_NULL } }
    }

    /// The numbers, once MPI has finished with them.
    fn test(&mut self) -> Result<Option<Vec<T>>, MpiError> {
        let mut done = 0;
        // SAFETY: the request is this struct's own; no status is asked for.
        check("MPI_Test", unsafe { MPI_Test(&mut self.request, &mut done, RSMPI_STATUS_IGNORE) })?;
        Ok((done != 0).then(|| std::mem::take(&mut self.numbers)))
    }
}

impl<T> Drop for Pending<T> {
    /// What MPI still uses is leaked: that happens only where an error ends the job.
    fn drop(&mut self) {
        // SAFETY: a constant of mpi-sys.
        if self.request != unsafe { RSMPI_REQUEST_NULL } {
            std::mem::forget(std::mem::take(&mut self.numbers));
        }
    }
}

/// The smallest of each number over all ranks.
pub struct MinReduction(Pending<i64>);

impl MinReduction {
    /// Collective over `comm`: all ranks give as many numbers.
    pub fn start(comm: Comm, numbers: Vec<i64>) -> Result<Self, MpiError> {
        let mut pending = Pending::new(numbers);
        let (buffer, count) = (pending.numbers.as_mut_ptr(), int(pending.numbers.len()));
        // SAFETY: the buffer is neither touched nor freed before the request completes. MPI_IN_PLACE comes from the
        // shim, as bindings cannot express it.
        check("MPI_Iallreduce", unsafe {
            MPI_Iallreduce(
                reblock_mpi_in_place(),
                buffer.cast(),
                count,
                RSMPI_INT64_T,
                RSMPI_MIN,
                comm.0,
                &mut pending.request,
            )
        })?;
        Ok(Self(pending))
    }

    /// The result, once there is one; asked for until then.
    pub fn test(&mut self) -> Result<Option<Vec<i64>>, MpiError> {
        self.0.test()
    }
}

/// Numbers of one rank, told to all.
pub struct Broadcast(Pending<u32>);

impl Broadcast {
    /// Collective over `comm`: all ranks give as many numbers; those of `root` count.
    pub fn start(comm: Comm, root: u32, numbers: Vec<u32>) -> Result<Self, MpiError> {
        let mut pending = Pending::new(numbers);
        let (buffer, count) = (pending.numbers.as_mut_ptr(), int(pending.numbers.len()));
        let root = int(root as usize);
        // SAFETY: as in `MinReduction::start`.
        check("MPI_Ibcast", unsafe {
            MPI_Ibcast(buffer.cast(), count, RSMPI_UINT32_T, root, comm.0, &mut pending.request)
        })?;
        Ok(Self(pending))
    }

    /// The numbers, once they are there; asked for until then.
    pub fn test(&mut self) -> Result<Option<Vec<u32>>, MpiError> {
        self.0.test()
    }
}

unsafe extern "C" {
    /// MPI_IN_PLACE, of src/shim.c.
    fn reblock_mpi_in_place() -> *mut std::ffi::c_void;
}
