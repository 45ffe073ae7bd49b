//! State machine of a call that moves arrays. All ranks agree that no rank has failed, then targets are written. If all
//! ranks are on one node, data may be sent ahead of the agreement; a failure discards it. Between nodes, only early
//! messages are sent ahead. No step blocks.
//!
//! If a rank has an array in a device's memory, all ranks also agree at the end that no copy has failed. A rank whose
//! copy fails still sends all its messages, with arbitrary contents, so that no rank waits for it.

use super::last_call::LastCall;
use super::needs::{ChannelNeeds, Stage};
use super::operands::{MoveOperands, check_operands};
use super::plan::Plan;
use crate::collective::attempt::Attempt;
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::exec::Progress;
use crate::exec::travel::{CallSignature, Execution, Load, Workspace};
use crate::pack::Update;
use crate::plan::rank_plan::RankPlan;
use crate::runtime::agreement::Agreement;
use crate::runtime::session::{Answer, BackgroundCall, Channels, Links, Session};
use crate::system::digest::digest;
use crate::system::workers::Workers;
use crate::transport::error::Error;
use crate::trial::Trace;
use std::sync::Arc;
use std::time::Duration;

/// Index of the record's value for device memory: 1 if the rank has an array there, absent otherwise.
const DEVICE_VALUE: usize = 2;

/// Arrays in transfer on one rank.
pub struct Transfer<'a> {
    me: u32,
    channels: Box<Channels>,
    needs: ChannelNeeds,
    attempt: Box<Attempt>,
    stage: Stage,
    /// Agreement on the end of the call, if a rank has an array in a device's memory.
    confirmation: Option<Box<Agreement<CallRecord>>>,
    /// Execution of the plans; `None` if this rank has failed, and after the end.
    execution: Option<Execution<'a>>,
    /// If the call moves a single array by one redistribution: the plan, which keeps the call's state for its next
    /// call, and the key of that state.
    repeats: Option<(Arc<Plan>, CallSignature)>,
    /// Workspace of the finished execution.
    workspace: Option<Workspace>,
    result: Option<Result<(), Failure>>,
    /// Error of this rank in the middle of the call. Other ranks may be waiting for this one.
    broken: Option<Error>,
    /// Trace of the call, if tracing is on, and the plans that move together. Boxed, because transfers are moved in
    /// memory.
    traced: Option<Box<(Trace, Vec<Arc<RankPlan>>)>>,
}

impl<'a> Transfer<'a> {
    /// Begins a call that moves `operands`. An error in `operands` makes all ranks fail. Collective over `session`.
    #[inline]
    pub fn begin(session: &Session, operands: Result<Vec<MoveOperands<'a>>, Failure>) -> Self {
        let _guard = session.panic_guard();
        let plans = || operands.iter().flatten().map(|operands| operands.plan.planned.clone()).collect();
        let traced = Trace::start(session, Duration::ZERO).map(|trace| Box::new((trace, plans())));
        let (settings, unusable) = crate::collective::call::settings();
        let operands = unusable.map_or(operands, Err);
        let own = operands.iter().flatten().next().map(|operands| operands.plan.settings.clone());
        let settings = own.as_deref().unwrap_or(settings);
        let workers = session.workers(settings);
        let mut repeats = operands.as_ref().ok().and_then(|operands| signature(session, workers, operands));
        let left = repeats.as_ref().and_then(|(plan, signature)| plan.last_call.take(signature));
        let (operands, needs, known, left) = match left {
            Some(LastCall { needs, attempt, workspace }) => {
                (operands, needs, None, Some((attempt, workspace)))
            }
            None => {
                let numbers: Vec<i64> =
                    operands.iter().flatten().map(|operands| operands.plan.number()).collect();
                let operands = operands.and_then(|operands| check_operands(session, operands));
                let updates: Vec<Option<Update>> =
                    operands.iter().flatten().map(MoveOperands::computes).collect();
                let needs =
                    operands.as_ref().map_or_else(|_| ChannelNeeds::default(), |operands| needs_of(operands));
                // The state is not kept if `check_operands` has copied a source: the call then does not read the
                // program's array.
                let same = |before| {
                    signature(session, workers, operands.as_ref().ok()?).filter(|now| now.1 == before)
                };
                repeats = repeats.and_then(|(_, before)| same(before));
                (operands, needs, Some([digest(&numbers), digest(&updates)]), None)
            }
        };
        let (attempt, mut workspace) = left.unzip();
        let execution = operands.and_then(|operands| {
            Ok(Execution::new(loads(operands, workspace.as_mut()), workers, workspace)?)
        });
        let execution = execution.map(Execution::tolerating_device_failures);
        let (channels, stage, able) = needs.channels(session, settings);
        let execution = execution.and_then(|execution| able.map(|()| execution));
        let attempt = match (attempt, &execution) {
            (Some(mut attempt), Ok(_)) => {
                attempt.renew(session, channels.call());
                attempt
            }
            (_, execution) => {
                let [plans, updates] =
                    known.filter(|_| execution.is_ok()).map_or([None; 2], |known| known.map(Some));
                let values = [plans, updates, Some(1)];
                let on_device = execution.as_ref().is_ok_and(Execution::uses_devices);
                let given = if on_device { &values } else { &values[..DEVICE_VALUE] };
                let failure = execution.as_ref().err().cloned();
                let record = CallRecord::new(session.rank, Operation::Execute, given, failure);
                Box::new(Attempt::new(session, channels.call(), record))
            }
        };
        let (me, execution) = (session.rank, execution.ok());
        Self {
            me,
            channels,
            needs,
            attempt,
            stage,
            confirmation: None,
            execution,
            repeats,
            workspace: None,
            result: None,
            broken: None,
            traced,
        }
    }

