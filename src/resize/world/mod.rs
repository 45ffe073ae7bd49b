//! WHICH processes does a job have, and which of them are active? Each spawn call adds ranks after all others, and processes of
//! one call can leave only together. Ranks that cannot leave are parked: they wait, without using a core, until they are needed
//! again or the job ends. Active ranks come first. It knows ranks and communicators; it never knows data.

mod departure;
mod hosts;
mod orders;
mod roster;

use super::supply::Supply;
use crate::collective::failure::{Code, Failure};
use crate::mpi::{Arrival, Broadcast, Comm, Duplicate, Info, again};
use crate::runtime::patience::limit;
use crate::runtime::session::Session;
use departure::{Departure, Farewell, await_all, freed};
use hosts::hosts_of;
pub use hosts::{HOST, own_host};
use orders::JobOrder;
pub use orders::{Role, told_by_first};
pub use roster::Roster;
use std::cell::Cell;

/// The processes of a job, as one of them knows them.
pub struct World {
    supply: Box<dyn Supply>,
    /// The host's communicator, whose errors are handled as it wants.
    host: Comm<'static>,
    /// All ranks.
    roster: Roster,
    /// The communicator of all ranks; during a resize, behind it those after each spawn call.
    levels: Vec<Duplicate>,
    rank: u32,
    /// Ranks that work: the first ones.
    active: u32,
    /// Ranks that worked before the last order.
    before: u32,
    /// All ranks before the last order; none in a process that has not heard yet who they are.
    settled: u32,
    /// The communicator of those that work; none on others.
    now: Option<Duplicate>,
    /// The order for which a rank waits that is parked.
    awaited: Option<Broadcast>,
    /// Ranks that are to leave, by the last order.
    leaving: Vec<u32>,
    /// Who is there from now on, where all confirm it; where that changes, with their communicator, which those that leave have not.
    next: Option<Next>,
    /// On the first rank: those that leave and have not said yet that they have.
    departures: Vec<Departure>,
    farewell: Option<Farewell>,
    /// Whether this process has given up waiting for the other ranks.
    unusable: Cell<bool>,
}

/// Who is there after a resize, by the numbers before it.
struct Next {
    order: Vec<u32>,
    all: Option<Option<Duplicate>>,
}

impl World {
    /// Collective over `host`: the world of the job's first processes.
    pub fn of(host: Comm, supply: Box<dyn Supply>) -> Result<Self, Failure> {
        let (rank, active) = (host.rank()?, host.size()?);
        let level = Duplicate::of(&host)?;
        let hosts = hosts_of(level.comm())?;
        let now = level.part(Some(rank), host)?;
        let roster = Roster::new(vec![0; hosts.len()], hosts);
        let mut world = Self::new(host, supply, (level, rank), roster);
        (world.active, world.before, world.settled, world.now) = (active, active, active, now);
        Ok(world)
    }

    /// In a process that was brought to a job that runs: its world, and what becomes of it.
    pub fn joined(host: Comm, supply: Box<dyn Supply>) -> Result<(Self, Role), Failure> {
        let level = supply.join()?;
        Session::gather(&level.comm())?;
        // Where a name cannot be used all ranks know it, and the job goes on without those that have come.
        let left = |why: Failure| {
            if why.code == Code::Settings { Failure { code: Code::State, ..why } } else { why }
        };
        let hosts = hosts_of(level.comm()).map_err(left)?;
        let rank = level.comm().rank()?;
        // It hears later which spawn calls brought the others.
        let roster = Roster::new(vec![0; hosts.len()], hosts);
        let mut world = Self::new(host, supply, (level, rank), roster);
        let order = world.order(JobOrder::End)?;
        let role = world.follow(order)?;
        Ok((world, role))
    }

    fn new(host: Comm, supply: Box<dyn Supply>, (level, rank): (Duplicate, u32), roster: Roster) -> Self {
        Self {
            supply,
            host: host.unbound(),
            roster,
            levels: vec![level],
            rank,
            active: 0,
            before: 0,
            settled: 0,
            now: None,
            awaited: None,
            leaving: Vec::new(),
            next: None,
            departures: Vec::new(),
            farewell: None,
            unusable: Cell::new(false),
        }
    }

    /// Ranks that work.
    pub fn active(&self) -> u32 {
        self.active
    }

    /// The calling process's rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// All ranks.
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The spawn calls that have brought the ranks of a job which this process has joined.
    pub fn know(&mut self, calls: Vec<u32>) {
        self.roster = Roster::new(calls, self.roster.hosts().to_vec());
    }

    /// The hosts of those that work.
    pub fn hosts(&self) -> &[String] {
        let hosts = self.roster.hosts();
        &hosts[..hosts.len().min(self.active as usize)]
    }

    /// On the first rank: hosts that no process of the job is on any more, since this was asked last.
    pub fn freed(&mut self) -> Result<Vec<String>, Failure> {
        Ok(freed(&mut self.departures, self.roster.hosts())?)
    }

    /// What rank 0 has to say about where and how processes are started, from now on.
    pub fn set_info(&mut self, info: Info) {
        self.supply.set_info(info);
    }

