//! WHAT becomes of a session where a call panics? Other ranks do not know of that, and may wait for this one: no further call
//! is possible.

use super::Session;

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
            self.0.break_off();
        }
    }
}
