//! WHEN does a rank that waits for others say so? They may never come, so it writes one line after some time. They may also
//! be slow, so it continues to wait.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long the first rank waits before it says so. The next ones wait longer, so that seldom more than one does.
const FIRST: Duration = Duration::from_secs(10);
/// Ranks that wait longer, each than the one before it.
const PATIENT_RANKS: u32 = 5;

/// One wait.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    rank: u32,
    begin: Instant,
    most: Duration,
}

impl Patience {
    /// Of rank `rank`, from now on.
    pub fn new(rank: u32) -> Self {
        Self { rank, begin: Instant::now(), most: FIRST * (1 + rank.min(PATIENT_RANKS)) }
    }

    /// Says for what all ranks are waited for, `what`, if it has been long and this process has not `said` so yet.
    pub fn complain(&self, said: &AtomicBool, what: &dyn Display) {
        let Some(seconds) = self.over(Instant::now()) else { return };
        if !said.swap(true, Ordering::Relaxed) {
            eprintln!("reblock: rank {} has waited {seconds} s for all ranks of {what}", self.rank);
        }
    }

    /// How long it has been at `now`, in seconds, if that is worth a line.
    fn over(&self, now: Instant) -> Option<u64> {
        let waited = now.duration_since(self.begin);
        (waited > self.most).then_some(waited.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rank_speaks_first() {
        for (rank, seconds) in [(0, 10), (1, 20), (5, 60), (u32::MAX, 60)] {
            let patience = Patience::new(rank);
            let after = |seconds| patience.over(patience.begin + Duration::from_secs(seconds));
            assert_eq!((after(0), after(seconds), after(seconds + 1)), (None, None, Some(seconds + 1)));
        }
    }
}
