//! Resize of a job with constant arrays, which the program promises not to write. They move to new storage while the
//! program computes. It keeps its ranks, storage and values until all ranks see, at the same resize point, that the
//! constant arrays have arrived. Then the other arrays move, or the resize is cancelled.

use super::super::goal::{Goal, NewRanks, OngoingResize};
use super::super::join_info::JoinInfo;
use super::super::meeting::agree_on_call;
use super::super::registry::arrays_of;
use super::super::relocation::{BackgroundMove, MovedArray, select};
use super::super::times::Times;
use super::super::variables::Allocation;
use super::super::{Job, Outcome};
use super::newcomer_items;
use super::ready::Ready;
use crate::collective::call::{confirm_step, with_valid_settings};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use std::time::Instant;

impl<M: Allocation> Job<M> {
    /// Starts to move the constant arrays of a growing job. If `new_ranks` is a failure, or the start fails, the growth
    /// ends with that failure. Collective over the ranks that will be active.
    pub(super) fn start_growth(
        &mut self,
        goal: Goal,
        new_ranks: Result<NewRanks, Failure>,
    ) -> Result<Outcome, Failure> {
        match new_ranks.and_then(|new_ranks| self.start_constants(new_ranks)) {
            Ok((constants, new_ranks)) => self.set_ongoing(goal, constants, Some(new_ranks)),
            Err(why) => self.complete_growth(Err(why), goal.decision.ranks),
        }
    }

    /// Starts to move the constant arrays of a shrinking job. Collective over the active ranks.
    pub(super) fn start_shrinking(&mut self, goal: Goal) -> Result<Outcome, Failure> {
        let (session, arrays) = (self.session()?, arrays_of(&self.items));
        let (arrays, selected) = select(&arrays, &goal.relocations, true);
        let constants =
            BackgroundMove::start(&session, &arrays, (selected, None), &self.allocate, &mut self.times)?;
        self.set_ongoing(goal, constants, None)
    }

    fn set_ongoing(
        &mut self,
        goal: Goal,
        constants: BackgroundMove<M>,
        new_ranks: Option<NewRanks>,
    ) -> Result<Outcome, Failure> {
        let registered = self.digest_items();
        self.ongoing = Some(Box::new(OngoingResize { constants, goal, registered, new_ranks }));
        Ok(Outcome::Moving)
    }

    /// Starts to move the constant arrays. Collective over the ranks that will be active.
    fn start_constants(&mut self, mut new_ranks: NewRanks) -> Result<(BackgroundMove<M>, NewRanks), Failure> {
        let here = newcomer_items(&new_ranks.session, &new_ranks.join_info);
        let arrays = arrays_of(here.as_ref().unwrap_or(&self.items));
        let (arrays, selected) = select(&arrays, &new_ranks.join_info.relocations(), true);
        let relocations = (selected, new_ranks.checks.take());
        let constants =
            BackgroundMove::start(&new_ranks.session, &arrays, relocations, &self.allocate, &mut self.times)?;
        Ok((constants, new_ranks))
    }

    /// Waits, in a process that is new or was parked, for the constant arrays, then moves the others.
    pub(super) fn prepare_in_background(
        &mut self,
        new_ranks: NewRanks,
    ) -> Result<(JoinInfo, Ready<M>), Failure> {
        let (constants, new_ranks) = self.start_constants(new_ranks)?;
        constants.wait();
        let there = constants.finish();
        self.move_rest(new_ranks, there, None)
    }

    /// Moves the other arrays, if no rank has failed; `there` is this rank's result so far. Rank 0 sends the current
    /// values. Collective over the ranks that will be active.
    fn move_rest(
        &mut self,
        new_ranks: NewRanks,
        there: Result<Vec<MovedArray<M>>, Failure>,
        join_info: Option<JoinInfo>,
    ) -> Result<(JoinInfo, Ready<M>), Failure> {
        let there = confirm_step(&new_ranks.session, there)?;
        let join_info = JoinInfo::broadcast(&new_ranks.session, join_info)?;
        self.prepare(NewRanks { join_info, ..new_ranks }, there)
    }

    /// Runs a resize point while a resize is in progress, without asking the policy. Collective over the active ranks.
    pub(in super::super) fn advance_resize(&mut self) -> Result<Outcome, Failure> {
        let (begin, session) = (Instant::now(), self.session()?);
        let Times { before, after, .. } = self.times;
        // A failed transfer counts as arrived; `complete` reports its failure.
        let there = self.ongoing.as_ref().is_none_or(|it| it.constants.advance().unwrap_or(true));
        self.times.transfer += begin.elapsed();
        let asks = Instant::now();
        // A request for ranks to leave holds for one resize point only, and this one makes no decision.
        drop(self.placement.take_leaving());
        let mine = with_valid_settings(Ok(()))
            .and_then(|()| self.collect_freed_hosts())
            .and_then(|()| self.refresh(&session));
        let failure = mine.as_ref().err().cloned();
        let known = agree_on_call(&session, Operation::Step, &[mine.ok(), Some(i64::from(!there))], failure);
        self.times.ask += asks.elapsed();
        let outcome = known.and_then(|known| match self.ongoing.take_if(|_| known.max(1) == Some(0)) {
            None => Ok(Outcome::Moving),
            Some(ongoing) => {
                let same = known.max(0) == Some(ongoing.registered);
                let why = "the registered arrays and values have changed while a resize was under way";
                let fine = if same { Ok(()) } else { Err(Failure::new(Code::State, why)) };
                self.complete(*ongoing, fine)
            }
        });
        self.times.add_total(before, after, begin.elapsed());
        outcome
    }

    /// Waits for the constant arrays, then completes the resize if all ranks pass `Ok`; otherwise cancels it.
    /// Collective over all ranks, including new ones.
    fn complete(&mut self, ongoing: OngoingResize<M>, fine: Result<(), Failure>) -> Result<Outcome, Failure> {
        let OngoingResize { constants, goal, new_ranks, .. } = ongoing;
        let begin = Instant::now();
        let there = constants.finish();
        self.times.transfer += begin.elapsed();
        let quiet = fine.and_then(|()| self.check_no_open_requests(&*self.session()?));
        let there = quiet.and(there);
        let Some(new_ranks) = new_ranks else {
            let there = confirm_step(&*self.session()?, there)?;
            return self.complete_shrinking(goal, there);
        };
        let join_info = (self.world.rank() == 0).then(|| self.join_info(&goal));
        let ready = self.move_rest(new_ranks, there, join_info);
        self.complete_growth(ready.map(|(_, ready)| ready), goal.decision.ranks)
    }

    /// Cancels the resize: waits for the transfer, which cannot be stopped, then restores the previous state.
    pub(in super::super) fn cancel_resize(&mut self, ongoing: OngoingResize<M>) {
        let ends = Failure::new(Code::State, "the job ends while a resize is under way");
        // The failure is expected.
        drop(self.complete(ongoing, Err(ends)));
    }
}
