//! HAVE all ranks entered the first call of its kind on a communicator, with the same settings? What follows such a call
//! waits inside MPI. Here no rank does, so that other calls in progress advance until the last rank has come.

use super::state::UNDER_WAY;
use super::waits::advance_others;
use crate::error::Error;
use crate::mpi::{Arrival, Comm, gather_texts};
use crate::patience::Patience;
use crate::settings::{Settings, alike};
use crate::waiting::Waiting;
use std::sync::atomic::Ordering;

/// Waits until all ranks of `comm` have come, of which this is rank `rank`: collective. An error, on all of them, if their
/// settings differ. `call` is what they are to make, for whoever reads that this rank waits. Returns the least of each number
/// that ranks bring, of which `brought` are this one's.
pub fn arrive(comm: Comm, rank: u32, call: &str, brought: [u64; 3]) -> Result<[u64; 3], Error> {
    let mine = Settings::of_process();
    let number = alike::number(mine.as_deref());
    let [a, b, c] = brought;
    let mut arrival = Arrival::start(comm, [number, !number, a, b, c])?;
    let why =
        format_args!("a context to make {call} with it; if they have, reblock is not loaded on all of them");
    let (mut waiting, mut patience) = (Waiting::default(), Patience::new(rank));
    let [number, other, least @ ..] = loop {
        if let Some(least) = arrival.test()? {
            break least;
        }
        if UNDER_WAY.load(Ordering::Relaxed) > 0 && advance_others(u64::MAX) {
            waiting.reset();
        }
        // Now and then is often enough to look at the clock.
        if waiting.pause() {
            patience.complain(&why);
        }
    };
    // The least is the greatest, on all ranks or on none.
    if number == !other {
        return Ok(least);
    }
    Err(Error::Host(alike::difference(&gather_texts(comm, &alike::told(mine.as_deref()))?)))
}
