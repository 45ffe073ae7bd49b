//! WHAT does a rank do that gets an invalid handle in a collective call, or MPI_COMM_NULL? The other ranks wait for it, but it
//! does not know on which communicator. So it looks, for a short time, for a communicator on which others have begun a
//! call, and refuses that call: it takes part as a rank that failed. It does the same with an object whose communicator is
//! freed.
//!
//! If all ranks got such a thing, none begins a call, and all give up. One that still looks may then find the next call of
//! those that have given up, and refuse it in place of the one before. So each rank says how many calls it has given up right
//! before. Where a rank refuses a call that has given up fewer than another one, it is *behind*, and the call is *stale*: ranks
//! that are behind give up, and the others begin the call again.
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
//!   call more                                 ▼
//!       └──▶ returns its failure         returns what all ranks come to
//! ```

use super::call::{CollectiveCall, alive, usable};
use super::facts::Facts;
use super::failure::Failure;
use crate::runtime::agreement::Agreement;
use crate::runtime::session::{Channels, Links, Session, sessions};
use crate::transport::error::Error;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long others are waited for: if every rank was given such a thing, none of them comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// The calls right before which this process gave up others: the session's number, the call's, and how many.
static GIVEN_UP: Mutex<Vec<(u64, u64, u8)>> = Mutex::new(Vec::new());

/// How a rank comes to a call; merged, how all of them do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stance {
    /// Calls that it gave up right before: the most of all ranks.
    given_up: u8,
    /// The same if it refuses the call, or [`Stance::TAKES_PART`]: the fewest of all ranks.
    refused_after: u8,
}

impl Stance {
    const TAKES_PART: u8 = u8::MAX;
    /// Nothing is given up, and the call is not refused.
    pub const PLAIN: Self = Self { given_up: 0, refused_after: Self::TAKES_PART };
    /// The call is refused.
    pub const REFUSES: Self = Self { given_up: 0, refused_after: 0 };

    /// The same after so many calls that were given up.
    fn after(self, given_up: u8) -> Self {
        let refuses = self.refused_after != Self::TAKES_PART;
        Self { given_up, refused_after: if refuses { given_up } else { Self::TAKES_PART } }
    }

    /// How both come.
    pub fn and(self, other: Self) -> Self {
        Self {
            given_up: self.given_up.max(other.given_up),
            refused_after: self.refused_after.min(other.refused_after),
        }
    }

    /// Whether a rank that comes so, or some rank of those that do, is behind in a call to which all come as `all` says.
    fn is_behind(self, all: Self) -> bool {
        self.refused_after < all.given_up
    }

    /// As it travels.
    pub fn bytes(self) -> [u8; 2] {
        [self.given_up, self.refused_after]
    }

    /// What [`Stance::bytes`] made.
    pub fn of([given_up, refused_after]: [u8; 2]) -> Self {
        Self { given_up, refused_after }
    }
}

/// What the ranks of a call tell each other, until all know what each knows.
pub struct Attempt {
    own: Facts,
    agreement: Agreement<Facts>,
}

