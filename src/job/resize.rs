//! WHAT is done, in which order, when a job grows or shrinks? Everything that can fail comes before anything is given up:
//! the data is in the new storage before the old storage is freed.

use super::carry::{Arrived, Ends, carry};
use super::grid::room;
use super::meeting::met;
use super::registry::{Dealt, Item, Memory, arrays_of};
use super::times::Times;
use super::welcome::{Told, Welcome};
use super::world::Fate;
use super::{Job, Outcome, size_of_job};
use crate::digest::digest;
use crate::hpf::{Failure, Function, Map, Procs, able, agreed, confirmed, none_open, session_of_new};
use crate::mpi::Duplicate;
use crate::session::Session;
use std::sync::Arc;
use std::time::Instant;

impl<M: Memory> Job<M> {
    /// Collective over the ranks that work: the job gets more ranks.
    pub fn expand(&mut self, ranks: impl Into<i64>) -> Result<Outcome, Failure> {
        let (ranks, now) = (ranks.into(), self.ranks());
        let more = (ranks > i64::from(now)).then_some(ranks);
        let why = || {
            Failure::argument(format!("expand to {ranks} ranks, expected more than the {now} that there are"))
        };
        self.change(Function::Expand, ranks, more.map(drop).ok_or_else(why))
    }

    /// Collective over the ranks that work: the job gets fewer ranks.
    pub fn shrink(&mut self, ranks: impl Into<i64>) -> Result<Outcome, Failure> {
        let (ranks, now) = (ranks.into(), self.ranks());
        let fewer = (ranks < i64::from(now)).then_some(ranks);
        let why = || {
            Failure::argument(format!(
                "shrink to {ranks} ranks, expected fewer than the {now} that there are"
            ))
        };
        self.change(Function::Shrink, ranks, fewer.map(drop).ok_or_else(why))
    }

    fn change(
        &mut self,
        function: Function,
        ranks: i64,
        allowed: Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let (session, begin) = (self.session()?, Instant::now());
        let mine = able(allowed).and_then(|()| self.look(&session));
        met(&session, function, &[mine.as_ref().ok().copied(), Some(ranks)], mine.err())?;
        self.times = Times { ask: begin.elapsed(), ..Times::default() };
        let outcome = size_of_job(ranks).and_then(|ranks| self.resize_to(ranks));
        // What the program asks for itself is always tried.
        self.unreachable = None;
        outcome
    }

    /// Takes in what the program says of its matrices now: a number for all that is registered.
    pub(super) fn look(&mut self, session: &Arc<Session>) -> Result<i64, Failure> {
        let grid = self.grid;
        for (at, item) in self.items.iter_mut().enumerate() {
            if !item.is_registered() {
                return Err(Failure::argument(format!(
                    "number {at} of what the job has registered is not registered by a process that has joined"
                )));
            }
            if let Item::Array(array) = item {
                let within = |why: Failure| Failure {
                    text: format!("number {at} of what is registered: {}", why.text),
                    ..why
                };
                array.look(grid, session).map_err(within)?;
            }
        }
        Ok(digest(&self.items.iter().map(Item::digest).collect::<Vec<_>>()))
    }

    /// Whether no request of the program needs what a resize, or the job's end, takes away.
    pub(super) fn quiet(&self, session: &Session) -> Result<(), Failure> {
        let storages: Vec<_> = arrays_of(&self.items)
            .iter()
            .filter_map(|array| array.storage())
            .map(|storage| storage.range())
            .collect();
        none_open(session, &storages)
    }

    /// Collective over the ranks that work, which have agreed on `ranks`.
    pub(super) fn resize_to(&mut self, ranks: u32) -> Result<Outcome, Failure> {
        let begin = Instant::now();
        self.possible(ranks).inspect_err(|_| self.unreachable = Some(ranks))?;
        let (before, session) = (self.ranks(), self.session()?);
        let ends = self.quiet(&session).and_then(|()| self.next_shape(ranks)).and_then(|shape| {
            let ends = |array: &&Dealt<M>| {
                Ok(Ends { from: array.within(&session)?, to: array.goal(ranks, shape, &session)? })
            };
            Ok((shape, arrays_of(&self.items).iter().map(ends).collect::<Result<Vec<_>, Failure>>()?))
        });
        let numbers = |ends: &[Ends]| ends.iter().map(|ends| ends.to.numbers()).collect::<Vec<_>>();
        let value = ends.as_ref().ok().map(|(shape, ends)| digest(&(shape, numbers(ends))));
        let (shape, ends) = agreed(&session, Function::Goals, &[value], ends)?;
        drop(session);
        let shape = self.grid.map(|_| shape);
        let outcome = match ranks > before {
            true => self.grow(ranks, shape, ends),
            false => self.give_back(ranks, shape, ends),
        };
        let spent = self.times.ask + begin.elapsed();
        self.times = Times { before, after: ranks, total: spent, ..self.times };
        outcome
    }

    fn grow(&mut self, ranks: u32, shape: Option<[u32; 2]>, ends: Vec<Ends>) -> Result<Outcome, Failure> {
        let (before, begin) = (self.ranks(), Instant::now());
        let grown = self.world.grow(ranks, self.options.unit);
        self.times.spawn = begin.elapsed();
        let now = match grown {
            Ok(now) => now,
            // All ranks know that it failed; those of one know why.
            Err(why) => {
                self.unreachable = Some(ranks);
                return confirmed(&*self.session()?, Err(why));
            }
        };
        let welcome = (self.world.rank() == 0).then(|| self.welcome(before, shape, ends));
        match self.settle(&now, welcome) {
            Ok((_, arrived)) => self.commit(now, shape, arrived).map(|()| Outcome::Resized),
            Err(why) => {
                drop(now);
                self.world.retreat();
                Err(why)
            }
        }
    }

