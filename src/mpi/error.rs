//! Errors of MPI calls: name of the function, and MPI's text for the return code.

use mpi_sys::{MPI_Error_string, MPI_MAX_ERROR_STRING, MPI_SUCCESS};
use std::ffi::{CStr, c_char, c_int};
use std::fmt;

/// An MPI call that did not return `MPI_SUCCESS`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MpiError {
    /// Name of the MPI function.
    pub call: &'static str,
    /// MPI's text for the error, in one line.
    pub text: String,
}

impl fmt::Display for MpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} failed: {}", self.call, self.text)
    }
}

impl std::error::Error for MpiError {}

/// Converts a return code; `call` is the name of the function.
pub(super) fn check(call: &'static str, code: c_int) -> Result<(), MpiError> {
    if code == success() {
        return Ok(());
    }
    let mut text = [0; MPI_MAX_ERROR_STRING as usize + 1];
    let mut length = 0;
    // SAFETY: `text` has room for MPI_MAX_ERROR_STRING characters and a final 0.
    let status = unsafe { MPI_Error_string(code, text.as_mut_ptr().cast::<c_char>(), &mut length) };
    let text = match CStr::from_bytes_until_nul(&text) {
        Ok(text) if status == success() => text.to_string_lossy().replace('\n', " "),
        _ => format!("error {code}"),
    };
    Err(MpiError { call, text })
}

/// Returns `MPI_SUCCESS` in the type of return codes.
pub(super) fn success() -> c_int {
    MPI_SUCCESS.try_into().expect("MPI_SUCCESS is 0")
}
