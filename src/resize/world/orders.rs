//! Orders of the first rank to all others, including parked ranks.

use super::World;
use super::waits::wait_for_all;
use crate::collective::failure::{Code, Failure};
use crate::mpi::{Broadcast, Duplicate, MpiError, retry};
use crate::system::stderr;
use crate::transport::error::Error;
use std::time::Duration;

/// Sleep between two checks of a parked rank: the maximum delay of a resize.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// Number of sleeps of a parked rank between two checks for an order without a message.
const POLLS_PER_ORDER_CHECK: u32 = 50;

/// An order of the first rank to all others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum JobOrder {
    /// Start this number of processes.
    Add(u32),
    /// Set the number of active ranks. If it decreases, `leaving` leave first, then the last ranks.
    Go { ranks: u32, leaving: Vec<u32> },
    /// Return to the ranks before the resize.
    Back,
    /// End the job: all processes leave it.
    End,
}

/// Role of a process after an order.
pub enum Role {
    /// Active, with the ranks of this communicator.
    Active(Duplicate),
    /// Parked until it is needed.
    Parked,
    Left,
}

impl World {
    /// Waits until the job needs this parked rank again, or ends. Prints an error of MPI once and continues to wait:
    /// the rank has no caller to handle it.
    pub fn wait_parked(&mut self) -> Result<Role, Failure> {
        let mut reported = false;
        loop {
            self.all()?;
            match self.wait_for_order() {
                Ok(role) => return Ok(role),
                Err(why) if !reported => {
                    stderr::line(format_args!(
                        "rank {}, which is parked, continues to wait after an error: {why}",
                        self.rank
                    ));
                    reported = true;
                }
                Err(_) => (),
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// Waits for the next order and executes it. A broadcast is as slow as its slowest rank, so the first rank also
    /// wakes parked ranks by messages. If a wake-up message fails, the rank receives the order at a later check.
    fn wait_for_order(&mut self) -> Result<Role, Failure> {
        if self.awaited.is_none() {
            self.awaited = Some(self.broadcast(&JobOrder::End)?);
        }
        for asleep in 1.. {
            if self.all()?.comm().receive_wake_up(0)? {
                break;
            }
            if asleep % POLLS_PER_ORDER_CHECK == 0 {
                if let Some(numbers) = self.awaited.as_mut().map_or(Ok(None), Broadcast::test)? {
                    self.awaited = None;
                    let order = self.decode(&numbers, &[])?;
                    return self.follow(order);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        let order = self.order(JobOrder::End)?;
        self.follow(order)
    }

    /// Executes orders until the role of this process is decided.
    pub(super) fn follow(&mut self, mut order: JobOrder) -> Result<Role, Failure> {
        loop {
            match order {
                // If it fails, the first rank orders `Back`.
                JobOrder::Add(count) => drop(self.add(count)),
                JobOrder::Go { ranks, .. } => return Ok(self.form_active_group(ranks)),
                JobOrder::Back => return Ok(self.roll_back()),
                JobOrder::End => {
                    self.leave();
                    return Ok(Role::Left);
                }
            }
            order = self.order(JobOrder::End)?;
        }
    }

    /// Sends a message that wakes each parked rank, from rank 0. Ignores errors: parked ranks also check for orders
    /// without a message.
    pub(super) fn wake(&self) {
        let parked = self.active..self.total();
        if let Some(comm) = self.levels.last().filter(|_| self.rank == 0) {
            parked.for_each(|rank| drop(comm.comm().send_wake_up(rank)));
        }
    }

    /// Broadcasts the order of rank 0; returns it on all ranks. Other ranks pass any order.
    pub(super) fn order(&mut self, order: JobOrder) -> Result<JobOrder, Failure> {
        let mut broadcast = match self.awaited.take() {
            Some(broadcast) => broadcast,
            None => retry(|| self.broadcast(&order))?,
        };
        let numbers = self.wait_for_all(|| broadcast.test())?;
        self.decode(&numbers, order.leaving())
    }

    /// Waits for a collective call of all ranks. A rank that gives up can neither send nor follow later orders: the
    /// state of the others is unknown.
    pub(super) fn wait_for_all<T>(
        &self,
        test: impl FnMut() -> Result<Option<T>, MpiError>,
    ) -> Result<T, Failure> {
        let done = wait_for_all(self.all()?.comm(), test);
        if let Err(Error::Waited(_)) = done {
            self.unusable.set(true);
        }
        Ok(done?)
    }

    fn broadcast(&self, order: &JobOrder) -> Result<Broadcast, Failure> {
        let [kind, count, leaving] = order.numbers();
        Ok(Broadcast::start(self.all()?.comm(), 0, vec![kind, count, leaving, self.before.into()])?)
    }

    /// Decodes an order. Receives the ranks that leave, which rank 0 passes as `leaving`, in another broadcast.
    fn decode(&mut self, numbers: &[i64], leaving: &[u32]) -> Result<JobOrder, Failure> {
        let invalid_message =
            || Failure::new(Code::Internal, "internal error: cannot decode an order from rank 0");
        let number = |at: usize| u32::try_from(*numbers.get(at)?).ok();
        self.before = number(3).ok_or_else(invalid_message)?;
        let named = number(2).ok_or_else(invalid_message)? as usize;
        self.leaving.clear();
        if named > 0 {
            let mut list: Vec<i64> = leaving.iter().map(|&rank| rank.into()).collect();
            list.resize(named, 0);
            let comm = self.all()?.comm();
            let mut broadcast = retry(|| Broadcast::start(comm, 0, list.clone()))?;
            let list = self.wait_for_all(|| broadcast.test())?;
            self.leaving = list.into_iter().filter_map(|rank| u32::try_from(rank).ok()).collect();
        }
        JobOrder::decode(number(0), number(1), &self.leaving).ok_or_else(invalid_message)
    }
}

impl JobOrder {
    fn leaving(&self) -> &[u32] {
        match self {
            Self::Go { leaving, .. } => leaving,
            _ => &[],
        }
    }

    fn numbers(&self) -> [i64; 3] {
        match *self {
            Self::Add(count) => [0, count.into(), 0],
            Self::Go { ranks, ref leaving } => {
                [1, ranks.into(), i64::try_from(leaving.len()).unwrap_or(i64::MAX)]
            }
            Self::Back => [2, 0, 0],
            Self::End => [3, 0, 0],
        }
    }

    fn decode(kind: Option<u32>, count: Option<u32>, leaving: &[u32]) -> Option<Self> {
        let count = count?;
        Some(match kind? {
            0 => Self::Add(count),
            1 => Self::Go { ranks: count, leaving: leaving.to_vec() },
            2 => Self::Back,
            3 => Self::End,
            _ => return None,
        })
    }
}
