//! Detection of free hosts. A process that leaves the job sends a message to the first rank once the program has
//! released its resources there. The first rank polls for these messages.

use crate::mpi::{Duplicate, MpiError};
use crate::runtime::backoff::Backoff;
use crate::runtime::session::check_wait_limit;
use crate::runtime::slow_wait::SlowWait;
use crate::system::stderr;
use crate::transport::error::Error;

/// Processes that leave together, as seen by the first rank.
pub struct Departure {
    /// The communicator of all ranks before they left.
    comm: Duplicate,
    /// Ranks in it whose message has not arrived, and their hosts.
    awaited: Vec<(u32, String)>,
    /// Hosts of the others, until they are reported.
    heard: Vec<String>,
}

/// Sends the message to the first rank when it is dropped, in a process that leaves.
pub struct LeaveNotice(pub Duplicate);

impl Departure {
    pub fn new(comm: Duplicate, leaving: Vec<(u32, String)>) -> Self {
        Self { comm, awaited: leaving, heard: Vec::new() }
    }

    fn receive(&mut self) -> Result<(), MpiError> {
        for at in (0..self.awaited.len()).rev() {
            if self.comm.comm().woken(self.awaited[at].0)? {
                self.heard.push(self.awaited.swap_remove(at).1);
            }
        }
        Ok(())
    }
}

/// Returns the hosts that became free since the last call: processes have left them, and neither ranks of the job,
/// whose hosts are `present`, nor other leaving processes are there.
pub fn freed(departures: &mut Vec<Departure>, present: &[String]) -> Result<Vec<String>, MpiError> {
    departures.iter_mut().try_for_each(Departure::receive)?;
    let mut heard: Vec<String> =
        departures.iter_mut().flat_map(|one| std::mem::take(&mut one.heard)).collect();
    departures.retain(|departure| !departure.awaited.is_empty());
    let awaited = |host: &String| departures.iter().any(|one| one.awaited.iter().any(|(_, on)| on == host));
    heard.sort();
    heard.dedup();
    heard.retain(|host| !present.contains(host) && !awaited(host));
    Ok(heard)
}

/// Waits, at the end of the job on the first rank, for all processes that leave, at most REBLOCK_WAIT_SECONDS. In
/// Open MPI 4 the first world may end before them, and a process that sends a message to one that has ended would
/// wait for ever.
pub fn await_all(mut departures: Vec<Departure>) {
    let (mut slow_wait, mut backoff) = (SlowWait::new(0), Backoff::default());
    while !departures.is_empty() {
        let heard = freed(&mut departures, &[]).map_err(Error::from);
        if let Err(why) = heard.and_then(|_| check_wait_limit(&backoff)) {
            stderr::line(format_args!(
                "{why}: the job ends without having heard from all processes that leave it"
            ));
            // Later messages must not be taken for messages on another communicator, so these communicators are not
            // freed.
            return departures.into_iter().for_each(|departure| departure.comm.keep());
        }
        slow_wait.report(&"the job that leave it to call reblock_job_leave");
        backoff.snooze();
    }
}

impl Drop for LeaveNotice {
    fn drop(&mut self) {
        if !crate::mpi::finalized() {
            // If this fails, the first rank never learns that the host is free; there is no way to report it.
            let _ = self.0.comm().wake(0);
        }
    }
}
