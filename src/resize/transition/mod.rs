//! Order of a resize. All steps that can fail come before anything is released: the data is in the new storage before
//! the old storage is freed.

mod asked;
mod ready;
mod under_way;

use super::carry::{Arrived, Relocation, carry, has_constants, in_order, those};
use super::grid::room;
use super::home::Allocation;
use super::registry::{DealtArray, Registered, arrays_of};
use super::times::Times;
use super::wanted::Wanted;
use super::welcome::{Welcome, WelcomeItem};
use super::world::{Role, Roster, own_host};
use super::{Job, Outcome};
use crate::arrays::none_open;
use crate::collective::call::{agreed, confirmed, session_of_new};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::mapping::Arrangement;
use crate::mpi::Duplicate;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use ready::{Ready, Undo};
use std::sync::Arc;
use std::time::{Duration, Instant};
pub(super) use under_way::UnderWay;

/// Goal of a resize, agreed by the active ranks.
struct Goal {
    wanted: Wanted,
    /// Shape of the new process grid, if there is one.
    shape: Option<[u32; 2]>,
    relocations: Vec<Relocation>,
}

/// Session and message of the ranks that will be active.
struct Met {
    // Dropped before its communicator.
    session: Arc<Session>,
    now: Duplicate,
    welcome: Welcome,
    /// Whether this rank has room for the process grid and a valid host; `None` once it has been reported.
    room: Option<Result<(), Failure>>,
}

impl<M: Allocation> Job<M> {
    /// Reads the program's current descriptors; returns the digest of all items.
    pub(super) fn look(&mut self, session: &Arc<Session>) -> Result<i64, Failure> {
        let grid = self.grid;
        for (at, item) in self.items.iter_mut().enumerate() {
            if !item.is_registered() {
                return Err(Failure::argument(format!(
                    "number {at} of what the job has registered is not registered by a process that has joined"
                )));
            }
            if let Registered::Array(array) = item {
                let within = |why: Failure| Failure {
                    text: format!("number {at} of what is registered: {}", why.text),
                    ..why
                };
                array.look(grid, session).map_err(within)?;
            }
        }
        Ok(self.registered())
    }

    /// Returns a digest of all registered items.
    fn registered(&self) -> i64 {
        digest(&self.items.iter().map(Registered::digest).collect::<Vec<_>>())
    }

    /// Checks that no request of the program uses what a resize, or the job's end, releases.
    pub(super) fn quiet(&self, session: &Session) -> Result<(), Failure> {
        let storages: Vec<_> = arrays_of(&self.items)
            .iter()
            .filter_map(|array| array.storage())
            .map(|storage| storage.range())
            .collect();
        none_open(session, &storages)
    }

    /// Resizes the job as the active ranks have agreed. Collective over the active ranks.
    pub(super) fn resize_to(&mut self, wanted: Wanted) -> Result<Outcome, Failure> {
        let (begin, ranks, leaving) = (Instant::now(), wanted.ranks, &wanted.leaving);
        // If the named ranks cannot leave, the last ones still may.
        let unreachable = leaving.is_empty().then_some(ranks);
        self.can_become(ranks, leaving).inspect_err(|_| self.unreachable = unreachable)?;
        let (before, session) = (self.ranks(), self.session()?);
        let staying = (ranks < before).then(|| Roster::staying(before, ranks, leaving));
        let relocations = self.quiet(&session).and_then(|()| self.next_shape(ranks)).and_then(|shape| {
            let relocation = |array: &&DealtArray<M>| {
                let goal = array.goal(ranks, shape, &session)?;
                let to = match &staying {
                    Some(staying) => {
                        let shape = goal.template().arrangement().shape().to_vec();
                        // An arrangement without axes has one process.
                        let there = &staying[..shape.iter().product::<u32>() as usize];
                        goal.onto(Arrangement::new(&shape, Some(there), before)?)
                    }
                    None => goal,
                };
                Ok(Relocation { from: array.within(&session)?, to, constant: array.constant })
            };
            Ok((shape, arrays_of(&self.items).iter().map(relocation).collect::<Result<Vec<_>, Failure>>()?))
        });
        let numbers = |relocations: &[Relocation]| {
            relocations.iter().map(|relocation| relocation.to.numbers()).collect::<Vec<_>>()
        };
        let value =
            relocations.as_ref().ok().map(|(shape, relocations)| digest(&(shape, numbers(relocations))));
        let (shape, relocations) = agreed(&session, Operation::Goals, &[value], relocations)?;
        drop(session);
        let goal = Goal { wanted, shape: self.grid.map(|_| shape), relocations };
        let outcome = match (ranks > before, has_constants(&goal.relocations)) {
            (true, _) => self.grow(goal),
            (false, false) => self.give_back(goal, Vec::new()),
            (false, true) => self.begin_to_shrink(goal),
        };
        let spent = self.times.ask + begin.elapsed();
        self.times = Times { before, after: ranks, total: spent, ..self.times };
        outcome
    }

