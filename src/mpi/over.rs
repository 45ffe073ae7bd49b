//! State of MPI: after MPI_Finalize nothing of it may be freed or called.

use mpi_sys::MPI_Finalized;

/// Returns whether MPI_Finalize has returned; false if MPI cannot answer, because others may wait for this process.
pub fn finalized() -> bool {
    let mut over = 0;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
