//! error[E0505]: a duplicate is freed, and its communicator used.
use reblock::mpi::{Duplicate, MpiError};

pub fn used(own: Duplicate) -> Result<u32, MpiError> {
    let comm = own.comm();
    drop(own);
    comm.rank()
}
