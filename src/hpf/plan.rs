//! Plans of a program: how an array is moved. All ranks of a communicator make a plan together, and use it for any number of
//! arrays. A plan holds no address.

use super::Map;
use super::call::{CollectiveCall, able, confirmed, session};
use super::draft::{Draft, PlanStage};
use super::end::Side;
use super::facts::Facts;
use super::failure::Failure;
use super::operations::Operation;
use super::options::Options;
use super::refuse::reached;
use super::seat::Seat;
use crate::mpi::Comm;
use crate::planned::{Planned, Volume};
use crate::session::Session;
use crate::settings::{Medium, Settings};
use std::sync::{Arc, Weak};

/// A redistribution between two mapped arrays, planned for the calling process.
pub struct Plan {
    pub(super) session: Weak<Session>,
    /// The same on all ranks, and no other plan's of this communicator.
    pub(super) number: i64,
    pub(super) settings: Arc<Settings>,
    pub(super) planned: Arc<Planned>,
    /// Where the section lies in the calling process's storage.
    pub(super) from: Option<Seat>,
    pub(super) to: Option<Seat>,
    pub(super) element: usize,
    /// The target, where its places are on other ranks than its map says.
    pub(super) target: Option<Map>,
}

impl Plan {
    /// Collective over `comm`: from a section of one array to a section of another, of elements of `element` bytes. The
    /// arrangements of both may be any of this communicator's ranks: equal, nested, overlapping or disjoint. A rank that does
    /// not know an array passes none.
    pub fn create(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((from, to, element, options)))
    }

    /// The same, where the caller may have found already that it cannot go on.
    pub fn of_result(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        Self::within(&session, given)
    }

    pub(super) fn within(
        session: &Arc<Session>,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let _intact = session.intact();
        let mut call = CollectiveCall::begin(session);
        let mut draft = able(given).and_then(|given| Draft::new(session, given));
        // Who knows both ends says at once whether it can go on; the others hear of them first.
        let started = match &mut draft {
            Ok(draft) if draft.from.is_some() && draft.to.is_some() && !draft.lacks_memory(session) => {
                Some(draft.start(session))
            }
            _ => None,
        };
        let failure =
            draft.as_ref().err().or(started.as_ref().and_then(|started| started.as_ref().err())).cloned();
        let values = draft.as_ref().map_or([None; 6], Draft::values);
        let known = call.agree(Facts::new(session.rank, Operation::Plan, &values, failure))?;
        let lacking = [0, 2].map(|k| known.lacking(k));
        let number = call.number();
        drop(call);
        let numbered = |built: Plan| Arc::new(Plan { number, ..built });
        let mut draft = draft?;
        draft.share_memory(session)?;
        let started = match started {
            Some(started) if lacking == [None, None] => started?,
            started => {
                let learnt = draft.learn(session, lacking)?;
                confirmed(session, learnt.and_then(|()| started.unwrap_or_else(|| draft.start(session))))?
            }
        };
        match started {
            PlanStage::Done(plan) => Ok(numbered(*plan)),
            PlanStage::Apart(made) => {
                let built = draft.meet(session, *made);
                confirmed(session, built).map(numbered)
            }
        }
    }

    /// What is kept with its communicator: for [`super::execute`] and [`super::Request::start`].
    pub(crate) fn session(&self) -> Result<Arc<Session>, Failure> {
        reached(&self.session, "the communicator of the plan is freed")
    }

    /// The same on all ranks, and no other plan's of this communicator.
    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Whether all messages go by MPI.
    pub(super) fn by_mpi(&self) -> bool {
        self.settings.medium == Medium::Mpi
    }

    /// Whether the calling process reads, and whether it writes, a local array.
    pub fn touches(&self) -> (bool, bool) {
        self.planned.touches()
    }

    /// Where the source lies in the calling process's storage, if it has a part.
    pub fn source(&self) -> Option<&Seat> {
        self.from.as_ref()
    }

    /// The same of the target.
    pub fn destination(&self) -> Option<&Seat> {
        self.to.as_ref()
    }

    /// The target's map where its places were given to other ranks ([`Options::relabel`]): with its arrangement in ranks of
    /// the plan's communicator.
    pub fn target(&self) -> Option<&Map> {
        self.target.as_ref()
    }

    /// What it moves on the calling process.
    pub fn volume(&self) -> Volume {
        self.planned.volume()
    }
}
