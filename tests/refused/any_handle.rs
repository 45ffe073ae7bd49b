//! error[E0133]: any number is taken for a communicator by safe code.
use reblock::mpi::{Comm, Handle};

pub fn taken(handle: Handle, number: i32) -> [Comm<'static>; 2] {
    [Comm::from_handle(handle), Comm::from_fortran(number)]
}
