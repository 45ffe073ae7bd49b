//! ON WHICH hosts are a job's ranks, and where does the program want them to come from and to go? The job and the program share it:
//! a policy of the program, which runs inside a resize point, says here what is to happen at this one.

use crate::collective::failure::Failure;
use crate::mpi::Info;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hosts of a job, and what rank 0 says about them.
#[derive(Clone, Default)]
pub struct Placement(Arc<Mutex<Places>>);

#[derive(Default)]
struct Places {
    hosts: Vec<String>,
    info: Option<Info>,
    start: Option<Start>,
    leaving: Leaving,
    freed: VecDeque<String>,
}

/// The node on which processes are to start, and how many there can be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Start {
    pub(super) node: String,
    pub(super) ranks: u32,
}

/// Who is to leave at the next resize point.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Leaving {
    pub(super) ranks: Vec<u32>,
    pub(super) hosts: Vec<String>,
}

impl Placement {
    fn places(&self) -> MutexGuard<'_, Places> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The host of each rank that works.
    pub fn hosts(&self) -> Vec<String> {
        self.places().hosts.clone()
    }

    /// What MPI is told when it starts processes, from the next resize on: where, for example. That of rank 0 counts.
    pub fn set_spawn_info(&self, info: Info) {
        self.places().info = Some(info);
    }

    /// Processes are to start on that node, which has room for so many; this takes the place of what MPI was to be told.
    pub fn set_start(&self, node: &str, ranks: u32) {
        self.places().start = Some(Start { node: node.into(), ranks });
    }

    /// These ranks are to leave at the next resize point, in place of those named before. Those that rank 0 names count.
    pub fn set_leaving(&self, ranks: impl IntoIterator<Item = i64>) -> Result<(), Failure> {
        let narrow = |rank: i64| {
            let expected =
                || Failure::argument(format!("rank {rank} is to leave, expected a rank from 1 on"));
            u32::try_from(rank).ok().filter(|&rank| rank > 0).ok_or_else(expected)
        };
        let ranks: Vec<u32> = ranks.into_iter().map(narrow).collect::<Result<_, _>>()?;
        self.places().leaving.ranks = ranks;
        Ok(())
    }

    /// All ranks on these hosts are to leave, besides those.
    pub fn set_leaving_hosts(&self, hosts: impl IntoIterator<Item = String>) {
        self.places().leaving.hosts = hosts.into_iter().collect();
    }

    /// The next host, told once, that no process of the job is on any more: all that were there have left the job. On rank 0.
    pub fn next_freed(&self) -> Option<String> {
        self.freed(|_| true)
    }

    /// The same; it counts as told only if it is `taken`.
    pub(crate) fn freed(&self, taken: impl FnOnce(&str) -> bool) -> Option<String> {
        let mut places = self.places();
        let host = places.freed.front()?.clone();
        if taken(&host) {
            places.freed.pop_front();
        }
        Some(host)
    }

    pub(super) fn know(&self, hosts: Vec<String>) {
        self.places().hosts = hosts;
    }

    pub(super) fn take_info(&self) -> Option<Info> {
        self.places().info.take()
    }

    pub(super) fn take_start(&self) -> Option<Start> {
        self.places().start.take()
    }

    pub(super) fn take_leaving(&self) -> Leaving {
        std::mem::take(&mut self.places().leaving)
    }

    pub(super) fn free(&self, hosts: Vec<String>) {
        self.places().freed.extend(hosts);
    }
}
