//! WHICH processes does a job have, and which of them are active? They form a stack of spawn calls: each call adds ranks
//! after all others, and only the last ones can leave, all ranks of a call together. Ranks that cannot leave are parked:
//! they wait, without using a core, until they are needed again or the job ends. It knows ranks and communicators; it never
//! knows data.

use super::supply::Supply;
use crate::hpf::{Code, Failure};
use crate::mpi::{Broadcast, Comm, Duplicate};
use crate::session::Session;
use crate::waiting::Waiting;
use std::time::Duration;

/// Between two questions of a rank that is parked: it takes no core, and a resize waits this long at the most.
const NAP: Duration = Duration::from_millis(10);

/// The processes of a job, as one of them knows them.
pub struct World {
    supply: Box<dyn Supply>,
    /// The host's communicator, whose errors are handled as it wants.
    host: Comm,
    /// Ranks in all after each spawn call, from the first world on.
    bounds: Vec<u32>,
    /// The communicators of all ranks after each spawn call that the calling process has seen.
    levels: Vec<Duplicate>,
    rank: u32,
    /// Ranks that work: the first ones.
    active: u32,
    /// Ranks that worked before the last [`World::grow`].
    before: u32,
    /// Their communicator; none on others.
    now: Option<Duplicate>,
}

/// What the first rank tells all others to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Add so many processes.
    Add(u32),
    /// So many work from now on.
    Go(u32),
    /// Those that worked before the last growth work on, as they did.
    Back,
    /// The job ends.
    End,
}

