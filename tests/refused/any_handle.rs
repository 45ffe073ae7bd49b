//! error[E0133]: safe code uses any number as a communicator.
use reblock::mpi::{Comm, Handle};

pub fn taken(handle: Handle, number: i32) -> [Comm<'static>; 2] {
    [Comm::from_handle(handle), Comm::from_fortran(number)]
}
