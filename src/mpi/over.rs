//! IS MPI finalized? Then nothing of MPI may be freed or called any more.

use mpi_sys::MPI_Finalized;

/// Whether MPI_Finalize has returned.
pub fn finalized() -> bool {
    let mut over = 1;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
