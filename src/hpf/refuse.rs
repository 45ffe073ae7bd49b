//! A rank is given something that is no object, in a call that others make with good ones. They wait for it, but it does not
//! know on which communicator. So it looks, for a short while, on which of its communicators others have begun a call, and
//! takes part in that as one that cannot go on.

use super::call::Call;
use super::facts::{self, Facts};
use super::failure::Failure;
use crate::session::{Session, sessions};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long others are waited for: if every rank was given such a thing, none of them comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Tells ranks that wait for this one of `failure`, if they come soon; what all of them come to.
pub fn refuse(failure: Failure) -> Failure {
    if super::call::usable().is_err() {
        return failure;
    }
    // Where there is one communicator only, there is no other that they can wait on.
    if let [only] = &sessions()[..] {
        if only.ranks > 1 && only.facts().is_some() && !only.is_broken() {
            return told(only, failure);
        }
    }
    let begin = Instant::now();
    while begin.elapsed() < PATIENCE {
        for session in sessions() {
            if called(&session) {
                return told(&session, failure);
            }
        }
        std::thread::yield_now();
    }
    failure
}

fn called(session: &Arc<Session>) -> bool {
    !session.is_broken() && session.is_called().unwrap_or(false)
}

fn told(session: &Arc<Session>, failure: Failure) -> Failure {
    let facts = Facts::new(session.rank, facts::ANY, &[], Some(failure.clone()));
    let ended = Call::begin(session).agree(facts);
    ended.err().unwrap_or(failure)
}
