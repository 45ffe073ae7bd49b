//! error[E0505]: a communicator is used after its duplicate is freed.
use reblock::mpi::{Duplicate, MpiError};

pub fn used(own: Duplicate) -> Result<u32, MpiError> {
    let comm = own.comm();
    drop(own);
    comm.rank()
}
