//! Tests the comparison of maps by the Rust interface. `mpirun -n RANKS same`.

use reblock::arrays::{Failure, Map};
use reblock::mpi::Comm;
use std::ffi::{c_char, c_int};

fn run(comm: &Comm) -> Result<(), Failure> {
    let rows = Map::from_text(comm, &[9, 7], "(BLOCK, *)")?;
    let columns = Map::from_text(comm, &[9, 7], "(*, CYCLIC(2))")?;
    // On one process, both maps have all elements.
    let alike = comm.size().expect("MPI runs") == 1;
    assert!(rows.is_same(&rows)? && rows.is_same(&columns)? == alike && (rows.key()? == columns.key()?) == alike);
    Ok(())
}

unsafe extern "C" {
    fn MPI_Init(argc: *mut c_int, argv: *mut *mut *mut c_char) -> c_int;
    fn MPI_Finalize() -> c_int;
}

fn main() {
    // SAFETY: MPI's first call, with no arguments.
    unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()) };
    if let Err(failure) = run(&Comm::world()) {
        eprintln!("same: {failure}");
        reblock::mpi::abort();
    }
    // SAFETY: MPI's last call; all objects are gone.
    unsafe { MPI_Finalize() };
}
