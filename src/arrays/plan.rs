//! Plans of a program: how an array is moved. All ranks of a communicator make a plan together, and use it for any number of
//! arrays. A plan holds no address.

use super::Map;
use super::boundary::Boundary;
use super::draft::{Draft, PlanStage};
use super::end::{KnownEnd, Side};
use super::irregular::Lines;
use super::options::Options;
use super::repeat::LastCall;
use super::seat::Seat;
use super::shadow::ShadowWay;
use super::shift::Shift;
use crate::collective::call::{CollectiveCall, able, confirmed, session};
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::refuse::reached;
use crate::layout::mapping::ArrayAxes;
use crate::mpi::Comm;
use crate::plan::planned::{Planned, Volume};
use crate::runtime::session::Session;
use crate::system::settings::{Medium, Settings};
use std::sync::{Arc, Weak};

/// A redistribution between two mapped arrays, planned for the calling process.
#[derive(Clone)]
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
    /// Source and target, the latter where its places are now.
    pub(super) ends: [KnownEnd; 2],
    /// How the plan sees their local arrays.
    pub(super) axes: [ArrayAxes; 2],
    /// [`Options::axes`].
    pub(super) permutation: Option<Vec<usize>>,
    /// [`Options::copies`].
    pub(super) copies: bool,
    /// Of a plan for the shadows of an array.
    pub(super) shadow: Option<ShadowWay>,
    /// Whether there are axes in [`Options::spread`].
    pub(super) spreads: bool,
    /// [`Options::overlap`].
    pub(super) overlap: bool,
    /// How it shifts, if it does.
    pub(super) shift: Option<Shift>,
    /// How it shifts lines, if it does.
    pub(super) lines: Option<Arc<Lines>>,
    /// The other plans of a shift, between the same arrays.
    pub(super) more: Vec<Arc<Plan>>,
    /// What it reads in place of the source, if it fills.
    pub(super) fill: Option<Arc<Boundary>>,
    /// What the last call has left for the next one.
    pub(super) repeat: LastCall,
}

/// What all ranks know of a call of `operation` that plans, once they have agreed to go on: `values` are what they give alike.
pub(super) fn agreed(
    call: &mut CollectiveCall<'_>,
    operation: Operation,
    values: &[Option<i64>],
    draft: &Result<Draft<'_>, Failure>,
    started: Option<&Result<PlanStage, Failure>>,
) -> Result<Facts, Failure> {
    let failure = draft.as_ref().err().or(started.and_then(|started| started.as_ref().err())).cloned();
    call.agree(Facts::new(call.rank(), operation, values, failure))
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
        let draft = able(given).and_then(|given| Draft::new(session, given));
        let started = draft.as_ref().ok().and_then(|draft| draft.started(session));
        let values = draft.as_ref().map_or([None; 6], Draft::values);
        let known = agreed(&mut call, Operation::Plan, &values, &draft, started.as_ref())?;
        let number = call.number();
        drop(call);
        Self::finished(session, draft?, started, &known, number)
    }

    /// Collective: the plan of `draft`, as far as it is not made yet, in a call of that number of which all ranks know `known`.
    pub(super) fn finished(
        session: &Arc<Session>,
        mut draft: Draft<'_>,
        started: Option<Result<PlanStage, Failure>>,
        known: &Facts,
        number: i64,
    ) -> Result<Arc<Self>, Failure> {
        let lacking = [0, 2].map(|k| known.lacking(k));
        let numbered = |built: Plan| Arc::new(Plan { number, ..built });
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

    /// Whether an update that is a copy does more than to copy: values for an element may come from several places.
    pub(super) fn combines(&self) -> bool {
        self.copies || self.planned.stages.as_ref().is_some_and(|stages| stages.scatters)
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
        self.more.iter().fold(self.planned.volume(), |all, part| all.and(&part.planned.volume()))
    }
}
