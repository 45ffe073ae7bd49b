//! Driver of collective calls: the ranks of a communicator exchange their [`CallRecord`]s and reach one verdict before
//! anything is done.

use super::attempt::Attempt;
use super::failure::{Code, Failure};
use super::operations::Operation;
use super::record::CallRecord;
use super::refuse::refuse_anywhere;
use crate::mpi::{Broadcast, Comm, check_library};
use crate::runtime::session::{Answer, Channels, Session};
use crate::system::settings::Settings;
use std::sync::{Arc, Weak};

/// Returns the session of a program's communicator. The first call on it makes the session, collectively.
pub fn session(comm: &Comm) -> Result<Arc<Session>, Failure> {
    check_comm_or_refuse(comm)?;
    Ok(Session::get_or_create(comm, settings().0)?)
}

/// Makes the session of a new communicator, whose ranks must have equal settings.
pub fn session_of_new_comm(comm: &Comm) -> Result<Arc<Session>, Failure> {
    Ok(Session::create_gathered(comm, settings().0)?)
}

/// Checks that MPI can be called.
pub fn check_mpi() -> Result<(), Failure> {
    check_library().map_err(|text| Failure::new(Code::State, text))
}

/// Checks a communicator that the program passes. Reports a refusal to ranks that wait for this one on another
/// communicator.
pub fn check_comm_or_refuse(comm: &Comm) -> Result<(), Failure> {
    check_mpi()?;
    check_comm(comm).map_err(refuse_anywhere)
}

/// Refuses MPI_COMM_NULL, intercommunicators and freed communicators. If MPI detects a freed communicator, it calls the
/// error handler, which by default ends the program.
pub fn check_comm(comm: &Comm) -> Result<(), Failure> {
    if comm.is_null() {
        return Err(Failure::argument(
            "the communicator is MPI_COMM_NULL, expected one that contains this process",
        ));
    }
    match comm.is_intercommunicator() {
        Ok(false) => Ok(()),
        Ok(true) => Err(Failure::argument(
            "the communicator is an intercommunicator, expected an intracommunicator: merge both groups by MPI_Intercomm_merge",
        )),
        Err(why) => Err(Failure::argument(format!("the communicator is not valid, perhaps freed: {why}"))),
    }
}

/// Returns this process's settings; if they are invalid, the defaults, with which the failure can be reported, and the
/// failure.
pub fn settings() -> (&'static Settings, Option<Failure>) {
    match Settings::of_process() {
        Ok(settings) => (settings, None),
        Err(why) => (Settings::defaults(), Some(Failure::new(Code::Settings, why))),
    }
}

/// Returns `given`, or a failure if this process's settings are invalid.
pub fn with_valid_settings<T>(given: Result<T, Failure>) -> Result<T, Failure> {
    settings().1.map_or(given, Err)
}

/// Returns the session of an object, or a failure with the text `gone` if its communicator was freed.
pub fn live_session(session: &Weak<Session>, gone: &str) -> Result<Arc<Session>, Failure> {
    check_mpi()?;
    session.upgrade().ok_or_else(|| Failure::new(Code::State, gone))
}

/// Agrees on a call of `operation` with all ranks of `session`. Returns `mine` if no rank failed and all `values` are
/// equal, otherwise the common failure. Collective.
pub fn agree_on<T>(
    session: &Session,
    operation: Operation,
    values: &[Option<i64>],
    mine: Result<T, Failure>,
) -> Result<T, Failure> {
    let failure = mine.as_ref().err().cloned();
    CollectiveCall::begin(session).agree(CallRecord::new(session.rank, operation, values, failure))?;
    mine
}

/// Returns `mine` if no rank failed in this step of an agreed call, otherwise the common failure. Collective.
pub fn confirm_step<T>(session: &Session, mine: Result<T, Failure>) -> Result<T, Failure> {
    agree_on(session, Operation::Confirm, &[], mine)
}

/// A call under way, which ends on drop.
pub struct CollectiveCall<'s> {
    session: &'s Session,
    channels: Option<Box<Channels>>,
}

impl<'s> CollectiveCall<'s> {
    /// Begins a call, on all ranks of `session`.
    pub fn begin(session: &'s Session) -> Self {
        let (settings, _) = settings();
        Self { session, channels: Some(session.begin::<CallRecord>(settings)) }
    }

    /// Returns the call's number: unique on this communicator, and equal on all ranks once they have agreed.
    pub fn number(&self) -> i64 {
        let call = self.channels.as_ref().map_or(0, |channels| channels.call());
        i64::try_from(call).unwrap_or(i64::MAX)
    }

    /// Merges `record` with the records of all ranks. Returns the result, or the common failure. Once per call.
    pub fn agree(&mut self, record: CallRecord) -> Result<CallRecord, Failure> {
        self.agree_while(record, || ())
    }

    /// Agrees as [`Self::agree`] does, and calls `waits` repeatedly meanwhile.
    pub fn agree_while(
        &mut self,
        record: CallRecord,
        mut waits: impl FnMut(),
    ) -> Result<CallRecord, Failure> {
        let session = self.session;
        if session.is_broken() {
            return Err(record.fault().unwrap_or_else(broken_failure));
        }
        let mut channels = self.channels.as_mut().expect("the call is not over");
        let mut attempt = Attempt::new(session, channels.call(), record);
        loop {
            session.until(|links| {
                let settled = attempt.settle(channels, links)?;
                match settled {
                    true => channels.close_exchange(links),
                    false => waits(),
                }
                Ok(Answer::when(settled, ()))
            })?;
            if !attempt.must_repeat(session) {
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

/// Returns the failure of calls on a communicator that an earlier failure made unusable.
pub fn broken_failure() -> Failure {
    Failure::new(Code::Broken, "an earlier failure left this communicator unusable for reblock")
}

/// Numbers in the first broadcast of a list: its length and its beginning. A longer list takes a second broadcast.
const FIRST_NUMBERS: usize = 512;

/// Broadcasts a list from rank `root`, whose length the other ranks need not have.
pub fn broadcast_list(session: &Session, root: u32, list: Option<&[i64]>) -> Result<Vec<i64>, Failure> {
    let first = list.map(|list| {
        let mut first = vec![0; FIRST_NUMBERS];
        first[0] = i64::try_from(list.len()).unwrap_or(i64::MAX);
        first[1..].iter_mut().zip(list).for_each(|(place, &number)| *place = number);
        first
    });
    let first = broadcast(session, root, first.as_deref(), FIRST_NUMBERS)?;
    let garbled = |_| Failure::new(Code::Internal, "internal error: cannot decode numbers from another rank");
    let count = usize::try_from(first[0]).map_err(garbled)?;
    let mut all: Vec<i64> = first.into_iter().skip(1).take(count).collect();
    let received = all.len();
    if count > received {
        all.extend(broadcast(session, root, list.map(|list| &list[received..]), count - received)?);
    }
    Ok(all)
}

/// Broadcasts `count` numbers from rank `root`, which passes them as `numbers`, and returns them.
pub fn broadcast(
    session: &Session,
    root: u32,
    numbers: Option<&[i64]>,
    count: usize,
) -> Result<Vec<i64>, Failure> {
    let numbers = numbers.map_or_else(|| vec![0; count], <[i64]>::to_vec);
    let mut broadcast = session.report_error(Broadcast::start(session.comm(), root, numbers))?;
    Ok(session.until(|_| Ok(broadcast.test()?.map_or(Answer::NotYet, Answer::Ready)))?)
}
