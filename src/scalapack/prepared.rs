//! Driver of one call: agreement, problem, plan, execution.
//!
//! A call with the arguments of an earlier one reuses its checked arguments ([`ValidatedCall`]), plan and workspace.
//! Then a rank compares its terms only with those of one neighbour, unless a grid leaves ranks out.
//!
//! Small sections whose elements all stay on their processes need no plan: ranks only compare their terms
//! ([`Prepared::run_without_plan`]), and a process alone not even these.

use super::addresses::check_addresses;
use super::terms::Unlisted;
use super::{Call, CallTerms, Matrix, ValidatedCall};
use crate::exec::Progress;
use crate::exec::travel::{CallSignature, Execution, Load, Workspace};
use crate::layout::distribution::{Grid, Rank, RankMap};
use crate::layout::strides::Shape;
use crate::mpi::Broadcast;
use crate::pack::{Destination, Footprint, Source};
use crate::plan::Place;
use crate::plan::rank_plan::RankPlan;
use crate::runtime::agreement::Agreement;
use crate::runtime::session::{Answer, Channels, KnownPlan, Links, NodeInfo, Session, is_survey_due};
use crate::system::machine::Proximity;
use crate::system::settings::Settings;
use crate::transport::error::{ArgumentError, Error};
use crate::trial::Trace;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Minimum bytes of a message buffer: room for a message of a different call, so that the mismatch can be reported.
const MIN_MESSAGE_BYTES: usize = 8 << 10;
/// Largest section, in bytes, that is moved without a search for a schedule before the survey of the node. On 4 ranks a
/// search takes as long as a hundred messages, and the survey comes after few such calls.
const MAX_UNSCHEDULED_BYTES: u64 = 1 << 20;
/// Largest section, in columns and in bytes, that is copied without a plan, column by column, if no element leaves its
/// process.
const MAX_UNPLANNED_COLUMNS: u64 = 256;
const MAX_UNPLANNED_BYTES: u64 = 64 << 10;
/// Time for which a rank whose execution failed waits for a message that shows a mismatch, the likely reason.
const REASON_TIME: Duration = Duration::from_secs(2);

/// Progress of the exchange between nodes that carries a call's messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExchangeStage {
    Packing,
    /// All messages of this rank are packed.
    UnderWay,
    /// The exchange is complete, or there is none.
    Over,
}

/// A call whose arguments were checked on this rank.
pub struct Prepared {
    /// Time that the checks took; 0 if it is not measured.
    pub before: Duration,
    validated: Arc<ValidatedCall>,
    session: Arc<Session>,
    settings: &'static Settings,
}

impl Prepared {
    pub(super) fn new(
        validated: Arc<ValidatedCall>,
        session: Arc<Session>,
        settings: &'static Settings,
    ) -> Self {
        Self { before: Duration::ZERO, validated, session, settings }
    }

    pub fn call(&self) -> &Call {
        &self.validated.call
    }

    /// Returns the shapes of this rank's local arrays, with A's dimensions in the order of B's; `None` without a local
    /// array.
    pub fn shapes(&self) -> &[Option<Shape>; 2] {
        &self.validated.shapes
    }

    /// Returns whether the caller may copy its part by itself ([`Call::copies`]) after [`Self::run_without_plan`]: no
    /// element leaves its process, and a plan would take longer than the small copy. `footprints` are those of the
    /// local arrays of A and B. Ranks may decide differently, because the messages are the same.
    pub fn may_copy_without_plan(&self, footprints: [Footprint; 2]) -> bool {
        let Call { routine, extent, transposed, update, .. } = self.call();
        let is_copy = !transposed && update.is_none() && is_small(*extent, routine.element);
        // A scheduler that the user sets may refuse the call, so a plan is made.
        let is_planned = self.settings.scheduler.is_some();
        !is_planned && is_copy && self.sends_only_terms() && self.call().may_copy_by_columns(footprints)
    }

    /// Returns whether ranks send only their terms in this call, with a plan and without.
    fn sends_only_terms(&self) -> bool {
        if self.session.ranks == 1 {
            return true;
        }
        // With a plan, ranks of several nodes exchange messages, and a survey is collective. The call is not counted
        // yet.
        let on_one_node = self.session.node_info().is_none_or(|node_info| node_info.one_node);
        let bytes = self.call().extent.iter().product::<u64>() * self.call().routine.element as u64;
        on_one_node
            && self.terms().are_complete_on_all_ranks()
            && !self.is_survey_due(bytes, self.session.calls() + 1)
            && self.call().is_local()
    }

