//! Processes of a job: ranks and communicators. Each spawn call adds ranks after all others, and processes of one call
//! can leave only together. Ranks that cannot leave are parked: they wait, without using a core, until they are needed
//! again or the job ends. Active ranks come first.

mod departure;
mod hosts;
mod orders;
mod roster;
mod waits;

use super::supply::Supply;
use crate::collective::failure::{Code, Failure};
use crate::mpi::{Arrival, Broadcast, Comm, Duplicate, Info, retry};
use crate::runtime::session::Session;
use crate::runtime::slow_wait::limit;
use departure::{Departure, LeaveNotice, await_all, freed};
use hosts::hosts_of;
pub use hosts::{HOST, own_host};
use orders::JobOrder;
pub use orders::Role;
pub use roster::Roster;
use std::cell::Cell;

/// The processes of a job, as seen by one of them.
pub struct World {
    supply: Box<dyn Supply>,
    /// The program's communicator. New communicators get its error handler.
    host: Comm<'static>,
    roster: Roster,
    /// Communicator of all ranks, followed during a resize by a larger one for each spawn call.
    levels: Vec<Duplicate>,
    rank: u32,
    active: u32,
    /// Number of active ranks before the last order.
    before: u32,
    /// Number of all ranks before the last order; 0 in a process that has not received the roster yet.
    settled: u32,
    /// Communicator of the active ranks; `None` on others.
    active_comm: Option<Duplicate>,
    /// Broadcast that a parked rank waits for.
    awaited: Option<Broadcast>,
    /// Ranks that the last order names to leave before others.
    leaving: Vec<u32>,
    /// Roster that takes effect once all ranks confirm.
    next: Option<NextRoster>,
    /// On the first rank: leaving processes whose message has not arrived.
    departures: Vec<Departure>,
    /// Message that this process sends on drop, when it leaves.
    leave_notice: Option<LeaveNotice>,
    /// True if this process has given up waiting for other ranks.
    unusable: Cell<bool>,
}

/// Ranks after a resize, including parked ones.
struct NextRoster {
    /// Old numbers of the ranks, in their new order.
    order: Vec<u32>,
    /// Their communicator: the outer `None` if the ranks do not change, the inner `None` on a rank that leaves.
    all: Option<Option<Duplicate>>,
}

impl World {
    /// Makes the world of the job's first processes. Collective over `host`.
    pub fn begin(host: Comm, supply: Box<dyn Supply>) -> Result<Self, Failure> {
        let (rank, active) = (host.rank()?, host.size()?);
        let level = Duplicate::of(&host)?;
        let hosts = hosts_of(level.comm())?;
        let now = level.split(Some(rank), host)?;
        let roster = Roster::new(vec![0; hosts.len()], hosts);
        let mut world = Self::new(host, supply, (level, rank), roster);
        (world.active, world.before, world.settled, world.active_comm) = (active, active, active, now);
        Ok(world)
    }

    /// Joins a running job, in a process that it has started; returns the process's role.
    pub fn join(host: Comm, supply: Box<dyn Supply>) -> Result<(Self, Role), Failure> {
        let level = supply.join()?;
        Session::gather(&level.comm())?;
        // An invalid host name is an error on all ranks: `Settings` on the ranks of the job, which continues without
        // the new processes, and `Cancelled` here.
        let left = |why: Failure| {
            if why.code == Code::Settings { Failure { code: Code::Cancelled, ..why } } else { why }
        };
        let hosts = hosts_of(level.comm()).map_err(left)?;
        let rank = level.comm().rank()?;
        // The spawn call of each rank arrives later ([`World::set_calls`]).
        let roster = Roster::new(vec![0; hosts.len()], hosts);
        let mut world = Self::new(host, supply, (level, rank), roster);
        let order = world.order(JobOrder::End)?;
        let role = world.follow(order)?;
        Ok((world, role))
    }

    fn new(host: Comm, supply: Box<dyn Supply>, (level, rank): (Duplicate, u32), roster: Roster) -> Self {
        Self {
            supply,
            host: host.without_lifetime(),
            roster,
            levels: vec![level],
            rank,
            active: 0,
            before: 0,
            settled: 0,
            active_comm: None,
            awaited: None,
            leaving: Vec::new(),
            next: None,
            departures: Vec::new(),
            leave_notice: None,
            unusable: Cell::new(false),
        }
    }

    pub fn active(&self) -> u32 {
        self.active
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// Sets the number of the spawn call that started each rank, in a process that has joined.
    pub fn set_calls(&mut self, calls: Vec<u32>) {
        self.roster = Roster::new(calls, self.roster.hosts().to_vec());
    }

    pub fn hosts(&self) -> &[String] {
        let hosts = self.roster.hosts();
        &hosts[..hosts.len().min(self.active as usize)]
    }

    /// Returns the hosts that became free since the last call, on the first rank.
    pub fn freed(&mut self) -> Result<Vec<String>, Failure> {
        Ok(freed(&mut self.departures, self.roster.hosts())?)
    }

    pub fn set_info(&mut self, info: Info) {
        self.supply.set_info(info);
    }

    pub fn active_comm(&self) -> Result<Comm<'_>, Failure> {
        let idle = || Failure::new(Code::State, "this process is no longer active in the job");
        self.active_comm.as_ref().map(Duplicate::comm).ok_or_else(idle)
    }

    /// Installs the communicator and the number of the active ranks. Frees the old communicator; collective over it.
    pub fn adopt(&mut self, now: Duplicate, ranks: u32) {
        self.active_comm = Some(now);
        self.install_roster(ranks);
    }

