//! Refusal of calls by a rank that gets an invalid handle, MPI_COMM_NULL or an object of a freed communicator.
//!
//! The other ranks wait for it on some communicator, unknown to it. So it looks, for [`SEARCH_TIME`], for a
//! communicator with a call that other ranks have begun, and refuses that call: it takes part as a rank that failed.
//!
//! If every rank got such a handle, no rank begins a call, and all give up. A rank that still looks may then find the
//! *next* call of a rank that has given up, and refuse that by mistake. So each rank sends how many calls it has
//! given up right before. A refusing rank that has given up fewer calls than another rank is *behind*, and the call
//! is *stale*: ranks that are behind give up one more call, and the others begin the call again.
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

use super::call::{CollectiveCall, alive, usable};
use super::failure::Failure;
use super::record::CallRecord;
use crate::runtime::agreement::Agreement;
use crate::runtime::backoff::Backoff;
use crate::runtime::session::{Channels, Links, Session, sessions};
use crate::transport::error::Error;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// Time of looking for a call to refuse. If every rank got an invalid handle, there will be none.
const SEARCH_TIME: Duration = Duration::from_secs(2);

/// Calls right before which this process gave up others: number of the session, number of the call, count given up.
static GIVEN_UP: Mutex<Vec<(u64, u64, u8)>> = Mutex::new(Vec::new());

/// A rank's participation in a call; merged, that of all ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Participation {
    /// Calls that the rank gave up right before this one; merged by maximum.
    given_up: u8,
    /// `given_up` if the rank refuses the call, otherwise [`Participation::TAKES_PART`]; merged by minimum.
    refused_after: u8,
}

impl Participation {
    const TAKES_PART: u8 = u8::MAX;
    /// Takes part, after giving up no call.
    pub const PLAIN: Self = Self { given_up: 0, refused_after: Self::TAKES_PART };
    /// Refuses the call, after giving up none.
    pub const REFUSES: Self = Self { given_up: 0, refused_after: 0 };

    /// Returns this participation after `given_up` calls were given up.
    fn after(self, given_up: u8) -> Self {
        let refuses = self.refused_after != Self::TAKES_PART;
        Self { given_up, refused_after: if refuses { given_up } else { Self::TAKES_PART } }
    }

    /// Merges the participations of two sets of ranks.
    pub fn and(self, other: Self) -> Self {
        Self {
            given_up: self.given_up.max(other.given_up),
            refused_after: self.refused_after.min(other.refused_after),
        }
    }

    /// Returns whether this rank, or some rank of this set, is behind in a call whose merged participation is `all`.
    fn is_behind(self, all: Self) -> bool {
        self.refused_after < all.given_up
    }

    /// Encodes the participation for a message.
    pub fn bytes(self) -> [u8; 2] {
        [self.given_up, self.refused_after]
    }

    /// Decodes the result of [`Participation::bytes`].
    pub fn of([given_up, refused_after]: [u8; 2]) -> Self {
        Self { given_up, refused_after }
    }
}

/// An attempt to agree on a call.
pub struct Attempt {
    own: CallRecord,
    agreement: Agreement<CallRecord>,
}

impl Attempt {
    /// Starts the agreement on call number `call`, with this rank's `own` record.
    pub fn new(session: &Session, call: u64, mut own: CallRecord) -> Self {
        own.participation = own.participation.after(given_up(session.number, call));
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// Restarts the agreement for call number `call`, after a call that all ranks took part in.
    pub fn renew(&mut self, session: &Session, call: u64) {
        self.own.participation = Participation::PLAIN.after(given_up(session.number, call));
        session.agree_again(&mut self.agreement, &self.own);
    }

    /// Returns an attempt at another call, with the record `instead` if given.
    pub fn again(&self, session: &Session, instead: Option<CallRecord>) -> Self {
        let mut own = instead.unwrap_or_else(|| self.own.clone());
        own.participation = self.own.participation;
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// Advances the agreement. Returns whether it is complete and nothing is in flight. If the verdict is a failure,
    /// discards the data that other ranks sent ahead: each sent it before its first agreement message, so all of it
    /// has arrived.
    pub fn settle(&mut self, channels: &mut Channels, links: &mut Links<'_>) -> Result<bool, Error> {
        let settled = self.agreement.settle(&mut channels.agreement(links))?;
        if settled && self.agreement.known().verdict(u32::MAX).is_err() {
            channels.discard(links);
        }
        Ok(settled)
    }

    /// Returns the merged record of a complete agreement; on a rank that is behind, its own record only.
    pub fn outcome(&self) -> &CallRecord {
        let known = self.agreement.known();
        if self.own.participation.is_behind(known.participation) { &self.own } else { known }
    }

    /// Returns whether the call must begin again, after a complete agreement. Gives up one more call if this rank is
    /// behind.
    pub fn is_to_be_repeated(&self, session: &Session) -> bool {
        let (own, all) = (self.own.participation, self.agreement.known().participation);
        if own.is_behind(all) {
            give_up(Some((session.number, own.given_up)));
        }
        all.is_behind(all) && !own.is_behind(all)
    }
}

/// Returns how many calls this process gave up right before call number `call` of a session.
fn given_up(session: u64, call: u64) -> u8 {
    let all = GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|given_up| (given_up.0, given_up.1) == (session, call)).map_or(0, |given_up| given_up.2)
}

/// Counts one more call given up before the next call of each session. `refused` has the number of the session on
/// which a call was refused, and the count before that call.
fn give_up(refused: Option<(u64, u8)>) {
    let next = all_sessions().into_iter().map(|session| {
        let (number, call) = (session.number, session.calls());
        let before = refused.filter(|(session, _)| *session == number);
        let before = before.map_or_else(|| given_up(number, call), |(_, before)| before);
        (number, call, before.saturating_add(1).min(Participation::TAKES_PART - 1))
    });
    let next = next.collect();
    *GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner) = next;
}

