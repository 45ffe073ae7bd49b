//! WHICH processes does a job have, and which of them are active? They form a stack of spawn calls: each call adds ranks
//! after all others, and only the last ones can leave, all ranks of a call together. Ranks that cannot leave are parked:
//! they wait, without using a core, until they are needed again or the job ends. It knows ranks and communicators; it never
//! knows data.

mod orders;

use super::supply::Supply;
use crate::hpf::{Code, Failure};
use crate::mpi::{Arrival, Broadcast, Comm, Duplicate, Info};
use crate::session::Session;
use crate::waiting::Waiting;
use orders::{JobOrder, again};

/// The processes of a job, as one of them knows them.
pub struct World {
    supply: Box<dyn Supply>,
    /// The host's communicator, whose errors are handled as it wants.
    host: Comm<'static>,
    /// Ranks in all after each spawn call, from the first world on.
    bounds: Vec<u32>,
    /// The communicators of all ranks after each spawn call that the calling process has seen.
    levels: Vec<Duplicate>,
    rank: u32,
    /// Ranks that work: the first ones.
    active: u32,
    /// Ranks that worked before the last order.
    before: u32,
    /// The communicator of those that work; none on others.
    now: Option<Duplicate>,
    /// The order for which a rank waits that is parked.
    awaited: Option<Broadcast>,
}

/// What becomes of a process that was given an order.
pub enum Role {
    /// It works, from now on, with the ranks of this communicator.
    Works(Duplicate),
    /// It waits.
    Parked,
    /// It is no longer in the job.
    Left,
}

impl World {
    /// Collective over `host`: the world of the job's first processes.
    pub fn of(host: Comm, supply: Box<dyn Supply>) -> Result<Self, Failure> {
        let (rank, active) = (host.rank()?, host.size()?);
        let level = Duplicate::of(&host)?;
        let now = level.part(true, host)?;
        Ok(Self {
            supply,
            host: host.unbound(),
            bounds: vec![active],
            levels: vec![level],
            rank,
            active,
            before: active,
            now,
            awaited: None,
        })
    }

    /// In a process that was brought to a job that runs: its world, and what becomes of it.
    pub fn joined(host: Comm, supply: Box<dyn Supply>) -> Result<(Self, Role), Failure> {
        let level = supply.join()?;
        Session::gather(&level.comm())?;
        let (rank, ranks) = (level.comm().rank()?, level.comm().size()?);
        let bounds = vec![ranks - host.size()?, ranks];
        let mut world = Self {
            supply,
            host: host.unbound(),
            bounds,
            levels: vec![level],
            rank,
            active: 0,
            before: 0,
            now: None,
            awaited: None,
        };
        let order = world.order(JobOrder::End)?;
        let role = world.follow(order)?;
        Ok((world, role))
    }

    /// Ranks that work.
    pub fn active(&self) -> u32 {
        self.active
    }

    /// The calling process's rank.
    pub fn rank(&self) -> u32 {
        self.rank
    }

    /// Ranks in all after each spawn call.
    pub fn bounds(&self) -> &[u32] {
        &self.bounds
    }

    /// Those of a job that this process has joined.
    pub fn know(&mut self, bounds: Vec<u32>) {
        self.bounds = bounds;
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

    /// From now on this is the communicator of the `ranks` ranks that work; the old one is freed, which its ranks do together.
    pub fn adopt(&mut self, now: Duplicate, ranks: u32) {
        self.now = Some(now);
        self.pop(ranks);
        self.active = ranks;
    }

    /// All ranks, parked ones too.
    fn total(&self) -> u32 {
        self.bounds.last().copied().unwrap_or(0)
    }

    fn all(&self) -> Result<&Duplicate, Failure> {
        self.levels.last().ok_or_else(|| Failure::new(Code::State, "this process has left the job"))
    }

    /// Collective over the ranks that work: `ranks` are to work, at most `unit` of them added by one spawn call. If it fails nothing
    /// has changed. Otherwise [`World::part`] and [`World::confirm`] follow on all ranks, and the old communicator stays until
    /// [`World::adopt`], [`World::reduce`] or [`World::retreat`].
    pub fn call(&mut self, ranks: u32, unit: u32) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        let called = self.add_up_to(ranks, unit).and_then(|()| self.order(JobOrder::Go(ranks)));
        if called.is_err() {
            self.pop(self.before);
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

    /// Collective over all ranks: the communicator of the first `ranks`; none on others.
    pub fn part(&self, ranks: u32) -> Result<Option<Duplicate>, Failure> {
        Ok(self.all()?.part(self.rank < ranks, self.host)?)
    }

    /// Collective over all ranks: whether all of them have done what they were called for, so that nothing of it can fail any more.
    pub fn confirm(&self, good: bool) -> Result<bool, Failure> {
        let comm = self.all()?.comm();
        let mut arrival = again(|| Arrival::start(comm, [u64::from(good)]))?;
        let mut waiting = Waiting::default();
        loop {
            if let Some([least]) = again(|| arrival.test())? {
                return Ok(least == 1);
            }
            waiting.pause();
        }
    }

    /// Where not all have confirmed: back to those that worked before. What becomes of a rank that was not one of them.
    pub fn retreat(&mut self) -> Role {
        if self.pop(self.before) { Role::Parked } else { Role::Left }
    }

    /// Where all have confirmed: this rank is not one of the `ranks` that work. What becomes of it.
    pub fn reduce(&mut self, ranks: u32) -> Role {
        self.now = None;
        self.active = ranks;
        if self.pop(ranks) { Role::Parked } else { Role::Left }
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
        self.bounds.push(self.total() + count);
        self.levels.push(level);
        Ok(())
    }

    /// Lets go of the spawn calls that are not needed for `ranks` ranks; whether this process stays.
    fn pop(&mut self, ranks: u32) -> bool {
        while self.bounds.len() > 1 && self.bounds[self.bounds.len() - 2] >= ranks {
            self.bounds.pop();
            self.levels.pop();
        }
        self.bounds.last().is_some_and(|&total| self.rank < total)
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
        while self.levels.pop().is_some() {}
    }
}
