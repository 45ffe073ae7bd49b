//! Thread level of the MPI library.

use super::error::{MpiError, check};
use mpi_sys::{MPI_Query_thread, MPI_THREAD_MULTIPLE};

/// Returns whether several threads may call MPI at the same time (MPI_THREAD_MULTIPLE).
pub fn threads_overlap() -> Result<bool, MpiError> {
    let mut level = 0;
    // SAFETY: `level` outlives the call.
    check("MPI_Query_thread", unsafe { MPI_Query_thread(&mut level) })?;
    Ok(i64::from(level) == i64::from(MPI_THREAD_MULTIPLE))
}
