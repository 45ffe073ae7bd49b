//! WHAT does a rank do that gets an invalid handle in a collective call, or MPI_COMM_NULL? The other ranks wait for it, but it
//! does not know on which communicator. So it looks, for a short time, for a communicator on which others have begun a
//! call, and refuses that call: it takes part as a rank that failed. It does the same with an object whose communicator is
//! freed.
//!
//! If all ranks got such a thing, none begins a call, and all give up. One that still looks may then find the next call of
//! those that have given up, and refuse it in place of the one before. Where one rank refuses a call and one says that it gave
//! up right before, the call is *stale*: those that did not refuse it begin it again, for as long as others still look.
//!
//! ```text
//!  invalid handle                     valid call
//!        │                                │
//!        ▼     finds a call               ▼
//!      looks ───────────────▶ refuses  takes part ◀──┐
//!        │                    │     │  │      │      │ begins the call again
//!        │ 2 s          stale │     │  │      │ stale│
//!        ▼                    │     │  │      ▼      │
//!  gave up, returns ◀─────────┘     │  │    gave up ─┘
//!        │                          ▼  ▼
//!        └─ says so in the          returns what all
//!           next call               ranks come to
//! ```

use super::call::{CollectiveCall, alive, usable};
use super::facts::Facts;
use super::failure::Failure;
use crate::agreement::Agreement;
use crate::error::Error;
use crate::session::{Links, Session, Wires, sessions};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

/// How long others are waited for: if every rank was given such a thing, none of them comes.
const PATIENCE: Duration = Duration::from_secs(2);

/// The calls right before which this process gave up: the session's number, and the call's.
static GAVE_UP: Mutex<Vec<(u64, u64)>> = Mutex::new(Vec::new());

/// How a rank comes to a call; merged, how all of them do.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Stance(pub u8);

impl Stance {
    /// It refuses the call.
    pub const REFUSES: Self = Self(1);
    /// It gave up right before the call.
    const GAVE_UP: Self = Self(2);

    /// How both come.
    pub fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether a call is stale to which all ranks come so: it was refused in place of the one before.
    fn is_stale(self) -> bool {
        self == Self::REFUSES.and(Self::GAVE_UP)
    }

    /// Whether a rank that comes so begins a call again to which all come as `all` says.
    fn repeats(self, all: Self) -> bool {
        all.is_stale() && self.and(Self::REFUSES) != self
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
        if gave_up().contains(&(session.number, call)) {
            own.stance = own.stance.and(Stance::GAVE_UP);
        }
        Self { agreement: session.agreement(own.clone()), own }
    }

    /// The same in another call.
    pub fn again(&self, session: &Session, call: u64) -> Self {
        Self::new(session, call, self.own.clone())
    }

    /// Goes on; whether all of it is known and nothing is under way.
    pub fn settle(&mut self, wires: &mut Wires, links: &mut Links<'_>) -> Result<bool, Error> {
        self.agreement.settle(&mut wires.agreement(links))
    }

    /// What is known by now.
    pub fn known(&self) -> &Facts {
        self.agreement.known()
    }

    /// Whether the call, of which all is known, is to be begun again.
    pub fn is_to_be_repeated(&self, session: &Session) -> bool {
        let all = self.known().stance;
        if all.is_stale() {
            let next = (session.number, session.calls());
            gave_up().push(next);
        }
        self.own.stance.repeats(all)
    }
}

fn gave_up() -> MutexGuard<'static, Vec<(u64, u64)>> {
    GAVE_UP.lock().unwrap_or_else(PoisonError::into_inner)
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
pub(super) fn sought(failure: Failure) -> Failure {
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
    let next = all().iter().map(|session| (session.number, session.calls())).collect();
    *gave_up() = next;
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

    /// A rank before it takes part in a call, its program's call number `at`.
    #[derive(Clone, Copy)]
    struct Caller {
        at: u32,
        invalid: bool,
        gave_up: bool,
    }

    impl Caller {
        fn stance(&self) -> Stance {
            let told = |so, stance| if so { stance } else { Stance::default() };
            told(self.invalid, Stance::REFUSES).and(told(self.gave_up, Stance::GAVE_UP))
        }
    }

    /// Lets all ranks take part in a call until it is over: how often it began, and whether it was refused.
    fn call(ranks: &mut [Caller]) -> (u32, bool) {
        for began in 1.. {
            let all = ranks.iter().fold(Stance::default(), |all, rank| all.and(rank.stance()));
            let (stale, at) = (all.is_stale(), ranks[0].at);
            assert!(stale || ranks.iter().all(|rank| rank.at == at), "calls of two times are taken for one");
            let refused = ranks.iter().any(|rank| rank.invalid);
            for rank in &mut *ranks {
                if !rank.stance().repeats(all) {
                    (rank.at, rank.invalid) = (rank.at + 1, false);
                }
                rank.gave_up = stale;
            }
            if !stale {
                return (began, refused);
            }
        }
        unreachable!()
    }

    #[test]
    fn a_refusal_is_of_the_call_that_it_is_meant_for() {
        for (ranks, some) in (1..=5).flat_map(|ranks| (0..1 << ranks).map(move |some| (ranks, some))) {
            let is = |rank: u32| some >> rank & 1 == 1;
            // Some ranks have an invalid handle in call 0: all fail in it.
            let with = |rank| Caller { at: 0, invalid: is(rank), gave_up: false };
            let mut all: Vec<Caller> = (0..ranks).map(with).collect();
            assert_eq!(call(&mut all), (1, some > 0), "{ranks} ranks, {some:b}");
            assert_eq!(call(&mut all), (1, false), "{ranks} ranks, {some:b}");
            // All have one. Some have given up, so that they are in call 1, and the others still look.
            let given_up = |rank| Caller { at: is(rank).into(), invalid: !is(rank), gave_up: is(rank) };
            let mut all: Vec<Caller> = (0..ranks).map(given_up).collect();
            let looked = all.iter().any(|rank| rank.invalid);
            let began = if some > 0 && looked { 2 } else { 1 };
            assert_eq!(call(&mut all), (began, some == 0), "{ranks} ranks, {some:b}");
            assert_eq!(call(&mut all), (1, false), "{ranks} ranks, {some:b}");
        }
    }
}