    fn restart(mut self, session: &Session) -> Self {
        session.end(self.channels);
        let (settings, _) = crate::collective::call::settings();
        let (channels, stage, able) = self.needs.channels(session, settings);
        // Memory for the channels may be missing now.
        let failure = able.err().filter(|_| self.execution.is_some());
        let instead =
            failure.map(|why| CallRecord::new(session.rank, Operation::Execute, &[None; 2], Some(why)));
        let attempt = Box::new(self.attempt.again(session, instead));
        self.execution.iter_mut().for_each(Execution::rewind);
        Self { channels, attempt, stage, result: None, ..self }
    }

    /// Advances as far as possible without blocking. The result is available once this returns [`Progress::Done`].
    pub fn step(&mut self, links: &mut Links<'_>) -> Progress {
        if self.result.is_some() {
            return Progress::Done;
        }
        match self.advance_by(links) {
            Ok(Progress::Done) => {
                let verdict = self.confirmation.as_ref().map_or(Ok(()), |all| all.known().verdict(self.me));
                self.end(verdict, links)
            }
            Ok(progress) => progress,
            Err(failure) => {
                self.broken = Some(failure.clone());
                self.end(Err(failure.into()), links)
            }
        }
    }

    fn end(&mut self, result: Result<(), Failure>, links: &mut Links<'_>) -> Progress {
        self.workspace = self.execution.take().and_then(Execution::into_workspace);
        self.result = Some(result);
        self.channels.close(links);
        Progress::Done
    }

    fn advance_by(&mut self, links: &mut Links<'_>) -> Result<Progress, Error> {
        if self.stage == Stage::Ahead {
            if let Some(execution) = &mut self.execution {
                if !execution.send_ahead(&mut self.channels.data(links))? {
                    return Ok(Progress::Waiting);
                }
            }
            self.stage = Stage::Agreeing;
        }
        if self.stage == Stage::Agreeing {
            if !self.attempt.settle(&mut self.channels, links)? {
                return Ok(Progress::Waiting);
            }
            if let Err(failure) = self.attempt.outcome().verdict(self.me) {
                // The execution stays, because the call may have to be repeated.
                self.result = Some(Err(failure));
                self.channels.close(links);
                return Ok(Progress::Waiting);
            }
            // A rank of this node may have sent its data and then broken off the call. This rank must not complete the
            // call with that data: it waits until the session reports the failure.
            if links.is_aborted() {
                return Ok(Progress::Waiting);
            }
            self.stage = Stage::Agreed;
        }
        if self.confirmation.is_none() {
            let progress = self.execute(links)?;
            if progress != Progress::Done || self.attempt.outcome().max(DEVICE_VALUE).is_none() {
                return Ok(progress);
            }
        }
        let own = || {
            let failure = self.execution.as_ref().and_then(Execution::device_failure).map(Failure::from);
            self.attempt.confirmation(CallRecord::new(self.me, Operation::Confirm, &[], failure))
        };
        let confirmation = self.confirmation.get_or_insert_with(|| Box::new(own()));
        let settled = confirmation.settle(&mut self.channels.agreement(links))?;
        Ok(if settled { Progress::Done } else { Progress::Waiting })
    }

