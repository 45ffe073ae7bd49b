//! Progress file of a trial, written by rank 0 of MPI_COMM_WORLD at most once a second.

use super::{Progress, TraceOptions, ledger};
use crate::mpi;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const INTERVAL: Duration = Duration::from_secs(1);

/// Writes the progress if it is due. To be called after each counted call.
pub fn tell_progress() {
    static LATEST: Mutex<Option<Instant>> = Mutex::new(None);
    let Ok(TraceOptions { report: Some(report), is_run: true, .. }) = TraceOptions::of_process() else {
        return;
    };
    let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
    if latest.is_some_and(|latest| latest.elapsed() < INTERVAL) {
        return;
    }
    *latest = Some(Instant::now());
    if mpi::world_rank() == Some(0) {
        // A write that fails only costs a line of `reblock run`.
        let _ = std::fs::write(Progress::file(report), now().text());
    }
}

fn now() -> Progress {
    let mut progress = Progress::default();
    for (_, figures) in ledger().entries() {
        progress.calls += figures.calls;
        if let Some(versus) = &figures.versus {
            progress.compared += versus.compared;
            progress.different += versus.different;
        }
    }
    progress
}