    fn grow(&mut self, goal: Goal) -> Result<Outcome, Failure> {
        let (ranks, begin) = (goal.wanted.ranks, Instant::now());
        let called = self.world.call(ranks, self.options.unit, &[]);
        if let Err(why) = called {
            self.unreachable = Some(ranks);
            // All ranks know of the failure; only some know its reason.
            return confirmed(&*self.session()?, Err(why));
        }
        let part = self.world.part(ranks);
        self.times.spawn = begin.elapsed();
        let welcome = (self.world.rank() == 0).then(|| self.welcome(&goal));
        let met = part.and_then(|now| self.meet(now.ok_or_else(idle)?, welcome));
        if has_constants(&goal.relocations) {
            return self.begin_to_grow(goal, met);
        }
        let ready = met.and_then(|met| self.furnish(met, Vec::new()));
        self.grown(ready.map(|(_, ready)| ready), ranks)
    }

    /// Completes the growth, if all ranks are ready. Collective over all ranks.
    fn grown(&mut self, ready: Result<Ready<M>, Failure>, ranks: u32) -> Result<Outcome, Failure> {
        let ready = self.confirmed_by_all(ready).inspect_err(|_| {
            self.world.retreat();
        })?;
        self.dress(ready, ranks);
        Ok(Outcome::Resized)
    }

    /// Returns `mine` if all ranks succeeded; otherwise undoes it and returns an error. Collective over all ranks.
    fn confirmed_by_all<T: Undo>(&self, mine: Result<T, Failure>) -> Result<T, Failure> {
        let all = self.world.confirm(mine.is_ok());
        let other = || Failure::new(Code::Mpi, "another rank cannot take part in the resize");
        match (mine, all) {
            (Ok(mine), Ok(true)) => Ok(mine),
            (Ok(mine), all) => {
                mine.undo();
                Err(all.err().unwrap_or_else(other))
            }
            (Err(why), _) => Err(why),
        }
    }

    fn welcome(&self, goal: &Goal) -> Welcome {
        let mut relocations = goal.relocations.iter().cloned();
        let told = |item: &Registered<M>| match item {
            Registered::Array(array) => WelcomeItem::Array {
                element: array.element,
                matrix: array.matrix,
                relocation: relocations.next().expect("both ends of each array"),
            },
            Registered::Value(value) => {
                WelcomeItem::Value(value.home.as_ref().map(|home| home.read()).unwrap_or_default())
            }
        };
        let items = self.items.iter().map(told).collect();
        let calls = self.world.roster().calls().to_vec();
        Welcome { calls, before: self.ranks(), ranks: goal.wanted.ranks, grid: goal.shape, items }
    }

    /// Starts a session of the ranks that will be active, and broadcasts the message to new ones. Collective over
    /// `now`.
    fn meet(&mut self, now: Duplicate, welcome: Option<Welcome>) -> Result<Met, Failure> {
        let begin = Instant::now();
        let session = session_of_new(&now.comm())?;
        self.times.grid = begin.elapsed();
        let begin = Instant::now();
        let welcome = Welcome::tell(&session, welcome)?;
        let room = welcome.grid.map_or(Ok(()), |_| room(session.ranks));
        let room = Some(room.and_then(|()| own_host()).map(drop));
        (self.times.plan, self.times.transfer) = (begin.elapsed(), Duration::ZERO);
        Ok(Met { session, now, welcome, room })
    }

