//! Detection of free hosts. A leaving process sends a message to the first rank when its job is dropped
//! (`reblock_job_leave`); the first rank polls for these messages.

use crate::mpi::{Duplicate, MpiError};
use crate::runtime::backoff::Backoff;
use crate::runtime::session::check_wait_limit;
use crate::runtime::slow_wait::SlowWait;
use crate::system::stderr;
use crate::transport::error::Error;

/// Processes that leave in one resize, on the first rank.
pub struct Departure {
    /// The communicator of all ranks before the resize.
    comm: Duplicate,
    /// Leaving ranks in `comm` whose message has not arrived, and their hosts.
    awaited: Vec<(u32, String)>,
    /// Hosts of leaving ranks whose message has arrived, until [`freed`] takes them.
    vacated_hosts: Vec<String>,
}

/// Sends the message of a leaving process to the first rank when it is dropped.
pub struct LeaveNotice(pub Duplicate);

impl Departure {
    pub fn new(comm: Duplicate, leaving: Vec<(u32, String)>) -> Self {
        Self { comm, awaited: leaving, vacated_hosts: Vec::new() }
    }

    fn receive(&mut self) -> Result<(), MpiError> {
        for at in (0..self.awaited.len()).rev() {
            if self.comm.comm().receive_wake_up(self.awaited[at].0)? {
                self.vacated_hosts.push(self.awaited.swap_remove(at).1);
            }
        }
        Ok(())
    }
}

/// Returns the hosts that became free since the last call: processes have left, and no other process of the job is on
/// the host. `present` lists the hosts of the job's ranks; leaving processes count until their message has arrived.
pub fn freed(departures: &mut Vec<Departure>, present: &[String]) -> Result<Vec<String>, MpiError> {
    departures.iter_mut().try_for_each(Departure::receive)?;
    let mut vacated_hosts: Vec<String> =
        departures.iter_mut().flat_map(|one| std::mem::take(&mut one.vacated_hosts)).collect();
    departures.retain(|departure| !departure.awaited.is_empty());
    let awaited = |host: &String| departures.iter().any(|one| one.awaited.iter().any(|(_, on)| on == host));
    vacated_hosts.sort();
    vacated_hosts.dedup();
    vacated_hosts.retain(|host| !present.contains(host) && !awaited(host));
    Ok(vacated_hosts)
}

/// Waits on the first rank, at the end of the job, until the messages of all leaving processes have arrived, at most
/// REBLOCK_WAIT_SECONDS. In Open MPI 4 a leaving process would block for ever if the first rank ended before its
/// message.
pub fn await_all(mut departures: Vec<Departure>) {
    let (mut slow_wait, mut backoff) = (SlowWait::new(0), Backoff::default());
    while !departures.is_empty() {
        let vacated_hosts = freed(&mut departures, &[]).map_err(Error::from);
        if let Err(why) = vacated_hosts.and_then(|_| check_wait_limit(&backoff)) {
            stderr::line(format_args!(
                "{why}: the job ends without an answer from all processes that leave it"
            ));
            // Not freed: MPI could reuse the contexts for new communicators, which would receive late messages.
            return departures.into_iter().for_each(|departure| departure.comm.keep());
        }
        slow_wait.report(&"the job that leave it to call reblock_job_leave");
        backoff.snooze();
    }
}

impl Drop for LeaveNotice {
    fn drop(&mut self) {
        if !crate::mpi::finalized() {
            // If this fails, the first rank cannot see that the host is free.
            let _ = self.0.comm().send_wake_up(0);
        }
    }
}
