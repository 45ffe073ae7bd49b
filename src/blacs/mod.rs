//! WHICH processes does a BLACS context stand for? The two BLACS functions that reblock needs, those of the host
//! program, found at run time: reblock itself is linked with no BLACS.
//!
//! Context numbers are the host's: they differ from rank to rank and are used again after `gridexit`, so nothing is
//! ever remembered under one.
#![allow(unsafe_code)]

mod find;

use crate::mpi::Comm;
use find::{Get, GridInfo};
use std::sync::OnceLock;

/// The host's integers: 32 bits, or 64 in the ILP64 build.
#[cfg(not(feature = "ilp64"))]
pub type Int = i32;
/// The host's integers: 32 bits, or 64 in the ILP64 build.
#[cfg(feature = "ilp64")]
pub type Int = i64;

/// The host's BLACS.
pub struct Blacs {
    gridinfo: GridInfo,
    get: Get,
}

/// A process grid, as a member of it sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Process rows of the grid.
    pub rows: u32,
    /// Process columns of the grid.
    pub cols: u32,
    /// The calling process's place: row and column.
    pub at: [u32; 2],
}

impl Blacs {
    /// The BLACS of this process, found once; an error text if there is none (it may yet be loaded).
    pub fn of_host() -> Result<&'static Self, String> {
        static FOUND: OnceLock<Blacs> = OnceLock::new();
        if let Some(blacs) = FOUND.get() {
            return Ok(blacs);
        }
        let blacs = find::find()?;
        Ok(FOUND.get_or_init(|| blacs))
    }

    /// The grid of `context` and the calling process's place in it; `None` if the context is no grid or the process
    /// is not in it.
    pub fn place(&self, context: Int) -> Option<Place> {
        let (mut rows, mut cols, mut row, mut col) = (-1, -1, -1, -1);
        // SAFETY: the signature is that of BLACS_GRIDINFO with integers of the build's width; all arguments outlive it.
        unsafe { (self.gridinfo)(&context, &mut rows, &mut cols, &mut row, &mut col) };
        let count = |n: Int| u32::try_from(n).ok();
        let at = [count(row)?, count(col)?];
        let (rows, cols) = (count(rows)?, count(cols)?);
        (at[0] < rows && at[1] < cols).then_some(Place { rows, cols, at })
    }

    /// The communicator of a context that [`Blacs::place`] found. Its rank `row * cols + col` is the process at
    /// (row, col), in whatever order the grid was made.
    pub fn communicator(&self, context: Int) -> Option<Comm> {
        /// `what` of BLACS_GET: the communicator, as the Fortran routine returns it; that registers nothing, where
        /// the C routine would add a system handle at every call.
        const COMMUNICATOR: Int = 10;
        let mut handle: Int = 0;
        // SAFETY: the signature is that of BLACS_GET; all arguments outlive the call.
        unsafe { (self.get)(&context, &COMMUNICATOR, &mut handle) };
        // An MPI_Fint is 32 bits wide in both families, also where the host's integers are not.
        #[allow(clippy::useless_conversion, clippy::unnecessary_fallible_conversions)]
        i32::try_from(handle).ok().map(Comm::from_fortran).filter(|comm| !comm.is_null())
    }
}

/// An integer of the host's in the width that reblock reckons in.
#[allow(clippy::useless_conversion)]
pub fn wide(n: Int) -> i64 {
    i64::from(n)
}
