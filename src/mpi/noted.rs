//! WHAT does a rank do that fails where it has no communicator yet on which to say so? It takes part all the same, so that others
//! do not wait for it, and notes that it failed.

use super::error::MpiError;

/// The first failure, if there was one.
#[derive(Debug, Default)]
pub struct Noted(Option<MpiError>);

impl Noted {
    /// What `call` comes to. If it fails that is noted, and it is made once more, only for others to be told.
    pub fn twice<T>(&mut self, mut call: impl FnMut() -> Result<T, MpiError>) -> Result<T, MpiError> {
        call().or_else(|why| {
            self.0.get_or_insert(why);
            call()
        })
    }

    /// The first failure: one that noted any does not go on.
    pub fn failure(&self) -> Option<&MpiError> {
        self.0.as_ref()
    }
}
