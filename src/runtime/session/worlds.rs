//! Contexts with processes of several MPI_COMM_WORLDs, some of which may be without reblock.
//!
//! A process that MPI_Comm_spawn started, or that joined by MPI_Comm_connect, has reblock only if it was preloaded
//! there, too. `env LD_PRELOAD=... program` does not do that under Open MPI, whose daemon starts new processes with its
//! own environment. The other ranks would wait for ever for a process without reblock.
//!
//! Each rank of such a communicator finds out, without messages between worlds, that it has processes of another world.
//! So all ranks with reblock decide alike: ScaLAPACK makes the call on all ranks.
//!
//! There are two exceptions: `REBLOCK_SPAWNED=1` states that all processes have reblock; a session of reblock's own
//! interface, made by all its ranks together, proves it.

use super::arrival::{Here, wait_for_ranks};
use super::{Session, sessions};
use crate::mpi::{Attribute, Comm, Group, MpiError, TaggedMessages};
use crate::runtime::agreement::rounds;
use crate::system::settings::Settings;
use crate::transport::error::Error;
use std::collections::BTreeMap;
use std::sync::Arc;

/// For a communicator with processes of several worlds: the ranks in MPI_COMM_WORLD of those of this world.
static SEVERAL: Attribute<Vec<u32>> = Attribute::new();

/// Returns the error that [`check_worlds`] has returned for `comm`, if any.
pub(super) fn check_known(comm: &Comm) -> Result<(), Error> {
    SEVERAL.get(comm)?.map_or(Ok(()), |ranks| Err(Error::Worlds(ranks.to_vec())))
}

/// Returns an error, on all ranks that have reblock or on none, if `comm` has processes of several worlds and some may
/// be without reblock.
pub(super) fn check_worlds(comm: &Comm) -> Result<(), Error> {
    if Settings::of_process().map_err(Error::Host)?.spawned || is_known(comm)? {
        return Ok(());
    }
    let ranks = comm.ranks_in(&Comm::world())?;
    let here = SEVERAL.get_or_make(comm, || ranks.into_iter().flatten().collect())?;
    Err(Error::Worlds(here.to_vec()))
}

/// Returns whether all ranks of a communicator are in this rank's MPI_COMM_WORLD. Local if they are in a regular order
/// there. Otherwise MPI would compare each with all ranks of the world, so the ranks of this world ask each other: all
/// must call this, once for each communicator.
pub(super) fn are_of_one_world(here: &Here<'_>) -> Result<bool, Error> {
    let (group, world) = (Group::of(&here.comm)?, Group::of(&Comm::world())?);
    if let Some(all) = group.is_within_if_regular(&world)? {
        return Ok(all);
    }
    let mut inquiry = Inquiry::new(here.rank, here.ranks);
    let mut messages = TaggedMessages::of_worlds(here.comm);
    wait_for_ranks(here, "their first call", || {
        while let Some((from, letter)) = messages.receive()? {
            inquiry.receive(from, letter == [1]);
        }
        let send = |to, all| messages.send(to, vec![u8::from(all)]);
        let all = inquiry.advance(|rank| group.is_in(rank, &world), send)?;
        Ok(if messages.all_sent()? { all } else { None })
    })
}

/// A rank's side of a dissemination among the ranks of this world: are all ranks in it? Ranks of other worlds take no
/// part, since they may be without reblock.
///
/// In round k a rank sends its knowledge to the rank 2^k places further on. After that round it knows whether all of
/// the 2^(k+1) ranks up to itself are in the world: the sender's knowledge covers the half that its own does not, and a
/// missing sender is itself a rank of another world. Each rank looks for 2 ⌈log₂ P⌉ ranks only.
struct Inquiry {
    rank: u32,
    ranks: u32,
    round: usize,
    /// Whether the message of `round` is sent, and whether one is expected.
    sent: Option<bool>,
    all: bool,
    received: BTreeMap<u32, bool>,
}

impl Inquiry {
    fn new(rank: u32, ranks: u32) -> Self {
        Self { rank, ranks, round: 0, sent: None, all: true, received: BTreeMap::new() }
    }

