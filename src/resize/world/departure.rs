//! WHICH hosts are free? A process that leaves the job says so once the program has put down what it had there; the first rank
//! listens, and knows who is still to come.

use crate::mpi::{Duplicate, MpiError};
use crate::runtime::patience::Patience;
use crate::runtime::session::patient;
use crate::runtime::waiting::Waiting;
use crate::system::stderr;
use crate::transport::error::Error;

/// Processes that leave together, as the first rank knows them.
pub struct Departure {
    /// The communicator of all ranks as long as they were there.
    comm: Duplicate,
    /// Ranks in it from which nothing was heard yet, and their hosts.
    awaited: Vec<(u32, String)>,
    /// The hosts of the others, until they are asked for.
    heard: Vec<String>,
}

/// In a process that leaves: it tells the first rank when it is dropped.
pub struct Farewell(pub Duplicate);

impl Departure {
    /// Of the ranks `leaving` of `comm`.
    pub fn new(comm: Duplicate, leaving: Vec<(u32, String)>) -> Self {
        Self { comm, awaited: leaving, heard: Vec::new() }
    }

    /// Takes in who has said it.
    fn hear(&mut self) -> Result<(), MpiError> {
        for at in (0..self.awaited.len()).rev() {
            if self.comm.comm().woken(self.awaited[at].0)? {
                self.heard.push(self.awaited.swap_remove(at).1);
            }
        }
        Ok(())
    }
}

/// The hosts of processes from which was heard since this was answered last, if no process is on them any more, neither of those
/// `present` nor of others that leave.
pub fn freed(departures: &mut Vec<Departure>, present: &[String]) -> Result<Vec<String>, MpiError> {
    departures.iter_mut().try_for_each(Departure::hear)?;
    let mut heard: Vec<String> =
        departures.iter_mut().flat_map(|one| std::mem::take(&mut one.heard)).collect();
    departures.retain(|departure| !departure.awaited.is_empty());
    let awaited = |host: &String| departures.iter().any(|one| one.awaited.iter().any(|(_, on)| on == host));
    heard.sort();
    heard.dedup();
    heard.retain(|host| !present.contains(host) && !awaited(host));
    Ok(heard)
}

/// The job ends on the first rank: it waits for all that leave, at most REBLOCK_WAIT_SECONDS. In Open MPI 4 the first world may end
/// before them, and one that tells a process that is gone would wait for ever.
pub fn await_all(mut departures: Vec<Departure>) {
    let (mut patience, mut waiting) = (Patience::new(0), Waiting::default());
    while !departures.is_empty() {
        let heard = freed(&mut departures, &[]).map_err(Error::from);
        if let Err(why) = heard.and_then(|_| patient(&waiting)) {
            stderr::line(format_args!(
                "{why}: the job ends without having heard from all processes that leave it"
            ));
            // What they say later must not be taken for a message on another communicator: theirs stay.
            return departures.into_iter().for_each(|departure| departure.comm.keep());
        }
        patience.complain(&"the job that leave it to call reblock_job_leave");
        waiting.pause();
    }
}

impl Drop for Farewell {
    fn drop(&mut self) {
        if !crate::mpi::finalized() {
            // Where this fails the first rank never hears that the host is free, and nobody is left here to tell.
            let _ = self.0.comm().wake(0);
        }
    }
}
