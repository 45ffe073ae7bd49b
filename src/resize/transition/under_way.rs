//! WHAT of a resize goes on while the program computes? Constant arrays move to their new storage. The program goes on with the ranks,
//! the storage and the values that it has, until all ranks see at the same resize point that they are there. Then everything else
//! moves, or all of it is called off.

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

/// A resize whose constant arrays are on their way, as a rank that works knows it.
pub struct UnderWay<M> {
    // It goes first: it is under way on the communicator below.
    constants: Departed<M>,
    goal: Goal,
    /// What was registered when it began.
    registered: i64,
    /// Of a job that grows: the ranks that are to work.
    met: Option<Met>,
}

impl<M: Allocation> Job<M> {
    /// Collective over the ranks that are to work, if they have met.
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

    /// Collective over the ranks that work.
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

    /// Collective over the ranks that are to work: constant arrays begin to move.
    fn depart(&mut self, mut met: Met) -> Result<(Departed<M>, Met), Failure> {
        let here = newcomer_items(&met.session, &met.welcome);
        let arrays = arrays_of(here.as_ref().unwrap_or(&self.items));
        let (arrays, load) = those(&arrays, &met.welcome.relocations(), true);
        let load = (load, met.room.take());
        let constants = Departed::of(&met.session, &arrays, load, &self.allocate, &mut self.times)?;
        Ok((constants, met))
    }

    /// In a rank that comes, or comes back: it waits for the constant arrays, and until the others switch.
    pub(super) fn furnish_meanwhile(&mut self, met: Met) -> Result<(Welcome, Ready<M>), Failure> {
        let (constants, met) = self.depart(met)?;
        constants.settle();
        let there = constants.arrive();
        self.switch(met, there, None)
    }

    /// Collective over the ranks that are to work: everything else moves, if all of them can go on. Values are what they are now.
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

    /// Collective over the ranks that work: a resize point while a resize is under way. Nobody is asked for a size.
    pub(in super::super) fn go_on(&mut self) -> Result<Outcome, Failure> {
        let (begin, session) = (Instant::now(), self.session()?);
        // What cannot go on is over, and says why when it is concluded.
        let there = self.under_way.as_ref().is_none_or(|it| it.constants.advance().unwrap_or(true));
        self.times.transfer += begin.elapsed();
        let asks = Instant::now();
        // It holds for one resize point.
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

    /// Collective over all ranks, those that come too: the resize is carried out, if that is `fine` on all of them.
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

    /// The same where it is not to be carried out: once the arrays are there, as nobody can stop them, all is as it was.
    pub(in super::super) fn call_off(&mut self, under_way: UnderWay<M>) {
        let ends = Failure::new(Code::State, "the job ends while a resize is under way");
        // That it ends all ranks know.
        drop(self.conclude(under_way, Err(ends)));
    }
}
