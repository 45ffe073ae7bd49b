//! HOW LONG did a rank prepare a call: check its arguments, ask BLACS, look up kept plans? This is part of the call's time,
//! although it ends before ranks start together. Waiting for other ranks during it is not. It knows two readings of clocks;
//! it never knows what was prepared.

use super::Wish;
use crate::runtime::waiting;
use std::time::{Duration, Instant};

/// A call that is prepared, if anybody wants to know how long that takes.
pub struct Preparation(Option<Reading>);

/// What the clocks said.
#[derive(Clone, Copy)]
struct Reading {
    now: Instant,
    /// What this thread had waited.
    waited: Duration,
}

impl Preparation {
    /// Begins to prepare a call. Where nothing was turned on, no clock is read.
    pub fn start(wish: &Wish) -> Self {
        if wish.collects() {
            waiting::watch();
        }
        Self((wish.lines || wish.collects()).then(Reading::take))
    }

    /// The call is prepared: what this rank did for that.
    pub fn took(self) -> Duration {
        self.0.map_or(Duration::ZERO, |begin| Reading::take().since(begin))
    }
}

impl Reading {
    fn take() -> Self {
        Self { now: Instant::now(), waited: waiting::waited() }
    }

    /// Time since `begin` in which this thread did not wait.
    fn since(self, begin: Self) -> Duration {
        (self.now - begin.now).saturating_sub(self.waited.saturating_sub(begin.waited))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_rank_waits_does_not_count() {
        let ms = Duration::from_millis;
        let begin = Reading { now: Instant::now(), waited: ms(70) };
        let after =
            |passed: u64, waited: u64| Reading { now: begin.now + ms(passed), waited: ms(70 + waited) };
        for (passed, waited, own) in [(9, 0, 9), (9, 5, 4), (9, 9, 0), (9, 10, 0)] {
            assert_eq!(after(passed, waited).since(begin), ms(own));
        }
    }

    #[test]
    fn no_clock_is_read_unless_somebody_asks() {
        assert!(Preparation::start(&Wish::default()).0.is_none());
        assert_eq!(Preparation(None).took(), Duration::ZERO);
        assert!(Preparation::start(&Wish { lines: true, ..Wish::default() }).0.is_some());
    }
}
