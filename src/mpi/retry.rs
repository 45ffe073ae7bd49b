//! Retries of MPI calls: after a failure, other ranks may already wait inside the call.

const ATTEMPTS: usize = 3;

/// Makes a call until it succeeds, at most [`ATTEMPTS`] times. Returns the last result.
pub fn retry<T, E>(mut call: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut result = call();
    for _ in 1..ATTEMPTS {
        if result.is_ok() {
            break;
        }
        result = call();
    }
    result
}
