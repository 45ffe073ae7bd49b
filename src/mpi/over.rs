//! State of MPI: after MPI_Finalize, reblock must not free MPI's objects or call other functions of MPI.

use mpi_sys::MPI_Finalized;

/// Returns whether MPI_Finalize has returned. If MPI cannot answer, returns false: the caller goes on, because other
/// ranks may wait for its messages.
pub fn finalized() -> bool {
    let mut over = 0;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
