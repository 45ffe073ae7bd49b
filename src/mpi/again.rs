//! Calls that are made again if they fail. All ranks make the same calls of MPI, and others may wait inside one already.

/// Attempts at a call.
const ATTEMPTS: usize = 3;

/// Makes a call until it succeeds, at most [`ATTEMPTS`] times. Returns the last result.
pub fn again<T, E>(mut call: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut result = call();
    for _ in 1..ATTEMPTS {
        if result.is_ok() {
            break;
        }
        result = call();
    }
    result
}
