//! Failures of the driver's functions.

use super::Driver;
use std::ffi::{CStr, c_char, c_int};
use std::fmt;
use std::ptr::null;

/// The result of a call of the driver.
pub type Result<T> = std::result::Result<T, DriverError>;

/// A failed call of the driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DriverError {
    /// The function that failed.
    pub call: &'static str,
    /// The driver's number of the error; [`DriverError::MISSING`] if the driver lacks the function.
    pub code: i32,
    /// The driver's name of the error, for instance CUDA_ERROR_OUT_OF_MEMORY, and its text.
    text: String,
}

impl DriverError {
    /// Code of a function that the driver lacks: CUDA_ERROR_NOT_FOUND.
    pub const MISSING: i32 = 500;
    /// Codes of a driver before its start and after its end: CUDA_ERROR_NOT_INITIALIZED, CUDA_ERROR_DEINITIALIZED.
    pub(super) const IDLE: [i32; 2] = [3, 4];

    /// Returns the error for memory of another process that is no longer open in this one.
    pub fn closed() -> Self {
        let text = "the memory that another rank exposes is no longer open in this process".into();
        Self { call: "cuIpcOpenMemHandle", code: Self::MISSING, text }
    }

    pub(super) fn missing(call: &'static str) -> Self {
        Self { call, code: Self::MISSING, text: "the driver lacks this function".into() }
    }
}

impl fmt::Display for DriverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.call, self.text)
    }
}

impl std::error::Error for DriverError {}

impl Driver {
    /// Returns the error `code` of the function `call`, in the driver's words.
    pub(super) fn error(&self, call: &'static str, code: c_int) -> DriverError {
        let words = |function: Option<unsafe extern "C" fn(c_int, *mut *const c_char) -> c_int>| {
            let mut text = null();
            // SAFETY: the call writes one pointer; the driver's texts are C strings that are never freed.
            let known = function.is_some_and(|f| unsafe { f(code, &raw mut text) } == 0) && !text.is_null();
            // SAFETY: as above.
            known.then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
        };
        let text = match (words(self.functions.cuGetErrorName), words(self.functions.cuGetErrorString)) {
            (Some(name), Some(text)) => format!("{name} ({text})"),
            (Some(text), None) | (None, Some(text)) => text,
            (None, None) => format!("error {code}"),
        };
        DriverError { call, code, text }
    }
}
