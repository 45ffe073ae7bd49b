//! reblock's own functions.

use super::outcome::{answer, count, put};
use crate::blacs::{Blacs, Int};
use crate::budget::Budget;
use crate::error::Error;
use crate::held;
use crate::hpf::{Code, Failure};
use crate::mpi::Comm;
use crate::session;
use crate::settings::Settings;
use std::ffi::{c_char, c_void};

/// The version of the library, for instance "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn reblock_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Bytes that reblock's buffers take in this process now. Buffers are kept from call to call, and freed with the BLACS
/// context for which they were made, or when MPI is finalized.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes() -> i64 {
    i64::try_from(held::now()).unwrap_or(i64::MAX)
}

/// The most bytes that reblock's buffers have taken in this process at any time.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes_most() -> i64 {
    i64::try_from(held::most()).unwrap_or(i64::MAX)
}

/// The most bytes that reblock's buffers may take for one redistribution: an eighth of `local_bytes`, at least 8 MiB
/// and at most 32 MiB, or the value of REBLOCK_BUFFER. `local_bytes` is the average size of the section's part on a
/// process of the larger grid. Returns -1 if `local_bytes` is negative or REBLOCK_BUFFER is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_limit(local_bytes: i64) -> i64 {
    let limit = |local| {
        let settings = Settings::of_process().ok()?;
        i64::try_from(Budget::new(settings.buffer, local, settings.network.window).total).ok()
    };
    u64::try_from(local_bytes).ok().and_then(limit).unwrap_or(-1)
}

/// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node; `*data` gets its address. A redistribution
/// within `context` out of such an array copies each element once, directly into the receiver's array, instead of twice.
/// Collective over the processes of the BLACS context `context`; each process gives its own size. The array lives until
/// reblock_blacs_free, or until the context is exited. If there is not enough memory for the arrays of all processes of a node,
/// the call fails on all of them with REBLOCK_ERR_MEMORY, and `*data` is NULL.
///
/// # Safety
/// `data` has room for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_blacs_alloc(context: Int, bytes: i64, data: *mut *mut c_void) -> i32 {
    answer(|| {
        // SAFETY: `data` is NULL or has room for what is written.
        unsafe { put(data, [std::ptr::null_mut()]) };
        let comm = communicator(context)?;
        let given = match data.is_null() {
            true => Err(Failure::argument("data is NULL, expected the address of a pointer")),
            false => count::<usize>(bytes, "bytes"),
        };
        // No node has memory for so much: all of its processes hear of it.
        let array = session::allocate(&comm, *given.as_ref().unwrap_or(&usize::MAX))?;
        let bytes = given?;
        let none = || Failure::new(Code::Memory, format!("no memory for arrays, here of {bytes} bytes"));
        // SAFETY: `data` has room for what is written.
        unsafe { put(data, [array.ok_or_else(none)?.cast()]) };
        Ok(())
    })
}

/// Frees an array from reblock_blacs_alloc with the same `context`; `*data` is its address, and NULL afterwards. Call it only
/// when no process redistributes any more out of an array that was allocated together with it, in this context or another one
/// of the same processes; the same holds for leaving the context. REBLOCK_ERR_ARGUMENT if there is no such array. Not
/// collective.
///
/// # Safety
/// `data` is the address of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_blacs_free(context: Int, data: *mut *mut c_void) -> i32 {
    answer(|| {
        let comm = communicator(context)?;
        if data.is_null() {
            return Err(Failure::argument("data is NULL, expected the address of a pointer"));
        }
        // SAFETY: `data` is the address of a pointer, by this fn's contract.
        let array = unsafe { data.read() };
        if !session::free(&comm, array.cast())? {
            return Err(Failure::argument(format!("no array of context {context} is at this address")));
        }
        // SAFETY: `data` has room for what is written.
        unsafe { put(data, [std::ptr::null_mut()]) };
        Ok(())
    })
}

fn communicator(context: Int) -> Result<Comm<'static>, Failure> {
    crate::mpi::check_library().map_err(Error::Host)?;
    let blacs = Blacs::of_host().map_err(Error::Host)?;
    let place = blacs.grid_info(context).map_err(Error::Host)?;
    let comm = place.and_then(|_| blacs.communicator(context));
    let none = || Failure::argument(format!("context {context} is not a process grid of this process"));
    comm.ok_or_else(none)
}
