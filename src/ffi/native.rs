//! Version of the library, and size of its buffers.

use crate::system::budget::Budget;
use crate::system::buffer_memory;
use crate::system::settings::Settings;
use std::ffi::c_char;

/// Returns the version of the library, for instance "0.2.0".
#[unsafe(no_mangle)]
pub extern "C" fn reblock_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the number of bytes that reblock's buffers take in this process now. Buffers are kept from call to call.
/// They are freed with their plan, communicator or BLACS context, or when MPI is finalized.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes() -> i64 {
    i64::try_from(buffer_memory::bytes_in_use()).unwrap_or(i64::MAX)
}

/// Returns the maximum of reblock_buffer_bytes since the process began.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes_most() -> i64 {
    i64::try_from(buffer_memory::max_bytes_in_use()).unwrap_or(i64::MAX)
}

/// Returns the maximum number of bytes that reblock's buffers may take for one redistribution: an eighth of
/// `local_bytes`, at least 8 MiB and at most 32 MiB, or the value of REBLOCK_BUFFER. `local_bytes` is the number of
/// bytes to redistribute, divided by the number of processes that have them before or after, whichever is more. Returns
/// -1 if `local_bytes` is negative or an environment variable of reblock is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_limit(local_bytes: i64) -> i64 {
    let limit = |local| {
        let settings = Settings::of_process().ok()?;
        i64::try_from(Budget::new(settings.buffer, local, settings.network.window).total).ok()
    };
    u64::try_from(local_bytes).ok().and_then(limit).unwrap_or(-1)
}
