//! State of MPI: after MPI_Finalize, reblock must not call MPI, not even to free objects.

use mpi_sys::MPI_Finalized;

/// Returns whether MPI_Finalize has returned; false if MPI does not say, since other ranks may wait for messages.
pub fn finalized() -> bool {
    let mut over = 0;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
