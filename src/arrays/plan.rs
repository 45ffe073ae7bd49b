//! Plans of a program. All ranks of a communicator make a plan together and use it for any number of arrays. A plan
//! holds no addresses.

use super::Map;
use super::boundary::Boundary;
use super::draft::{Draft, PlanStage};
use super::end::{KnownEnd, Side};
use super::irregular::Lines;
use super::options::Options;
use super::repeat::WorkspaceCache;
use super::seat::Seat;
use super::shadow::ShadowWay;
use super::shift::Shift;
use crate::collective::call::{CollectiveCall, able, confirmed, session};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::collective::refuse::reached;
use crate::layout::mapping::ArrayAxes;
use crate::mpi::Comm;
use crate::plan::rank_plan::{RankPlan, Volume};
use crate::runtime::session::Session;
use crate::system::settings::{Medium, Settings};
use std::sync::{Arc, Weak};

/// A redistribution between two mapped arrays, planned for the calling process.
#[derive(Clone)]
pub struct Plan {
    pub(super) session: Weak<Session>,
    /// Equal on all ranks, and unique among the plans of the communicator.
    pub(super) number: i64,
    pub(super) settings: Arc<Settings>,
    pub(super) planned: Arc<RankPlan>,
    /// The section in the calling process's storage of the source.
    pub(super) from: Option<Seat>,
    pub(super) to: Option<Seat>,
    pub(super) element: usize,
    /// The target's map, if relabelling assigned its places to other ranks.
    pub(super) target: Option<Map>,
    /// Source and target; the target after relabelling.
    pub(super) ends: [KnownEnd; 2],
    /// The axes of both local arrays as planning sees them.
    pub(super) axes: [ArrayAxes; 2],
    pub(super) permutation: Option<Vec<usize>>,
    pub(super) copies: bool,
    pub(super) shadow: Option<ShadowWay>,
    /// Whether [`Options::spread`] names axes.
    pub(super) spreads: bool,
    pub(super) overlap: bool,
    /// Set if the plan shifts by one distance.
    pub(super) shift: Option<Shift>,
    /// Set if the plan shifts each line by its own distance.
    pub(super) lines: Option<Arc<Lines>>,
    /// The other plans of a shift, between the same arrays.
    pub(super) more: Vec<Arc<Plan>>,
    /// The value that the plan reads in place of the source, if it fills a boundary.
    pub(super) fill: Option<Arc<Boundary>>,
    /// State that the last call left for the next one.
    pub(super) repeat: WorkspaceCache,
}

/// Agrees on a planning call and returns its record. `values` must be equal on all ranks. Collective.
pub(super) fn agreed(
    call: &mut CollectiveCall<'_>,
    operation: Operation,
    values: &[Option<i64>],
    draft: &Result<Draft<'_>, Failure>,
    started: Option<&Result<PlanStage, Failure>>,
) -> Result<CallRecord, Failure> {
    let failure = draft.as_ref().err().or(started.and_then(|started| started.as_ref().err())).cloned();
    call.agree(CallRecord::new(call.rank(), operation, values, failure))
}

impl Plan {
    /// Plans to move a section of one array to a section of another, with elements of `element` bytes. Collective
    /// over `comm`. The arrangements of both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A
    /// rank that does not know an array passes [`Side::default`] for it.
    pub fn create(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((from, to, element, options)))
    }

    /// Plans as [`Self::create`] does; `Err` makes all ranks fail.
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

    /// Finishes the plan of `draft` in call `number`, on which all ranks have agreed with the record `known`.
    /// Collective.
    pub(super) fn finished(
        session: &Arc<Session>,
        mut draft: Draft<'_>,
        started: Option<Result<PlanStage, Failure>>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Self>, Failure> {
        let lacking = [0, 2].map(|k| record.lacking(k));
        let numbered = |built: Plan| Arc::new(Plan { number, ..built });
        draft.share_memory(session)?;
        let started = match started {
            Some(started) if lacking == [None, None] => started?,
            started => {
                let received = draft.receive_ends(session, lacking)?;
                confirmed(session, received.and_then(|()| started.unwrap_or_else(|| draft.start(session))))?
            }
        };
        match started {
            PlanStage::Done(plan) => Ok(numbered(*plan)),
            PlanStage::Unpaired(unpaired) => {
                let built = draft.plan_together(session, *unpaired);
                confirmed(session, built).map(numbered)
            }
        }
    }

    /// Returns the session of the plan's communicator, for [`super::execute`] and [`super::Request::start`]; an error
    /// if that is freed.
    pub(crate) fn session(&self) -> Result<Arc<Session>, Failure> {
        reached(&self.session, "the communicator of the plan has been freed")
    }

    pub(super) fn number(&self) -> i64 {
        self.number
    }

    /// Returns the bytes of an element.
    pub fn element(&self) -> usize {
        self.element
    }

    /// Returns whether even an update that copies must combine values, because several values may arrive for one
    /// element.
    pub(super) fn combines(&self) -> bool {
        self.copies || self.planned.stages.as_ref().is_some_and(|stages| stages.scatters)
    }

    /// Returns whether all messages must go by MPI.
    pub(super) fn by_mpi(&self) -> bool {
        self.settings.medium == Medium::Mpi
    }

    /// Returns whether the calling process reads a local array, and whether it writes one.
    pub fn touches(&self) -> (bool, bool) {
        self.planned.touches()
    }

    /// Returns the position of the source in the calling process's storage, if it has a part.
    pub fn source(&self) -> Option<&Seat> {
        self.from.as_ref()
    }

    /// Returns the position of the target in the calling process's storage, if it has a part.
    pub fn destination(&self) -> Option<&Seat> {
        self.to.as_ref()
    }

    /// Returns the target's map if relabelling assigned its places to other ranks ([`Options::relabel`]). Its
    /// arrangement is in ranks of the plan's communicator.
    pub fn target(&self) -> Option<&Map> {
        self.target.as_ref()
    }

    /// Returns the bytes and messages that the plan moves on the calling process.
    pub fn volume(&self) -> Volume {
        self.more.iter().fold(self.planned.volume(), |all, part| all.and(&part.planned.volume()))
    }
}
