//! HAVE all ranks entered the first call of its kind on a communicator, with the same settings? None waits inside MPI, so that
//! other calls in progress advance until the last rank has come.

use super::Session;
use super::together::{gather_texts, outside};
use crate::error::Error;
use crate::mpi::{Arrival, Comm, Noted};
use crate::patience::Patience;
use crate::settings::{Settings, alike};

/// Who comes.
pub struct Here<'s> {
    /// Where all meet.
    pub comm: Comm<'s>,
    /// This rank.
    pub rank: u32,
    /// All of them.
    pub ranks: u32,
    /// Their session, if there is one yet.
    pub session: Option<&'s Session>,
}

/// Waits until all ranks have come: collective. An error, on all of them, if their settings differ. `call` is what they are to
/// make, for whoever reads that this rank waits. Returns the least of each number that ranks bring, of which `brought` are this
/// one's.
pub fn arrive(here: &Here<'_>, call: &str, brought: [u64; 4], noted: &mut Noted) -> Result<[u64; 4], Error> {
    let mine = Settings::of_process();
    let number = alike::number(mine.as_deref());
    let [a, b, c, d] = brought;
    let mut arrival = noted.twice(|| Arrival::start(here.comm, [number, !number, a, b, c, d]))?;
    let why =
        format_args!("a context to make {call} with it; if they have, reblock is not loaded on all of them");
    let mut patience = Patience::new(here.rank);
    let come = || Ok(noted.twice(|| arrival.test())?);
    let [number, other, least @ ..] = outside(here.session, || patience.complain(&why), come)?;
    // The least is the greatest, on all ranks or on none.
    if number == !other {
        return Ok(least);
    }
    let told = gather_texts(here.comm, here.ranks as usize, &alike::told(mine.as_deref()))?;
    Err(Error::Host(alike::difference(&told)))
}