    fn welcome(&self, before: u32, grid: Option<[u32; 2]>, ends: Vec<Ends>) -> Welcome {
        let mut ends = ends.into_iter();
        let told = |item: &Item<M>| match item {
            Item::Array(array) => Told::Array {
                element: array.element,
                matrix: array.matrix,
                ends: ends.next().expect("both ends of each array"),
            },
            Item::Value(value) => {
                Told::Value(value.cell.as_ref().map(|cell| cell.read()).unwrap_or_default())
            }
        };
        let items = self.items.iter().map(told).collect();
        Welcome { bounds: self.world.bounds().to_vec(), before, grid, items }
    }

    /// Collective over `now`, the ranks that are to work: those that come hear what there is, and everything moves.
    fn settle(
        &mut self,
        now: &Duplicate,
        welcome: Option<Welcome>,
    ) -> Result<(Welcome, Vec<Arrived<M>>), Failure> {
        let begin = Instant::now();
        let session = session_of_new(&now.comm())?;
        self.times.grid = begin.elapsed();
        let begin = Instant::now();
        let welcome = Welcome::tell(&session, welcome)?;
        let room = welcome.grid.map(|_| room(session.ranks));
        let told = begin.elapsed();
        let here: Vec<Item<M>>;
        // A rank that comes back had its arrays once, but has none now.
        let items = match session.rank < welcome.before {
            true => &self.items,
            false => {
                here = welcome.items();
                &here
            }
        };
        let arrays = arrays_of(items);
        let load = (welcome.ends(), room);
        let arrived = carry(&session, &arrays, load, &self.allocate, &mut self.times)?;
        self.times.plan += told;
        Ok((welcome, arrived))
    }

    /// Collective over `now`: from now on these ranks work, with what has arrived.
    fn commit(
        &mut self,
        now: Duplicate,
        shape: Option<[u32; 2]>,
        arrived: Vec<Arrived<M>>,
    ) -> Result<(), Failure> {
        let begin = Instant::now();
        self.leave_grid();
        self.world.adopt(now)?;
        self.times.grid += begin.elapsed();
        self.dress(shape, arrived)
    }

    /// Collective over the ranks that work: their process grid, and the program's variables.
    fn dress(&mut self, shape: Option<[u32; 2]>, arrived: Vec<Arrived<M>>) -> Result<(), Failure> {
        let begin = Instant::now();
        let session = self.session()?;
        if let Some(shape) = shape {
            self.grid = Some(Self::make_grid_on(self.comm()?, shape)?);
        }
        self.times.grid += begin.elapsed();
        let (grid, begin) = (self.grid, Instant::now());
        let mut arrived = arrived.into_iter();
        for item in &mut self.items {
            let Item::Array(array) = item else { continue };
            let Some(Arrived { map, memory }) = arrived.next() else { continue };
            let procs = Procs::of_session(&session, map.procs().arrangement().clone())?;
            let map = Map::of(procs, None, map.map().clone());
            array.become_moved(map.clone());
            let descriptor = array.told(&map, grid);
            match &mut array.home {
                Some(home) => home.put(memory, descriptor),
                None => array.memory = memory,
            }
        }
        self.times.moved += begin.elapsed();
        Ok(())
    }

    /// A rank that comes, or comes back, takes its place among `now`. If that fails all ranks know it, those that worked before
    /// say why and work on; what becomes of this one.
    pub(super) fn arrive(&mut self, now: Duplicate) -> Result<Result<(), Fate>, Failure> {
        let Ok((welcome, arrived)) = self.settle(&now, None) else {
            drop(now);
            return Ok(Err(self.world.retreat()));
        };
        self.world.know(welcome.bounds.clone());
        if self.items.is_empty() {
            self.items = welcome.items();
        } else {
            for (item, told) in self.items.iter_mut().zip(&welcome.items) {
                match (item, told) {
                    (Item::Value(value), Told::Value(bytes)) => {
                        value.cell.iter_mut().for_each(|cell| cell.write(bytes));
                    }
                    (Item::Array(array), Told::Array { matrix, .. }) => array.matrix = *matrix,
                    _ => (),
                }
            }
        }
        self.world.adopt(now)?;
        self.dress(welcome.grid, arrived).map(Ok)
    }

    fn give_back(
        &mut self,
        ranks: u32,
        shape: Option<[u32; 2]>,
        ends: Vec<Ends>,
    ) -> Result<Outcome, Failure> {
        let session = self.session()?;
        let arrays = arrays_of(&self.items);
        let arrived = carry(&session, &arrays, (ends, None), &self.allocate, &mut self.times)?;
        drop((arrays, session));
        let begin = Instant::now();
        self.leave_grid();
        if self.world.rank() >= ranks {
            self.give_up();
        }
        let fate = self.world.shrink(ranks)?;
        self.times.spawn = begin.elapsed();
        let begin = Instant::now();
        match fate {
            Fate::Works(now) => {
                session_of_new(&now.comm())?;
                self.world.adopt(now)?;
                self.times.grid = begin.elapsed();
                self.dress(shape, arrived)?;
                Ok(Outcome::Resized)
            }
            other => self.wait(other),
        }
    }

    /// This rank has no part any more.
    fn give_up(&mut self) {
        for item in &mut self.items {
            if let Item::Array(array) = item {
                array.map = None;
                array.home.iter_mut().for_each(|home| home.put(None, None));
            }
        }
    }
}
