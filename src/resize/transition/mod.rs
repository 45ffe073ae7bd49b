//! Steps of a resize. All steps that can fail come before anything is released: the data is in new storage before the
//! old storage is freed.

mod ongoing;
mod ready;
mod requested;

use super::goal::{Decision, Goal, NewRanks};
use super::grid::make_room;
use super::join_info::{JoinInfo, JoinItem};
use super::registry::{DealtArray, Registered, arrays_of};
use super::relocation::{MovedArray, Relocation, has_constants, merge, move_arrays, select};
use super::times::Times;
use super::variables::Allocation;
use super::world::{Role, Roster, own_host};
use super::{Job, Outcome};
use crate::arrays::check_none_open;
use crate::collective::call::{agree_on, confirm_step, session_of_new_comm};
use crate::collective::failure::{Code, Failure};
use crate::collective::operations::Operation;
use crate::layout::mapping::Arrangement;
use crate::mpi::Duplicate;
use crate::runtime::session::Session;
use crate::system::digest::digest;
use ready::{Ready, Undo};
use std::sync::Arc;
use std::time::{Duration, Instant};

impl<M: Allocation> Job<M> {
    /// Reads the program's current descriptors; returns the digest of all items. An error if an item is not registered.
    pub(super) fn refresh(&mut self, session: &Arc<Session>) -> Result<i64, Failure> {
        let grid = self.grid;
        for (at, item) in self.items.iter_mut().enumerate() {
            if !item.is_registered() {
                return Err(Failure::argument(format!(
                    "registered item {at} of the job has not been registered by a process that has joined"
                )));
            }
            if let Registered::Array(array) = item {
                let within =
                    |why: Failure| Failure { text: format!("registered item {at}: {}", why.text), ..why };
                array.read_descriptor(grid, session).map_err(within)?;
            }
        }
        Ok(self.digest_items())
    }

    fn digest_items(&self) -> i64 {
        digest(&self.items.iter().map(Registered::digest).collect::<Vec<_>>())
    }

    /// Checks that no open request of the program uses the session or the arrays' storage, which will be released.
    pub(super) fn check_no_open_requests(&self, session: &Session) -> Result<(), Failure> {
        let storages: Vec<_> = arrays_of(&self.items)
            .iter()
            .filter_map(|array| array.storage())
            .map(|storage| storage.range())
            .collect();
        check_none_open(session, &storages)
    }

    /// Resizes the job by `decision`, at a resize point that began at `begin`. Collective over the active ranks.
    pub(super) fn resize_to(&mut self, decision: Decision, begin: Instant) -> Result<Outcome, Failure> {
        let (ask, ranks, leaving) = (begin.elapsed(), decision.ranks, &decision.leaving);
        // If ranks were named to leave, the size may be reachable with others.
        let unreachable = leaving.is_empty().then_some(ranks);
        self.can_change_to(ranks, leaving).inspect_err(|_| self.unreachable = unreachable)?;
        let (before, session) = (self.ranks(), self.session()?);
        let staying = (ranks < before).then(|| Roster::staying(before, ranks, leaving));
        let relocations = self
            .check_no_open_requests(&session)
            .and_then(|()| self.next_shape(ranks))
            .and_then(|shape| Ok((shape, self.relocations(&session, ranks, shape, staying.as_deref())?)));
        let numbers = |relocations: &[Relocation]| {
            relocations.iter().map(|relocation| relocation.to.numbers()).collect::<Vec<_>>()
        };
        let value =
            relocations.as_ref().ok().map(|(shape, relocations)| digest(&(shape, numbers(relocations))));
        let (shape, relocations) = agree_on(&session, Operation::Goals, &[value], relocations)?;
        drop(session);
        self.times = Times { before, after: ranks, ask, ..Times::default() };
        let goal = Goal { decision, shape: self.grid.map(|_| shape), relocations };
        let outcome = match (ranks > before, has_constants(&goal.relocations)) {
            (true, _) => self.grow(goal),
            (false, false) => self.complete_shrinking(goal, Vec::new()),
            (false, true) => self.start_shrinking(goal),
        };
        self.times.add_total(before, ranks, begin.elapsed());
        outcome
    }

