//! End of a program under `reblock run`: when the process of rank 0 exits, the command shows the report. At that time
//! MPI is finalized, so the reports of all ranks are written.

use super::ending::{Ended, ended};
use super::{Run, TraceOptions, launch_of_process};
use crate::mpi::{finalized, initialized};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Time for rank 0 to show the report before another rank ends badly: launchers then kill all processes.
const GRACE: Duration = Duration::from_secs(3);

/// Shows the report, if this process is to do that. `status` is its exit status. Returns the status with which it exits
/// instead: a success becomes 1 without a report, and 3 if results differ.
pub fn show_report(status: i32) -> Option<i32> {
    let run = TraceOptions::of_process().ok()?.run.as_ref()?;
    let is_own = run.process == std::process::id();
    let written = match ended() {
        Some(ended) if ended.rank > 0 => return after_rank_0(is_own, status),
        Some(Ended { report: Ok(written), .. }) => written.as_deref(),
        Some(Ended { report: Err(()), .. }) => return (is_own && status == 0).then_some(1),
        // A program that it started, or another rank.
        None if !is_own || !run.speaks => return after_rank_0(is_own, status),
        None => None,
    };
    let shown = command(run, status, written).status();
    // If the program ignores SIGCHLD, the status is unknown.
    let code = shown.ok().and_then(|shown| shown.code()).unwrap_or(0);
    (is_own && status == 0 && code != 0).then_some(code)
}

/// Waits until rank 0 has probably shown the report, if a launcher may kill it because of this process: its status is not
/// 0, or it has not called MPI_Finalize.
fn after_rank_0(is_own: bool, status: i32) -> Option<i32> {
    if is_own && (status != 0 || initialized() && !finalized()) {
        std::thread::sleep(GRACE);
    }
    None
}

fn command(run: &Run, status: i32, written: Option<&Path>) -> Command {
    let mut command = Command::new(&run.command);
    command.arg("ended").arg("--status").arg(status.to_string()).arg("--launch").arg(launch_of_process());
    if initialized() && !finalized() {
        command.arg("--unfinished");
    }
    if let Some(written) = written {
        command.arg("--written").arg(written);
    }
    // The command needs no library.
    command.env_remove("LD_PRELOAD");
    command
}