/// Reports `failure` to the ranks that wait for this one, if they come soon. Returns the common failure.
pub fn refuse(failure: Failure) -> Failure {
    if usable().is_err() {
        return failure;
    }
    // With one communicator only, the others can wait on no other.
    if let [only] = &all_sessions()[..] {
        if only.ranks > 1 && only.node_info().is_some() && !only.is_broken() {
            return refuse_on(only, failure);
        }
    }
    refuse_anywhere(failure)
}

/// Looks for a call on any communicator and refuses it with `failure`. Returns the common failure, or `failure` after
/// [`SEARCH_TIME`], or at once if every communicator has one rank.
pub(crate) fn refuse_anywhere(failure: Failure) -> Failure {
    if usable().is_err() {
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

/// Returns all sessions of this interface.
fn all_sessions() -> Vec<Arc<Session>> {
    sessions().into_iter().filter(|session| !session.is_of_contexts()).collect()
}

/// Returns the session of an object used in a collective call. If its communicator was freed, returns a failure with
/// the text `gone`, and reports that to ranks that wait for this one on another communicator.
pub fn reached(session: &Weak<Session>, gone: &str) -> Result<Arc<Session>, Failure> {
    alive(session, gone).map_err(refuse_anywhere)
}

fn has_pending_call(session: &Arc<Session>) -> bool {
    !session.is_broken() && session.is_call_pending().unwrap_or(false)
}

fn refuse_on(session: &Arc<Session>, failure: Failure) -> Failure {
    let record = CallRecord::refusal(session.rank, failure.clone());
    let ended = CollectiveCall::begin(session).agree(record);
    ended.err().unwrap_or(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The handles in one call of the program: invalid on all ranks, or on the ranks of a set of bits.
    #[derive(Clone, Copy, PartialEq)]
    enum Given {
        AllInvalid,
        Invalid(u32),
    }

    /// A rank that is to make the program's call number `at`, after giving up `given_up` calls.
    #[derive(Clone, Copy)]
    struct Caller {
        at: usize,
        given_up: u8,
    }

    /// Simulates one call of a communicator on all ranks. Returns the program's call that it was for all of them, and
    /// whether it was refused; `None` if it was stale.
    fn call(ranks: &mut [Caller], program: &[Given], rng: &mut fastrand::Rng) -> Option<(usize, bool)> {
        // Ranks with an invalid handle on all ranks give up at random times, at the latest when no rank begins a
        // call.
        let looks = |rank: &Caller| program[rank.at] == Given::AllInvalid;
        while ranks.iter().all(looks) || rng.bool() {
            let k = rng.usize(0..ranks.len());
            if looks(&ranks[k]) {
                (ranks[k].at, ranks[k].given_up) = (ranks[k].at + 1, ranks[k].given_up + 1);
            }
        }
        let participation = |(k, rank): (usize, &Caller)| match program[rank.at] {
            Given::Invalid(set) if set >> k & 1 == 0 => Participation::PLAIN.after(rank.given_up),
            _ => Participation::REFUSES.after(rank.given_up),
        };
        let own: Vec<Participation> = ranks.iter().enumerate().map(participation).collect();
        let all = own.iter().fold(Participation::PLAIN, |all, own| all.and(Participation::of(own.bytes())));
        if !all.is_behind(all) {
            let at = ranks[0].at;
            assert!(ranks.iter().all(|rank| rank.at == at), "calls of two times are taken for one");
            ranks.fill(Caller { at: at + 1, given_up: 0 });
            return Some((at, all.refused_after != Participation::TAKES_PART));
        }
        for (rank, own) in ranks.iter_mut().zip(own).filter(|(_, own)| own.is_behind(all)) {
            *rank = Caller { at: rank.at + 1, given_up: own.given_up + 1 };
        }
        None
    }

    #[test]
    fn a_refusal_reaches_only_its_own_call() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..5000 {
            let ranks = rng.u32(1..6);
            let set = |rng: &mut fastrand::Rng| Given::Invalid(rng.u32(0..(1 << ranks) - 1));
            let any = |rng: &mut fastrand::Rng| if rng.bool() { Given::AllInvalid } else { set(rng) };
            let mut program: Vec<Given> = (0..rng.usize(1..8)).map(|_| any(&mut rng)).collect();
            program.push(Given::Invalid(0));
            let mut callers = vec![Caller { at: 0, given_up: 0 }; ranks as usize];
            for (k, given) in program.iter().enumerate() {
                let Given::Invalid(set) = given else { continue };
                let over = (0..100).find_map(|_| call(&mut callers, &program, &mut rng));
                assert_eq!(over, Some((k, *set != 0)), "{ranks} ranks");
            }
        }
    }
}
