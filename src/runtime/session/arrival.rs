//! Arrival of all ranks at the first call of its kind on a communicator, with a comparison of their settings. No rank
//! waits inside MPI, so other calls in progress advance until the last rank has come.

use super::Session;
use super::collectives::{gather_texts, outside};
use super::roll_call::RollCall;
use super::worlds::spans_worlds;
use crate::mpi::{Arrival, Comm, Noted};
use crate::runtime::slow_wait::SlowWait;
use crate::system::settings::{Settings, alike};
use crate::transport::error::Error;

/// The ranks that meet.
pub struct Here<'s> {
    pub comm: Comm<'s>,
    pub rank: u32,
    pub ranks: u32,
    /// Their session, if there is one yet.
    pub session: Option<&'s Session>,
}

/// Waits until all ranks have come, and returns the minimum of each number in `brought` over all ranks. Collective.
/// Returns an error on all ranks if their settings differ. `call` names the awaited call in the line of a rank that
/// waits long.
pub fn arrive(here: &Here<'_>, call: &str, brought: [u64; 4], noted: &mut Noted) -> Result<[u64; 4], Error> {
    let mine = Settings::of_process();
    let number = alike::number(mine.as_deref());
    let [a, b, c, d] = brought;
    let mut arrival = noted.twice(|| Arrival::start(here.comm, [number, !number, a, b, c, d]))?;
    let lacking = match spans_worlds(&here.comm) {
        Ok(true) => {
            "some are without reblock or REBLOCK_SPAWNED=1: processes that MPI_Comm_spawn starts get variables of \
             mpirun -x NAME=VALUE, but not those of env"
        }
        _ => "reblock is not loaded on all of them",
    };
    let mut roll_call = RollCall::new(here.comm, here.rank, here.ranks);
    let mut slow_wait = SlowWait::new(here.rank);
    let wait = || {
        roll_call.send();
        slow_wait.report_with(|| {
            let missing = roll_call.missing();
            format!("a context to make {call} with it{missing}; if they have made it, {lacking}")
        });
    };
    let come = || Ok(noted.twice(|| arrival.test())?);
    let [number, other, least @ ..] = outside(here.session, wait, come)?;
    // The minimum equals the maximum: on all ranks or on none.
    if number == !other {
        return Ok(least);
    }
    let texts = gather_texts(here.comm, here.ranks as usize, &alike::told(mine.as_deref()))?;
    Err(Error::Host(alike::difference(&texts)))
}