    /// Compares the terms of the ranks, as [`Self::run`] does. The caller then copies its part.
    pub fn run_without_plan(&self) -> Result<(), Error> {
        if self.session.ranks == 1 {
            return Ok(());
        }
        let (mut channels, is_first) =
            self.session.begin_call::<CallTerms>(self.settings, self.terms().digest());
        let mut agreement = self.validated.agreement(&self.session, self.terms());
        self.session.until(|links| {
            let is_agreed = is_agreed(&mut agreement, is_first, &mut channels, links)?;
            Ok(Answer::when(is_agreed, ()))
        })?;
        self.session.end(channels);
        self.validated.keep_agreement(agreement);
        Ok(())
    }

    fn terms(&self) -> &CallTerms {
        self.validated.terms(&self.session, self.settings)
    }

    /// Moves the data between this rank's local arrays, which have the shapes of [`Prepared::shapes`]. Returns the
    /// plan.
    pub fn run(
        &self,
        (source, destination): (Option<Source>, Option<Destination>),
    ) -> Result<Arc<RankPlan>, Error> {
        let trace = Trace::start(&self.session, self.before);
        // No rank must return while other ranks make a different call. In the first call with these terms, all ranks
        // agree before any returns. Later a rank compares its terms only with the rank before it: one round of messages
        // instead of ⌈log₂ P⌉, which matters for small calls.
        let (mut channels, is_first) =
            self.session.begin_call::<CallTerms>(self.settings, self.terms().digest());
        let mut agreement = self.validated.agreement(&self.session, self.terms());

        let grids = self.agree(&mut agreement, &mut channels)?;
        let (plan, last) = self.plan(grids, &mut agreement, &mut channels)?;
        channels.fit(max_message(&plan), plan.pace());
        let mut load = Load { plan: plan.clone(), source, destination, update: self.call().update };
        check_addresses(self.call(), &load)?;
        self.call().prepare_load(&mut load);
        let workers = self.session.workers(self.settings);
        let signature = CallSignature::of(self.session.number, workers, &load);
        let mut workspace = last.take(&signature);
        let mut loads = workspace.as_mut().map(Workspace::room).unwrap_or_default();
        loads.push(load);
        let mut execution = Execution::new(loads, workers, workspace)?;
        // If all messages are small, they travel between nodes in one exchange.
        let mut exchange = if plan.phases.early { ExchangeStage::Packing } else { ExchangeStage::Over };
        if exchange == ExchangeStage::Packing {
            self.with_links(|links| channels.begin_exchange(links))?;
        }
        let (mut moving, mut failed) = (true, false);
        let moved = self.session.until(|links| {
            if exchange == ExchangeStage::Packing && execution.send_ahead(&mut channels.data(links))? {
                exchange = ExchangeStage::UnderWay;
            }
            if exchange == ExchangeStage::UnderWay && is_exchanged(&mut channels, links)? {
                exchange = ExchangeStage::Over;
            }
            if moving && exchange != ExchangeStage::Packing {
                let progress = execution.advance(&mut channels.data(links));
                // The agreement's message follows the first data, even if the execution failed: a mismatch may be the
                // reason.
                agreement.start(&mut channels.agreement(links))?;
                failed = progress.is_err();
                let progress = progress?;
                moving = progress != Progress::Done;
                if progress == Progress::Busy {
                    return Ok(Answer::Busy);
                }
            }
            let is_agreed = is_agreed(&mut agreement, is_first, &mut channels, links)?;
            Ok(Answer::when(is_agreed && !moving && exchange == ExchangeStage::Over, ()))
        });
        // A mismatch between ranks explains a failed execution better than its own error.
        moved.map_err(
            |error| if failed { self.reason(error, &mut agreement, &mut channels) } else { error },
        )?;

        self.session.end(channels);
        self.validated.keep_agreement(agreement);
        if let Some(workspace) = execution.into_workspace() {
            last.store(signature, workspace);
        }
        if let Some(trace) = trace {
            trace.finish(&self.call().routine, &self.session, std::slice::from_ref(&plan));
        }
        Ok(plan)
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Returns both grids. If some rank is outside a grid, the ranks first merge their knowledge of the call.
    fn agree<'a>(
        &'a self,
        agreement: &mut Agreement<CallTerms>,
        channels: &mut Channels,
    ) -> Result<[Cow<'a, Grid>; 2], Error> {
        let Call { a, b, .. } = self.call();
        if self.terms().are_complete_on_all_ranks() {
            let grid = |m: &'a Option<Matrix>| &m.as_ref().expect("every rank is in both grids").grid;
            return Ok([a, b].map(|m| Cow::Borrowed(grid(m))));
        }
        self.with_links(|links| channels.begin_exchange(links))?;
        self.session.until(|links| {
            if channels.has_exchange() {
                // Sends this rank's message: a rank that makes another call may wait for it.
                agreement.start(&mut channels.agreement(links))?;
                agreement.poll(&mut channels.agreement(links))?;
            }
            let is_merged = match channels.exchange(links) {
                Some(mut exchange) => agreement.settle_by_nodes(&mut exchange)?,
                None => agreement.merge(&mut channels.agreement(links))?,
            };
            Ok(Answer::when(is_merged, ()))
        })?;
        let known = agreement.known();
        known.complete()?;
        let from = known.grid_a().or_else(|unlisted| self.broadcast_grid(&unlisted, a.as_ref()))?;
        let to = known.grid_b().or_else(|unlisted| self.broadcast_grid(&unlisted, b.as_ref()))?;
        self.check_place("A", &from, a.as_ref())?;
        self.check_place("B", &to, b.as_ref())?;
        Ok([Cow::Owned(from), Cow::Owned(to)])
    }

