//! A thin safe layer over `mpi-sys`, with the calls that reblock makes. Return codes are checked, except those of
//! MPI_Initialized and MPI_Finalized, and while a value is dropped.
//!
//! Nothing here initializes or finalizes MPI. On communicators that reblock does not own, it changes only attributes
//! under its own keys and, during a duplication, the error handler.
#![allow(unsafe_code)]

mod all_to_all;
mod attribute;
#[cfg(feature = "mpi")]
pub(crate) mod blacs;
mod buffers;
mod collective;
mod comm;
mod count;
mod darray;
mod device;
mod duplication;
mod dynamic;
mod error;
mod file;
mod finalized;
mod first_failure;
mod group;
mod handler;
mod info;
mod launcher;
mod library;
mod pending;
mod prediction;
mod requests;
mod retry;
mod tagged_messages;
mod threads;

pub(crate) use all_to_all::AllToAll;
pub(crate) use attribute::Attribute;
pub(crate) use collective::{Arrival, Broadcast, Gathering, MemberGathering};
pub use comm::{Comm, Duplicate, Handle};
pub(crate) use count::communicator_counts;
pub(crate) use darray::Darray;
pub(crate) use device::accepts_device_memory;
pub(crate) use duplication::Duplication;
pub(crate) use dynamic::{Command, Started, join_parent, spawn};
pub use error::MpiError;
pub(crate) use file::{Access, OpenFile};
pub(crate) use finalized::finalized;
pub(crate) use first_failure::FirstFailure;
pub(crate) use group::Group;
pub use info::Info;
pub use library::abort;
pub(crate) use library::{
    check_library, end_process, explain_unusable, initialized, is_inherited, name, world_rank,
};
pub(crate) use requests::Requests;
pub(crate) use retry::retry;
pub(crate) use tagged_messages::TaggedMessages;
pub(crate) use threads::threads_overlap;

/// Converts a count to MPI's `int`. Panics if it does not fit; reblock's counts are far below 2³¹.
fn int(n: usize) -> std::ffi::c_int {
    std::ffi::c_int::try_from(n).expect("a count for MPI fits in an int")
}