/// What becomes of a process that was given an order.
pub enum Fate {
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
            host,
            bounds: vec![active],
            levels: vec![level],
            rank,
            active,
            before: active,
            now,
        })
    }

    /// In a process that was brought to a job that runs: its world, and what becomes of it.
    pub fn joined(host: Comm, supply: Box<dyn Supply>) -> Result<(Self, Fate), Failure> {
        let level = supply.join()?;
        Session::gather(&level.comm())?;
        let (rank, ranks) = (level.comm().rank()?, level.comm().size()?);
        let bounds = vec![ranks - host.size()?, ranks];
        let mut world =
            Self { supply, host, bounds, levels: vec![level], rank, active: 0, before: 0, now: None };
        let fate = world.follow()?;
        Ok((world, fate))
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

    /// The communicator of the ranks that work.
    pub fn now(&self) -> Result<Comm, Failure> {
        let idle = || Failure::new(Code::State, "this process is no longer active in the job");
        self.now.as_ref().map(Duplicate::comm).ok_or_else(idle)
    }

    /// From now on this is the communicator of the ranks that work; the old one is freed, which its ranks do together.
    pub fn adopt(&mut self, now: Duplicate) -> Result<(), Failure> {
        self.active = now.comm().size()?;
        self.now = Some(now);
        Ok(())
    }

    /// All ranks, parked ones too.
    fn total(&self) -> u32 {
        self.bounds.last().copied().unwrap_or(0)
    }

    fn all(&self) -> Result<&Duplicate, Failure> {
        self.levels.last().ok_or_else(|| Failure::new(Code::State, "this process has left the job"))
    }

    /// Collective over the ranks that work: `ranks` are to work, at most `unit` of them added by one spawn call. Their
    /// communicator; the old one stays until [`World::adopt`] or [`World::retreat`]. If it fails nothing has changed.
    pub fn grow(&mut self, ranks: u32, unit: u32) -> Result<Duplicate, Failure> {
        self.before = self.active;
        self.wake()?;
        while self.total() < ranks {
            let count = unit.min(ranks - self.total());
            self.order(Order::Add(count))?;
            if let Err(why) = self.add(count) {
                self.order(Order::Back)?;
                self.pop(self.before);
                return Err(why);
            }
        }
        self.order(Order::Go(ranks))?;
        let part = self.all()?.part(self.rank < ranks, self.host)?;
        part.ok_or_else(|| Failure::new(Code::Internal, "an active rank is not among the active ranks"))
    }

    /// Collective over the ranks of the last [`World::grow`], whose communicator is dropped by now: back to those that worked
    /// before. What becomes of a rank that was not one of them.
    pub fn retreat(&mut self) -> Fate {
        if self.pop(self.before) { Fate::Parked } else { Fate::Left }
    }

    /// Collective over the ranks that work, which need their communicator no more: only the first `ranks` of them work on.
    pub fn shrink(&mut self, ranks: u32) -> Result<Fate, Failure> {
        (self.now, self.before) = (None, self.active);
        self.wake()?;
        self.order(Order::Go(ranks))?;
        self.regroup(ranks)
    }

    /// Collective over the ranks that work: the job ends.
    pub fn end(&mut self) -> Result<(), Failure> {
        self.now = None;
        self.wake()?;
        self.order(Order::End)?;
        self.leave();
        Ok(())
    }

    /// Waits until the job needs this rank again, or ends.
    pub fn parked(&mut self) -> Result<Fate, Failure> {
        let comm = self.all()?.comm();
        while !comm.woken()? {
            std::thread::sleep(NAP);
        }
        self.follow()
    }

    /// Does what the first rank orders, until it is known what becomes of this process.
    fn follow(&mut self) -> Result<Fate, Failure> {
        loop {
            match self.order(Order::End)? {
                // If it fails an order to go back follows.
                Order::Add(count) => drop(self.add(count)),
                Order::Go(ranks) => return self.regroup(ranks),
                Order::Back => return Ok(self.retreat()),
                Order::End => {
                    self.leave();
                    return Ok(Fate::Left);
                }
            }
        }
    }

    fn add(&mut self, count: u32) -> Result<(), Failure> {
        let level = self.supply.add(self.all()?, count)?;
        // From here on all of them are known to have the same settings.
        Session::gather(&level.comm())?;
        self.bounds.push(self.total() + count);
        self.levels.push(level);
        Ok(())
    }

    /// Wakes ranks that are parked, on rank 0.
    fn wake(&self) -> Result<(), Failure> {
        let comm = self.all()?.comm();
        if self.rank == 0 {
            (self.active..self.total()).try_for_each(|rank| comm.wake(rank))?;
        }
        Ok(())
    }

    /// Collective over all ranks: what rank 0 gives.
    fn order(&mut self, order: Order) -> Result<Order, Failure> {
        let [kind, count] = order.numbers();
        let numbers = vec![kind, count, self.before.into()];
        let mut broadcast = Broadcast::start(self.all()?.comm(), 0, numbers)?;
        let mut waiting = Waiting::default();
        loop {
            if let Some(numbers) = broadcast.test()? {
                let garbled = || Failure::new(Code::Internal, "the message from rank 0 is not an order");
                self.before = u32::try_from(numbers[2]).map_err(|_| garbled())?;
                return Order::of(&numbers[..2]).ok_or_else(garbled);
            }
            waiting.pause();
        }
    }

    /// Lets go of the spawn calls that are not needed for `ranks` ranks; whether this process stays.
    fn pop(&mut self, ranks: u32) -> bool {
        while self.bounds.len() > 1 && self.bounds[self.bounds.len() - 2] >= ranks {
            self.bounds.pop();
            self.levels.pop();
        }
        self.bounds.last().is_some_and(|&total| self.rank < total)
    }

    /// Collective over all ranks: the first `ranks` work, spawn calls that are not needed leave.
    fn regroup(&mut self, ranks: u32) -> Result<Fate, Failure> {
        if !self.pop(ranks) {
            return Ok(Fate::Left);
        }
        self.active = ranks;
        let part = self.all()?.part(self.rank < ranks, self.host)?;
        Ok(part.map_or(Fate::Parked, Fate::Works))
    }

    /// Lets go of everything.
    fn leave(&mut self) {
        self.now = None;
        while self.levels.pop().is_some() {}
    }
}

impl Order {
    fn numbers(self) -> [i64; 2] {
        match self {
            Self::Add(count) => [0, count.into()],
            Self::Go(ranks) => [1, ranks.into()],
            Self::Back => [2, 0],
            Self::End => [3, 0],
        }
    }

    fn of(numbers: &[i64]) -> Option<Self> {
        let count = u32::try_from(*numbers.get(1)?).ok()?;
        Some(match numbers[0] {
            0 => Self::Add(count),
            1 => Self::Go(count),
            2 => Self::Back,
            3 => Self::End,
            _ => return None,
        })
    }
}
