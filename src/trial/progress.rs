//! Progress of a trial under `reblock run`. Rank 0 prints a line at its first call after 10 s, after 30 s and after
//! each minute.

use super::{TraceOptions, count_text, ledger};
use crate::mpi;
use crate::system::stderr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Times of the first lines, in seconds. Then a line is due each minute.
const FIRST_LINES: [u64; 3] = [10, 30, 60];

/// Counts of a run under way.
#[derive(Clone, Copy, Default)]
struct CallCounts {
    /// Number of calls that reblock made so far.
    calls: u64,
    /// Number of calls that both libraries made so far.
    compared: u64,
    /// Number of compared calls whose results differed.
    different: u64,
    /// Seconds that the trial has added to the run: of reblock, of copies and of comparisons.
    added: f64,
}

/// Time of this process's first call under `reblock run`, and the number of lines that were due since.
struct LineSchedule {
    start: Instant,
    count: u64,
}

/// Prints the progress if a line is due, after each counted call.
pub fn print_progress() {
    static LINES: Mutex<Option<LineSchedule>> = Mutex::new(None);
    if !matches!(TraceOptions::of_process(), Ok(TraceOptions { run: Some(_), .. })) {
        return;
    }
    let mut lines = LINES.lock().unwrap_or_else(PoisonError::into_inner);
    let lines = lines.get_or_insert_with(|| LineSchedule { start: Instant::now(), count: 0 });
    let seconds = lines.start.elapsed().as_secs();
    if seconds < seconds_until(lines.count) {
        return;
    }
    while seconds >= seconds_until(lines.count) {
        lines.count += 1;
    }
    if mpi::world_rank() == Some(0) {
        stderr::line(format_args!("{}", CallCounts::now().line(seconds)));
    }
}

/// Formats a time: seconds below a minute, otherwise minutes.
fn time(seconds: u64) -> String {
    if seconds < 60 { format!("{seconds} s") } else { format!("{} min", seconds / 60) }
}

/// Returns the seconds until line number `k` is due.
fn seconds_until(k: u64) -> u64 {
    let first = usize::try_from(k).ok().and_then(|k| FIRST_LINES.get(k).copied());
    first.unwrap_or_else(|| 60 * (k + 2 - FIRST_LINES.len() as u64))
}

impl CallCounts {
    fn now() -> Self {
        let mut counts = Self::default();
        for (_, figures) in ledger().entries() {
            counts.calls += figures.calls;
            if let Some(versus) = &figures.versus {
                counts.compared += versus.compared;
                counts.different += versus.different;
                counts.added += versus.spent - versus.first[1] - versus.theirs.total();
            }
        }
        counts
    }

    fn line(self, seconds: u64) -> String {
        let calls = match self {
            Self { calls, compared: 0, .. } => format!("{} so far", count_text(calls, "call")),
            Self { compared, different: 0, .. } => {
                format!("{} compared so far, all results equal", count_text(compared, "call"))
            }
            Self { compared, different, .. } => {
                format!("{} compared so far, RESULTS DIFFER in {different}", count_text(compared, "call"))
            }
        };
        let added = Duration::try_from_secs_f64(self.added).map_or(0, |added| added.as_secs());
        let alone = match self.compared {
            0 => String::new(),
            _ => format!(" ({} without the trial)", time(seconds.saturating_sub(added))),
        };
        format!("after {}{alone}: {calls}; the report comes when the program ends", time(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_soon_and_then_each_minute() {
        assert_eq!([0, 1, 2, 3, 4, 10].map(seconds_until), [10, 30, 60, 120, 180, 540]);
    }

    #[test]
    fn a_line_says_how_many_calls_and_whether_any_differed() {
        let counts = |calls, compared, different| CallCounts { calls, compared, different, added: 61.5 };
        for (seconds, now, want) in [
            (30, counts(1, 0, 0), "after 30 s: 1 call so far; "),
            (
                60,
                counts(9, 9, 0),
                "after 1 min (0 s without the trial): 9 calls compared so far, all results equal; ",
            ),
            (
                187,
                counts(9, 8, 2),
                "after 3 min (2 min without the trial): 8 calls compared so far, RESULTS DIFFER in 2; ",
            ),
        ] {
            assert!(now.line(seconds).starts_with(want), "{}", now.line(seconds));
        }
    }
}
