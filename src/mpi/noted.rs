//! Records an MPI failure until there is a communicator to report it on. The rank takes part nevertheless, so that
//! others do not wait for it.

use super::error::MpiError;

/// The first failure, if there was one.
#[derive(Debug, Default)]
pub struct Noted(Option<MpiError>);

impl Noted {
    /// Makes a call. If it fails, records the failure and makes the call once more, only for the sake of other ranks.
    pub fn twice<T>(&mut self, mut call: impl FnMut() -> Result<T, MpiError>) -> Result<T, MpiError> {
        call().or_else(|why| {
            self.0.get_or_insert(why);
            call()
        })
    }

    /// Returns the first failure; a rank with a failure must not go on.
    pub fn failure(&self) -> Option<&MpiError> {
        self.0.as_ref()
    }
}
