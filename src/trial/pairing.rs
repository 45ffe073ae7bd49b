//! HOW do two libraries make one call fairly? Ranks start together, the order alternates, and the slowest rank's time counts.
//! It knows when, and what was found; it never knows an argument.

use crate::mpi::Arrival;
use crate::runtime::session::{Answer, Session};
use crate::transport::error::Error;
use std::time::{Duration, Instant};

/// Why a call is not made twice: the first one that holds on any rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Obstacle {
    /// There is no other library.
    NoOther = 1,
    /// The other library cannot make it: its counts have 32 bits.
    TooLarge = 2,
    /// Another thread of the process is making its call twice.
    NotAlone = 3,
    /// There is no memory for a second result.
    NoMemory = 4,
}

impl Obstacle {
    const ALL: [Self; 4] = [Self::NoOther, Self::TooLarge, Self::NotAlone, Self::NoMemory];

    /// In words.
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

/// Calls that are made twice, on one communicator.
pub struct Pairing<'a>(pub &'a Session);

impl Pairing<'_> {
    /// What stands in the way on any rank. All ranks get the same answer.
    pub fn obstacle(&self, mine: Option<Obstacle>) -> Result<Option<Obstacle>, Error> {
        let number = mine.map_or(u64::MAX, |obstacle| obstacle as u64);
        let least = self.least(number)?;
        let told = Obstacle::ALL.into_iter().find(|&obstacle| obstacle as u64 == least);
        if told.is_none() && least != u64::MAX {
            return Err(Error::Host(format!("MPI_Iallreduce found {least}, which no rank brought")));
        }
        Ok(told)
    }

    /// Whether any rank says yes.
    pub fn any(&self, mine: bool) -> Result<bool, Error> {
        Ok(self.least(u64::from(!mine))? == 0)
    }

    /// What `call` returned, and the seconds that it took on the slowest rank, from when all ranks had come. For what it did
    /// before, this rank took the time `before`.
    pub fn timed<R>(
        &self,
        before: Duration,
        call: impl FnOnce() -> Result<R, Error>,
    ) -> Result<(R, f64), Error> {
        // A rank that waited long for the last one may sleep when that comes. After that all are awake.
        self.least(0)?;
        self.least(0)?;
        let start = Instant::now();
        let result = call()?;
        let mine = u64::try_from((before + start.elapsed()).as_nanos()).unwrap_or(u64::MAX);
        let slowest = !self.least(!mine)?;
        Ok((result, Duration::from_nanos(slowest).as_secs_f64()))
    }

    /// Whether the first library of a pair goes first in trial number `number`: in half of all trials, also in half of every
    /// second or third one, as multiples of the golden ratio are spread evenly between whole numbers.
    pub fn first(number: u64) -> bool {
        /// The fraction of the golden ratio, times 2^64.
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        number.wrapping_mul(GOLDEN) >> 63 == 0
    }

    /// The least number of any rank, once all have come. What is under way elsewhere goes on meanwhile.
    fn least(&self, mine: u64) -> Result<u64, Error> {
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
            let firsts = (0..1024).filter(|k| Pairing::first(k * step)).count();
            assert!((496..=528).contains(&firsts), "every {step}: {firsts}");
        }
    }
}
