//! Creation of sessions: the ranks of a communicator wait for each other and duplicate it together.

use super::arrival::{Here, arrive};
use super::state::SessionState;
use super::{ALL, NUMBERS, NodeInfo, SESSIONS, Session, first_call, poll_until};
use crate::mpi::{Comm, Duplication, FirstFailure};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

impl Session {
    /// Returns the session of `comm`, with the node surveyed. The first call is collective over `comm`; only one thread
    /// may make it.
    pub fn get_or_create(comm: &Comm, settings: &Settings) -> Result<Arc<Self>, Error> {
        let mut first_failure = FirstFailure::default();
        if let Some(session) = first_failure.retry_once(|| SESSIONS.get(comm))? {
            if let Some(why) = first_failure.failure() {
                return session.report_error(Err(why.clone()));
            }
            session.ensure_surveyed(settings)?;
            return Ok(session);
        }
        Self::gather_ranks(comm, &mut first_failure)?;
        Self::create(comm, settings, first_failure)
    }

    /// Waits until all ranks of `comm` have called this. Fails on all of them if their settings differ. Collective.
    pub fn gather(comm: &Comm) -> Result<(), Error> {
        Self::gather_ranks(comm, &mut FirstFailure::default())
    }

    pub(super) fn gather_ranks(comm: &Comm, first_failure: &mut FirstFailure) -> Result<(), Error> {
        let (rank, ranks) =
            (first_failure.retry_once(|| comm.rank())?, first_failure.retry_once(|| comm.size())?);
        if ranks > 1 {
            arrive(
                &Here { comm: *comm, rank, ranks, session: None },
                "their first call",
                [0; 4],
                first_failure,
            )?;
        }
        Ok(())
    }

    /// Creates the session of `comm`, which has none yet and whose ranks have equal settings. Collective.
    pub fn create_gathered(comm: &Comm, settings: &Settings) -> Result<Arc<Self>, Error> {
        Self::create(comm, settings, FirstFailure::default())
    }

    /// Creates the session, on which this rank reports `first_failure`, if any.
    fn create(comm: &Comm, settings: &Settings, mut first_failure: FirstFailure) -> Result<Arc<Self>, Error> {
        let session = Self::new(comm, (None, false), &mut first_failure)?;
        session.report_error(first_failure.retry_once(|| SESSIONS.set(comm, session.clone())))?;
        if let Some(why) = first_failure.failure() {
            return session.report_error(Err(why.clone()));
        }
        if session.node_info().is_none() {
            session.survey(settings)?;
        }
        Ok(session)
    }

    /// Creates a session without a survey. Collective; all ranks of `comm` must be in this call.
    pub(super) fn new(
        comm: &Comm,
        (shared, kept): (Option<u64>, bool),
        first_failure: &mut FirstFailure,
    ) -> Result<Arc<Self>, Error> {
        first_call();
        let (rank, ranks) =
            (first_failure.retry_once(|| comm.rank())?, first_failure.retry_once(|| comm.size())?);
        let mut own = None;
        if ranks > 1 {
            let mut duplicating = Duplication::start(*comm, first_failure)?;
            own = Some(poll_until(None, || (), || Ok(duplicating.test(first_failure)?))?);
        }
        let session = Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            rank,
            ranks,
            host: comm.without_lifetime(),
            shared,
            kept,
            own,
            node_info: if ranks == 1 { NodeInfo::alone()?.into() } else { OnceLock::new() },
            in_memory: OnceLock::new(),
            fault: OnceLock::new(),
            abort_flag: OnceLock::new(),
            noted: AtomicBool::new(false),
            group_digest: OnceLock::new(),
            state: Mutex::new(SessionState::new()),
        });
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|session| session.strong_count() > 0);
        all.push(Arc::downgrade(&session));
        Ok(session)
    }
}
