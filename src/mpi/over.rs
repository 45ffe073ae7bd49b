//! Is MPI over? Then there is nothing left to free, and nobody to ask.

use mpi_sys::MPI_Finalized;

/// Whether MPI is over.
pub fn finalized() -> bool {
    let mut over = 1;
    // SAFETY: may be called at any time.
    unsafe { MPI_Finalized(&mut over) };
    over != 0
}