    fn execute(&mut self, links: &mut Links<'_>) -> Result<Progress, Error> {
        let Some(execution) = &mut self.execution else { return Ok(Progress::Done) };
        let progress = execution.advance(&mut self.channels.data(links))?;
        // Early messages are all here, so the rank is busy until it has unpacked them.
        if progress != Progress::Busy && self.channels.has_exchange() && !execution.awaits_early() {
            self.channels.close_exchange(links);
        }
        Ok(progress)
    }

    pub fn is_over(&self) -> bool {
        self.result.is_some()
    }

    fn run(&mut self, session: &Session) -> Result<(), Failure> {
        let waited = session.until(|links| {
            Ok(match self.step(links) {
                Progress::Done => Answer::Ready(()),
                Progress::Busy => Answer::Busy,
                Progress::Waiting => Answer::when(self.is_over(), ()),
            })
        });
        Ok(waited?)
    }

    /// Repeats the call as long as it is stale (see [`refuse`](crate::collective::refuse)), then returns the result.
    /// Traces name the call `what`.
    #[inline]
    pub fn conclude(mut self, what: &str, session: &Session) -> Result<(), Failure> {
        while self.broken.is_none() && self.attempt.must_repeat(session) {
            self = self.restart(session);
            self.run(session)?;
        }
        self.finish(what, session)
    }

    /// Gives the channels back to `session`, stores the state for the plan's next call, ends the trace, and returns the
    /// result.
    #[inline]
    fn finish(self, what: &str, session: &Session) -> Result<(), Failure> {
        if let Some(why) = &self.broken {
            session.break_off(why);
        }
        session.end(self.channels);
        let result =
            self.result.unwrap_or_else(|| Err(Failure::new(Code::State, "the transfer is not complete")));
        if let (Ok(()), Some((plan, signature)), Some(workspace)) = (&result, self.repeats, self.workspace) {
            plan.last_call.store(signature, LastCall { needs: self.needs, attempt: self.attempt, workspace });
        }
        if let (Ok(()), Some(traced)) = (&result, self.traced) {
            traced.0.finish(&what, session, &traced.1);
        }
        result
    }
}

/// Returns the plan of a call that moves `operands` with `workers`, and the key of the call's state. `None` unless the
/// call moves one array by one redistribution.
fn signature(
    session: &Session,
    workers: Workers,
    operands: &[MoveOperands<'_>],
) -> Option<(Arc<Plan>, CallSignature)> {
    let [operands] = operands else { return None };
    let plan = operands.plan.further().is_empty().then(|| operands.plan.clone())?;
    Some((plan, CallSignature::of(session.number, workers, operands)))
}

fn needs_of(operands: &[MoveOperands<'_>]) -> ChannelNeeds {
    let plans = operands.iter().map(|operands| &*operands.plan.planned);
    ChannelNeeds::of_plans(plans, operands.iter().any(|operands| operands.plan.by_mpi()))
}

/// Replaces the plans of `operands` by this rank's plans. Reuses the vector of the last call, if there is one.
fn loads<'a>(operands: Vec<MoveOperands<'a>>, workspace: Option<&mut Workspace>) -> Vec<Load<'a>> {
    // `collect`, which would work in place, takes longer than the allocation that it saves.
    let mut loads = workspace.map(Workspace::room).unwrap_or_default();
    loads.reserve_exact(operands.len());
    for operands in operands {
        loads.push(operands.with_plan(|plan| Arc::clone(&plan.planned)));
    }
    loads
}

impl BackgroundCall for Transfer<'static> {
    fn advance(&mut self, links: &mut Links<'_>) -> Progress {
        // Starts all messages that can be started: the program may test the request rarely.
        loop {
            let progress = self.step(links);
            if progress != Progress::Waiting || !self.channels.take_pause() {
                return progress;
            }
        }
    }

    fn failure(&self) -> Option<Error> {
        self.broken.clone()
    }
}

/// Moves `operands` and waits until this rank's part is done. Collective over `session`.
pub fn execute(session: &Session, operands: Result<Vec<MoveOperands<'_>>, Failure>) -> Result<(), Failure> {
    execute_as("EXECUTE", session, operands)
}

/// Moves `operands` as [`execute`] does; traces name the call `what`.
pub fn execute_as(
    what: &str,
    session: &Session,
    operands: Result<Vec<MoveOperands<'_>>, Failure>,
) -> Result<(), Failure> {
    if session.is_broken() {
        return Err(crate::collective::call::broken_failure());
    }
    let mut transfer = Transfer::begin(session, operands);
    transfer.run(session)?;
    transfer.conclude(what, session)
}
