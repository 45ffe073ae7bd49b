//! One collective call: the ranks of a communicator exchange what they know of it and come to the same result before
//! anything is done. It knows ranks and facts; it never knows what the call does.

use super::facts::Facts;
use super::failure::{Code, Failure};
use super::operations::Operation;
use super::refuse::{Attempt, sought};
use crate::mpi::{Broadcast, Comm, check_library};
use crate::runtime::session::{Answer, Channels, Session};
use crate::system::settings::Settings;
use std::sync::{Arc, Weak};

/// A communicator that is ready for calls: its ranks know each other.
pub fn session(comm: &Comm) -> Result<Arc<Session>, Failure> {
    usable_comm(comm)?;
    Ok(Session::met(comm, settings().0)?)
}

/// The same of a communicator that was just made of ranks which have met before, with the same settings.
pub fn session_of_new(comm: &Comm) -> Result<Arc<Session>, Failure> {
    Ok(Session::of_gathered(comm, settings().0)?)
}

/// Whether MPI can be called.
pub fn usable() -> Result<(), Failure> {
    check_library().map_err(|text| Failure::new(Code::State, text))
}

/// Checks a communicator of the program, which enters the library here. Ranks that wait for this one on another communicator hear
/// of a refusal.
pub fn usable_comm(comm: &Comm) -> Result<(), Failure> {
    usable()?;
    checked(comm).map_err(sought)
}

/// Refuses what is not a communicator of a single group. Where MPI detects a handle of a freed communicator, its error handler ends
/// most programs; others get an error.
pub fn checked(comm: &Comm) -> Result<(), Failure> {
    if comm.is_null() {
        return Err(Failure::argument("the communicator is MPI_COMM_NULL"));
    }
    match comm.is_intercommunicator() {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::argument(
            "the communicator is an intercommunicator, expected one of a single group: make it of both groups by \
             MPI_Intercomm_merge",
        )),
        Err(why) => Err(Failure::argument(format!("the communicator is not valid, perhaps freed: {why}"))),
    }
}

/// The settings of this process; where they cannot be used, those to tell others so, and why.
pub fn settings() -> (&'static Settings, Option<Failure>) {
    match Settings::of_process() {
        Ok(settings) => (settings, None),
        Err(why) => (Settings::plain(), Some(Failure::new(Code::Settings, why))),
    }
}

/// What the caller gave, unless the settings of this process cannot be used.
pub fn able<T>(given: Result<T, Failure>) -> Result<T, Failure> {
    settings().1.map_or(given, Err)
}

/// What is kept with a communicator, which may be freed: `gone` says so.
pub fn alive(session: &Weak<Session>, gone: &str) -> Result<Arc<Session>, Failure> {
    usable()?;
    session.upgrade().ok_or_else(|| Failure::new(Code::State, gone))
}

/// Calls `operation` together with the other ranks of `session`: what this rank comes to by itself, if all of them can go on
/// and give the same `values`.
pub fn agreed<T>(
    session: &Session,
    operation: Operation,
    values: &[Option<i64>],
    mine: Result<T, Failure>,
) -> Result<T, Failure> {
    let failure = mine.as_ref().err().cloned();
    CollectiveCall::begin(session).agree(Facts::new(session.rank, operation, values, failure))?;
    mine
}

/// What this rank comes to in a call that all ranks have agreed on, if all of them can go on.
pub fn confirmed<T>(session: &Session, mine: Result<T, Failure>) -> Result<T, Failure> {
    agreed(session, Operation::Confirm, &[], mine)
}

/// A call under way. Dropped, it is over.
pub struct CollectiveCall<'s> {
    session: &'s Session,
    channels: Option<Box<Channels>>,
}

impl<'s> CollectiveCall<'s> {
    /// Begins a call; all ranks of `session` do.
    pub fn begin(session: &'s Session) -> Self {
        let (settings, _) = settings();
        Self { session, channels: Some(session.begin::<Facts>(settings)) }
    }

    /// The calling process's rank.
    pub fn rank(&self) -> u32 {
        self.session.rank
    }

    /// A number that the call has on all ranks, and no other of this communicator, once they have agreed.
    pub fn number(&self) -> i64 {
        let call = self.channels.as_ref().map_or(0, |channels| channels.call());
        i64::try_from(call).unwrap_or(i64::MAX)
    }

    /// Tells all ranks `facts`, and says what all of them come to. Once a call.
    pub fn agree(&mut self, facts: Facts) -> Result<Facts, Failure> {
        self.agree_while(facts, || ())
    }

    /// The same; as long as others have not come `waits` is called again and again.
    pub fn agree_while(&mut self, facts: Facts, mut waits: impl FnMut()) -> Result<Facts, Failure> {
        let session = self.session;
        if session.is_broken() {
            return Err(facts.fault().unwrap_or_else(broken));
        }
        let mut channels = self.channels.as_mut().expect("the call is not over");
        let mut attempt = Attempt::new(session, channels.call(), facts);
        loop {
            session.until(|links| {
                let settled = attempt.settle(channels, links)?;
                if !settled {
                    waits();
                }
                Ok(Answer::when(settled, ()))
            })?;
            if !attempt.is_to_be_repeated(session) {
                break;
            }
            *self = Self::begin(session);
            channels = self.channels.as_mut().expect("it has begun");
            attempt = attempt.again(session, None);
        }
        attempt.outcome().verdict(session.rank)?;
        Ok(attempt.outcome().clone())
    }
}

impl Drop for CollectiveCall<'_> {
    fn drop(&mut self) {
        if let Some(channels) = self.channels.take() {
            self.session.end(channels);
        }
    }
}

/// What every call on a communicator says on which MPI failed before.
pub fn broken() -> Failure {
    Failure::new(Code::Broken, "an earlier failure left this communicator unusable for reblock")
}

/// Numbers of a list that are told together with how many there are; those of a longer one follow.
const AT_ONCE: usize = 512;

/// A list that rank `root` gives, on all ranks; they need not know how long it is.
pub fn told_list(session: &Session, root: u32, list: Option<&[i64]>) -> Result<Vec<i64>, Failure> {
    let first = list.map(|list| {
        let mut first = vec![0; AT_ONCE];
        first[0] = i64::try_from(list.len()).unwrap_or(i64::MAX);
        first[1..].iter_mut().zip(list).for_each(|(place, &number)| *place = number);
        first
    });
    let first = told(session, root, first.as_deref(), AT_ONCE)?;
    let garbled = |_| Failure::new(Code::Internal, "what a rank told cannot be read");
    let count = usize::try_from(first[0]).map_err(garbled)?;
    let mut all: Vec<i64> = first.into_iter().skip(1).take(count).collect();
    let told_already = all.len();
    if count > told_already {
        all.extend(told(session, root, list.map(|list| &list[told_already..]), count - told_already)?);
    }
    Ok(all)
}

/// Numbers that rank `root` knows, on all ranks; `count` of them.
pub fn told(
    session: &Session,
    root: u32,
    numbers: Option<&[i64]>,
    count: usize,
) -> Result<Vec<i64>, Failure> {
    let numbers = numbers.map_or_else(|| vec![0; count], <[i64]>::to_vec);
    let mut broadcast = session.vital(Broadcast::start(session.comm(), root, numbers))?;
    Ok(session.until(|_| Ok(broadcast.test()?.map_or(Answer::NotYet, Answer::Ready)))?)
}
