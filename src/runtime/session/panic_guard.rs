//! Guard against panics: a call that panics breaks its session off, because other ranks may wait.

use super::Session;
use crate::transport::error::Error;

pub struct PanicGuard<'s>(&'s Session);

impl Session {
    /// Returns a guard that breaks the session off if it is dropped by a panic.
    pub fn panic_guard(&self) -> PanicGuard<'_> {
        PanicGuard(self)
    }
}

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_off(&Error::Internal);
        }
    }
}
