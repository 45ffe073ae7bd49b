//! Hints for MPI: a copy of the program's MPI_Info, or hints for spawning processes on a node.

use super::error::{MpiError, check};
use mpi_sys::*;
use std::ffi::CString;

/// An MPI_Info that this value owns.
pub struct Info(MPI_Info);

// SAFETY: a handle may be used by any thread; a value is used by one at a time.
unsafe impl Send for Info {}

fn null() -> MPI_Info {
    // SAFETY: a constant of mpi-sys.
    unsafe { RSMPI_INFO_NULL }
}

impl Info {
    /// Returns MPI_INFO_NULL, without any hints.
    pub fn none() -> Self {
        Self(null())
    }

    /// Copies `handle`.
    ///
    /// # Safety
    /// `handle` is a valid info handle or MPI_INFO_NULL.
    pub unsafe fn copy_of(handle: MPI_Info) -> Result<Self, MpiError> {
        let mut copy = null();
        if handle != null() {
            // SAFETY: the handle is valid by this fn's contract; `copy` outlives the call.
            check("MPI_Info_dup", unsafe { MPI_Info_dup(handle, &mut copy) })?;
        }
        Ok(Self(copy))
    }

    /// Copies the info with the Fortran handle `handle`.
    ///
    /// # Safety
    /// As for [`Info::copy_of`].
    pub unsafe fn copy_of_fortran(handle: i32) -> Result<Self, MpiError> {
        // SAFETY: the handle is valid or MPI_INFO_NULL by this fn's contract.
        unsafe { Self::copy_of(RSMPI_Info_f2c(handle)) }
    }

    /// Returns hints to spawn processes on `node`, which has `ranks` slots for them. Open MPI needs `add-host` for a
    /// node that the job does not use yet.
    pub fn on(node: &str, ranks: u32) -> Result<Self, MpiError> {
        let value = format!("{node}:{ranks}");
        let refused = |_| MpiError { call: "MPI_Info_set", text: "the node's name has a zero byte".into() };
        let value = CString::new(value).map_err(refused)?;
        let mut created = null();
        // SAFETY: `created` outlives the call.
        check("MPI_Info_create", unsafe { MPI_Info_create(&mut created) })?;
        let info = Self(created);
        for key in [c"host", c"add-host"] {
            // SAFETY: the info is this value's own; key and value are C strings.
            check("MPI_Info_set", unsafe { MPI_Info_set(info.0, key.as_ptr(), value.as_ptr()) })?;
        }
        Ok(info)
    }

    pub(super) fn handle(&self) -> MPI_Info {
        self.0
    }
}

impl Drop for Info {
    fn drop(&mut self) {
        if self.0 != null() && !super::finalized::finalized() {
            // SAFETY: the info is this value's own.
            unsafe { MPI_Info_free(&mut self.0) };
        }
    }
}
