//! HOW does a call wait without blocking others? While it waits, it advances all calls in progress on this and on other
//! communicators, and calls MPI from time to time. It never knows what it waits for.

use super::state::UNDER_WAY;
use super::{Links, Session, SessionState, UnderWay, sessions};
use crate::runtime::waiting::Waiting;
use crate::transport::error::Error;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

/// What a question was answered with.
pub enum Answer<T> {
    /// What was waited for.
    Ready(T),
    /// Not yet, but something was done.
    Busy,
    /// Not yet.
    NotYet,
}

impl<T> Answer<T> {
    /// `value`, if it is ready.
    pub fn when(ready: bool, value: T) -> Self {
        if ready { Self::Ready(value) } else { Self::NotYet }
    }
}

impl Session {
    /// Asks `question` until it is answered. What is under way goes on meanwhile, and MPI gets its turn.
    pub fn until<T>(
        &self,
        mut question: impl FnMut(&mut Links<'_>) -> Result<Answer<T>, Error>,
    ) -> Result<T, Error> {
        let _intact = self.intact();
        let crowded = self.node_info().is_some_and(|node_info| node_info.cores == 0);
        let (comm, mut waiting) = (self.comm(), Waiting::crowded(crowded));
        let answer = 'asked: loop {
            let mut guard = self.state();
            let state = &mut *guard;
            // Others have their turn only where there is nothing to do.
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
                    waiting.reset();
                }
            }
            drop(guard);
            // What others wait for may be under way on another communicator.
            if UNDER_WAY.load(Ordering::Relaxed) > 0 && advance_others(self.number) {
                waiting.reset();
                continue;
            }
            if waiting.pause() {
                if let Err(why) = self.listen(&waiting) {
                    break Err(why);
                }
            }
        };
        // On a context the caller ends the job, perhaps for a better reason.
        if self.is_of_contexts() { answer } else { self.vital(answer) }
    }

    /// From now on `call` goes on whenever a call of this communicator waits.
    pub fn launch(&self, call: Arc<Mutex<dyn UnderWay>>) {
        let mut state = self.state();
        state.under_way.push(call);
        UNDER_WAY.fetch_add(1, Ordering::Relaxed);
        self.advance(&mut state);
    }

    /// Lets go of what was under way and is done.
    pub fn forget_ended(&self) {
        self.advance(&mut self.state());
    }

    /// Lets what is under way go on, without waiting; whether anything was done.
    pub fn progress(&self) -> Result<bool, Error> {
        let busy = self.advance(&mut self.state());
        self.listen(&Waiting::default()).map(|()| busy)
    }

    /// The same in a thread that only does this, without listening to other ranks: the program's thread does that.
    pub(super) fn advance_aside(&self) -> bool {
        let _intact = self.intact();
        self.advance(&mut self.state())
    }

    /// Lets what is under way go on; whether anything was done. If any of it cannot go on, others are told at once.
    pub(super) fn advance(&self, state: &mut SessionState) -> bool {
        let (busy, torn) = state.advance(self.comm());
        if let Some(why) = torn {
            self.break_off(&why);
        }
        busy
    }
}

/// Lets what is under way go on, on all communicators but those that other threads see to: for who waits for something else. Whether
/// anything was done.
pub fn go_on() -> bool {
    // No session has that number.
    UNDER_WAY.load(Ordering::Relaxed) > 0 && advance_others(u64::MAX)
}

/// Lets what is under way on other communicators go on, but for those that other threads see to; whether anything was done.
fn advance_others(number: u64) -> bool {
    let mut busy = false;
    for session in sessions().iter().filter(|session| session.number != number) {
        if let Ok(mut state) = session.state.try_lock() {
            busy |= session.advance(&mut state);
        }
    }
    busy
}
