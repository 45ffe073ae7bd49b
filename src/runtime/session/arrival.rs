//! Waits until all ranks of a communicator have made its first call, or have begun the survey of the node, and compares
//! their settings. A waiting rank polls, so that its other calls advance.

use super::Session;
use super::collectives::{gather_texts, poll_until};
use super::roll_call::RollCall;
use super::worlds::spans_worlds;
use crate::mpi::{Arrival, Comm, FirstFailure};
use crate::runtime::slow_wait::SlowWait;
use crate::system::settings::{Settings, comparison};
use crate::transport::error::Error;

pub struct Here<'s> {
    pub comm: Comm<'s>,
    pub rank: u32,
    pub ranks: u32,
    /// The communicator's session, if it has one yet.
    pub session: Option<&'s Session>,
}

/// Waits until all ranks have called this function. Returns the minimum of each of the `values` over all ranks, or an
/// error on all ranks if their settings differ. A rank that waits long writes a line that names `call`. Collective.
pub fn arrive(
    here: &Here<'_>,
    call: &str,
    values: [u64; 4],
    first_failure: &mut FirstFailure,
) -> Result<[u64; 4], Error> {
    let mine = Settings::of_process();
    let number = comparison::checksum(mine.as_deref());
    let [a, b, c, d] = values;
    let mut arrival =
        first_failure.retry_once(|| Arrival::start(here.comm, [number, !number, a, b, c, d]))?;
    let poll = || Ok(first_failure.retry_once(|| arrival.test())?);
    let [minimum, complement, minima @ ..] = wait_for_ranks(here, call, poll)?;
    // `!complement` is the maximum. All ranks compare the same two numbers and take the same branch.
    if minimum == !complement {
        return Ok(minima);
    }
    let texts = gather_texts(here.comm, here.ranks as usize, &comparison::text(mine.as_deref()))?;
    Err(Error::Host(comparison::difference(&texts)))
}

/// Calls `poll` until it returns a value. A rank that waits long writes a line that names `call`.
pub(super) fn wait_for_ranks<T>(
    here: &Here<'_>,
    call: &str,
    poll: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    let mut roll_call = RollCall::new(here.comm, here.rank, here.ranks);
    let mut slow_wait = SlowWait::new(here.rank);
    let wait = || {
        roll_call.send();
        slow_wait.report_with(|| {
            let missing = roll_call.missing();
            let likely_cause = match spans_worlds(&here.comm) {
                Ok(true) => {
                    "some are without reblock or REBLOCK_SPAWNED=1: processes that MPI_Comm_spawn starts get \
                     variables of mpirun -x NAME=VALUE, but not those of env"
                }
                _ => "reblock is not loaded on all of them",
            };
            format!("a context to make {call} on it{missing}; if they have made this call, {likely_cause}")
        });
    };
    poll_until(here.session, wait, poll)
}
