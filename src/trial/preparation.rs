//! Measures the time that a rank takes to prepare a call: to check arguments, ask BLACS and look up cached plans,
//! without waits for other ranks. A trial adds it to the call's time, which begins later, when the ranks start
//! together.

use super::TraceOptions;
use crate::runtime::backoff;
use std::time::{Duration, Instant};

/// Clock reading at the start of a call's preparation; `None` if nothing is measured.
pub struct Preparation(Option<Reading>);

#[derive(Clone, Copy)]
struct Reading {
    now: Instant,
    waited: Duration,
}

impl Preparation {
    /// Starts the measurement. Reads no clock unless `options` traces or collects calls.
    pub fn start(options: &TraceOptions) -> Self {
        if options.counts_calls() {
            backoff::watch();
        }
        Self((options.lines || options.counts_calls()).then(Reading::now))
    }

    /// Returns the time since the start, without the time that this thread waited; 0 if nothing was measured.
    pub fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |begin| Reading::now().since(begin))
    }
}

impl Reading {
    fn now() -> Self {
        Self { now: Instant::now(), waited: backoff::waited() }
    }

    /// Returns the time since `begin`, without the time that this thread waited.
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
        assert!(Preparation::start(&TraceOptions::default()).0.is_none());
        assert_eq!(Preparation(None).elapsed(), Duration::ZERO);
        assert!(Preparation::start(&TraceOptions { lines: true, ..TraceOptions::default() }).0.is_some());
    }
}