    /// Adds the knowledge of rank `from`, which may be some rounds ahead.
    fn receive(&mut self, from: u32, all: bool) {
        self.received.insert(from, all);
    }

    /// Continues as far as messages have arrived. Returns whether all ranks are in the world, once this is known and
    /// `send` has all messages. `is_here` returns whether a rank is in the world.
    fn advance<E>(
        &mut self,
        is_here: impl Fn(u32) -> Result<bool, E>,
        mut send: impl FnMut(u32, bool) -> Result<(), E>,
    ) -> Result<Option<bool>, E> {
        while self.round < rounds(self.ranks) {
            let distance = 1 << self.round;
            let from = (self.rank + self.ranks - distance) % self.ranks;
            let is_expected = match self.sent {
                Some(is_expected) => is_expected,
                None => {
                    let to = (self.rank + distance) % self.ranks;
                    let (to_here, from_here) = (is_here(to)?, is_here(from)?);
                    self.all &= to_here && from_here;
                    if to_here {
                        send(to, self.all)?;
                    }
                    *self.sent.insert(from_here)
                }
            };
            if is_expected {
                let Some(all) = self.received.remove(&from) else { return Ok(None) };
                self.all &= all;
            }
            (self.round, self.sent) = (self.round + 1, None);
        }
        Ok(Some(self.all))
    }
}

/// Returns whether `comm` is easily seen to have processes of several worlds, for the line of a waiting rank.
pub(super) fn spans_worlds(comm: &Comm) -> Result<bool, MpiError> {
    Ok(Group::of(comm)?.is_within_if_regular(&Group::of(&Comm::world())?)? == Some(false))
}

/// Returns whether all processes of `comm` are in one session of reblock's own interface.
fn is_known(comm: &Comm) -> Result<bool, MpiError> {
    for session in sessions().iter().filter(|session| !session.is_of_contexts() && !session.is_broken()) {
        if comm.all_ranks_in(&session.comm())?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl Session {
    /// Returns the session of the context `comm` whose processes all call reblock's own interface.
    pub(super) fn of_own_context(comm: &Comm) -> Result<Arc<Self>, Error> {
        match Self::of_known_context(comm)? {
            Some(session) => Ok(session),
            None => Self::of_new_context(comm, |_| Ok(())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Inquiry;
    use std::cell::RefCell;
    use std::convert::Infallible;

    /// Returns the results of the ranks `here` of `ranks` ranks; `None` for a rank that waits for ever.
    fn results(ranks: u32, here: &[u32]) -> Vec<Option<bool>> {
        let mut inquiries: Vec<Inquiry> = here.iter().map(|&rank| Inquiry::new(rank, ranks)).collect();
        let mut results = vec![None; here.len()];
        // A rank needs a message in each round, so the slowest one needs as many turns.
        for _ in 0..=ranks.ilog2() + 1 {
            for at in 0..here.len() {
                let messages = RefCell::new(Vec::new());
                let send = |to, all| {
                    messages.borrow_mut().push((to, all));
                    Ok::<(), Infallible>(())
                };
                results[at] = inquiries[at].advance(|rank| Ok(here.contains(&rank)), send).unwrap();
                for (to, all) in messages.take() {
                    let to = here.iter().position(|&rank| rank == to).expect("a rank of this world");
                    inquiries[to].receive(here[at], all);
                }
            }
        }
        results
    }

    #[test]
    fn all_ranks_of_a_world_find_those_of_others() {
        for ranks in 2..=9u32 {
            for set in 1..1u32 << ranks {
                let here: Vec<u32> = (0..ranks).filter(|rank| set >> rank & 1 == 1).collect();
                let all = here.len() == ranks as usize;
                assert_eq!(results(ranks, &here), vec![Some(all); here.len()], "{here:?} of {ranks}");
            }
        }
        let all_but =
            |ranks: u32, missing: u32| (0..ranks).filter(|&rank| rank != missing).collect::<Vec<_>>();
        for missing in 0..100 {
            assert_eq!(results(100, &all_but(100, missing)), vec![Some(false); 99]);
        }
    }
}
