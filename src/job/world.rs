//! WHICH processes does a job have, and which of them are active? They form a stack of spawn calls: each call adds ranks
//! after all others, and only the last ones can leave, all ranks of a call together. Ranks that cannot leave are parked:
//! they wait, without using a core, until they are needed again or the job ends. It knows ranks and communicators; it never
//! knows data.

use super::supply::Supply;
use crate::hpf::{Code, Failure};
use crate::mpi::{Arrival, Broadcast, Comm, Duplicate};
use crate::session::Session;
use crate::stderr;
use crate::waiting::Waiting;
use std::time::Duration;

/// Between two questions of a rank that is parked: it takes no core, and a resize waits this long at the most.
const NAP: Duration = Duration::from_millis(10);
/// Naps after which a rank that is parked looks whether there is an order for which it was not woken.
const UNWOKEN: u32 = 50;
/// How often a call of MPI is made that fails. All ranks make the same calls, so one that has failed on one rank is made again there.
const ATTEMPTS: usize = 3;

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

/// What the first rank tells all others to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    /// Add so many processes.
    Add(u32),
    /// So many work from now on.
    Go(u32),
    /// Those that worked before work on, as they did.
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
    pub fn joined(host: Comm, supply: Box<dyn Supply>) -> Result<(Self, Fate), Failure> {
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
        let order = world.order(Order::End)?;
        let fate = world.follow(order)?;
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
        let called = self.add_up_to(ranks, unit).and_then(|()| self.order(Order::Go(ranks)));
        if called.is_err() {
            self.pop(self.before);
        }
        called.map(drop)
    }

    fn add_up_to(&mut self, ranks: u32, unit: u32) -> Result<(), Failure> {
        while self.total() < ranks {
            let count = unit.min(ranks - self.total());
            self.order(Order::Add(count))?;
            if let Err(why) = self.add(count) {
                // Those that wait go back; why processes could not be added says more than why they were not told.
                let _ = self.order(Order::Back);
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
    pub fn retreat(&mut self) -> Fate {
        if self.pop(self.before) { Fate::Parked } else { Fate::Left }
    }

    /// Where all have confirmed: this rank is not one of the `ranks` that work. What becomes of it.
    pub fn reduce(&mut self, ranks: u32) -> Fate {
        self.now = None;
        self.active = ranks;
        if self.pop(ranks) { Fate::Parked } else { Fate::Left }
    }

    /// Collective over the ranks that work: all others hear that the job ends. If it fails it goes on.
    pub fn call_end(&mut self) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        self.order(Order::End).map(drop)
    }

    /// Waits until the job needs this rank again, or ends. It has no data and nobody to return to, so an error of MPI, of which it
    /// says so, leaves it waiting.
    pub fn parked(&mut self) -> Result<Fate, Failure> {
        let mut said = false;
        loop {
            self.all()?;
            match self.listen() {
                Ok(fate) => return Ok(fate),
                Err(why) if !said => {
                    stderr::line(format_args!(
                        "rank {}, which is parked, waits on after an error: {why}",
                        self.rank
                    ));
                    said = true;
                }
                Err(_) => (),
            }
            std::thread::sleep(NAP);
        }
    }

    /// The next order comes by a broadcast, which takes as long as the last rank that is asked for it; so the first rank wakes all
    /// by messages. Where one of those fails the order comes nevertheless.
    fn listen(&mut self) -> Result<Fate, Failure> {
        if self.awaited.is_none() {
            self.awaited = Some(self.broadcast(Order::End)?);
        }
        for asleep in 1.. {
            if self.all()?.comm().woken()? {
                break;
            }
            if asleep % UNWOKEN == 0 {
                if let Some(numbers) = self.awaited.as_mut().map_or(Ok(None), Broadcast::test)? {
                    self.awaited = None;
                    let order = self.heard(&numbers)?;
                    return self.follow(order);
                }
            }
            std::thread::sleep(NAP);
        }
        let order = self.order(Order::End)?;
        self.follow(order)
    }

    /// Does what the first rank orders, until it is known what becomes of this process.
    fn follow(&mut self, mut order: Order) -> Result<Fate, Failure> {
        loop {
            match order {
                // If it fails an order to go back follows.
                Order::Add(count) => drop(self.add(count)),
                Order::Go(ranks) => return Ok(self.regroup(ranks)),
                Order::Back => return Ok(self.retreat()),
                Order::End => {
                    self.leave();
                    return Ok(Fate::Left);
                }
            }
            order = self.order(Order::End)?;
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

    /// Wakes ranks that are parked, on rank 0. Those that are not reached ask for orders now and then.
    fn wake(&self) {
        let parked = self.active..self.total();
        if let Some(comm) = self.levels.last().filter(|_| self.rank == 0) {
            parked.for_each(|rank| drop(comm.comm().wake(rank)));
        }
    }

    /// Collective over all ranks: what rank 0 gives.
    fn order(&mut self, order: Order) -> Result<Order, Failure> {
        let mut broadcast = match self.awaited.take() {
            Some(broadcast) => broadcast,
            None => again(|| self.broadcast(order))?,
        };
        let mut waiting = Waiting::default();
        loop {
            if let Some(numbers) = again(|| broadcast.test())? {
                return self.heard(&numbers);
            }
            waiting.pause();
        }
    }

    fn broadcast(&self, order: Order) -> Result<Broadcast, Failure> {
        let [kind, count] = order.numbers();
        Ok(Broadcast::start(self.all()?.comm(), 0, vec![kind, count, self.before.into()])?)
    }

    fn heard(&mut self, numbers: &[i64]) -> Result<Order, Failure> {
        let garbled = || Failure::new(Code::Internal, "the message from rank 0 is not an order");
        self.before = u32::try_from(numbers[2]).map_err(|_| garbled())?;
        Order::of(&numbers[..2]).ok_or_else(garbled)
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
    fn regroup(&mut self, ranks: u32) -> Fate {
        let part = self.part(ranks);
        if let Ok(Some(now)) = part {
            return Fate::Works(now);
        }
        if self.confirm(part.is_ok()).unwrap_or(false) { self.reduce(ranks) } else { self.retreat() }
    }

    /// Lets go of everything.
    pub fn leave(&mut self) {
        self.now = None;
        while self.levels.pop().is_some() {}
    }
}

/// What a call comes to that is made again where it fails.
fn again<T, E>(mut call: impl FnMut() -> Result<T, E>) -> Result<T, E> {
    let mut result = call();
    for _ in 1..ATTEMPTS {
        if result.is_ok() {
            break;
        }
        result = call();
    }
    result
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