impl Attempt {
    /// For call number `call`, of a rank that knows `own`.
    pub fn new(session: &Session, call: u64, mut own: Facts) -> Self {
        own.stance = own.stance.after(given_up(session.number, call));
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// The same in call number `call`, after one to which all ranks came as usual.
    pub fn renew(&mut self, session: &Session, call: u64) {
        self.own.stance = Stance::PLAIN.after(given_up(session.number, call));
        session.agree_again(&mut self.agreement, &self.own);
    }

    /// The same in another call; the rank may know something else by now.
    pub fn again(&self, session: &Session, instead: Option<Facts>) -> Self {
        let mut own = instead.unwrap_or_else(|| self.own.clone());
        own.stance = self.own.stance;
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// Goes on; whether all of it is known and nothing is under way. Where it comes to nothing, what others have sent ahead is
    /// given back: each of them did so before it told anybody of the call, so all of it is there.
    pub fn settle(&mut self, channels: &mut Channels, links: &mut Links<'_>) -> Result<bool, Error> {
        let settled = self.agreement.settle(&mut channels.agreement(links))?;
        if settled && self.agreement.known().verdict(u32::MAX).is_err() {
            channels.discard(links);
        }
        Ok(settled)
    }

    /// What is known once all of it is; to a rank that is behind, only what it said itself.
    pub fn outcome(&self) -> &Facts {
        let known = self.agreement.known();
        if self.own.stance.is_behind(known.stance) { &self.own } else { known }
    }

    /// Whether the call, of which all is known, is to be begun again.
    pub fn is_to_be_repeated(&self, session: &Session) -> bool {
        let (own, all) = (self.own.stance, self.agreement.known().stance);
        if own.is_behind(all) {
            give_up(Some((session.number, own.given_up)));
        }
        all.is_behind(all) && !own.is_behind(all)
    }
}

/// Calls that this process gave up right before call number `call` of a session.
fn given_up(session: u64, call: u64) -> u8 {
    let all = GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner);
    all.iter().find(|given_up| (given_up.0, given_up.1) == (session, call)).map_or(0, |given_up| given_up.2)
}

/// This process gives up a call: one more right before the next one of each session. It `refused` one, after so many that it gave
/// up before.
fn give_up(refused: Option<(u64, u8)>) {
    let next = all().into_iter().map(|session| {
        let (number, call) = (session.number, session.calls());
        let before = refused.filter(|(session, _)| *session == number);
        let before = before.map_or_else(|| given_up(number, call), |(_, before)| before);
        (number, call, before.saturating_add(1).min(Stance::TAKES_PART - 1))
    });
    let next = next.collect();
    *GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner) = next;
}

/// Tells ranks that wait for this one of `failure`, if they come soon; what all of them come to.
pub fn refuse(failure: Failure) -> Failure {
    if usable().is_err() {
        return failure;
    }
    // Where there is one communicator only, there is no other that they can wait on.
    if let [only] = &all()[..] {
        if only.ranks > 1 && only.node_info().is_some() && !only.is_broken() {
            return told(only, failure);
        }
    }
    sought(failure)
}

/// Tells ranks that begin to wait for this one soon, on whichever communicator.
pub(crate) fn sought(failure: Failure) -> Failure {
    if usable().is_err() {
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
    give_up(None);
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
    let ended = CollectiveCall::begin(session).agree(facts);
    ended.err().unwrap_or(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What ranks have in a call of the program: all of them an invalid handle, or those of a set.
    #[derive(Clone, Copy, PartialEq)]
    enum Given {
        AllInvalid,
        Invalid(u32),
    }

    /// A rank that is to make the program's call number `at`, and has given up so many right before.
    #[derive(Clone, Copy)]
    struct Caller {
        at: usize,
        given_up: u8,
    }

    /// Lets all ranks take part in one call of a communicator: which call of the program it was for all of them, and whether it was
    /// refused; `None` if it was stale.
    fn call(ranks: &mut [Caller], program: &[Given], rng: &mut fastrand::Rng) -> Option<(usize, bool)> {
        // Where all have an invalid handle they give up sooner or later; until one begins a call there is none to refuse.
        let looks = |rank: &Caller| program[rank.at] == Given::AllInvalid;
        while ranks.iter().all(looks) || rng.bool() {
            let k = rng.usize(0..ranks.len());
            if looks(&ranks[k]) {
                (ranks[k].at, ranks[k].given_up) = (ranks[k].at + 1, ranks[k].given_up + 1);
            }
        }
        let stance = |(k, rank): (usize, &Caller)| match program[rank.at] {
            Given::Invalid(set) if set >> k & 1 == 0 => Stance::PLAIN.after(rank.given_up),
            _ => Stance::REFUSES.after(rank.given_up),
        };
        let own: Vec<Stance> = ranks.iter().enumerate().map(stance).collect();
        let all = own.iter().fold(Stance::PLAIN, |all, own| all.and(Stance::of(own.bytes())));
        if !all.is_behind(all) {
            let at = ranks[0].at;
            assert!(ranks.iter().all(|rank| rank.at == at), "calls of two times are taken for one");
            ranks.fill(Caller { at: at + 1, given_up: 0 });
            return Some((at, all.refused_after != Stance::TAKES_PART));
        }
        for (rank, own) in ranks.iter_mut().zip(own).filter(|(_, own)| own.is_behind(all)) {
            *rank = Caller { at: rank.at + 1, given_up: own.given_up + 1 };
        }
        None
    }

    #[test]
    fn a_refusal_is_of_the_call_that_it_is_meant_for() {
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