    /// The communicator of the ranks that work.
    pub fn now(&self) -> Result<Comm<'_>, Failure> {
        let idle = || Failure::new(Code::State, "this process is no longer active in the job");
        self.now.as_ref().map(Duplicate::comm).ok_or_else(idle)
    }

    /// From now on this is the communicator of the ranks that work; the old one is freed, which its ranks do together.
    pub fn adopt(&mut self, now: Duplicate, ranks: u32) {
        self.now = Some(now);
        self.take_over(ranks);
    }

    /// All ranks, parked ones too.
    fn total(&self) -> u32 {
        self.roster.total()
    }

    fn all(&self) -> Result<&Duplicate, Failure> {
        if self.unusable.get() {
            let why =
                "ranks of the job have not come in time, so that it cannot change its size or end any more";
            return Err(Failure::new(Code::Broken, why));
        }
        self.levels.last().ok_or_else(|| Failure::new(Code::State, "this process has left the job"))
    }

    /// Collective over the ranks that work: `ranks` are to work, at most `unit` of them added by one spawn call; or `leaving` are not,
    /// and if these are too few, the last ones. If it fails nothing has changed. Otherwise [`World::part`] and [`World::confirm`]
    /// follow on all ranks, and the old communicator stays until [`World::adopt`], [`World::reduce`] or [`World::retreat`].
    pub fn call(&mut self, ranks: u32, unit: u32, leaving: &[u32]) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        let go = JobOrder::Go { ranks, leaving: leaving.to_vec() };
        let called = self.add_up_to(ranks, unit).and_then(|()| self.order(go));
        if called.is_err() {
            self.retreat();
        }
        called.map(drop)
    }

    fn add_up_to(&mut self, ranks: u32, unit: u32) -> Result<(), Failure> {
        while self.total() < ranks {
            let count = unit.min(ranks - self.total());
            self.order(JobOrder::Add(count))?;
            if let Err(why) = self.add(count) {
                // Those that wait go back; why processes could not be added says more than why they were not told.
                let _ = self.order(JobOrder::Back);
                return Err(why);
            }
        }
        Ok(())
    }

    /// Collective over all ranks, which have heard the order: the communicator of the `ranks` ranks that are to work; none on
    /// others.
    pub fn part(&mut self, ranks: u32) -> Result<Option<Duplicate>, Failure> {
        let working: Vec<u32> = match ranks < self.before {
            true => Roster::staying(self.before, ranks, &self.leaving),
            false => (0..ranks).collect(),
        };
        let order = self.roster.after(&working);
        let place =
            order.iter().position(|&rank| rank == self.rank).and_then(|place| u32::try_from(place).ok());
        let same = order.iter().copied().eq(0..self.total());
        let old = self.all()?;
        let _limit = limit("the job");
        let now = old.part(place.filter(|&place| place < ranks), self.host);
        let all = (!same).then(|| old.part(place, old.comm())).transpose();
        let (now, all) = (now?, all?);
        self.next = Some(Next { order, all });
        Ok(now)
    }

    /// Collective over all ranks: whether all of them have done what they were called for, so that nothing of it can fail any more.
    pub fn confirm(&self, good: bool) -> Result<bool, Failure> {
        let comm = self.all()?.comm();
        let mut arrival = again(|| Arrival::start(comm, [u64::from(good)]))?;
        let [least] = self.completed(|| arrival.test())?;
        Ok(least == 1)
    }

    /// Where not all have confirmed: back to those that worked before. What becomes of a rank that was not one of them.
    pub fn retreat(&mut self) -> Role {
        self.next = None;
        if self.rank >= self.settled {
            self.leave();
            return Role::Left;
        }
        self.levels.truncate(1);
        let there: Vec<u32> = (0..self.settled).collect();
        self.roster = self.roster.of(&there);
        Role::Parked
    }

    /// Where all have confirmed: this rank is not one of the `ranks` that work. What becomes of it.
    pub fn reduce(&mut self, ranks: u32) -> Role {
        self.now = None;
        if self.take_over(ranks) { Role::Parked } else { Role::Left }
    }

    /// Where all have confirmed: those that stay are there from now on, `ranks` of them active. Whether this process stays.
    fn take_over(&mut self, ranks: u32) -> bool {
        let Some(Next { order, all }) = self.next.take() else { return false };
        let old = self.levels.pop();
        self.levels.clear();
        let Some(place) = order.iter().position(|&rank| rank == self.rank) else {
            self.farewell = old.map(Farewell);
            self.leave();
            return false;
        };
        let mut stays = vec![false; self.roster.total() as usize];
        order.iter().for_each(|&rank| stays[rank as usize] = true);
        let left = (0u32..).zip(self.roster.hosts()).filter(|(rank, _)| !stays[*rank as usize]);
        let left: Vec<_> = left.map(|(rank, host)| (rank, host.clone())).collect();
        self.roster = self.roster.of(&order);
        (self.rank, self.active) = (u32::try_from(place).expect("ranks are 32 bits"), ranks);
        self.settled = self.total();
        match all {
            None => self.levels.extend(old),
            Some(all) => {
                self.levels.extend(all);
                if let Some(old) = old.filter(|_| self.rank == 0 && !left.is_empty()) {
                    self.departures.push(Departure::new(old, left));
                }
            }
        }
        true
    }

    /// Collective over the ranks that work: all others hear that the job ends. If it fails it goes on.
    pub fn call_end(&mut self) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        self.order(JobOrder::End).map(drop)
    }

    fn add(&mut self, count: u32) -> Result<(), Failure> {
        let level = self.supply.add(self.all()?, count)?;
        // From here on all of them are known to have the same settings.
        Session::gather(&level.comm())?;
        let hosts = hosts_of(level.comm())?;
        self.roster.add(count, hosts);
        self.levels.push(level);
        Ok(())
    }

    /// Collective over all ranks: the first `ranks` are to work. A rank that is not one of them has nothing else to confirm.
    fn regroup(&mut self, ranks: u32) -> Role {
        let part = self.part(ranks);
        if let Ok(Some(now)) = part {
            return Role::Works(now);
        }
        if self.confirm(part.is_ok()).unwrap_or(false) { self.reduce(ranks) } else { self.retreat() }
    }

    /// Lets go of everything.
    pub fn leave(&mut self) {
        self.now = None;
        self.levels.clear();
        await_all(std::mem::take(&mut self.departures));
    }
}
