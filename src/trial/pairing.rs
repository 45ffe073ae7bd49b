//! Fair timing of a call that two libraries make: ranks start together, the libraries take turns in going first, and
//! the time of the slowest rank counts.

use crate::mpi::Arrival;
use crate::runtime::session::{Answer, Session};
use crate::transport::error::Error;
use std::time::{Duration, Instant};

/// Reason why a call is not made twice. If ranks have different reasons, the smallest number counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// The program has no other ScaLAPACK.
    NoOther = 1,
    /// The call exceeds the other library's 32-bit counts.
    TooLarge = 2,
    /// Another thread of the process is in a trial.
    NotAlone = 3,
    /// There is no memory for a second result.
    NoMemory = 4,
}

impl Obstacle {
    const ALL: [Self; 4] = [Self::NoOther, Self::TooLarge, Self::NotAlone, Self::NoMemory];

    pub fn text(self) -> &'static str {
        match self {
            Self::NoOther => "there is no other ScaLAPACK in this program",
            Self::TooLarge => "ScaLAPACK counts its elements and bytes in 32 bits",
            Self::NotAlone => {
                "ScaLAPACK serves one thread of a process at a time, and another one was in a trial"
            }
            Self::NoMemory => "there was no memory for a second result",
        }
    }
}

/// Trials of calls on one communicator.
pub struct Pairing<'a>(pub &'a Session);

impl Pairing<'_> {
    /// Returns the first obstacle of any rank, the same on all ranks. Collective.
    pub fn obstacle(&self, mine: Option<Obstacle>) -> Result<Option<Obstacle>, Error> {
        let number = mine.map_or(u64::MAX, |obstacle| obstacle as u64);
        let least = self.min_over_ranks(number)?;
        let found = Obstacle::ALL.into_iter().find(|&obstacle| obstacle as u64 == least);
        if found.is_none() && least != u64::MAX {
            return Err(Error::Host(format!("MPI_Iallreduce found {least}, which no rank brought")));
        }
        Ok(found)
    }

    /// Returns true if `mine` is true on any rank. Collective.
    pub fn any(&self, mine: bool) -> Result<bool, Error> {
        Ok(self.min_over_ranks(u64::from(!mine))? == 0)
    }

    /// Runs `call` once all ranks have arrived. Returns its result, and the seconds of the slowest rank, with its
    /// preparation time `before`. Collective.
    pub fn timed<R>(
        &self,
        before: Duration,
        call: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, f64), Error> {
        // A rank that waited long may be asleep when the last rank arrives. A second round wakes all ranks.
        self.min_over_ranks(0)?;
        self.min_over_ranks(0)?;
        let start = Instant::now();
        let result = call()?;
        let mine = u64::try_from((before + start.elapsed()).as_nanos()).unwrap_or(u64::MAX);
        let slowest = !self.min_over_ranks(!mine)?;
        Ok((result, Duration::from_nanos(slowest).as_secs_f64()))
    }

    /// Returns whether the first library goes first in trial `number`: in half of all trials, and also in half of those
    /// with even numbers, or with multiples of 3, because multiples of the golden ratio are spread evenly modulo 1.
    pub fn is_first(number: u64) -> bool {
        /// Fractional part of the golden ratio, times 2^64.
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        number.wrapping_mul(GOLDEN) >> 63 == 0
    }

    /// Returns the smallest number of all ranks. Collective; communication elsewhere goes on meanwhile.
    fn min_over_ranks(&self, mine: u64) -> Result<u64, Error> {
        let mut arrival = Arrival::start(self.0.comm(), [mine])?;
        self.0.until(|_| Ok(arrival.test()?.map_or(Answer::NotYet, |[least]| Answer::Ready(least))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_is_first_as_often_also_in_every_second_call() {
        for step in 1..=8 {
            let firsts = (0..1024).filter(|k| Pairing::is_first(k * step)).count();
            assert!((496..=528).contains(&firsts), "every {step}: {firsts}");
        }
    }
}
