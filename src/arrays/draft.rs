//! Planning of a move. A rank that has all owners of both ends plans alone. If each rank has only its own indices or
//! boxes, the ranks first exchange messages to find the elements that two of them share.

use super::Map;
use super::boxes;
use super::end::{ResolvedEnd, Side};
use super::handover::hand_over;
use super::kinds::ShadowExchange;
use super::last_call::WorkspaceCache;
use super::node::{lacks_memory, proximity, share_memory};
use super::options::Options;
use super::plan::{MoveOptions, Plan, PlanKind};
use super::planning::Planning;
use super::procs::Procs;
use super::rendezvous;
use super::seat::Seat;
use crate::collective::call::{confirm_step, settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::record::CallRecord;
use crate::layout::distribution::Rank;
use crate::layout::intersect::Overlap;
use crate::layout::mapping::{Arrangement, ArrayRedistribution};
use crate::layout::problem::{Copies, Problem};
use crate::plan::rank_plan::RankPlan;
use crate::plan::{Place, Received, ReceivedBoxes};
use crate::runtime::session::Session;
use crate::system::settings::Settings;
use std::sync::Arc;

pub(super) enum PlanStage {
    /// The finished plan, except its number.
    Done(Box<Plan>),
    /// The redistribution, whose shared elements the ranks must still find by messages.
    Unpaired(Box<ArrayRedistribution>),
}

/// Checked arguments of a planning call.
pub(super) struct Draft<'a> {
    pub(super) from: Option<ResolvedEnd>,
    pub(super) to: Option<ResolvedEnd>,
    pub(super) element: usize,
    pub(super) options: &'a Options,
    pub(super) settings: Arc<Settings>,
    /// For a plan of shadows; both ends are then the same array.
    pub(super) shadow: Option<ShadowExchange>,
    /// Result of planning before the agreement, if this rank could plan.
    pub(super) stage: Option<PlanStage>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        session: &Arc<Session>,
        (from, to, element, options): (Side<'_>, Side<'_>, usize, &'a Options),
    ) -> Result<Self, Failure> {
        options.without_lists()?;
        let settings = Arc::new(options.applied_to(settings().0)?);
        let (from, to) = (from.resolve(session, "source")?, to.resolve(session, "target")?);
        Ok(Self::of_ends([from, to], element, options, settings))
    }

    pub(super) fn of_ends(
        [from, to]: [Option<ResolvedEnd>; 2],
        element: usize,
        options: &'a Options,
        settings: Arc<Settings>,
    ) -> Self {
        Self { from, to, element, options, settings, shadow: None, stage: None }
    }

    /// Returns whether the plan needs node memory that `session` has not set up. Equal on all ranks.
    pub(super) fn lacks_memory(&self, session: &Session) -> bool {
        lacks_memory(session, &self.settings)
    }

    /// Sets up the node memory that the plan needs. Collective.
    pub(super) fn share_memory(&self, session: &Session) -> Result<(), Failure> {
        share_memory(session, &self.settings)
    }

    /// Broadcasts each end that some rank lacks. `senders` has the rank that sends the source and the rank that sends
    /// the target; `None` if no rank lacks it. Collective. The inner result is this rank's own failure; the outer one
    /// is MPI's.
    pub(super) fn receive_ends(
        &mut self,
        session: &Session,
        senders: [Option<u32>; 2],
    ) -> Result<Result<(), Failure>, Failure> {
        let mut good = Ok(());
        for (root, end) in senders.into_iter().zip([&mut self.from, &mut self.to]) {
            let Some(root) = root else { continue };
            match ResolvedEnd::from_root(session, root, end.take())? {
                Ok(known) => *end = Some(known),
                Err(failure) => good = Err(failure),
            }
        }
        if let (Some(exchange), [Some(root), _]) = (&mut self.shadow, senders) {
            good = good.and(exchange.receive(session, root)?);
            self.to.clone_from(&self.from);
        }
        Ok(good)
    }

    pub(super) fn has_both_ends(&self) -> bool {
        self.from.is_some() && self.to.is_some()
    }

    pub(super) fn ends(&self) -> [&ResolvedEnd; 2] {
        let (Some(from), Some(to)) = (&self.from, &self.to) else { unreachable!("both ends are known") };
        [from, to]
    }

    fn redistribution_to(&self, session: &Session, to: &ResolvedEnd) -> Result<ArrayRedistribution, Failure> {
        let which = self.options.correspondence();
        let mut redistribution = ArrayRedistribution::new(
            &self.ends()[0].mapped_section(),
            &to.mapped_section(),
            which,
            self.element as u64,
        )?;
        if !self.options.spread.is_empty() && redistribution.problem.in_boxes() {
            let end = if redistribution.problem.boxes[0] { "source" } else { "target" };
            return Err(Failure::argument(format!(
                "the {end} lies in boxes, for which the option spread is not supported"
            )));
        }
        // An array in boxes has one copy of each element.
        if self.options.copies && !redistribution.problem.boxes[0] {
            redistribution.problem.copies = Copies::All;
        }
        redistribution.problem.nodes = session.nodes();
        Ok(redistribution)
    }

    /// Plans as far as no messages are needed. The calling process must have both ends.
    pub(super) fn plan_alone(&self, session: &Arc<Session>) -> Result<PlanStage, Failure> {
        let [from, to] = self.ends();
        let redistribution = self.redistribution_to(session, to)?;
        if let Some(exchange) = &self.shadow {
            let (redistribution, received) = exchange.with_boxes(session, redistribution, from)?;
            let received = Some(std::slice::from_ref(&received));
            return self.build(session, redistribution, None, received).map(PlanStage::Done);
        }
        if redistribution.problem.in_boxes() || redistribution.problem.dims.iter().any(Overlap::is_partial) {
            from.check_own_parts(session.rank)?;
            to.check_own_parts(session.rank)?;
            return Ok(PlanStage::Unpaired(Box::new(redistribution)));
        }
        let Some(arrangement) = self.relabelled_arrangement(&redistribution) else {
            return self.build(session, redistribution, None, None).map(PlanStage::Done);
        };
        let moved = to.onto(to.map.template().onto(arrangement))?;
        self.build(session, self.redistribution_to(session, &moved)?, Some(moved), None).map(PlanStage::Done)
    }

    /// Exchanges messages about shared elements, then plans. Collective.
    pub(super) fn plan_together(
        &self,
        session: &Arc<Session>,
        mut redistribution: ArrayRedistribution,
    ) -> Result<Box<Plan>, Failure> {
        if redistribution.problem.in_boxes() {
            let received = boxes::find_shares(session, &redistribution, self.ends())?;
            return self.build(session, redistribution, None, Some(&received));
        }
        let paired = rendezvous::pair_owners(session, &mut redistribution.problem);
        confirm_step(session, paired)?;
        let mut moved = None;
        if let Some(arrangement) = self.relabelled_arrangement(&redistribution) {
            let to = self.ends()[1];
            let to = to.onto(hand_over(session, to.map.template(), arrangement)?)?;
            redistribution = self.redistribution_to(session, &to)?;
            rendezvous::pair_owners(session, &mut redistribution.problem)?;
            moved = Some(to);
        }
        self.build(session, redistribution, moved, None)
    }

    fn relabelled_arrangement(&self, redistribution: &ArrayRedistribution) -> Option<Arrangement> {
        let now = self.ends()[1].map.template().arrangement();
        let open = self.options.relabel && !redistribution.problem.in_boxes();
        if open {
            super::places::relabelled_arrangement(&redistribution.problem, redistribution.unit, now)
        } else {
            None
        }
    }

    /// Builds the plan, except its number. `moved` is the target after relabelling. `received` has the boxes that this
    /// rank shares with others, if an array lies in boxes or the plan is for shadows.
    fn build(
        &self,
        session: &Arc<Session>,
        redistribution: ArrayRedistribution,
        moved: Option<ResolvedEnd>,
        received: Option<&[ReceivedBoxes]>,
    ) -> Result<Box<Plan>, Failure> {
        let [from, to] = self.ends();
        let to = moved.as_ref().unwrap_or(to);
        let ends = [from.clone(), to.clone()];
        let Session { rank, ranks, .. } = **session;
        let proximity = proximity(session, &self.settings);
        let ArrayRedistribution { problem, unit, from: source, to: destination } = redistribution;
        if received.is_none_or(|received| received.iter().any(|received| !received.one_array)) {
            check_lists(&problem)?;
        }
        let place = Place::of(&problem, Rank(rank), ranks);
        let seat = |axes: &crate::layout::mapping::ArrayAxes, known: &ResolvedEnd| {
            let local = known.local(rank)?;
            let local = if self.shadow.is_some() { local.with_shadow_as_own() } else { local };
            Seat::new(axes, &local, self.element)
        };
        let from = place.from.as_ref().map(|_| seat(&source, from)).transpose()?;
        let seated = place.to.as_ref().map(|_| seat(&destination, to)).transpose()?;
        let planned = RankPlan::with_received(
            problem,
            place,
            unit,
            &self.settings,
            proximity,
            received.map(Received::Boxes),
        )
        .map_err(|refusal| self.options.refusal_failure(&refusal))?;
        let target = match &moved {
            None => None,
            Some(to) => {
                let procs = Procs::in_session(session, to.map.template().arrangement().clone())?;
                Some(Box::new(Map::from_mapping(procs, None, to.map.clone()).with_local(to.local(rank)?)))
            }
        };
        let kind = match &self.shadow {
            Some(exchange) => PlanKind::Shadow(exchange.clone()),
            None => PlanKind::Move { options: MoveOptions::of(self.options), target },
        };
        Ok(Box::new(Plan {
            session: Arc::downgrade(session),
            number: 0,
            settings: self.settings.clone(),
            planned: Arc::new(planned),
            from,
            to: seated,
            element: self.element,
            ends,
            axes: [source, destination],
            overlap: self.options.overlap,
            kind,
            last_call: WorkspaceCache::default(),
        }))
    }
}

