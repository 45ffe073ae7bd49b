//! Collective operations of a session's ranks, by nonblocking MPI calls: other calls advance meanwhile, and a waiting
//! rank receives another rank's failure.

use super::Session;
use super::faults::check_wait_limit;
use super::waits::advance_all;
use crate::mpi::{Arrival, Comm, Gathering, MemberGathering, MpiError};
use crate::runtime::backoff::Backoff;
use crate::transport::error::Error;

/// Maximum numbers that a rank sends in one round of [`gather_all`].
const ROUND_NUMBERS: usize = 1 << 10;

#[derive(Clone, Copy)]
pub struct Collectives<'s> {
    session: &'s Session,
    /// The ranks, in ascending order; `None`: all ranks of the session.
    members: Option<&'s [u32]>,
    /// Index of this rank among them.
    pub me: usize,
}

impl Session {
    pub fn collectives(&self) -> Collectives<'_> {
        Collectives { session: self, members: None, me: self.rank as usize }
    }

    /// Returns the collective operations of the ranks `members`; this one is number `me`.
    pub fn collectives_of<'s>(&'s self, members: &'s [u32], me: usize) -> Collectives<'s> {
        let all = members.len() == self.ranks as usize;
        Collectives { session: self, members: (!all).then_some(members), me }
    }
}

impl Collectives<'_> {
    fn count(&self) -> usize {
        self.members.map_or(self.session.ranks as usize, <[u32]>::len)
    }

    /// Waits until `test` returns a result. Reports MPI's failure to the other ranks.
    fn wait_for<T>(&self, mut test: impl FnMut() -> Result<Option<T>, MpiError>) -> Result<T, Error> {
        self.session.report_error(poll_until(Some(self.session), || (), || Ok(test()?)))
    }

    /// Gathers the numbers of all ranks, by rank. Collective; all ranks must pass equally many.
    pub fn gather(&self, mine: &[u64]) -> Result<Vec<u64>, Error> {
        if self.count() == 1 {
            return Ok(mine.to_vec());
        }
        let (session, comm) = (self.session, self.session.comm());
        if let Some(members) = self.members {
            let mut gathering = session.report_error(MemberGathering::start(comm, members, self.me, mine))?;
            return self.wait_for(|| gathering.test());
        }
        let mut gathering = session.report_error(Gathering::start(comm, self.count(), mine))?;
        self.wait_for(|| gathering.test())
    }

    /// Gathers a list of any length from each rank, by rank. Collective.
    pub fn gather_all(&self, mine: &[u64]) -> Result<Vec<Vec<u64>>, Error> {
        gather_all(mine, |numbers| self.gather(numbers))
    }

    /// Returns whether `mine` is true on all ranks. Collective.
    pub fn all(&self, mine: bool) -> Result<bool, Error> {
        if self.members.is_some() || self.count() == 1 {
            return Ok(self.gather(&[u64::from(mine)])?.iter().all(|&rank| rank == 1));
        }
        let mut arrival =
            self.session.report_error(Arrival::start(self.session.comm(), [u64::from(mine)]))?;
        let [least] = self.wait_for(|| arrival.test())?;
        Ok(least == 1)
    }
}

fn gather_all(
    mine: &[u64],
    gather: impl Fn(&[u64]) -> Result<Vec<u64>, Error>,
) -> Result<Vec<Vec<u64>>, Error> {
    let counts = gather(&[mine.len() as u64])?;
    let most = usize::try_from(counts.iter().copied().max().unwrap_or(0)).expect("a count in memory");
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); counts.len()];
    // In rounds: MPI's counts do not overflow, and only one round is in memory twice.
    for start in (0..most).step_by(ROUND_NUMBERS) {
        let mut round = [0; ROUND_NUMBERS];
        let rest = mine.get(start..).unwrap_or(&[]);
        let part = &rest[..rest.len().min(ROUND_NUMBERS)];
        round[..part.len()].copy_from_slice(part);
        let len = ROUND_NUMBERS.min(most - start);
        let gathered = gather(&round[..len])?;
        for (rank, (numbers, part)) in all.iter_mut().zip(gathered.chunks_exact(len)).enumerate() {
            let left = usize::try_from(counts[rank]).expect("a count in memory").saturating_sub(start);
            numbers.extend(&part[..left.min(part.len())]);
        }
    }
    Ok(all)
}

/// Gathers a text from each of the `ranks` ranks of `comm`, which needs no session. Collective.
pub(super) fn gather_texts(comm: Comm, ranks: usize, mine: &str) -> Result<Vec<String>, Error> {
    let numbers: Vec<u64> = mine.bytes().map(u64::from).collect();
    let text = |numbers: &Vec<u64>| {
        let bytes: Vec<u8> = numbers.iter().filter_map(|&n| u8::try_from(n).ok()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    let gather = |numbers: &[u64]| {
        let mut gathering = Gathering::start(comm, ranks, numbers)?;
        poll_until(None, || (), || Ok(gathering.test()?))
    };
    Ok(gather_all(&numbers, gather)?.iter().map(text).collect())
}

/// Repeats `question` until it returns an answer. Meanwhile calls under way advance. Now and then it calls `waits`, and
/// listens for other ranks' failures on `session`; without a session it only checks the limit of waits.
pub fn poll_until<T>(
    session: Option<&Session>,
    mut waits: impl FnMut(),
    mut question: impl FnMut() -> Result<Option<T>, Error>,
) -> Result<T, Error> {
    let mut backoff = Backoff::default();
    loop {
        if let Some(answer) = question()? {
            return Ok(answer);
        }
        if advance_all() {
            backoff.reset();
        }
        // Seldom, so `waits` may read the clock.
        if backoff.snooze() {
            waits();
            session.map_or_else(|| check_wait_limit(&backoff), |session| session.listen(&backoff))?;
        }
    }
}
