//! WHAT does a rank do that cannot go on in the middle of a call? Others may wait for it, so it tells them: each in a message on
//! reblock's own communicator, and those of its node in the memory that they share, as it may be messages that fail. Every
//! loop in which ranks wait listens. Whoever hears of it cannot go on either.
//!
//! On BLACS contexts nobody is told: there a rank that cannot go on ends the job.

use super::{Neighbours, Session};
use crate::mpi::{Duplicate, Letters, finalized};
use crate::runtime::waiting::Waiting;
use crate::system::settings::Settings;
use crate::transport::error::{Error, Kind};
use std::sync::PoisonError;
use std::time::{Duration, Instant};

/// How long a rank that tells others sees to it that MPI takes its messages: they are short, so mostly it does so at once.
const TELLING: Duration = Duration::from_secs(1);
/// How long a rank that saw in memory that another one cannot go on waits for the message that says why.
const HEARING: Duration = Duration::from_millis(200);

impl Session {
    /// From now on no call is possible here: ranks do not know of each other what they do. All others hear of it.
    pub fn break_off(&self, why: &Error) {
        if self.fault.set(why.clone()).is_err() || self.own.is_none() || self.is_of_contexts() {
            return;
        }
        // What a rank was told in a message all others are told, too.
        if !matches!(why, Error::Told { .. }) {
            self.tell(why);
        }
        if let Some(alarm) = self.alarm.get() {
            alarm.raise(self.rank);
        }
    }

    /// A result without which the other ranks would wait for this one for ever: if there is none they are told why.
    pub fn vital<T>(&self, result: Result<T, impl Into<Error>>) -> Result<T, Error> {
        result.map_err(|why| {
            let why = why.into();
            self.break_off(&why);
            why
        })
    }

    /// Whether [`Session::break_off`] was called.
    pub fn is_broken(&self) -> bool {
        self.fault.get().is_some()
    }

    fn tell(&self, why: &Error) {
        let own = why.to_string();
        let (rank, text) = match why {
            Error::Told { rank, text, .. } => (*rank, text),
            _ => (self.rank, &own),
        };
        let bytes = [&[why.kind() as u8], &rank.to_le_bytes()[..], text.as_bytes()].concat();
        let mut letters = Letters::of_faults(self.comm());
        // Who cannot be told so is told by memory, or gives up.
        for to in (0..self.ranks).filter(|&to| to != self.rank) {
            let _ = letters.send(to, bytes.clone());
        }
        let (begin, mut waiting) = (Instant::now(), Waiting::default());
        while letters.all_sent() == Ok(false) && begin.elapsed() < TELLING {
            waiting.pause();
        }
    }

    /// To be called now and then by a rank that waits, for as long as `waiting` says: whether it is to wait on. Lets MPI go on.
    pub(super) fn listen(&self, waiting: &Waiting) -> Result<(), Error> {
        if let Some(why) = self.fault.get() {
            return Err(why.clone());
        }
        if self.own.is_none() || self.is_of_contexts() {
            self.comm().progress()?;
        } else if let Some(told) = self.told()? {
            return self.vital(Err(told));
        }
        self.vital(patient(waiting))
    }

    /// What another rank says that cannot go on.
    fn told(&self) -> Result<Option<Error>, Error> {
        let letters = Letters::of_faults(self.comm());
        let raised = self.alarm.get().and_then(|alarm| alarm.raised()).filter(|&rank| rank != self.rank);
        let begin = Instant::now();
        loop {
            if let Some((_, bytes)) = self.vital(letters.receive())? {
                return Ok(Some(read(&bytes)));
            }
            let Some(rank) = raised else { return Ok(None) };
            if begin.elapsed() > HEARING {
                let text = "it could not go on, and could not say why".into();
                let why = Error::Told { rank, kind: Kind::Mpi, text };
                // The ranks of other nodes have heard nothing either.
                self.tell(&why);
                return Ok(Some(why));
            }
            std::thread::yield_now();
        }
    }

    /// Whether another rank has said that it cannot go on, also if this one did not wait for it.
    pub(super) fn has_news(&self) -> bool {
        self.own.is_some() && !matches!(Letters::of_faults(self.comm()).receive(), Ok(None))
    }
}

impl Drop for Session {
    /// What was begun on the communicators of a session that cannot go on may never end. MPI might take messages of another
    /// communicator for it that it gives the same number: these stay.
    fn drop(&mut self) {
        if finalized() || !(self.is_broken() || self.has_news()) {
            return;
        }
        self.own.take().into_iter().for_each(Duplicate::keep);
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        state.neighbours.iter_mut().for_each(Neighbours::keep);
    }
}

/// Whether a rank without a session is to wait on: an error if it has waited for as long as was asked for.
pub fn patient(waiting: &Waiting) -> Result<(), Error> {
    let most = Settings::of_process().ok().and_then(|settings| settings.wait);
    match most.filter(|&most| waiting.lasts() > most) {
        Some(most) => Err(Error::Waited(most.as_secs())),
        None => Ok(()),
    }
}

/// What [`Session::tell`] wrote.
fn read(bytes: &[u8]) -> Error {
    let [kind, a, b, c, d, text @ ..] = bytes else { return Error::Internal };
    let (rank, kind) = (u32::from_le_bytes([*a, *b, *c, *d]), Kind::of(*kind).unwrap_or(Kind::Internal));
    Error::Told { rank, kind, text: String::from_utf8_lossy(text).into_owned() }
}
