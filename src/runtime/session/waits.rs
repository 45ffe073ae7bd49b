//! Waits that do not block other calls: a waiting call advances all calls in progress, on all communicators, and calls
//! MPI from time to time.

use super::state::BACKGROUND_CALLS;
use super::{BackgroundCall, Links, Session, SessionState, sessions};
use crate::runtime::backoff::Backoff;
use crate::transport::error::Error;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// Result of one check of a wait.
pub enum Answer<T> {
    /// The wait is over, with this result.
    Ready(T),
    Busy,
    NotYet,
}

impl<T> Answer<T> {
    pub fn when(ready: bool, value: T) -> Self {
        if ready { Self::Ready(value) } else { Self::NotYet }
    }
}

impl Session {
    /// Repeats `question` until it is ready or fails. Meanwhile calls in progress advance, and MPI is called now and
    /// then.
    pub fn until<T>(
        &self,
        mut question: impl FnMut(&mut Links<'_>) -> Result<Answer<T>, Error>,
    ) -> Result<T, Error> {
        let _guard = self.panic_guard();
        let oversubscribed = self.node_info().is_some_and(|node_info| node_info.cores == 0);
        let (comm, mut backoff) = (self.comm(), Backoff::oversubscribed(oversubscribed));
        let answer = 'asked: loop {
            let mut guard = self.state();
            let state = &mut *guard;
            // Others get the lock only when nothing is to be done here.
            let mut busy = true;
            while busy {
                busy = match question(&mut Links::new(comm, &mut state.neighbours)) {
                    Ok(Answer::Ready(answer)) => break 'asked Ok(answer),
                    Ok(Answer::Busy) => true,
                    Ok(Answer::NotYet) => false,
                    Err(why) => break 'asked Err(why),
                };
                busy |= self.advance(state);
                if busy {
                    backoff.reset();
                }
            }
            drop(guard);
            // Other ranks may wait for a call on another communicator.
            if BACKGROUND_CALLS.load(Ordering::Relaxed) > 0 && advance_others(self.number) {
                backoff.reset();
                continue;
            }
            if backoff.snooze() {
                if let Err(why) = self.listen(&backoff) {
                    break Err(why);
                }
            }
        };
        // On a BLACS context the caller ends the job, perhaps with a better reason.
        if self.is_of_contexts() { answer } else { self.report_error(answer) }
    }

    /// Adds `call` to the calls that advance whenever a call on this communicator waits.
    pub fn launch(&self, call: Arc<Mutex<dyn BackgroundCall>>) {
        let mut state = self.state();
        state.background_calls.push(call);
        BACKGROUND_CALLS.fetch_add(1, Ordering::Relaxed);
        self.advance(&mut state);
    }

    pub fn forget_ended(&self) {
        self.advance(&mut self.state());
    }

    /// Advances the calls in progress without waiting, and listens for failures. Returns whether anything was done.
    pub fn progress(&self) -> Result<bool, Error> {
        let busy = self.advance(&mut self.state());
        self.listen(&Backoff::default()).map(|()| busy)
    }

    /// Advances the calls in progress, from the progress thread. The program's thread listens for failures.
    pub(super) fn advance_from_thread(&self) -> bool {
        let _guard = self.panic_guard();
        self.advance(&mut self.state())
    }

    /// Advances the calls in progress. Returns whether anything was done. Reports a call that cannot go on to all
    /// ranks.
    pub(super) fn advance(&self, state: &mut SessionState) -> bool {
        let (busy, failure) = state.advance(self.comm());
        if let Some(why) = failure {
            self.break_off(&why);
        }
        busy
    }
}

/// Advances the calls in progress on all communicators, except those that other threads hold, for a wait outside a
/// session. Returns whether anything was done.
pub fn advance_all() -> bool {
    // No session has this number.
    BACKGROUND_CALLS.load(Ordering::Relaxed) > 0 && advance_others(u64::MAX)
}

/// Advances the calls in progress of all sessions but `number`, except those that other threads hold. Returns whether
/// anything was done.
fn advance_others(number: u64) -> bool {
    let mut busy = false;
    for session in sessions().iter().filter(|session| session.number != number) {
        if let Ok(mut state) = session.state.try_lock() {
            busy |= session.advance(&mut state);
        }
    }
    busy
}
