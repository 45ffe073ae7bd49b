//! When did this process last give up looking for a call that it was to refuse?

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When this process last gave up.
static GAVE_UP: Mutex<Option<Instant>> = Mutex::new(None);

/// Microseconds since this process last gave up looking for others, if it ever did. Where every rank was given such a thing,
/// none finds another; but one that gives up early goes on to the next call, for which one that still looks must not take
/// the one that it is to refuse.
pub(super) fn gave_up() -> Option<u64> {
    let at = *GAVE_UP.lock().unwrap_or_else(PoisonError::into_inner);
    at.map(micros)
}

/// Microseconds since then.
pub(super) fn micros(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_micros()).unwrap_or(u64::MAX)
}

/// This process gives up now.
pub(super) fn give_up() {
    *GAVE_UP.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
}
