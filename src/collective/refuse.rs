//! Refusal of calls by a rank whose program passes an invalid handle: MPI_COMM_NULL or an object of a freed
//! communicator.
//!
//! The other ranks may wait for this rank, on an unknown communicator. So for [`SEARCH_TIME`] it looks for a
//! communicator with a call that other ranks have begun. It refuses that call: it takes part as a rank that failed. A
//! rank that finds no call *gives up*: it returns its own failure without the other ranks.
//!
//! If every rank got an invalid handle, no rank begins a call, and all ranks give up. A rank that still looks may then
//! find the *next* call of a rank that has given up, and refuse that call by mistake. So each rank sends, with each
//! call, the number of calls that it gave up right before. A refusing rank that has given up fewer calls than another
//! rank is *behind*, and the call is *stale*: ranks that are behind give up, and the others begin the call again.
//!
//! ```text
//! invalid handle                                         valid handle
//!       │                                                     │
//!       ▼   finds a call           stale, and not behind      ▼      stale
//!     looks ────────────▶ refuses ────────┐               takes part ─────┐
//!       │                  │   │   ▲      │                   │   ▲       │
//!       │ 2 s       behind │   │   └──────┘                   │   └───────┘
//!       ▼                  │   │ not stale                    │ not stale
//!   gives up one ◀─────────┘   └──────────────┬───────────────┘
//!   more call                                 ▼
//!       └──▶ returns its failure         returns the verdict of all ranks
//! ```

use super::attempt::{all_sessions, give_up};
use super::call::{CollectiveCall, check_mpi, live_session};
use super::failure::Failure;
use super::record::CallRecord;
use crate::runtime::backoff::Backoff;
use crate::runtime::session::Session;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Time for which a rank looks for a call to refuse. There is none if every rank got an invalid handle.
const SEARCH_TIME: Duration = Duration::from_secs(2);

/// Refuses the call of the ranks that wait for this one. Returns the common failure.
pub fn refuse(failure: Failure) -> Failure {
    if check_mpi().is_err() {
        return failure;
    }
    // With only one session, the other ranks can wait only there.
    if let [only] = &all_sessions()[..] {
        if only.ranks > 1 && only.node_info().is_some() && !only.is_broken() {
            return refuse_on(only, failure);
        }
    }
    refuse_anywhere(failure)
}

/// Looks for a call on any communicator and refuses it. Returns the common failure. Without a call, gives up one call
/// and returns `failure`: after [`SEARCH_TIME`], or at once if every communicator has only one rank.
pub(crate) fn refuse_anywhere(failure: Failure) -> Failure {
    if check_mpi().is_err() {
        return failure;
    }
    let (begin, mut backoff) = (Instant::now(), Backoff::default());
    while begin.elapsed() < SEARCH_TIME {
        let sessions = all_sessions();
        if sessions.iter().all(|session| session.ranks == 1) {
            break;
        }
        for session in sessions {
            if has_pending_call(&session) {
                return refuse_on(&session, failure);
            }
        }
        backoff.snooze();
    }
    give_up(None);
    failure
}

/// Returns the session of an object used in a collective call. If its communicator was freed, refuses the call of ranks
/// that wait for this one elsewhere, and returns the common failure; `gone` is this rank's text.
pub fn session_or_refuse(session: &Weak<Session>, gone: &str) -> Result<Arc<Session>, Failure> {
    live_session(session, gone).map_err(refuse_anywhere)
}

fn has_pending_call(session: &Arc<Session>) -> bool {
    !session.is_broken() && session.is_call_pending().unwrap_or(false)
}

fn refuse_on(session: &Arc<Session>, failure: Failure) -> Failure {
    let record = CallRecord::refusal(session.rank, failure.clone());
    let ended = CollectiveCall::begin(session).agree(record);
    ended.err().unwrap_or(failure)
}