    /// Returns the relocation of each array to `ranks` ranks, with `shape` as the process grid of the matrices.
    /// `staying`: the ranks that stay, if the job shrinks.
    fn relocations(
        &self,
        session: &Arc<Session>,
        ranks: u32,
        shape: [u32; 2],
        staying: Option<&[u32]>,
    ) -> Result<Vec<Relocation>, Failure> {
        let relocation = |array: &&DealtArray<M>| {
            let goal = array.goal_map(ranks, shape, session)?;
            let to = match staying {
                Some(staying) => {
                    let shape = goal.template().arrangement().shape().to_vec();
                    // An arrangement without axes has one process.
                    let places = &staying[..shape.iter().product::<u32>() as usize];
                    goal.onto(Arrangement::new(&shape, Some(places), self.ranks())?)
                }
                None => goal,
            };
            Ok(Relocation { from: array.map_in(session)?, to, constant: array.constant })
        };
        arrays_of(&self.items).iter().map(relocation).collect()
    }

    fn grow(&mut self, goal: Goal) -> Result<Outcome, Failure> {
        let (ranks, begin) = (goal.decision.ranks, Instant::now());
        let called = self.world.order_resize(ranks, self.options.unit, &[]);
        if let Err(why) = called {
            self.unreachable = Some(ranks);
            // All ranks have failed, but only some have the reason.
            return confirm_step(&*self.session()?, Err(why));
        }
        let part = self.world.form_group(ranks);
        self.times.spawn = begin.elapsed();
        let join_info = (self.world.rank() == 0).then(|| self.join_info(&goal));
        let new_ranks = part.and_then(|now| self.start_session(now.ok_or_else(idle_failure)?, join_info));
        if has_constants(&goal.relocations) {
            return self.start_growth(goal, new_ranks);
        }
        let ready = new_ranks.and_then(|new_ranks| self.prepare(new_ranks, Vec::new()));
        self.complete_growth(ready.map(|(_, ready)| ready), ranks)
    }

    /// Installs the new ranks if all ranks are ready; otherwise restores the old ones. Collective over all ranks.
    fn complete_growth(&mut self, ready: Result<Ready<M>, Failure>, ranks: u32) -> Result<Outcome, Failure> {
        let ready = self.confirm_by_all(ready).inspect_err(|_| {
            self.world.roll_back();
        })?;
        self.install(ready, ranks);
        Ok(Outcome::Resized)
    }

