//! WHAT becomes of a session where a call panics? Other ranks may wait for this one, and are told: no further call is possible.

use super::Session;
use crate::transport::error::Error;

/// Guards a part of a call on a session.
pub struct Intact<'s>(&'s Session);

impl Session {
    /// Breaks off if this thread panics before the result is dropped.
    pub fn intact(&self) -> Intact<'_> {
        Intact(self)
    }
}

impl Drop for Intact<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_off(&Error::Internal);
        }
    }
}
