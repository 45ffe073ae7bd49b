//! Waits for the launched command: passes signals on to it, and writes lines about the progress of the trial.

use super::say;
use super::signals::Signals;
use reblock::trial::{Progress, counted};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Times of the first lines, in seconds. A line a minute follows.
const FIRST_LINES: [u64; 3] = [10, 30, 60];

/// Waits for `child` and returns its status. The library in the child writes its report to `trace`, and its progress to
/// a file beside `trace`.
pub fn wait(child: &mut Child, signals: &mut Signals, trace: &Path) -> Result<ExitStatus, String> {
    let (start, mut lines) = (Instant::now(), 0);
    let progress = Progress::file(trace);
    let status = loop {
        signals.pass_on(child);
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        let seconds = start.elapsed().as_secs();
        if seconds >= time_of(lines) {
            let now = std::fs::read_to_string(&progress).ok().and_then(|text| Progress::read(&text));
            say(&line(seconds, now));
            lines += 1;
        }
        std::thread::sleep(Duration::from_millis(50));
    };
    // Removal fails if there is no file, because no call was made.
    let _ = std::fs::remove_file(&progress);
    Ok(status)
}

/// Returns the time of line `k`, counted from 0, in seconds.
fn time_of(k: u64) -> u64 {
    let first = usize::try_from(k).ok().and_then(|k| FIRST_LINES.get(k).copied());
    first.unwrap_or_else(|| 60 * (k + 2 - FIRST_LINES.len() as u64))
}

/// Returns the line after `seconds` seconds; `now` is the progress, `None` before the first call.
fn line(seconds: u64, now: Option<Progress>) -> String {
    let time = match seconds {
        s if s < 60 => format!("{s} s"),
        s => format!("{} min", s / 60),
    };
    let calls = match now {
        None => "no call so far".into(),
        Some(Progress { calls, compared: 0, .. }) => format!("{} so far", counted(calls, "call")),
        Some(Progress { compared, different: 0, .. }) => {
            format!("{} compared so far, all results equal", counted(compared, "call"))
        }
        Some(Progress { compared, different, .. }) => {
            format!("{} compared so far, RESULTS DIFFER in {different}", counted(compared, "call"))
        }
    };
    format!("after {time}: {calls}; the report comes when the program ends")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_soon_and_then_each_minute() {
        assert_eq!([0, 1, 2, 3, 4, 10].map(time_of), [10, 30, 60, 120, 180, 540]);
    }

    #[test]
    fn a_line_says_how_many_calls_and_whether_any_differed() {
        let progress = |calls, compared, different| Some(Progress { calls, compared, different });
        for (seconds, now, want) in [
            (10, None, "after 10 s: no call so far; "),
            (30, progress(1, 0, 0), "after 30 s: 1 call so far; "),
            (60, progress(9, 9, 0), "after 1 min: 9 calls compared so far, all results equal; "),
            (125, progress(9, 8, 2), "after 2 min: 8 calls compared so far, RESULTS DIFFER in 2; "),
        ] {
            assert!(line(seconds, now).starts_with(want), "{}", line(seconds, now));
        }
    }
}
