//! Resize with constant arrays, which move to their new storage while the program computes. The program continues
//! with its ranks, storage and values until all ranks see, at the same resize point, that the arrays have arrived.
//! Then the rest moves, or the resize is called off.

use super::super::carry::{Departed, those};
use super::super::home::Allocation;
use super::super::meeting::met;
use super::super::{Job, Outcome};
use super::ready::Ready;
use super::{Arrived, Goal, Met, Welcome, arrays_of, newcomer_items};
use crate::collective::call::{able, confirmed};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use std::time::Instant;

/// A resize whose constant arrays are moving, on an active rank.
pub struct UnderWay<M> {
    // Dropped first, since it uses the communicator below.
    constants: Departed<M>,
    goal: Goal,
    /// Digest of the registered items at the start.
    registered: i64,
    /// For a growing job: the ranks that will be active.
    met: Option<Met>,
}

impl<M: Allocation> Job<M> {
    /// Starts the growth, if the ranks have met; otherwise ends it. Collective over the ranks that will be active.
    pub(super) fn begin_to_grow(
        &mut self,
        goal: Goal,
        met: Result<Met, Failure>,
    ) -> Result<Outcome, Failure> {
        match met.and_then(|met| self.depart(met)) {
            Ok((constants, met)) => self.moves(goal, constants, Some(met)),
            Err(why) => self.grown(Err(why), goal.wanted.ranks),
        }
    }

    /// Starts the shrinking. Collective over the active ranks.
    pub(super) fn begin_to_shrink(&mut self, goal: Goal) -> Result<Outcome, Failure> {
        let (session, arrays) = (self.session()?, arrays_of(&self.items));
        let (arrays, load) = those(&arrays, &goal.relocations, true);
        let constants = Departed::of(&session, &arrays, (load, None), &self.allocate, &mut self.times)?;
        self.moves(goal, constants, None)
    }

    fn moves(&mut self, goal: Goal, constants: Departed<M>, met: Option<Met>) -> Result<Outcome, Failure> {
        let registered = self.registered();
        self.under_way = Some(Box::new(UnderWay { constants, goal, registered, met }));
        Ok(Outcome::Moving)
    }

    /// Starts to move the constant arrays. Collective over the ranks that will be active.
    fn depart(&mut self, mut met: Met) -> Result<(Departed<M>, Met), Failure> {
        let here = newcomer_items(&met.session, &met.welcome);
        let arrays = arrays_of(here.as_ref().unwrap_or(&self.items));
        let (arrays, load) = those(&arrays, &met.welcome.relocations(), true);
        let load = (load, met.room.take());
        let constants = Departed::of(&met.session, &arrays, load, &self.allocate, &mut self.times)?;
        Ok((constants, met))
    }

    /// Waits for the constant arrays, and until the active ranks switch, in a process that is new or was parked.
    pub(super) fn furnish_meanwhile(&mut self, met: Met) -> Result<(Welcome, Ready<M>), Failure> {
        let (constants, met) = self.depart(met)?;
        constants.settle();
        let there = constants.arrive();
        self.switch(met, there, None)
    }

    /// Moves the rest, if all ranks can continue. Values are sent as they are now. Collective over the ranks that
    /// will be active.
    fn switch(
        &mut self,
        met: Met,
        there: Result<Vec<Arrived<M>>, Failure>,
        welcome: Option<Welcome>,
    ) -> Result<(Welcome, Ready<M>), Failure> {
        let there = confirmed(&met.session, there)?;
        let welcome = Welcome::tell(&met.session, welcome)?;
        self.furnish(Met { welcome, ..met }, there)
    }

    /// Runs a resize point while a resize is in progress. The policy is not asked. Collective over the active ranks.
    pub(in super::super) fn go_on(&mut self) -> Result<Outcome, Failure> {
        let (begin, session) = (Instant::now(), self.session()?);
        // A failed transfer counts as arrived; its failure is reported at the conclusion.
        let there = self.under_way.as_ref().is_none_or(|it| it.constants.advance().unwrap_or(true));
        self.times.transfer += begin.elapsed();
        let asks = Instant::now();
        // A request for leaving holds for one resize point.
        drop(self.placement.take_leaving());
        let mine = able(Ok(())).and_then(|()| self.listen()).and_then(|()| self.look(&session));
        let failure = mine.as_ref().err().cloned();
        let known = met(&session, Operation::Step, &[mine.ok(), Some(i64::from(!there))], failure);
        self.times.ask += asks.elapsed();
        let outcome = known.and_then(|known| match self.under_way.take_if(|_| known.most(1) == Some(0)) {
            None => Ok(Outcome::Moving),
            Some(under_way) => {
                let same = known.most(0) == Some(under_way.registered);
                let why = "what is registered has changed while a resize was under way";
                let fine = if same { Ok(()) } else { Err(Failure::new(Code::State, why)) };
                self.conclude(*under_way, fine)
            }
        });
        self.times.total += begin.elapsed();
        outcome
    }

    /// Completes the resize, if `fine` holds on all ranks. Collective over all ranks, including new ones.
    fn conclude(&mut self, under_way: UnderWay<M>, fine: Result<(), Failure>) -> Result<Outcome, Failure> {
        let UnderWay { constants, goal, met, .. } = under_way;
        let begin = Instant::now();
        let there = constants.arrive();
        self.times.transfer += begin.elapsed();
        let quiet = fine.and_then(|()| self.quiet(&*self.session()?));
        let there = quiet.and(there);
        let Some(met) = met else {
            let there = confirmed(&*self.session()?, there)?;
            return self.give_back(goal, there);
        };
        let welcome = (self.world.rank() == 0).then(|| self.welcome(&goal));
        let ready = self.switch(met, there, welcome);
        self.grown(ready.map(|(_, ready)| ready), goal.wanted.ranks)
    }

    /// Cancels the resize: waits for the transfer, which cannot be stopped, then restores the previous state.
    pub(in super::super) fn call_off(&mut self, under_way: UnderWay<M>) {
        let ends = Failure::new(Code::State, "the job ends while a resize is under way");
        // The failure is expected.
        drop(self.conclude(under_way, Err(ends)));
    }
}
