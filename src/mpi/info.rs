//! WHAT has a program to tell MPI about how it should do something? Keys and values in a copy of the program's MPI_Info. It knows a
//! handle; it never knows the keys.

use super::error::{MpiError, check};
use mpi_sys::*;

/// Keys and values for MPI, which this value owns.
pub struct Info(MPI_Info);

// SAFETY: a handle may be used by any thread; a value is used by one at a time.
unsafe impl Send for Info {}

fn null() -> MPI_Info {
    // SAFETY: a constant of mpi-sys.
    unsafe { RSMPI_INFO_NULL }
}

impl Info {
    /// MPI_INFO_NULL.
    pub fn none() -> Self {
        Self(null())
    }

    /// A copy of what `handle` has.
    ///
    /// # Safety
    /// `handle` is that of an info, or MPI_INFO_NULL.
    pub unsafe fn copy_of(handle: MPI_Info) -> Result<Self, MpiError> {
        let mut copy = Self::none();
        if handle != null() {
            // SAFETY: the handle is that of an info, by this fn's contract; `copy` outlives the call.
            check("MPI_Info_dup", unsafe { MPI_Info_dup(handle, &mut copy.0) })?;
        }
        Ok(copy)
    }

    /// The same of a handle in Fortran.
    ///
    /// # Safety
    /// As for [`Info::copy_of`].
    pub unsafe fn copy_of_fortran(handle: i32) -> Result<Self, MpiError> {
        // SAFETY: the handle is that of an info or MPI_INFO_NULL, by this fn's contract.
        unsafe { Self::copy_of(RSMPI_Info_f2c(handle)) }
    }

    pub(super) fn handle(&self) -> MPI_Info {
        self.0
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        if self.0 != null() && !super::over::finalized() {
            // SAFETY: the info is this value's own.
            unsafe { MPI_Info_free(&mut self.0) };
        }
    }
}
