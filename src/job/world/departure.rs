//! WHICH hosts are free? A process that leaves the job says so once the program has put down what it had there; the first rank
//! listens, and knows who is still to come.

use crate::mpi::{Duplicate, MpiError};

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

/// The job ends. Where a process has not yet said that it leaves, its message must not be taken for one on another communicator: this
/// one stays.
pub fn give_up(departures: Vec<Departure>) {
    departures.into_iter().for_each(|departure| departure.comm.keep());
}

impl Drop for Farewell {
    fn drop(&mut self) {
        if !crate::mpi::finalized() {
            // Where this fails the first rank never hears that the host is free, and nobody is left here to tell.
            let _ = self.0.comm().wake(0);
        }
    }
}
