//! Communicators: handles of the host program's communicators, and duplicates that reblock owns.

use super::count;
use super::error::{MpiError, check};
use super::int;
use super::retry::retry;
use mpi_sys::*;
use std::marker::PhantomData;

/// A communicator handle as in MPI's C functions.
pub type Handle = MPI_Comm;

/// A communicator that is not freed during `'c`: the host program's, or that of a [`Duplicate`]. Copying the handle
/// does not copy the communicator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comm<'c>(pub(super) MPI_Comm, PhantomData<&'c ()>);

// SAFETY: a handle is a number or an address that MPI looks up. The host's thread level decides which threads may use
// it: reblock calls MPI from the thread that called reblock, and from its progress thread under MPI_THREAD_MULTIPLE.
unsafe impl Send for Comm<'_> {}
// SAFETY: as for Send.
unsafe impl Sync for Comm<'_> {}

impl Comm<'_> {
    /// Returns `MPI_COMM_WORLD`, which has all initial processes.
    pub fn world() -> Self {
        // SAFETY: a constant of mpi-sys, set when the library was loaded.
        Self::from_raw(unsafe { RSMPI_COMM_WORLD })
    }

    /// Returns `MPI_COMM_SELF`, which has only the calling process.
    pub fn own() -> Self {
        // SAFETY: a constant of mpi-sys, set when the library was loaded.
        Self::from_raw(unsafe { RSMPI_COMM_SELF })
    }

    /// Converts the Fortran handle `handle`. Registers nothing, so there is nothing to free.
    ///
    /// # Safety
    /// As for [`Comm::from_handle`].
    pub unsafe fn from_fortran(handle: i32) -> Self {
        // SAFETY: by this fn's contract, MPI accepts the number as a handle.
        Self::from_raw(unsafe { RSMPI_Comm_f2c(handle) })
    }

    /// Returns whether this is `MPI_COMM_NULL`.
    pub fn is_null(&self) -> bool {
        // SAFETY: a constant of mpi-sys.
        self.0 == unsafe { RSMPI_COMM_NULL }
    }

    /// Returns whether this is an intercommunicator, whose messages go between two groups of processes.
    pub fn is_intercommunicator(&self) -> Result<bool, MpiError> {
        let mut flag = 0;
        // SAFETY: `flag` outlives the call.
        retry(|| check("MPI_Comm_test_inter", unsafe { MPI_Comm_test_inter(self.0, &mut flag) }))?;
        Ok(flag != 0)
    }

    /// Returns the calling process's rank.
    pub fn rank(&self) -> Result<u32, MpiError> {
        let mut rank = 0;
        // SAFETY: `rank` outlives the call.
        check("MPI_Comm_rank", unsafe { MPI_Comm_rank(self.0, &mut rank) })?;
        Ok(u32::try_from(rank).expect("ranks are not negative"))
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> Result<u32, MpiError> {
        let mut size = 0;
        // SAFETY: `size` outlives the call.
        check("MPI_Comm_size", unsafe { MPI_Comm_size(self.0, &mut size) })?;
        Ok(u32::try_from(size).expect("sizes are not negative"))
    }

    /// Lets MPI progress this process's operations. Receives no message.
    pub fn progress(&self) -> Result<(), MpiError> {
        /// Tag of failure messages. They are sent on other communicators only, so MPI_Iprobe finds none. If it found
        /// one, it would return without progressing anything.
        const TAG: std::ffi::c_int = 3;
        let mut found = 0;
        // SAFETY: `found` outlives the call; no status is asked for.
        check("MPI_Iprobe", unsafe {
            MPI_Iprobe(RSMPI_ANY_SOURCE, TAG, self.0, &mut found, RSMPI_STATUS_IGNORE)
        })
    }

    /// Returns whether a message from rank `from` with tag `tag` has arrived and not been received. Only for reblock's
    /// own communicators.
    pub fn has_message(&self, from: u32, tag: i32) -> Result<bool, MpiError> {
        let mut found = 0;
        // SAFETY: `found` outlives the call; no status is asked for.
        check("MPI_Iprobe", unsafe {
            MPI_Iprobe(int(from as usize), tag, self.0, &mut found, RSMPI_STATUS_IGNORE)
        })?;
        Ok(found != 0)
    }

    /// Wraps a handle: a [`Handle`], or that of another binding of the same MPI, such as rsmpi's `world.as_raw().0`.
    ///
    /// # Safety
    /// The handle is that of a communicator. The communicator is not freed while this value, or a value created from
    /// it, is in use. The handle may be `MPI_COMM_NULL` if only [`Comm::is_null`] is called.
    pub unsafe fn from_handle(handle: impl Into<Handle>) -> Self {
        Self::from_raw(handle.into())
    }

    pub(super) fn from_raw(handle: Handle) -> Self {
        Self(handle, PhantomData)
    }

    /// Removes the lifetime, for values that the communicator outlives, and for owners of the duplicate.
    pub(crate) fn without_lifetime(self) -> Comm<'static> {
        Comm(self.0, PhantomData)
    }
}

/// A duplicate of a program's communicator, freed on drop. Its messages are separate, and errors on it are codes.
#[derive(Debug)]
pub struct Duplicate(pub(super) Comm<'static>);

impl Duplicate {
    /// Duplicates `comm`. Collective over `comm`.
    pub fn of(comm: &Comm) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut own = unsafe { RSMPI_COMM_NULL };
        // SAFETY: `own` outlives the call.
        retry(|| check("MPI_Comm_dup", unsafe { MPI_Comm_dup(comm.0, &mut own) }))?;
        Self::with_errors_returned(own)
    }

    /// Leaks the communicator with its pending operations, so that MPI never reuses its identity.
    pub fn keep(self) {
        std::mem::forget(self);
    }

    pub(super) fn with_errors_returned(own: MPI_Comm) -> Result<Self, MpiError> {
        let own = Self(Comm::from_raw(own));
        count::add();
        return_errors(&own.0)?;
        Ok(own)
    }

    /// Returns the communicator, borrowed from this owner.
    pub fn comm(&self) -> Comm<'_> {
        self.0
    }
}

impl Drop for Duplicate {
    /// Frees the communicator, on all ranks together. Does nothing after MPI_Finalize.
    fn drop(&mut self) {
        let mut over = 1;
        // SAFETY: MPI_Finalized may be called at any time; the communicator is freed once.
        unsafe {
            MPI_Finalized(&mut over);
            if over == 0 {
                MPI_Comm_free(&mut self.0.0);
                count::drop_one();
            }
        }
    }
}

/// Makes MPI return errors on `comm` as codes.
pub(super) fn return_errors(comm: &Comm) -> Result<(), MpiError> {
    // SAFETY: the handler is a constant of mpi-sys.
    check("MPI_Comm_set_errhandler", unsafe { MPI_Comm_set_errhandler(comm.0, RSMPI_ERRORS_RETURN) })
}