impl Planning<6> for Draft<'_> {
    type Output = Arc<Plan>;

    /// Returns `None` for values of an end that this rank lacks, and for those that a plan of shadows does not have.
    fn values(&self) -> [Option<i64>; 6] {
        let of =
            |known: &Option<ResolvedEnd>| known.as_ref().map_or([None; 2], |known| known.digests().map(Some));
        let ([from, from_section], [to, to_section]) = (of(&self.from), of(&self.to));
        let options = self.options.digest(&self.settings);
        let element = i64::try_from(self.element).unwrap_or(i64::MAX);
        if let Some(exchange) = &self.shadow {
            return [from, exchange.digest(), Some(element), Some(options), None, None];
        }
        [from, from_section, to, to_section, Some(element), Some(options)]
    }

    fn start(&mut self, session: &Arc<Session>, _: &[Option<i64>; 6]) -> Result<(), Failure> {
        if self.has_both_ends() && !self.lacks_memory(session) {
            self.stage = Some(self.plan_alone(session)?);
        }
        Ok(())
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        let senders = [0, 2].map(|k| record.lacking(k));
        self.share_memory(session)?;
        let stage = match self.stage.take() {
            Some(stage) if senders == [None, None] => stage,
            stage => {
                let received = self.receive_ends(session, senders)?;
                let planned = received.and_then(|()| stage.map_or_else(|| self.plan_alone(session), Ok));
                confirm_step(session, planned)?
            }
        };
        let mut plan = match stage {
            PlanStage::Done(plan) => plan,
            PlanStage::Unpaired(redistribution) => {
                let built = self.plan_together(session, *redistribution);
                confirm_step(session, built)?
            }
        };
        plan.number = number;
        Ok(Arc::from(plan))
    }
}

/// Maximum number of runs of one dimension that a plan lists: some gigabytes.
const MAX_LISTED_RUNS: u64 = 1 << 27;

/// Checks that the plan fits into memory: it lists the runs of a section with a stride whose local indices are not at
/// equal distances.
fn check_lists(problem: &Problem) -> Result<(), Failure> {
    for dim in &problem.dims {
        for axis in [&dim.from, &dim.to] {
            let runs = dim.len / u64::from(axis.dist.procs());
            if axis.strided().is_some() && !axis.preserves_spacing() && runs > MAX_LISTED_RUNS {
                let why = format!(
                    "a section with a stride has {runs} runs on each process, at most {MAX_LISTED_RUNS} are supported"
                );
                return Err(Failure::new(Code::Memory, why));
            }
        }
    }
    Ok(())
}
