//! reblock's own functions.

use crate::blacs::{Blacs, Int};
use crate::budget::Budget;
use crate::error::Error;
use crate::held;
use crate::mpi::Comm;
use crate::session;
use crate::settings::Settings;
use crate::stderr;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

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

/// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node. A redistribution within `context`
/// out of such an array copies each element once, directly into the receiver's array, instead of twice. Collective over
/// the processes of the BLACS context `context`; each process gives its own size. The array lives until `reblock_free`,
/// or until the context is exited. Returns NULL on all processes of a node if there is not enough memory for all of
/// them.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_alloc(bytes: i64, context: Int) -> *mut c_void {
    let allocate = || {
        // No node has memory for so much: all of its processes hear of it.
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        session::allocate(&communicator(context)?, bytes)
    };
    let array = checked("reblock_alloc", allocate);
    if array.is_none() {
        stderr::line(format_args!("reblock_alloc: no memory for arrays, here of {bytes} bytes"));
    }
    array.map_or(std::ptr::null_mut(), <*mut u8>::cast)
}

/// Frees an array from `reblock_alloc` with the same `context`. Call it only when no process redistributes any more out of an
/// array that was allocated together with it, in this context or another one of the same processes; the same holds for leaving
/// the context. Returns 0, or -1 if there is no such array.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_free(array: *mut c_void, context: Int) -> i32 {
    let freed = checked("reblock_free", || match communicator(context) {
        Ok(comm) => session::free(&comm, array.cast()),
        Err(_) => Ok(false),
    });
    if freed { 0 } else { -1 }
}

fn communicator(context: Int) -> Result<Comm<'static>, Error> {
    crate::mpi::check_library().map_err(Error::Host)?;
    let blacs = Blacs::of_host().map_err(Error::Host)?;
    let place = blacs.grid_info(context).map_err(Error::Host)?;
    let comm = place.and_then(|_| blacs.communicator(context));
    comm.ok_or_else(|| Error::Host(format!("context {context} is not a process grid of this process")))
}

/// The result; an error ends the job, as others may wait for this process. Nothing unwinds into C.
fn checked<T>(name: &str, body: impl FnOnce() -> Result<T, Error>) -> T {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(value)) => return value,
        Ok(Err(e)) => stderr::line(format_args!("{name}: {e}")),
        Err(_) => stderr::line(format_args!("{name}: internal error, see above")),
    }
    crate::mpi::abort()
}
