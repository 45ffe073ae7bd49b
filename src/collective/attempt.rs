//! Attempts to agree on a call. If a rank refused a call by mistake, the other ranks begin the call again: see
//! [`refuse`](super::refuse).

use super::participation::Participation;
use super::record::CallRecord;
use crate::runtime::agreement::Agreement;
use crate::runtime::session::{Channels, Links, Session, sessions};
use crate::transport::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

/// Calls that this process gave up: session number, number of the next call, calls given up right before it.
static GIVEN_UP: Mutex<Vec<(u64, u64, u8)>> = Mutex::new(Vec::new());

pub struct Attempt {
    own: CallRecord,
    agreement: Agreement<CallRecord>,
}

impl Attempt {
    /// Starts the agreement on call number `call`, with the record `own`.
    pub fn new(session: &Session, call: u64, mut own: CallRecord) -> Self {
        own.participation = own.participation.after(given_up(session.number, call));
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// Restarts the agreement for call number `call`, after a call of all ranks.
    pub fn renew(&mut self, session: &Session, call: u64) {
        self.own.participation = Participation::PLAIN.after(given_up(session.number, call));
        session.agree_again(&mut self.agreement, &self.own);
    }

    /// Returns a new attempt after a stale call, with this one's participation, and the record `instead` if given.
    pub fn again(&self, session: &Session, instead: Option<CallRecord>) -> Self {
        let mut own = instead.unwrap_or_else(|| self.own.clone());
        own.participation = self.own.participation;
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// Advances the agreement. Returns whether it is complete and nothing is in flight. After a failure, discards the
    /// data that other ranks sent before their first agreement messages.
    pub fn settle(&mut self, channels: &mut Channels, links: &mut Links<'_>) -> Result<bool, Error> {
        let settled = match channels.exchange(links) {
            Some(mut exchange) => self.agreement.settle_by_nodes(&mut exchange)?,
            None => self.agreement.settle(&mut channels.agreement(links))?,
        };
        if settled && self.agreement.known().verdict(u32::MAX).is_err() {
            channels.discard(links);
        }
        Ok(settled)
    }

    /// Creates the agreement on the call's result. It begins after this one is complete.
    pub fn confirmation(&self, own: CallRecord) -> Agreement<CallRecord> {
        self.agreement.next(own)
    }

    /// Returns the merged record of a complete agreement; on a rank that is behind, only its own.
    pub fn outcome(&self) -> &CallRecord {
        let known = self.agreement.known();
        if self.own.participation.is_behind(known.participation) { &self.own } else { known }
    }

    /// Returns whether the call must begin again, after a complete agreement. A rank that is behind gives up one more
    /// call.
    pub fn must_repeat(&self, session: &Session) -> bool {
        let (own, all) = (self.own.participation, self.agreement.known().participation);
        if own.is_behind(all) {
            give_up(Some((session.number, own.given_up())));
        }
        all.is_behind(all) && !own.is_behind(all)
    }
}

/// Returns how many calls this process gave up right before call `call` of a session.
fn given_up(session: u64, call: u64) -> u8 {
    let all = GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|given_up| (given_up.0, given_up.1) == (session, call)).map_or(0, |given_up| given_up.2)
}

/// Counts one more call given up before the next call of each session. `refused`: the session and the count before a
/// call that this rank had refused.
pub(super) fn give_up(refused: Option<(u64, u8)>) {
    let next = all_sessions().into_iter().map(|session| {
        let (number, call) = (session.number, session.calls());
        let before = refused.filter(|(session, _)| *session == number);
        let before = before.map_or_else(|| given_up(number, call), |(_, before)| before);
        (number, call, before.saturating_add(1).min(Participation::TAKES_PART - 1))
    });
    let next = next.collect();
    *GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner) = next;
}

/// Returns all sessions except those of BLACS contexts.
pub(super) fn all_sessions() -> Vec<Arc<Session>> {
    sessions().into_iter().filter(|session| !session.is_of_contexts()).collect()
}
