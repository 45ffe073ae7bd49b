//! reblock's own functions.

use std::ffi::c_char;

/// The version of the library, for instance "0.1.0".
#[unsafe(no_mangle)]
pub extern "C" fn reblock_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
