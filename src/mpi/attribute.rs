//! Values that live as long as a communicator: stored as its attribute, dropped when it is freed, not copied to
//! duplicates.

use super::comm::Comm;
use super::error::{MpiError, check, success};
use mpi_sys::*;
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A key for values of type `T` on communicators.
pub struct Attribute<T> {
    key: OnceLock<Result<c_int, MpiError>>,
    value: PhantomData<fn() -> T>,
}

impl<T: Send + Sync + 'static> Default for Attribute<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: Send + Sync + 'static> Attribute<T> {
    /// Creates a key, registered with MPI at its first use.
    pub const fn new() -> Self {
        Self { key: OnceLock::new(), value: PhantomData }
    }

    fn key(&self) -> Result<c_int, MpiError> {
        let make = || {
            let mut key = 0;
            // SAFETY: the callbacks have the signatures that MPI wants and live as long as the program.
            let code = unsafe {
                MPI_Comm_create_keyval(Some(no_copy), Some(drop_value::<T>), &mut key, std::ptr::null_mut())
            };
            check("MPI_Comm_create_keyval", code).map(|()| key)
        };
        self.key.get_or_init(make).clone()
    }

    pub fn get(&self, comm: &Comm) -> Result<Option<Arc<T>>, MpiError> {
        Ok(self.address(comm)?.map(|value| {
            // SAFETY: `set` stored an Arc<T>, whose count stays; see `address`.
            unsafe {
                Arc::increment_strong_count(value);
                Arc::from_raw(value)
            }
        }))
    }

    /// Applies `body` to the value of `comm`, if it has one.
    pub fn with<R>(&self, comm: &Comm, body: impl FnOnce(&T) -> R) -> Result<Option<R>, MpiError> {
        // SAFETY: the value stays as long as the communicator, which is in use; see `address`.
        Ok(self.address(comm)?.map(|value| body(unsafe { &*value })))
    }

    /// Returns the address of the value of `comm`. Only `set` stores under this key: an `Arc<T>` that is never
    /// replaced. So the attribute's own count lasts until the communicator is freed, and nobody frees a communicator in
    /// use.
    fn address(&self, comm: &Comm) -> Result<Option<*const T>, MpiError> {
        let mut value: *mut c_void = std::ptr::null_mut();
        let mut found = 0;
        // SAFETY: MPI stores a pointer through the third argument, as its C binding says.
        check("MPI_Comm_get_attr", unsafe {
            MPI_Comm_get_attr(comm.0, self.key()?, (&raw mut value).cast::<c_void>(), &mut found)
        })?;
        Ok((found != 0).then(|| value.cast_const().cast::<T>()))
    }

    /// Returns the value of `comm`, or stores the result of `make`, which must not wait for other ranks. Threads take
    /// turns, so no value is replaced.
    pub fn get_or_make(&self, comm: &Comm, make: impl FnOnce() -> T) -> Result<Arc<T>, MpiError> {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = self.get(comm)? {
            return Ok(value);
        }
        let value = Arc::new(make());
        self.set(comm, value.clone())?;
        Ok(value)
    }

    /// Stores `value` on `comm` until it is freed. There must be none yet, and no other thread may store one meanwhile.
    pub fn set(&self, comm: &Comm, value: Arc<T>) -> Result<(), MpiError> {
        let key = self.key()?;
        let value = Arc::into_raw(value);
        // SAFETY: the pointer stays valid until `drop_value` takes it back.
        let code = unsafe { MPI_Comm_set_attr(comm.0, key, value.cast_mut().cast::<c_void>()) };
        check("MPI_Comm_set_attr", code).inspect_err(|_| {
            // SAFETY: MPI did not keep the pointer.
            drop(unsafe { Arc::from_raw(value) });
        })
    }
}

unsafe extern "C" fn no_copy(
    _: MPI_Comm,
    _: c_int,
    _: *mut c_void,
    _: *mut c_void,
    _: *mut c_void,
    flag: *mut c_int,
) -> c_int {
    // SAFETY: MPI passes a valid address for the result.
    unsafe { *flag = 0 };
    success()
}

unsafe extern "C" fn drop_value<T>(_: MPI_Comm, _: c_int, value: *mut c_void, _: *mut c_void) -> c_int {
    // SAFETY: `set` stored an Arc<T>, and MPI deletes an attribute once.
    drop(unsafe { Arc::from_raw(value.cast_const().cast::<T>()) });
    success()
}
