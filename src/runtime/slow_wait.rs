//! Reports and limits long waits.
//!
//! A rank that has waited long writes one line and waits on: the others may only be slow. If `REBLOCK_WAIT_SECONDS` is
//! set, a watchdog thread ends the job after that time, since a wait inside MPI cannot be left.

use crate::system::settings::Settings;
use crate::system::stderr;
use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// Wait of rank 0 before its line. Higher ranks wait longer, so that usually one rank writes.
const FIRST_LINE: Duration = Duration::from_secs(10);
/// Number of ranks that each wait [`FIRST_LINE`] longer than the one before; higher ranks wait as long as the last of
/// them.
const STAGGERED_RANKS: u32 = 5;

/// A wait for other ranks, reported at most once.
#[derive(Debug)]
pub struct SlowWait {
    rank: u32,
    begin: Instant,
    limit: Duration,
    is_reported: bool,
}

impl SlowWait {
    /// Starts the wait of rank `rank`.
    pub fn new(rank: u32) -> Self {
        Self {
            rank,
            begin: Instant::now(),
            limit: FIRST_LINE * (1 + rank.min(STAGGERED_RANKS)),
            is_reported: false,
        }
    }

    /// Writes the line if it is due. `what` names the call that the rank waits for.
    pub fn report(&mut self, what: &dyn Display) {
        self.report_with(|| what.to_string());
    }

    /// Writes the line if it is due. `what` is called only then.
    pub fn report_with(&mut self, what: impl FnOnce() -> String) {
        if let Some(seconds) = self.over(Instant::now()) {
            let what = what();
            stderr::line(format_args!("rank {} has waited {seconds} s for all ranks of {what}", self.rank));
        }
    }

    /// Returns the seconds waited by `now`, once, when the line is due.
    fn over(&mut self, now: Instant) -> Option<u64> {
        let waited = now.duration_since(self.begin);
        if self.is_reported || waited <= self.limit {
            return None;
        }
        self.is_reported = true;
        Some(waited.as_secs())
    }
}

/// A watchdog that ends the job unless it is dropped in time.
pub struct Watchdog(#[expect(dead_code, reason = "dropping it ends the thread")] Sender<()>);

/// Limits a wait inside MPI for the ranks of `whom` to `REBLOCK_WAIT_SECONDS`; `None` without that setting.
pub fn limit(whom: &'static str) -> Option<Watchdog> {
    let wait = Settings::of_process().ok().and_then(|settings| settings.wait)?;
    let seconds = wait.as_secs();
    let why = format!("some ranks of {whom} have not taken part within {seconds} s (REBLOCK_WAIT_SECONDS)");
    Some(Watchdog::start(wait, || why))
}

impl Watchdog {
    /// Ends the process after `most`, with the line `why`. If no thread can be started, a line says that there is no
    /// limit.
    pub fn start(most: Duration, why: impl FnOnce() -> String + Send + 'static) -> Self {
        Self::with_notice(most, None, why)
    }

    /// As [`Watchdog::start`], but first writes a line after a shorter time, both in `soon`.
    pub fn with_notice(
        most: Duration,
        soon: Option<(Duration, String)>,
        why: impl FnOnce() -> String + Send + 'static,
    ) -> Self {
        let (here, there) = channel();
        let watch = move || {
            let late = |time| there.recv_timeout(time) == Err(RecvTimeoutError::Timeout);
            let mut spent = Duration::ZERO;
            if let Some((soon, words)) = soon.filter(|(soon, _)| *soon < most) {
                if !late(soon) {
                    return;
                }
                stderr::line(format_args!("{words}"));
                spent = soon;
            }
            if late(most - spent) {
                stderr::line(format_args!("{}", why()));
                crate::mpi::end_process();
            }
        };
        if let Err(why) = Builder::new().name("reblock watch".into()).spawn(watch) {
            stderr::line(format_args!(
                "cannot start a thread, so this process may wait without limit: {why}"
            ));
        }
        Self(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_reports_first() {
        for (rank, seconds) in [(0, 10), (1, 20), (5, 60), (u32::MAX, 60)] {
            for _ in 0..2 {
                let mut slow_wait = SlowWait::new(rank);
                let begin = slow_wait.begin;
                let mut after = |seconds| slow_wait.over(begin + Duration::from_secs(seconds));
                assert_eq!((after(0), after(seconds), after(seconds + 1)), (None, None, Some(seconds + 1)));
                assert_eq!(after(seconds + 2), None, "said already");
            }
        }
    }
}
