//! Moves that continue while the program does other things. They advance whenever the calling process is in any call of this
//! library on the same communicator; no thread is started for them.

use super::call::alive;
use super::cargo::Cargo;
use super::failure::{Code, Failure};
use super::transfer::{Traced, Transfer};
use crate::session::{Answer, Session};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A transfer under way. Dropped before it is over, it is waited for.
pub struct Request {
    session: Weak<Session>,
    transfer: Option<Arc<Mutex<Transfer<'static>>>>,
    traced: Option<Traced>,
}

impl Request {
    /// Starts to move `cargo`, or takes part in a call that cannot be carried out. Where a failure is
    /// this rank's own it is told by [`Request::wait`], as everybody's.
    pub fn start(
        session: &Arc<Session>,
        cargo: Result<Vec<Cargo<'static>>, Failure>,
    ) -> Result<Self, Failure> {
        if session.is_broken() {
            return Err(super::call::broken());
        }
        let traced = Traced::start(session, &cargo);
        let transfer = Arc::new(Mutex::new(Transfer::begin(session, cargo)));
        session.launch(transfer.clone());
        Ok(Self { session: Arc::downgrade(session), transfer: Some(transfer), traced })
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        alive(&self.session, "the communicator of the request is freed")
    }

    /// Whether it is over; then [`Request::wait`] returns at once. Lets it go on.
    pub fn test(&self) -> Result<bool, Failure> {
        let session = self.session()?;
        session.progress()?;
        Ok(self.is_over())
    }

    fn is_over(&self) -> bool {
        self.transfer
            .as_ref()
            .is_none_or(|transfer| transfer.lock().unwrap_or_else(PoisonError::into_inner).is_over())
    }

    /// Waits until this rank's part is done; how it ended, which is the same on all ranks.
    pub fn wait(mut self) -> Result<(), Failure> {
        self.finish()
    }

    fn finish(&mut self) -> Result<(), Failure> {
        let Some(transfer) = self.transfer.take() else { return Ok(()) };
        let session = self.session()?;
        let over = || transfer.lock().unwrap_or_else(PoisonError::into_inner).is_over();
        let waited = session.until(|_| Ok(Answer::when(over(), ())));
        waited.inspect_err(|_| session.break_off())?;
        session.forget_ended();
        let busy = || Failure::new(Code::Internal, "a request that is over is still under way");
        let transfer = Arc::into_inner(transfer).ok_or_else(busy)?;
        transfer.into_inner().unwrap_or_else(PoisonError::into_inner).conclude(&session)?;
        self.traced.iter().for_each(|traced| traced.finish(&"START", &session));
        Ok(())
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        if self.transfer.is_some() {
            // Nobody asks how it ended.
            let _ = self.finish();
        }
    }
}
