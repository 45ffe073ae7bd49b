//! Waiting for what was started.

use super::super::handles;
use super::super::outcome::{answer, put, release};
use super::reblock_request;
use crate::arrays::Request;
use crate::collective::failure::{Code, Failure};
use std::sync::{Arc, Mutex, PoisonError};

/// A request, which one thread takes to wait for it.
pub(super) type Shared = Arc<Mutex<Option<Request>>>;

/// Advances a request. If it is complete, `done` is 1, the code is that of the request, and the handle is NULL. Otherwise
/// `done` is 0.
///
/// # Safety
/// `request` is the address of a handle; `done` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_test(request: *mut *mut reblock_request, done: *mut i32) -> i32 {
    answer(|| {
        // SAFETY: `done` is NULL or has room for what is written.
        unsafe { put(done, [0]) };
        // SAFETY: `request` is the address of a handle; `done` is NULL or has room for a number, by this fn's contract.
        let shared: Shared = unsafe { of(request)? };
        let mut held = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let over = held.as_ref().ok_or_else(waited)?.test()?;
        if !over {
            return Ok(());
        }
        let ended = held.take();
        drop(held);
        // SAFETY: `done` is NULL or has room for what is written; `request` is NULL or the address of a handle.
        unsafe {
            put(done, [1]);
            release::<Shared, _>(request)?;
        }
        ended.map_or(Ok(()), Request::wait)
    })
}

/// Waits until a request is complete on this rank, and returns its code, the same on all ranks. The handle is NULL
/// afterwards.
///
/// # Safety
/// `request` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_wait(request: *mut *mut reblock_request) -> i32 {
    answer(|| {
        // SAFETY: `request` is the address of a handle, by this fn's contract.
        unsafe { taken(request)? }.wait()
    })
}

/// Waits until a request is complete, and frees it without returning its code. The handle is NULL afterwards.
///
/// # Safety
/// `request` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_request_free(request: *mut *mut reblock_request) -> i32 {
    answer(|| {
        // SAFETY: `request` is the address of a handle, by this fn's contract.
        let is_none = !request.is_null() && unsafe { request.read() }.is_null();
        if !is_none {
            // SAFETY: `request` is the address of a handle, by this fn's contract.
            drop(unsafe { taken(request)? });
        }
        Ok(())
    })
}

/// The request, which no other thread gets then. The handle is NULL afterwards.
///
/// # Safety
/// As [`of`].
unsafe fn taken(request: *mut *mut reblock_request) -> Result<Request, Failure> {
    // SAFETY: `request` is NULL or the address of a handle, by this fn's contract.
    let shared = unsafe { of(request)? };
    let held = shared.lock().unwrap_or_else(PoisonError::into_inner).take().ok_or_else(waited)?;
    // SAFETY: `request` is NULL or the address of a handle.
    unsafe { release::<Shared, _>(request)? };
    Ok(held)
}

/// # Safety
/// `request` is NULL or the address of a handle.
unsafe fn of(request: *mut *mut reblock_request) -> Result<Shared, Failure> {
    if request.is_null() {
        return Err(Failure::argument("the address of the request is NULL"));
    }
    // SAFETY: `request` is NULL or the address of a handle, by this fn's contract.
    handles::get(unsafe { request.read() }.cast())
}

fn waited() -> Failure {
    Failure::new(Code::State, "another thread waits for the request, or has completed it")
}
