//! Waits for collective calls of all ranks of a job.

use crate::mpi::{Comm, MpiError, retry};
use crate::runtime::session::poll_until;
use crate::runtime::slow_wait::SlowWait;
use crate::transport::error::Error;

/// Waits for a collective call of the job, which `test` polls. A rank that waits long prints a warning, and gives up
/// after REBLOCK_WAIT_SECONDS. Requests advance meanwhile.
pub(super) fn wait_for_all<T>(
    comm: Comm,
    mut test: impl FnMut() -> Result<Option<T>, MpiError>,
) -> Result<T, Error> {
    let mut slow_wait = SlowWait::new(retry(|| comm.rank())?);
    let waits = || slow_wait.report(&"the job to take part in a resize or in its end");
    poll_until(None, waits, || Ok(retry(&mut test)?))
}