    /// Returns a grid with listed ranks, which one of its members broadcasts.
    fn broadcast_grid(&self, grid: &Unlisted, mine: Option<&Matrix>) -> Result<Grid, Error> {
        let Unlisted { rows, cols, root } = *grid;
        let ranks: Vec<i64> = match mine {
            Some(matrix) => matrix.grid.ranks().map(|rank| rank.0.into()).collect(),
            None => vec![0; rows as usize * cols as usize],
        };
        let mut broadcast = Broadcast::start(self.session.comm(), root, ranks)?;
        let ranks = self.session.until(|_| Ok(broadcast.test()?.map_or(Answer::NotYet, Answer::Ready)))?;
        let ranks: Vec<u32> = ranks.iter().map(|&rank| u32::try_from(rank).expect("a rank")).collect();
        Ok(Grid::from_ranks(&[rows, cols], &ranks).expect("a grid has a rank for every place"))
    }

    /// Checks that this rank passed a context if and only if it is in the agreed grid, and that BLACS has it at the
    /// same place.
    fn check_place(&self, name: &str, grid: &Grid, mine: Option<&Matrix>) -> Result<(), Error> {
        let place = grid.find(Rank(self.session.rank));
        match (place.as_deref(), mine.map(|matrix| matrix.at)) {
            (place, at) if place == at.as_ref().map(|at| &at[..]) => Ok(()),
            (Some(at), _) => Err(Error::Argument(ArgumentError {
                name: format!("CTXT_ of DESC{name}"),
                value: -1,
                expected: format!(
                    "the context of {name}'s grid, in which this process is ({},{})",
                    at[0], at[1]
                ),
                place: None,
            })),
            (None, _) => Err(Error::Host(format!("the ranks of {name}'s grid disagree about its processes"))),
        }
    }

    /// Returns whether the nodes must be surveyed before call number `calls`, of `bytes` bytes; equal on all ranks.
    fn is_survey_due(&self, bytes: u64, calls: u64) -> bool {
        self.session.node_info().is_none() && is_survey_due(bytes, calls, self.settings.medium)
    }

    /// Returns the facts about the node, after its survey if that is due.
    fn node_info(
        &self,
        bytes: u64,
        agreement: &mut Agreement<CallTerms>,
        channels: &mut Channels,
    ) -> Result<NodeInfo, Error> {
        if !self.is_survey_due(bytes, self.session.calls()) {
            return Ok(self.session.node_info().unwrap_or_default());
        }
        // The survey is collective, so all ranks must have agreed on the call first.
        self.session
            .until(|links| Ok(Answer::when(agreement.finish(&mut channels.agreement(links))?, ())))?;
        let node_info = self.session.ensure_surveyed(self.settings)?;
        self.with_links(|links| channels.join_node_slots(links))?;
        Ok(node_info)
    }

