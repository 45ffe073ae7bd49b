//! A thin safe layer over `mpi-sys`: only the calls that reblock makes. Each return code is checked, except where a value is
//! dropped and no caller can be told.
//!
//! It never initializes or finalizes MPI and changes nothing on communicators that are not its own, save attributes
//! under its own keys and, while it makes a duplicate, what happens on an error. This folder knows handles, ranks and bytes; it never knows arrays.
#![allow(unsafe_code)]

mod again;
mod all_to_all;
mod attribute;
#[cfg(feature = "mpi")]
pub(crate) mod blacs;
mod buffers;
mod collective;
mod comm;
mod count;
mod darray;
mod duplicating;
mod dynamic;
mod error;
mod file;
mod group;
mod handler;
mod info;
mod launcher;
mod letters;
mod library;
mod noted;
mod over;
mod pending;
mod requests;
mod threads;

pub(crate) use again::again;
pub(crate) use all_to_all::AllToAll;
pub(crate) use attribute::Attribute;
pub(crate) use collective::{Arrival, Broadcast, Gathering};
pub use comm::{Comm, Duplicate, Handle};
pub(crate) use count::made;
pub(crate) use darray::Darray;
pub(crate) use duplicating::Duplicating;
pub(crate) use dynamic::{Command, Started, joined, spawn};
pub use error::MpiError;
pub(crate) use file::{Access, File};
pub(crate) use group::Group;
pub use info::Info;
pub(crate) use letters::Letters;
pub use library::abort;
pub(crate) use library::{check_library, end_process, foreign, is_inherited, name, world_rank};
pub(crate) use noted::Noted;
pub(crate) use over::finalized;
pub(crate) use requests::Requests;
pub(crate) use threads::threads_overlap;

/// `usize` and MPI's `int` meet here only; what reblock counts at this border is far below 2³¹.
fn int(n: usize) -> std::ffi::c_int {
    std::ffi::c_int::try_from(n).expect("a count for MPI fits in an int")
}
