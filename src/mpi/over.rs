//! IS MPI finalized? Then nothing of MPI may be freed or called any more.

use mpi_sys::MPI_Finalized;

/// Whether MPI_Finalize has returned. Where MPI cannot say so, it has not: others may wait for a call of this process.
pub fn finalized() -> bool {
    let mut over = 0;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
