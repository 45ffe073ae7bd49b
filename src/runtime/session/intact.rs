//! Guard against panics: a call that panics breaks its session off, because other ranks may wait.

use super::Session;
use crate::transport::error::Error;

pub struct Intact<'s>(&'s Session);

impl Session {
    /// Returns a guard that breaks the session off if it is dropped by a panic.
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
