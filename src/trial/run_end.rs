//! End of a program under `reblock run`: when rank 0's process exits, it starts the command, which shows the report
//! that was written in MPI_Finalize.

use super::report_writer::{ReportResult, report_result};
use super::{Run, TraceOptions, launch_of_process};
use crate::mpi::blacs::{Language, Original};
use crate::mpi::{finalized, initialized};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Time that a failing process gives rank 0 to show the report: then launchers kill all others.
const GRACE: Duration = Duration::from_secs(3);

/// Shows the report, if that is this process's task. `status` is the process's exit status. Returns the status to exit
/// with instead, if it changes: from 0 to 1 without a report, from 0 to 3 if results differ.
pub fn show_report(status: i32) -> Option<i32> {
    let run = TraceOptions::of_process().ok()?.run.as_ref()?;
    let is_own = run.process == std::process::id();
    let written = match report_result() {
        Some(result) if result.rank > 0 => return after_rank_0(is_own, status),
        Some(ReportResult { report: Ok(written), .. }) => written.as_deref(),
        Some(ReportResult { report: Err(()), .. }) => return (is_own && status == 0).then_some(1),
        // A child process of the program, or a rank other than 0.
        None if !is_own || !run.speaks => return after_rank_0(is_own, status),
        None => None,
    };
    let shown = command(run, status, written).status();
    // If the program ignores SIGCHLD, the status is unknown.
    let code = shown.ok().and_then(|shown| shown.code()).unwrap_or(0);
    (is_own && status == 0 && code != 0).then_some(code)
}

/// Delays the exit of a process that does not show the report: if a launcher may kill rank 0 because this process exits
/// with a status other than 0 or without MPI_Finalize, waits for [`GRACE`]. Returns `None`, because the status does not
/// change.
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
    } else if let Some(scalapack) = Original::find("pdgemr2d", Language::Fortran).and_then(Original::library)
    {
        command.arg("--scalapack").arg(scalapack);
    }
    // The command does not need the preloaded library.
    command.env_remove("LD_PRELOAD");
    command
}