    /// Returns `mine` if all ranks succeeded; otherwise undoes it and fails. Collective over all ranks.
    fn confirm_by_all<T: Undo>(&self, mine: Result<T, Failure>) -> Result<T, Failure> {
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

    fn join_info(&self, goal: &Goal) -> JoinInfo {
        let mut relocations = goal.relocations.iter().cloned();
        let describe = |item: &Registered<M>| match item {
            Registered::Array(array) => JoinItem::Array {
                element: array.element,
                matrix: array.matrix,
                relocation: relocations.next().expect("both ends of each array"),
            },
            Registered::Value(value) => {
                JoinItem::Value(value.variable.as_ref().map(|variable| variable.read()).unwrap_or_default())
            }
        };
        let items = self.items.iter().map(describe).collect();
        let calls = self.world.roster().calls().to_vec();
        JoinInfo { calls, before: self.ranks(), ranks: goal.decision.ranks, grid: goal.shape, items }
    }

    /// Starts a session of the ranks that will be active, and broadcasts `join_info` of rank 0. Collective over `now`.
    fn start_session(&mut self, now: Duplicate, join_info: Option<JoinInfo>) -> Result<NewRanks, Failure> {
        let begin = Instant::now();
        let session = session_of_new_comm(&now.comm())?;
        self.times.grid = begin.elapsed();
        let begin = Instant::now();
        let join_info = JoinInfo::broadcast(&session, join_info)?;
        let checks = join_info.grid.map_or(Ok(()), |_| make_room(session.ranks));
        let checks = Some(checks.and_then(|()| own_host()).map(drop));
        (self.times.plan, self.times.transfer) = (begin.elapsed(), Duration::ZERO);
        Ok(NewRanks { session, now, join_info, checks })
    }

    /// Moves all arrays except those in `moved`, which have moved already. Collective over the ranks that will be
    /// active.
    fn prepare(
        &mut self,
        new_ranks: NewRanks,
        moved: Vec<MovedArray<M>>,
    ) -> Result<(JoinInfo, Ready<M>), Failure> {
        let NewRanks { session, now, join_info, checks } = new_ranks;
        let relocations = join_info.relocations();
        let received = newcomer_items(&session, &join_info);
        let arrays = arrays_of(received.as_ref().unwrap_or(&self.items));
        let (arrays, selected) = select(&arrays, &relocations, false);
        let rest = move_arrays(&session, &arrays, (selected, checks), &self.allocate, &mut self.times)?;
        let begin = Instant::now();
        let ready = Ready::new(now, &session, join_info.grid, merge(&relocations, moved, rest));
        self.times.grid += begin.elapsed();
        Ok((join_info, ready?))
    }

    /// Joins the ranks of `now`, in a process that is new or was parked. If a rank fails, the resize fails on all
    /// ranks: the active ones report it, and this process returns its role after the failure.
    pub(super) fn join(&mut self, now: Duplicate) -> Result<(), Role> {
        let (begin, mut received) = (Instant::now(), None);
        self.times = Times::default();
        let prepared = self.start_session(now, None).and_then(|new_ranks| {
            match has_constants(&new_ranks.join_info.relocations()) {
                false => self.prepare(new_ranks, Vec::new()),
                true => self.prepare_in_background(new_ranks),
            }
        });
        let ready = prepared.map(|(join_info, ready)| {
            received = Some(join_info);
            ready
        });
        let (Ok(ready), Some(join_info)) = (self.confirm_by_all(ready), received) else {
            return Err(self.world.roll_back());
        };
        self.world.set_calls(join_info.calls.clone());
        if self.items.is_empty() {
            self.items = join_info.items();
        } else {
            for (item, received) in self.items.iter_mut().zip(&join_info.items) {
                match (item, received) {
                    (Registered::Value(value), JoinItem::Value(bytes)) => {
                        value.variable.iter_mut().for_each(|variable| variable.write(bytes));
                    }
                    (Registered::Array(array), JoinItem::Array { matrix, relocation, .. }) => {
                        (array.matrix, array.constant) = (*matrix, relocation.constant);
                    }
                    _ => (),
                }
            }
        }
        self.install(ready, join_info.ranks);
        (self.times.before, self.times.after) = (join_info.before, join_info.ranks);
        self.times.total = begin.elapsed();
        Ok(())
    }

    /// Shrinks the job. Moves all arrays except those in `moved`, which have moved already. Collective over the active
    /// ranks.
    fn complete_shrinking(&mut self, goal: Goal, moved: Vec<MovedArray<M>>) -> Result<Outcome, Failure> {
        let (session, arrays) = (self.session()?, arrays_of(&self.items));
        let Goal { decision: Decision { ranks, leaving }, shape, relocations } = goal;
        let (arrays, selected) = select(&arrays, &relocations, false);
        let rest = move_arrays(&session, &arrays, (selected, None), &self.allocate, &mut self.times)?;
        let arrived = merge(&relocations, moved, rest);
        drop(session);
        let begin = Instant::now();
        self.world.order_resize(ranks, self.options.unit, &leaving)?;
        let part = self.world.form_group(ranks);
        self.times.spawn = begin.elapsed();
        let begin = Instant::now();
        let ready = part.and_then(|now| {
            let ready = |now: Duplicate| {
                let session = session_of_new_comm(&now.comm())?;
                Ready::new(now, &session, shape, arrived)
            };
            now.map(ready).transpose()
        });
        // The old storage and communicators are kept until no later step can fail.
        let ready = self.confirm_by_all(ready).inspect_err(|_| {
            self.world.roll_back();
        })?;
        self.times.grid = begin.elapsed();
        if let Some(ready) = ready {
            self.install(ready, ranks);
            return Ok(Outcome::Resized);
        }
        self.leave_grid();
        self.release_arrays();
        let role = self.world.release(ranks);
        self.placement.set_hosts(Vec::new());
        self.wait(role)
    }
}

/// Returns the items that a rank receives if it was not active; `None` on other ranks. A parked rank has registered
/// arrays without their data.
fn newcomer_items<M>(session: &Session, join_info: &JoinInfo) -> Option<Vec<Registered<M>>> {
    (session.rank >= join_info.before).then(|| join_info.items())
}

fn idle_failure() -> Failure {
    Failure::new(Code::Internal, "internal error: this active rank is not in the list of active ranks")
}
