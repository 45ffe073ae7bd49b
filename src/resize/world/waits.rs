//! Waits for collective calls of all ranks of a job.

use crate::collective::failure::Failure;
use crate::mpi::{Broadcast, Comm, MpiError, again};
use crate::runtime::session::{Session, outside};
use crate::runtime::slow_wait::SlowWait;
use crate::transport::error::Error;

/// Broadcasts the numbers of the first rank; all ranks pass equally many. Collective over the communicator of
/// `session`.
pub fn broadcast_from_first(session: &Session, numbers: &[i64]) -> Result<Vec<i64>, Failure> {
    let mut broadcast = again(|| Broadcast::start(session.comm(), 0, numbers.to_vec()))?;
    Ok(completed(session.comm(), Some(session), || broadcast.test())?)
}

/// Waits for a collective call of the job, which `test` polls. A rank that waits long prints a warning, and gives up
/// after REBLOCK_WAIT_SECONDS. Requests advance meanwhile, since a policy on the first rank may wait for one.
pub(super) fn completed<T>(
    comm: Comm,
    session: Option<&Session>,
    mut test: impl FnMut() -> Result<Option<T>, MpiError>,
) -> Result<T, Error> {
    let mut slow_wait = SlowWait::new(again(|| comm.rank())?);
    let waits = || slow_wait.report(&"the job to take part in a resize or in its end");
    outside(session, waits, || Ok(again(&mut test)?))
}
