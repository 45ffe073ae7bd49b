//! WHEN does a rank that waits for others say so? They may never come, so it writes one line after some time. They may also
//! be slow, so it continues to wait; where it waits inside MPI, from which it cannot return, a watch ends the job after a time
//! that the user chooses.

use crate::system::settings::Settings;
use crate::system::stderr;
use std::fmt::Display;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

/// How long the first rank waits before it says so. The next ones wait longer, so that seldom more than one does.
const FIRST: Duration = Duration::from_secs(10);
/// Ranks that wait longer, each than the one before it.
const PATIENT_RANKS: u32 = 5;

/// One wait.
#[derive(Debug)]
pub struct Patience {
    rank: u32,
    begin: Instant,
    most: Duration,
    said: bool,
}

impl Patience {
    /// Of rank `rank`, from now on.
    pub fn new(rank: u32) -> Self {
        Self { rank, begin: Instant::now(), most: FIRST * (1 + rank.min(PATIENT_RANKS)), said: false }
    }

    /// Says for what all ranks are waited for, `what`: once, when it has been long.
    pub fn complain(&mut self, what: &dyn Display) {
        self.complain_with(|| what.to_string());
    }

    /// The same, where the words are found out only when they are written.
    pub fn complain_with(&mut self, what: impl FnOnce() -> String) {
        if let Some(seconds) = self.over(Instant::now()) {
            let what = what();
            stderr::line(format_args!("rank {} has waited {seconds} s for all ranks of {what}", self.rank));
        }
    }

    /// How long it has been at `now`, in seconds, told once: when that is worth a line.
    fn over(&mut self, now: Instant) -> Option<u64> {
        let waited = now.duration_since(self.begin);
        if self.said || waited <= self.most {
            return None;
        }
        self.said = true;
        Some(waited.as_secs())
    }
}

/// Ends the job unless it is dropped in time.
pub struct Watch(#[expect(dead_code, reason = "when it is dropped the thread hears of it")] Sender<()>);

/// Limits a wait inside MPI for ranks of `whom`, from which this rank cannot return, to REBLOCK_WAIT_SECONDS. Without that setting
/// there is no limit.
pub fn limit(whom: &'static str) -> Option<Watch> {
    let wait = Settings::of_process().ok().and_then(|settings| settings.wait)?;
    let seconds = wait.as_secs();
    let why = format!("ranks of {whom} have not come or gone on within {seconds} s (REBLOCK_WAIT_SECONDS)");
    Some(Watch::start(wait, || why))
}

impl Watch {
    /// After `most` it says `why` in a line. If no thread can be started it says that, and there is no limit.
    pub fn start(most: Duration, why: impl FnOnce() -> String + Send + 'static) -> Self {
        Self::speaking(most, None, why)
    }

    /// The same; before, after a shorter time, it says that it waits.
    pub fn speaking(
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
                "no thread can be started, so this process may wait without limit: {why}"
            ));
        }
        Self(here)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_speaks_first() {
        for (rank, seconds) in [(0, 10), (1, 20), (5, 60), (u32::MAX, 60)] {
            // Each wait has its line.
            for _ in 0..2 {
                let mut patience = Patience::new(rank);
                let begin = patience.begin;
                let mut after = |seconds| patience.over(begin + Duration::from_secs(seconds));
                assert_eq!((after(0), after(seconds), after(seconds + 1)), (None, None, Some(seconds + 1)));
                assert_eq!(after(seconds + 2), None, "said already");
            }
        }
    }
}
