//! Records an MPI failure during the setup of a session until reblock's own communicator can report it. The rank goes
//! on with the setup, because others wait for it in collective calls.

use super::error::MpiError;

/// The first failure of the setup, if any.
#[derive(Debug, Default)]
pub struct FirstFailure(Option<MpiError>);

impl FirstFailure {
    /// Makes a call. After a failure, records it and makes the call again: if that succeeds, this rank can take part in
    /// the setup until it reports the failure.
    pub fn retry_once<T>(&mut self, mut call: impl FnMut() -> Result<T, MpiError>) -> Result<T, MpiError> {
        call().or_else(|why| {
            self.0.get_or_insert(why);
            call()
        })
    }

    /// Returns the first failure, which the rank must report once it can, and then give up the session.
    pub fn failure(&self) -> Option<&MpiError> {
        self.0.as_ref()
    }
}
