//! A thin safe layer over `mpi-sys`: only the calls that reblock makes. Each return code is checked, except where a value is
//! dropped and no caller can be told.
//!
//! It never initializes or finalizes MPI and changes nothing on communicators that are not its own, save attributes
//! under its own keys and, while it makes a duplicate, what happens on an error. This folder knows handles, ranks and bytes; it never knows arrays.
#![allow(unsafe_code)]

mod all_to_all;
mod attribute;
mod buffers;
mod collective;
mod comm;
mod count;
mod duplicating;
mod dynamic;
mod error;
mod file;
mod handler;
mod launcher;
mod letters;
mod library;
mod noted;
mod over;
mod pending;
mod requests;
mod threads;

pub use all_to_all::AllToAll;
pub use attribute::Attribute;
pub use collective::{Arrival, Broadcast, Gathering};
pub use comm::{Comm, Duplicate, Group, Handle};
pub use count::{Count, made};
pub use duplicating::Duplicating;
pub use dynamic::{Command, Started, joined, spawn};
pub use error::MpiError;
pub use file::{Access, File};
pub use letters::Letters;
pub use library::{abort, check_library, end_process, foreign, is_inherited, name, world_rank};
pub use noted::Noted;
pub use over::finalized;
pub use requests::Requests;
pub use threads::threads_overlap;

/// `usize` and MPI's `int` meet here only; what reblock counts at this border is far below 2³¹.
fn int(n: usize) -> std::ffi::c_int {
    std::ffi::c_int::try_from(n).expect("a count for MPI fits in an int")
}