    /// Moves all arrays except those in `there`, which have arrived. Collective over the ranks that will be active.
    fn furnish(&mut self, met: Met, there: Vec<Arrived<M>>) -> Result<(Welcome, Ready<M>), Failure> {
        let Met { session, now, welcome, room } = met;
        let relocations = welcome.relocations();
        let here = newcomer_items(&session, &welcome);
        let arrays = arrays_of(here.as_ref().unwrap_or(&self.items));
        let (arrays, load) = those(&arrays, &relocations, false);
        let rest = carry(&session, &arrays, (load, room), &self.allocate, &mut self.times)?;
        let begin = Instant::now();
        let ready = Ready::of(now, &session, welcome.grid, in_order(&relocations, there, rest));
        self.times.grid += begin.elapsed();
        Ok((welcome, ready?))
    }

    /// Joins the ranks of `now`, in a process that is new or was parked. If that fails, all ranks know it: the others
    /// report it and continue. Returns the role of this process then.
    pub(super) fn arrive(&mut self, now: Duplicate) -> Result<(), Role> {
        let mut told = None;
        let settled = self.meet(now, None).and_then(|met| match has_constants(&met.welcome.relocations()) {
            false => self.furnish(met, Vec::new()),
            true => self.furnish_meanwhile(met),
        });
        let ready = settled.map(|(welcome, ready)| {
            told = Some(welcome);
            ready
        });
        let (Ok(ready), Some(welcome)) = (self.confirmed_by_all(ready), told) else {
            return Err(self.world.retreat());
        };
        self.world.know(welcome.calls.clone());
        if self.items.is_empty() {
            self.items = welcome.items();
        } else {
            for (item, told) in self.items.iter_mut().zip(&welcome.items) {
                match (item, told) {
                    (Registered::Value(value), WelcomeItem::Value(bytes)) => {
                        value.home.iter_mut().for_each(|home| home.write(bytes));
                    }
                    (Registered::Array(array), WelcomeItem::Array { matrix, relocation, .. }) => {
                        (array.matrix, array.constant) = (*matrix, relocation.constant);
                    }
                    _ => (),
                }
            }
        }
        self.dress(ready, welcome.ranks);
        Ok(())
    }

    /// Shrinks the job. Moves all arrays except those in `there`, which have arrived. Collective over the active
    /// ranks.
    fn give_back(&mut self, goal: Goal, there: Vec<Arrived<M>>) -> Result<Outcome, Failure> {
        let (session, arrays) = (self.session()?, arrays_of(&self.items));
        let Goal { wanted: Wanted { ranks, leaving }, shape, relocations } = goal;
        let (arrays, load) = those(&arrays, &relocations, false);
        let rest = carry(&session, &arrays, (load, None), &self.allocate, &mut self.times)?;
        let arrived = in_order(&relocations, there, rest);
        drop(session);
        let begin = Instant::now();
        self.world.call(ranks, self.options.unit, &leaving)?;
        let part = self.world.part(ranks);
        self.times.spawn = begin.elapsed();
        let begin = Instant::now();
        let ready = part.and_then(|now| {
            let ready = |now: Duplicate| {
                let session = session_of_new(&now.comm())?;
                Ready::of(now, &session, shape, arrived)
            };
            now.map(ready).transpose()
        });
        // Old storage and communicators are kept until no step can fail.
        let ready = self.confirmed_by_all(ready).inspect_err(|_| {
            self.world.retreat();
        })?;
        self.times.grid = begin.elapsed();
        if let Some(ready) = ready {
            self.dress(ready, ranks);
            return Ok(Outcome::Resized);
        }
        self.leave_grid();
        self.give_up();
        let role = self.world.reduce(ranks);
        self.placement.know(Vec::new());
        self.wait(role)
    }
}

/// Returns the registered items of a rank that was not active. A rank that was parked registered arrays before, but
/// holds none of their data.
fn newcomer_items<M>(session: &Session, welcome: &Welcome) -> Option<Vec<Registered<M>>> {
    (session.rank >= welcome.before).then(|| welcome.items())
}

fn idle() -> Failure {
    Failure::new(Code::Internal, "an active rank is not among the active ranks")
}
