//! Sessions of BLACS contexts. Programs make many contexts and MPI has few communicators, so contexts with the same
//! ranks share a session.

use super::arrival::{Here, arrive};
use super::worlds::{are_of_one_world, check_known, check_worlds};
use super::{Session, kept, sessions};
use crate::mpi::{Attribute, Comm, FirstFailure, MpiError, threads_overlap};
use crate::transport::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

static CONTEXTS: Attribute<Session> = Attribute::new();

impl Session {
    /// Returns the session of the context with communicator `comm`, if it has one. Local.
    pub fn of_known_context(comm: &Comm) -> Result<Option<Arc<Self>>, Error> {
        Ok(CONTEXTS.get(comm)?)
    }

    /// Returns the session of the context with communicator `comm`, or an error if some of its processes may be without
    /// reblock. The first call is collective over `comm`, unless its ranks keep a session of an earlier context.
    pub fn of_context(comm: &Comm) -> Result<Arc<Self>, Error> {
        if let Some(session) = Self::of_known_context(comm)? {
            return Ok(session);
        }
        check_known(comm)?;
        Self::of_new_context(comm, check_worlds)
    }

    /// Finds or creates the session of a context. Contexts with the same ranks in the same order share one, unless
    /// threads may make calls at the same time: the order of calls in two contexts could then differ between ranks. If
    /// `comm` has processes of several worlds, `check` decides whether they may have a session.
    pub(super) fn of_new_context(
        comm: &Comm,
        check: impl FnOnce(&Comm) -> Result<(), Error>,
    ) -> Result<Arc<Self>, Error> {
        /// Number of the next shared session, chosen by the first rank of the communicator.
        static SHARED: AtomicU64 = AtomicU64::new(0);
        if comm.is_intercommunicator()? {
            let why = "the communicator of a BLACS context is an intercommunicator: make the context from an intracommunicator, such as MPI_Intercomm_merge returns";
            return Err(Error::Host(why.into()));
        }
        // A rank that fails here ends the job.
        let (ranks, mut first_failure) = (comm.size()?, FirstFailure::default());
        let session = if ranks > 1 {
            let (rank, overlap) = (comm.rank()?, threads_overlap()?);
            let shared = if overlap { None } else { find_shared(comm)? };
            if let Some(session) = shared.as_ref().filter(|session| session.kept) {
                CONTEXTS.set(comm, session.clone())?;
                return Ok(session.clone());
            }
            let here = Here { comm: *comm, rank, ranks, session: None };
            let one_world = are_of_one_world(&here)?;
            if !one_world {
                check(comm)?;
            }
            let known = shared.as_ref().and_then(|session| session.shared).unwrap_or(u64::MAX);
            let fresh = if rank == 0 { SHARED.fetch_add(1, Ordering::Relaxed) } else { u64::MAX };
            let keeps = !overlap && one_world && kept::has_room();
            let brought = [known, !known, fresh, u64::from(keeps)];
            let [least, other, fresh, keeps] =
                arrive(&here, "their first call", brought, &mut first_failure)?;
            // They differ if some ranks have left all contexts of the shared session. Then the ranks make a new one.
            match shared.filter(|_| least == !other) {
                Some(session) => session,
                None => Self::new(comm, (Some(fresh), keeps == 1), &mut first_failure)?,
            }
        } else {
            Self::new(comm, (None, false), &mut first_failure)?
        };
        if let Some(why) = first_failure.failure() {
            return Err(why.clone().into());
        }
        CONTEXTS.set(comm, session.clone())?;
        if session.kept {
            kept::keep(&session)?;
        }
        Ok(session)
    }
}

/// Returns the latest shared session whose ranks are those of `comm`, in the same order.
fn find_shared(comm: &Comm) -> Result<Option<Arc<Session>>, MpiError> {
    let (rank, ranks) = (comm.rank()?, comm.size()?);
    for session in sessions().into_iter().rev() {
        let like = session.shared.is_some()
            && !session.is_broken()
            && (session.rank, session.ranks) == (rank, ranks);
        if like && comm.is_congruent(&session.comm())? {
            return Ok(Some(session));
        }
    }
    Ok(None)
}
