//! reblock's own functions.

use crate::budget::Budget;
use crate::held;
use crate::settings::Settings;
use std::ffi::c_char;

/// The version of the library, for instance "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn reblock_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Bytes that reblock's buffers take in this process now. They are kept from call to call, and given back with the BLACS
/// context that they were made for, or when MPI is finalized.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes() -> i64 {
    i64::try_from(held::now()).unwrap_or(i64::MAX)
}

/// The most bytes that reblock's buffers took in this process at any time.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_bytes_most() -> i64 {
    i64::try_from(held::most()).unwrap_or(i64::MAX)
}

/// The most bytes that reblock's buffers may take for a redistribution of a section of which each process of the larger
/// grid has `local_bytes` on average: an eighth of that, at least 1 MiB and at most 32 MiB, or what REBLOCK_BUFFER says.
/// -1 if `local_bytes` is negative or REBLOCK_BUFFER cannot be used.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_buffer_limit(local_bytes: i64) -> i64 {
    let limit = |local| {
        let settings = Settings::of_process().ok()?;
        i64::try_from(Budget::new(settings.buffer, local, settings.network.window).total).ok()
    };
    u64::try_from(local_bytes).ok().and_then(limit).unwrap_or(-1)
}
