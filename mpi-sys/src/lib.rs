//! Declarations of the part of MPI that reblock uses: handles, constants and functions. Their types are those of Open
//! MPI, of MPICH and the MPIs with its ABI, or of the standard ABI.
//!
//! `interface.h` lists the declarations, and MPI's own compiler compares them with `mpi.h` (`shim.c`). So no libclang
//! is needed, and the build fails for an MPI with another ABI. A program may also use rsmpi and its crate `mpi-sys`:
//! names of packages and symbols differ.
#![allow(non_camel_case_types, unsafe_code)]

use std::ffi::{c_char, c_int, c_void};

/// A handle in C: an opaque pointer, or a number.
#[cfg(not(mpi = "mpich"))]
type Opaque = *mut c_void;
#[cfg(mpi = "mpich")]
type Opaque = c_int;

macro_rules! handles {
    ($($name:ident)*) => {
        $(#[repr(transparent)]
        #[derive(Clone, Copy, PartialEq, Debug)]
        pub struct $name(pub Opaque);)*
    };
}
/// Converts the handle of another binding, such as rsmpi's `as_raw().0`.
#[cfg(mpi = "mpich")]
impl From<c_int> for MPI_Comm {
    fn from(handle: c_int) -> Self {
        Self(handle)
    }
}
/// Converts the handle of another binding, such as rsmpi's `as_raw().0`.
#[cfg(not(mpi = "mpich"))]
impl<T> From<*mut T> for MPI_Comm {
    fn from(handle: *mut T) -> Self {
        Self(handle.cast())
    }
}

handles! { MPI_Comm MPI_Datatype MPI_Errhandler MPI_Group MPI_Info MPI_Op MPI_Request }

/// `MPI_File`, a pointer in every MPI.
pub type MPI_File = *mut c_void;
pub type MPI_Offset = i64;
pub type RSMPI_Fint = i32;

/// Source and tag of a received message; the other fields are MPI's own.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(non_snake_case)]
pub struct MPI_Status {
    #[cfg(mpi = "mpich")]
    count: [c_int; 2],
    pub MPI_SOURCE: c_int,
    pub MPI_TAG: c_int,
    /// Error code, set only by calls that complete several requests.
    pub MPI_ERROR: c_int,
    #[cfg(mpi = "openmpi")]
    cancelled: c_int,
    #[cfg(mpi = "openmpi")]
    count: usize,
    #[cfg(mpi = "abi")]
    internal: [c_int; 5],
}

/// Callback that copies an attribute to a duplicate of its communicator.
pub type MPI_Comm_copy_attr_function =
    Option<unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void, *mut c_void, *mut c_int) -> c_int>;
/// Callback that deletes an attribute.
pub type MPI_Comm_delete_attr_function =
    Option<unsafe extern "C" fn(MPI_Comm, c_int, *mut c_void, *mut c_void) -> c_int>;

unsafe extern "C" {
    #[link_name = "reblock_mpi_Comm_c2f"]
    pub fn RSMPI_Comm_c2f(comm: MPI_Comm) -> RSMPI_Fint;
    #[link_name = "reblock_mpi_Comm_f2c"]
    pub fn RSMPI_Comm_f2c(comm: RSMPI_Fint) -> MPI_Comm;
    #[link_name = "reblock_mpi_Info_f2c"]
    pub fn RSMPI_Info_f2c(info: RSMPI_Fint) -> MPI_Info;
}

include!(concat!(env!("OUT_DIR"), "/interface.rs"));
