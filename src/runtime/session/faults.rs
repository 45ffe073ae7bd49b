//! Failure of a rank in the middle of a call. Other ranks may wait for it, so it reports the failure twice: by a
//! message to each rank on reblock's own communicator, and, since messages may be what fails, by an abort flag in the
//! node's shared memory. Waiting ranks listen to both. A rank that receives a failure cannot go on either.
//!
//! On BLACS contexts nothing is reported: the failing rank ends the job.

use super::Session;
use crate::mpi::{Duplicate, TaggedMessages, finalized};
use crate::runtime::backoff::Backoff;
use crate::system::settings::Settings;
use crate::transport::error::{Error, Kind};
use std::time::{Duration, Instant};

/// Time for which a failing rank lets MPI send its messages; usually MPI needs no time.
const SEND_TIME: Duration = Duration::from_secs(1);
/// Time during which a rank that sees the abort flag waits for the message with the reason.
const REASON_TIME: Duration = Duration::from_millis(200);

impl Session {
    /// Makes all further calls on this session fail, and reports `why` to all ranks. Ranks no longer know each other's
    /// state.
    pub fn break_off(&self, why: &Error) {
        if self.fault.set(why.clone()).is_err() || self.own.is_none() || self.is_of_contexts() {
            return;
        }
        // A report reaches all ranks, so it is not passed on.
        if !matches!(why, Error::Reported { .. }) {
            self.report(why);
        }
        if let Some(abort_flag) = self.abort_flag.get() {
            abort_flag.raise(self.rank);
        }
    }

    /// Passes `result` on. Reports an error to the other ranks, which would otherwise wait for ever.
    pub fn report_error<T>(&self, result: Result<T, impl Into<Error>>) -> Result<T, Error> {
        result.map_err(|why| {
            let why = why.into();
            self.break_off(&why);
            why
        })
    }

    /// Returns whether [`Session::break_off`] was called.
    pub fn is_broken(&self) -> bool {
        self.fault.get().is_some()
    }

    fn report(&self, why: &Error) {
        let own = why.to_string();
        let (rank, text) = match why {
            Error::Reported { rank, text, .. } => (*rank, text),
            _ => (self.rank, &own),
        };
        let bytes = [&[why.kind() as u8], &rank.to_le_bytes()[..], text.as_bytes()].concat();
        let mut messages = TaggedMessages::of_faults(self.comm());
        // A rank that no message reaches sees the abort flag or reaches its own limit.
        for to in (0..self.ranks).filter(|&to| to != self.rank) {
            let _ = messages.send(to, bytes.clone());
        }
        let (begin, mut backoff) = (Instant::now(), Backoff::default());
        while messages.all_sent() == Ok(false) && begin.elapsed() < SEND_TIME {
            backoff.snooze();
        }
    }

    /// Listens for failures and lets MPI progress. Returns an error if the rank must stop waiting.
    pub(super) fn listen(&self, backoff: &Backoff) -> Result<(), Error> {
        if let Some(why) = self.fault.get() {
            return Err(why.clone());
        }
        if self.own.is_none() || self.is_of_contexts() {
            self.comm().progress()?;
        } else if let Some(why) = self.received_failure()? {
            return self.report_error(Err(why));
        }
        self.report_error(check_wait_limit(backoff))
    }

    fn received_failure(&self) -> Result<Option<Error>, Error> {
        let messages = TaggedMessages::of_faults(self.comm());
        let raised = self
            .abort_flag
            .get()
            .and_then(|abort_flag| abort_flag.raised())
            .filter(|&rank| rank != self.rank);
        let begin = Instant::now();
        loop {
            if let Some((_, bytes)) = self.report_error(messages.receive())? {
                return Ok(Some(parse(&bytes)));
            }
            let Some(rank) = raised else { return Ok(None) };
            if begin.elapsed() > REASON_TIME {
                let text = "it could not continue, and could not report the reason".into();
                let why = Error::Reported { rank, kind: Kind::Mpi, text };
                // No rank of another node has received anything either.
                self.report(&why);
                return Ok(Some(why));
            }
            std::thread::yield_now();
        }
    }

    /// Returns whether another rank has reported a failure, even if this rank does not wait for it.
    pub(super) fn has_failure_report(&self) -> bool {
        self.own.is_some() && !matches!(TaggedMessages::of_faults(self.comm()).receive(), Ok(None))
    }
}

impl Drop for Session {
    /// Keeps the communicator of a broken session: MPI might match its unfinished operations with messages of a new
    /// communicator of the same number.
    fn drop(&mut self) {
        if !finalized() && (self.is_broken() || self.has_failure_report()) {
            self.own.take().into_iter().for_each(Duplicate::keep);
        }
    }
}

/// Fails if the rank has waited longer than `REBLOCK_WAIT_SECONDS`. For waits without a session; others call
/// `Session::listen`.
pub fn check_wait_limit(backoff: &Backoff) -> Result<(), Error> {
    let most = Settings::of_process().ok().and_then(|settings| settings.wait);
    match most.filter(|&most| backoff.elapsed() > most) {
        Some(most) => Err(Error::Waited(most.as_secs())),
        None => Ok(()),
    }
}

fn parse(bytes: &[u8]) -> Error {
    let [kind, a, b, c, d, text @ ..] = bytes else { return Error::Internal };
    let (rank, kind) = (u32::from_le_bytes([*a, *b, *c, *d]), Kind::of(*kind).unwrap_or(Kind::Internal));
    Error::Reported { rank, kind, text: String::from_utf8_lossy(text).into_owned() }
}
