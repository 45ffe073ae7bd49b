//! The part of MPI that reblock uses: handles, a few constants and functions, with the types that they have in Open MPI, in MPICH and
//! the MPIs that share its ABI, and in the standard ABI.
//!
//! `interface.h` lists all of it, and MPI's own compiler compares the list with `mpi.h` (`shim.c`). So no libclang is needed, and an
//! MPI of none of these ABIs is refused when the library is built. A program may use rsmpi and its crate `mpi-sys` beside this one: names
//! of packages and symbols differ.
#![allow(non_camel_case_types, unsafe_code)]

use std::ffi::{c_char, c_int, c_void};

/// A handle in C: a pointer to something that only MPI knows, or a number.
#[cfg(not(mpi = "mpich"))]
type Opaque = *mut c_void;
#[cfg(mpi = "mpich")]
type Opaque = c_int;

macro_rules! handles {
    ($($name:ident)*) => {
        $(#[doc = concat!("`", stringify!($name), "`.")]
        #[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name(pub Opaque);)*
    };
}
/// A communicator of another binding, by MPI's own type: in rsmpi `as_raw().0`.
#[cfg(mpi = "mpich")]
impl From<c_int> for MPI_Comm {
    fn from(handle: c_int) -> Self {
        Self(handle)
    }
}
/// A communicator of another binding, by MPI's own type: in rsmpi `as_raw().0`.
#[cfg(not(mpi = "mpich"))]
impl<T> From<*mut T> for MPI_Comm {
    fn from(handle: *mut T) -> Self {
        Self(handle.cast())
    }
}

handles! { MPI_Comm MPI_Datatype MPI_Errhandler MPI_Group MPI_Info MPI_Op MPI_Request }

/// `MPI_File`, a pointer in every MPI.
pub type MPI_File = *mut c_void;
/// `MPI_Offset`.
pub type MPI_Offset = i64;
/// `MPI_Fint`.
pub type RSMPI_Fint = i32;

/// What MPI says of a message.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(non_snake_case)]
pub struct MPI_Status {
    #[cfg(mpi = "mpich")]
    count: [c_int; 2],
    /// The rank that sent it.
    pub MPI_SOURCE: c_int,
    /// Its tag.
    pub MPI_TAG: c_int,
    /// What went wrong, where a call completes several requests.
    pub MPI_ERROR: c_int,
    #[cfg(mpi = "openmpi")]
    cancelled: c_int,
    #[cfg(mpi = "openmpi")]
    count: usize,
    #[cfg(mpi = "abi")]
    internal: [c_int; 5],
}

/// Copies an attribute to a duplicate.
pub type MPI_Comm_copy_attr_function =
    Option<unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int>;
/// Deletes an attribute.
pub type MPI_Comm_delete_attr_function =
    Option<unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int>;

unsafe extern "C" {
    /// `MPI_Comm_c2f`.
    #[link_name = "reblock_mpi_Comm_c2f"]
    pub fn RSMPI_Comm_c2f(comm: MPI_Comm) -> RSMPI_Fint;
    /// `MPI_Comm_f2c`.
    #[link_name = "reblock_mpi_Comm_f2c"]
    pub fn RSMPI_Comm_f2c(comm: RSMPI_Fint) -> MPI_Comm;
    /// `MPI_Info_f2c`.
    #[link_name = "reblock_mpi_Info_f2c"]
    pub fn RSMPI_Info_f2c(info: RSMPI_Fint) -> MPI_Info;
}

include!(concat!(env!("OUT_DIR"), "/interface.rs"));
