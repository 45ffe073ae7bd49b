//! C functions that complete requests: test, wait, free.

use super::super::handles;
use super::super::outcome::{read_handle, release, status_of, write_values};
use super::reblock_request;
use crate::arrays::Request;
use crate::collective::failure::{Code, Failure};
use std::sync::{Arc, Mutex, PoisonError};

/// The object of a request's handle; `None` after a thread has taken the request out to wait for it.
pub(super) type Shared = Arc<Mutex<Option<Request>>>;

/// Advances a request. If it is complete, `done` is set to 1, the handle to NULL, and the function returns the code of
/// the move. Otherwise `done` is set to 0. The function may also fail with `done` 0, for example if the communicator
/// has become unusable. The handle then stays valid, and reblock_request_wait or reblock_request_free must end the
/// request.
///
/// # Safety
/// `request` is the address of a handle; `done` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_test(request: *mut *mut reblock_request, done: *mut i32) -> i32 {
    status_of(|| {
        // SAFETY: `done` is NULL or has room for the results.
        unsafe { write_values(done, [0])? };
        // SAFETY: this fn's contract.
        let shared: Shared = unsafe { shared_request(request)? };
        let mut held = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let over = held.as_ref().ok_or_else(already_waited)?.test()?;
        if !over {
            return Ok(());
        }
        let ended = held.take();
        drop(held);
        // SAFETY: `done` is NULL or has room for the results; `request` is NULL or the address of a handle.
        unsafe {
            write_values(done, [1])?;
            release::<Shared, _>(request)?;
        }
        ended.map_or(Ok(()), Request::wait)
    })
}

/// Waits until a request is complete on this rank, and returns the code of the move, which is the same on all ranks.
/// Sets the handle to NULL.
///
/// # Safety
/// `request` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_wait(request: *mut *mut reblock_request) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        unsafe { take_request(request)? }.wait()
    })
}

/// Waits until a request is complete, and frees it without returning its code. Sets the handle to NULL. Does nothing if
/// the handle is NULL already.
///
/// # Safety
/// `request` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_free(request: *mut *mut reblock_request) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        if !unsafe { read_handle(request, "request")? }.is_null() {
            // SAFETY: this fn's contract.
            drop(unsafe { take_request(request)? });
        }
        Ok(())
    })
}

/// Takes the request out, so that no other thread gets it. Sets the handle to NULL.
///
/// # Safety
/// As [`shared_request`].
unsafe fn take_request(request: *mut *mut reblock_request) -> Result<Request, Failure> {
    // SAFETY: this fn's contract.
    let shared = unsafe { shared_request(request)? };
    let held = shared.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(already_waited)?;
    // SAFETY: `request` is NULL or the address of a handle.
    unsafe { release::<Shared, _>(request)? };
    Ok(held)
}

/// # Safety
/// `request` is NULL or the address of a handle.
unsafe fn shared_request(request: *mut *mut reblock_request) -> Result<Shared, Failure> {
    // SAFETY: this fn's contract.
    handles::get(unsafe { read_handle(request, "request")? }.cast())
}

fn already_waited() -> Failure {
    Failure::new(Code::State, "another thread waits for the request, or has completed it")
}
