//! Hosts of a job's ranks, and requests for hosts of new processes and for ranks that leave. The job and the program
//! share one [`Placement`], so a policy can make requests inside a resize point.

use crate::collective::failure::Failure;
use crate::mpi::Info;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Hosts of a job, and the requests of this rank; only those of rank 0 count. Clones share both.
#[derive(Clone, Default)]
pub struct Placement(Arc<Mutex<PlacementState>>);

#[derive(Default)]
struct PlacementState {
    hosts: Vec<String>,
    info: Option<Info>,
    start: Option<Start>,
    leaving: Leaving,
    freed: VecDeque<String>,
}

/// Node for new processes, and its room for ranks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Start {
    pub(super) node: String,
    pub(super) ranks: u32,
}

/// Ranks and hosts that are to leave at the next resize point.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Leaving {
    pub(super) ranks: Vec<u32>,
    pub(super) hosts: Vec<String>,
}

impl Placement {
    fn state(&self) -> MutexGuard<'_, PlacementState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the host of each active rank.
    pub fn hosts(&self) -> Vec<String> {
        self.state().hosts.clone()
    }

    /// Sets the MPI info for starting processes from the next resize on, for example their hosts. Only the info of rank
    /// 0 counts.
    pub fn set_spawn_info(&self, info: Info) {
        self.state().info = Some(info);
    }

    /// Requests that processes start on `node`, which has room for `ranks` ranks. Replaces the MPI info.
    pub fn set_start(&self, node: &str, ranks: u32) {
        self.state().start = Some(Start { node: node.into(), ranks });
    }

    /// Requests that these ranks leave at the next resize point; replaces the last request for ranks. Only the request
    /// of rank 0 counts. An error if a rank is 0 or negative.
    pub fn set_leaving(&self, ranks: impl IntoIterator<Item = i64>) -> Result<(), Failure> {
        let narrow = |rank: i64| {
            let expected =
                || Failure::argument(format!("rank {rank} is to leave, expected a rank from 1 on"));
            u32::try_from(rank).ok().filter(|&rank| rank > 0).ok_or_else(expected)
        };
        let ranks: Vec<u32> = ranks.into_iter().map(narrow).collect::<Result<_, _>>()?;
        self.state().leaving.ranks = ranks;
        Ok(())
    }

    /// Requests that all ranks on these hosts leave as well; replaces the last request for hosts.
    pub fn set_leaving_hosts(&self, hosts: impl IntoIterator<Item = String>) {
        self.state().leaving.hosts = hosts.into_iter().collect();
    }

    /// Returns the next host that all processes of the job have left, each host once, on rank 0 only.
    pub fn next_freed(&self) -> Option<String> {
        self.freed(|_| true)
    }

    /// Returns the next freed host, and removes it from the queue if `taken` returns true.
    pub(crate) fn freed(&self, taken: impl FnOnce(&str) -> bool) -> Option<String> {
        let mut state = self.state();
        let host = state.freed.front()?.clone();
        if taken(&host) {
            state.freed.pop_front();
        }
        Some(host)
    }

    pub(super) fn set_hosts(&self, hosts: Vec<String>) {
        self.state().hosts = hosts;
    }

    pub(super) fn take_info(&self) -> Option<Info> {
        self.state().info.take()
    }

    pub(super) fn take_start(&self) -> Option<Start> {
        self.state().start.take()
    }

    pub(super) fn take_leaving(&self) -> Leaving {
        std::mem::take(&mut self.state().leaving)
    }

    pub(super) fn add_freed(&self, hosts: Vec<String>) {
        self.state().freed.extend(hosts);
    }
}