    fn total(&self) -> u32 {
        self.roster.total()
    }

    fn all(&self) -> Result<&Duplicate, Failure> {
        if self.unusable.get() {
            let why = "some ranks did not take part in time, so the job can neither change its size nor end";
            return Err(Failure::new(Code::Broken, why));
        }
        self.levels.last().ok_or_else(|| Failure::new(Code::State, "this process has left the job"))
    }

    /// Orders a resize to `ranks` active ranks: adds ranks, at most `unit` in one spawn call, or removes `leaving`, and
    /// the last ones if these are too few. A failure changes nothing. After a success all ranks call
    /// [`World::form_group`] and [`World::confirm`]. The old communicator stays until [`World::adopt`] or
    /// [`World::release`]; [`World::roll_back`] returns to it. Collective over the active ranks.
    pub fn order_resize(&mut self, ranks: u32, unit: u32, leaving: &[u32]) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        let go = JobOrder::Go { ranks, leaving: leaving.to_vec() };
        let called = self.add_up_to(ranks, unit).and_then(|()| self.order(go));
        if called.is_err() {
            self.roll_back();
        }
        called.map(drop)
    }

    fn add_up_to(&mut self, ranks: u32, unit: u32) -> Result<(), Failure> {
        while self.total() < ranks {
            let count = unit.min(ranks - self.total());
            self.order(JobOrder::Add(count))?;
            if let Err(why) = self.add(count) {
                // Parked ranks return to their previous state. If this order fails, too, the first failure is returned.
                let _ = self.order(JobOrder::Back);
                return Err(why);
            }
        }
        Ok(())
    }

    /// Returns the communicator of the `ranks` ranks that will be active; `None` on others. Collective over all ranks,
    /// after they have received the order.
    pub fn form_group(&mut self, ranks: u32) -> Result<Option<Duplicate>, Failure> {
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
        let now = old.split(place.filter(|&place| place < ranks), self.host);
        let all = (!same).then(|| old.split(place, old.comm())).transpose();
        let (now, all) = (now?, all?);
        self.next = Some(NextRoster { order, all });
        Ok(now)
    }

    /// Returns whether all ranks pass true. If so, no later step of the resize can fail. Collective over all ranks.
    pub fn confirm(&self, good: bool) -> Result<bool, Failure> {
        let comm = self.all()?.comm();
        let mut arrival = retry(|| Arrival::start(comm, [u64::from(good)]))?;
        let [least] = self.wait_for_all(|| arrival.test())?;
        Ok(least == 1)
    }

    /// Restores the previous ranks, if a rank has not confirmed. Returns the role of a rank that is not active: parked,
    /// or left if it is new.
    pub fn roll_back(&mut self) -> Role {
        self.next = None;
        if self.rank >= self.settled {
            self.leave();
            return Role::Left;
        }
        self.levels.truncate(1);
        let there: Vec<u32> = (0..self.settled).collect();
        self.roster = self.roster.reordered(&there);
        Role::Parked
    }

    /// Makes this rank inactive after all ranks have confirmed a resize to `ranks` ranks. Returns its role.
    pub fn release(&mut self, ranks: u32) -> Role {
        self.active_comm = None;
        if self.install_roster(ranks) { Role::Parked } else { Role::Left }
    }

    /// Installs the new roster with `ranks` active ranks, after all ranks have confirmed. Returns whether this process
    /// stays in the job.
    fn install_roster(&mut self, ranks: u32) -> bool {
        let Some(NextRoster { order, all }) = self.next.take() else { return false };
        let old = self.levels.pop();
        self.levels.clear();
        let Some(place) = order.iter().position(|&rank| rank == self.rank) else {
            self.leave_notice = old.map(LeaveNotice);
            self.leave();
            return false;
        };
        let mut stays = vec![false; self.roster.total() as usize];
        order.iter().for_each(|&rank| stays[rank as usize] = true);
        let left = (0u32..).zip(self.roster.hosts()).filter(|(rank, _)| !stays[*rank as usize]);
        let left: Vec<_> = left.map(|(rank, host)| (rank, host.clone())).collect();
        self.roster = self.roster.reordered(&order);
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

    /// Sends the order to end the job to all other ranks. If this fails, the job continues. Collective over the active
    /// ranks.
    pub fn order_end(&mut self) -> Result<(), Failure> {
        self.before = self.active;
        self.wake();
        self.order(JobOrder::End).map(drop)
    }

    fn add(&mut self, count: u32) -> Result<(), Failure> {
        let level = self.supply.add(self.all()?, count)?;
        // Waits for the new processes; fails if their settings differ.
        Session::gather(&level.comm())?;
        let hosts = hosts_of(level.comm())?;
        self.roster.add(count, hosts);
        self.levels.push(level);
        Ok(())
    }

    /// Calls [`World::form_group`] on a new or parked rank. A rank outside the group also confirms the resize.
    /// Collective over all ranks.
    fn form_active_group(&mut self, ranks: u32) -> Role {
        let part = self.form_group(ranks);
        if let Ok(Some(now)) = part {
            return Role::Active(now);
        }
        if self.confirm(part.is_ok()).unwrap_or(false) { self.release(ranks) } else { self.roll_back() }
    }

    /// Releases all communicators. On the first rank, waits for the messages of processes that leave.
    pub fn leave(&mut self) {
        self.active_comm = None;
        self.levels.clear();
        await_all(std::mem::take(&mut self.departures));
    }
}