    /// Calls `body` with the links to other ranks.
    fn with_links(&self, mut body: impl FnMut(&mut Links<'_>)) -> Result<(), Error> {
        self.session.until(|links| {
            body(links);
            Ok(Answer::Ready(()))
        })
    }

    /// Returns the plan for the agreed terms, kept or new.
    fn plan(
        &self,
        [from, to]: [Cow<'_, Grid>; 2],
        agreement: &mut Agreement<CallTerms>,
        channels: &mut Channels,
    ) -> Result<KnownPlan, Error> {
        let element = self.call().routine.element;
        let is_new = |(plan, _): &KnownPlan| {
            self.is_survey_due(plan.problem.bytes(element as u64), self.session.calls())
        };
        if let Some(kept) = self.validated.plan.get().filter(|kept| !is_new(kept)) {
            return Ok(kept.clone());
        }
        // The numbers have only a digest of listed ranks, which two lists may share. So the key has the lists as well.
        let mut key = Cow::from(agreement.known().numbers());
        for grid in [&from, &to] {
            if let RankMap::Listed(ranks) = grid.map() {
                key.to_mut().extend(ranks.iter().map(|&rank| i64::from(rank)));
            }
        }
        let kept = self.session.state().plans.find(&key);
        let known = match kept.filter(|kept| !is_new(kept)) {
            Some(kept) => kept,
            None => self.make_plan(key.into_owned(), [from, to], agreement, channels)?,
        };
        if self.terms().are_complete_on_all_ranks() {
            // After a survey, which replaces plans, the old plan stays here. But the survey has also dropped this
            // cached call from the session, so the next call is checked again and caches the new plan.
            self.validated.plan.get_or_init(|| known.clone());
        }
        Ok(known)
    }

    /// Makes a plan for the agreed terms, and caches it under `key`.
    fn make_plan(
        &self,
        key: Vec<i64>,
        [from, to]: [Cow<'_, Grid>; 2],
        agreement: &mut Agreement<CallTerms>,
        channels: &mut Channels,
    ) -> Result<KnownPlan, Error> {
        let Call { part, transposed, a, b, .. } = self.call();
        let (transposed, element) = (*transposed, self.call().routine.element);
        let mut problem = agreement.known().problem(*part, transposed, from.into_owned(), to.into_owned());
        let bytes = problem.bytes(element as u64);
        let node_info = self.node_info(bytes, agreement, channels)?;
        problem.nodes = self.session.nodes();
        // Within one node the order of messages does not matter, so no schedule is searched for.
        let unscheduled = self.session.node_info().is_none() && bytes <= MAX_UNSCHEDULED_BYTES;
        let proximity = match node_info.one_node || unscheduled {
            true => Proximity::OneNode,
            false => node_info.proximity(),
        };
        let at = |matrix: &Option<Matrix>, transposed| matrix.as_ref().map(|m| m.place(transposed));
        let Session { rank, ranks, .. } = *self.session;
        let (from, to) = (at(a, transposed), at(b, false));
        let me = Place { rank: Rank(rank), from, to, ranks };
        let plan = RankPlan::new(problem, me, element, self.settings, proximity);
        let plan = Arc::new(plan.map_err(|refusal| Error::Host(refusal.to_string()))?);
        let known = (plan, Arc::default());
        self.session.state().plans.keep(&key, known.clone());
        Ok(known)
    }

    /// Returns the reason for a failed execution: a mismatch between ranks if one arrives within [`REASON_TIME`],
    /// otherwise `error`.
    fn reason(&self, error: Error, agreement: &mut Agreement<CallTerms>, channels: &mut Channels) -> Error {
        let begin = Instant::now();
        let polled = self.session.until(|links| {
            agreement.poll(&mut channels.agreement(links))?;
            Ok(Answer::when(begin.elapsed() > REASON_TIME, ()))
        });
        polled.err().unwrap_or(error)
    }
}

/// Returns whether a section of these rows and columns is small enough to be copied without a plan.
pub(super) fn is_small([rows, cols]: [u64; 2], element: usize) -> bool {
    let bytes = rows.saturating_mul(cols).saturating_mul(element as u64);
    cols <= MAX_UNPLANNED_COLUMNS && bytes <= MAX_UNPLANNED_BYTES
}

/// Advances the comparison of terms: between all ranks in the first call with these terms, otherwise with one
/// neighbour. Returns whether this rank may leave the call.
fn is_agreed(
    agreement: &mut Agreement<CallTerms>,
    is_first: bool,
    channels: &mut Channels,
    links: &mut Links<'_>,
) -> Result<bool, Error> {
    match is_first {
        true => agreement.settle(&mut channels.agreement(links)),
        false => agreement.finish(&mut channels.agreement(links)),
    }
}

/// Advances the exchange of a call's messages, without records. Returns whether it is complete.
fn is_exchanged(channels: &mut Channels, links: &mut Links<'_>) -> Result<bool, Error> {
    let Some(mut exchange) = channels.exchange(links) else { return Ok(true) };
    Ok(exchange.post(|_| (), |_, _| Ok(0))? && exchange.poll()?)
}

/// Returns the maximum size, in bytes, of an MPI message; equal on all ranks. It is about the section's size at most:
/// allocating more takes longer than a small call.
fn max_message(plan: &RankPlan) -> usize {
    let all = usize::try_from(plan.problem.bytes(plan.element as u64)).unwrap_or(usize::MAX);
    plan.message.min(all.div_ceil(64).saturating_mul(64).max(MIN_MESSAGE_BYTES))
}
