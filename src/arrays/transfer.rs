//! State machine of a call that moves arrays. All ranks first agree that no rank has failed, then targets are written.
//! If all ranks are on one node, data may be sent ahead of the agreement; a failure discards it. Between nodes, only
//! early messages are sent ahead. No step blocks.
//!
//! If a rank has an array in a device's memory, all ranks also agree at the end that no copy has failed. A rank whose copy
//! fails still sends all its messages, with arbitrary contents, so that no rank waits for it.

use super::cargo::{Cargo, check_cargo};
use super::needs::{ChannelNeeds, Stage};
use super::plan::Plan;
use super::repeat::Repeat;
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
    /// The agreement on the end of the call, if a rank has an array in a device's memory.
    confirmation: Option<Box<Agreement<CallRecord>>>,
    /// Execution of the plans; `None` if this rank has failed, and after the end.
    execution: Option<Execution<'a>>,
    /// If the call moves a single array by one redistribution: the plan, which keeps the call's state, and the key of
    /// that state for the plan's next call.
    repeats: Option<(Arc<Plan>, CallSignature)>,
    /// Workspace of the finished execution, for the next call.
    workspace: Option<Workspace>,
    result: Option<Result<(), Failure>>,
    /// An error of this rank in the middle of the call. Other ranks may be waiting for this one.
    broken: Option<Error>,
    /// Trace of the call, if tracing is on, and the plans that move together. A box keeps transfers small, as they are
    /// moved in memory.
    traced: Option<Box<(Trace, Vec<Arc<RankPlan>>)>>,
}

impl<'a> Transfer<'a> {
    /// Begins a call that moves `cargo`. An error in `cargo` makes all ranks fail. Collective over `session`.
    #[inline]
    pub fn begin(session: &Session, cargo: Result<Vec<Cargo<'a>>, Failure>) -> Self {
        let _guard = session.panic_guard();
        let plans = || cargo.iter().flatten().map(|cargo| cargo.plan.planned.clone()).collect();
        let traced = Trace::start(session, Duration::ZERO).map(|trace| Box::new((trace, plans())));
        let (settings, unusable) = crate::collective::call::settings();
        let cargo = unusable.map_or(cargo, Err);
        let own = cargo.iter().flatten().next().map(|cargo| cargo.plan.settings.clone());
        let settings = own.as_deref().unwrap_or(settings);
        let workers = session.workers(settings);
        let mut repeats = cargo.as_ref().ok().and_then(|cargo| signature(session, workers, cargo));
        let left = repeats.as_ref().and_then(|(plan, signature)| plan.repeat.take(signature));
        let (cargo, needs, known, left) = match left {
            Some(Repeat { needs, attempt, workspace }) => (cargo, needs, None, Some((attempt, workspace))),
            None => {
                let numbers: Vec<i64> = cargo.iter().flatten().map(|cargo| cargo.plan.number()).collect();
                let cargo = cargo.and_then(|cargo| check_cargo(session, cargo));
                let updates: Vec<Option<Update>> = cargo.iter().flatten().map(Cargo::computes).collect();
                let needs = cargo.as_ref().map_or_else(|_| ChannelNeeds::default(), |cargo| needs_of(cargo));
                // If `check_cargo` has copied a source, the call does not read the program's array: its state is not
                // kept.
                let same =
                    |before| signature(session, workers, cargo.as_ref().ok()?).filter(|now| now.1 == before);
                repeats = repeats.and_then(|(_, before)| same(before));
                (cargo, needs, Some([digest(&numbers), digest(&updates)]), None)
            }
        };
        let (attempt, mut workspace) = left.unzip();
        let execution =
            cargo.and_then(|cargo| Ok(Execution::new(loads(cargo, workspace.as_mut()), workers, workspace)?));
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

    fn again(mut self, session: &Session) -> Self {
        session.end(self.channels);
        let (settings, _) = crate::collective::call::settings();
        let (channels, stage, able) = self.needs.channels(session, settings);
        // Memory that was available for the first attempt may be missing now.
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
                self.over(verdict, links)
            }
            Ok(progress) => progress,
            Err(failure) => {
                self.broken = Some(failure.clone());
                self.over(Err(failure.into()), links)
            }
        }
    }

    fn over(&mut self, result: Result<(), Failure>, links: &mut Links<'_>) -> Progress {
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
            // A rank of this node may have sent its data and then broken off the call. If it has, this rank must not
            // complete the call with that data: it waits until the session reports the failure.
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

    fn carry_on(&mut self, session: &Session) -> Result<(), Failure> {
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
    /// Traces show the call as `what`.
    #[inline]
    pub fn conclude(mut self, what: &str, session: &Session) -> Result<(), Failure> {
        while self.broken.is_none() && self.attempt.must_repeat(session) {
            self = self.again(session);
            self.carry_on(session)?;
        }
        self.finish(what, session)
    }

    /// Gives the channels back to `session`, leaves the state to the plan's next call, ends the trace, and returns the
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
            plan.repeat.store(signature, Repeat { needs: self.needs, attempt: self.attempt, workspace });
        }
        if let (Ok(()), Some(traced)) = (&result, self.traced) {
            traced.0.finish(&what, session, &traced.1);
        }
        result
    }
}

/// Returns the plan of a call on `session` that moves `cargo` and packs with `workers`, and the key of the call's state
/// for the plan's next call. `None` unless the call moves one array by one redistribution.
fn signature(session: &Session, workers: Workers, cargo: &[Cargo<'_>]) -> Option<(Arc<Plan>, CallSignature)> {
    let [cargo] = cargo else { return None };
    let plan = cargo.plan.more().is_empty().then(|| cargo.plan.clone())?;
    Some((plan, CallSignature::of(session.number, workers, cargo)))
}

fn needs_of(cargo: &[Cargo<'_>]) -> ChannelNeeds {
    let plans = cargo.iter().map(|cargo| &*cargo.plan.planned);
    ChannelNeeds::of_plans(plans, cargo.iter().any(|cargo| cargo.plan.by_mpi()))
}

/// Returns the arrays of `cargo` with this rank's messages in place of their plans. Uses the vector of the last call,
/// if there is one.
fn loads<'a>(cargo: Vec<Cargo<'a>>, workspace: Option<&mut Workspace>) -> Vec<Load<'a>> {
    // This is a loop because `collect`, which would work in place, takes longer than the allocation that it saves.
    let mut loads = workspace.map(Workspace::room).unwrap_or_default();
    loads.reserve_exact(cargo.len());
    for cargo in cargo {
        loads.push(cargo.with_plan(|plan| Arc::clone(&plan.planned)));
    }
    loads
}

impl BackgroundCall for Transfer<'static> {
    fn advance(&mut self, links: &mut Links<'_>) -> Progress {
        // The program may test the request rarely, so this starts all messages that can be started.
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

/// Moves `cargo` and waits until this rank's part is done. Collective over `session`.
pub fn execute(session: &Session, cargo: Result<Vec<Cargo<'_>>, Failure>) -> Result<(), Failure> {
    execute_as("EXECUTE", session, cargo)
}

/// Moves `cargo` as [`execute`] does; traces show the call as `what`.
pub fn execute_as(
    what: &str,
    session: &Session,
    cargo: Result<Vec<Cargo<'_>>, Failure>,
) -> Result<(), Failure> {
    if session.is_broken() {
        return Err(crate::collective::call::broken_failure());
    }
    let mut transfer = Transfer::begin(session, cargo);
    transfer.carry_on(session)?;
    transfer.conclude(what, session)
}
