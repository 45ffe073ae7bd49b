//! WHICH hosts are free? A process that leaves the job says so once the program has put down what it had there; the first rank
//! listens, and knows who is still to come.

use crate::mpi::{Duplicate, MpiError};
use crate::patience::Patience;
use crate::stderr;
use crate::waiting::Waiting;

/// Processes that leave together, as the first rank knows them.
pub struct Departure {
    /// The communicator of all ranks as long as they were there.
    comm: Duplicate,
    /// Ranks in it from which nothing was heard yet, and their hosts.
    awaited: Vec<(u32, String)>,
}

/// In a process that leaves: it tells the first rank when it is dropped.
pub struct Farewell(pub Duplicate);

impl Departure {
    /// Of the ranks `leaving` of `comm`.
    pub fn new(comm: Duplicate, leaving: Vec<(u32, String)>) -> Self {
        Self { comm, awaited: leaving }
    }

    /// The hosts of those that have said it since this was asked last.
    fn hear(&mut self) -> Result<Vec<String>, MpiError> {
        let mut heard = Vec::new();
        for at in (0..self.awaited.len()).rev() {
            if self.comm.comm().woken(self.awaited[at].0)? {
                heard.push(self.awaited.swap_remove(at).1);
            }
        }
        Ok(heard)
    }
}

/// The hosts of processes from which was heard, if no process is on them any more, neither of those `present` nor of others that
/// leave.
pub fn freed(departures: &mut Vec<Departure>, present: &[String]) -> Result<Vec<String>, MpiError> {
    let mut heard = Vec::new();
    for departure in departures.iter_mut() {
        heard.extend(departure.hear()?);
    }
    departures.retain(|departure| !departure.awaited.is_empty());
    let awaited = |host: &String| departures.iter().any(|one| one.awaited.iter().any(|(_, on)| on == host));
    heard.sort();
    heard.dedup();
    heard.retain(|host| !present.contains(host) && !awaited(host));
    Ok(heard)
}

/// The job ends on the first rank: it waits for all that leave. In Open MPI 4 the first world may end before them, and one that tells
/// a process that is gone would wait for ever.
pub fn await_all(mut departures: Vec<Departure>) {
    let (mut patience, mut waiting) = (Patience::new(0), Waiting::default());
    while !departures.is_empty() {
        if let Err(why) = freed(&mut departures, &[]) {
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
