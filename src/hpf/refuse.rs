//! WHAT does a rank do that gets an invalid handle in a collective call, or MPI_COMM_NULL? The other ranks wait for it, but it does not know
//! on which communicator. So it looks, for a short time, for a communicator on which others have begun a call, and takes
//! part in that call as a rank that failed. It does the same with an object whose communicator is freed.

use super::call::{Call, alive};
use super::facts::Facts;
use super::failure::Failure;
use crate::session::{Session, sessions};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// How long others are waited for: if every rank was given such a thing, none of them comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells ranks that wait for this one of `failure`, if they come soon; what all of them come to.
pub fn refuse(failure: Failure) -> Failure {
    if super::call::usable().is_err() {
        return failure;
    }
    // Where there is one communicator only, there is no other that they can wait on.
    if let [only] = &all()[..] {
        if only.ranks > 1 && only.facts().is_some() && !only.is_broken() {
            return told(only, failure);
        }
    }
    sought(failure)
}

/// Tells ranks that begin to wait for this one soon, on whichever communicator.
pub(super) fn sought(failure: Failure) -> Failure {
    if super::call::usable().is_err() {
        return failure;
    }
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        for session in all() {
            if called(&session) {
                return told(&session, failure);
            }
        }
        std::thread::yield_now();
    }
    // If all ranks were given such a thing, none finds another; but one that still looks must not take the next call of those
    // that have given up for the one that it is to refuse.
    all().iter().for_each(|session| session.give_up());
    failure
}

/// All sessions of this interface.
fn all() -> Vec<Arc<Session>> {
    sessions().into_iter().filter(|session| !session.is_of_contexts()).collect()
}

/// What is kept with the communicator that a call of several ranks is about, which may be freed: `gone` says so, and those that
/// wait for this rank elsewhere are told.
pub fn reached(session: &Weak<Session>, gone: &str) -> Result<Arc<Session>, Failure> {
    alive(session, gone).map_err(sought)
}

fn called(session: &Arc<Session>) -> bool {
    !session.is_broken() && session.is_called().unwrap_or(false)
}

fn told(session: &Arc<Session>, failure: Failure) -> Failure {
    let facts = Facts::refusal(session.rank, failure.clone());
    let ended = Call::begin(session).agree(facts);
    ended.err().unwrap_or(failure)
}
