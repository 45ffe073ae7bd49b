//! Writes the report when the program ends. Partners of a rank are the ranks that have made a call together with it.
//! Each rank sends its counts to its lowest partner, which adds and sends them likewise. A rank without lower partners
//! writes the report. This runs at the beginning of MPI_Finalize, as the destructor of an attribute of MPI_COMM_SELF,
//! when messages can still be sent.

use super::origin::load;
use super::{Made, Origin, ProgramArrays, Report, Run, TraceOptions, TracedJob, free_names, ledger, table};
use crate::mpi::blacs::{Language, Original};
use crate::mpi::{Attribute, Comm, MpiError, TaggedMessages, communicator_counts, finalized};
use crate::runtime::backoff::Backoff;
use crate::runtime::session;
use crate::runtime::session::{Answer, Session};
use crate::system::stderr;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, Once, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Maximum time that a rank waits without any message. The report lists the other ranks as missing.
const MAX_SILENCE: Duration = Duration::from_secs(30);

static AT_FINALIZE: Attribute<ReportWriter> = Attribute::new();
static PARTNERS: Mutex<Partners> =
    Mutex::new(Partners { senders: BTreeSet::new(), receivers: BTreeSet::new() });

/// Partners of this rank, by rank in MPI_COMM_WORLD.
struct Partners {
    /// Ranks of communicators whose lowest rank is this one.
    senders: BTreeSet<u32>,
    /// Lowest ranks of the communicators whose lowest rank is another one.
    receivers: BTreeSet<u32>,
}

/// Attribute whose destructor writes the report.
struct ReportWriter;

/// Result of reporting in this process.
pub struct ReportResult {
    /// Rank in MPI_COMM_WORLD.
    pub rank: u32,
    /// File of the report, if this process has written one; an error if it failed, which it has printed.
    pub report: Result<Option<PathBuf>, ()>,
}

static REPORT_RESULT: OnceLock<ReportResult> = OnceLock::new();

/// Returns the result of reporting; `None` if this process has made no call or has not called MPI_Finalize.
pub fn report_result() -> Option<&'static ReportResult> {
    REPORT_RESULT.get()
}

/// Records the ranks of `session` as partners. Ignores errors: the report lists missing ranks.
pub fn ensure_report(session: &Session) {
    if session.mark_noted() {
        return;
    }
    let ranks = session.comm().ranks_in(&Comm::world()).map(|ranks| ranks.into_iter().flatten().collect());
    let _ = ranks.and_then(record_partners);
}

/// Records that this process made a call alone, for the report of the process's partners or a report of its own.
pub fn ensure_own_report() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| drop(install_report_writer()));
}

/// Ensures that a report is written when the program ends.
fn install_report_writer() -> Result<(), MpiError> {
    AT_FINALIZE.get_or_make(&Comm::own(), || ReportWriter)?;
    load();
    Ok(())
}

/// Counts a call that only ScaLAPACK makes, because processes of another MPI_COMM_WORLD may be without reblock. `here`
/// lists the ranks of this MPI_COMM_WORLD that make the call.
pub fn set_aside(here: &[u32]) {
    ledger().set_aside("it was made with processes of another MPI_COMM_WORLD, which may be without reblock");
    let _ = record_partners(here.iter().copied().collect());
}

fn record_partners(mut ranks: BTreeSet<u32>) -> Result<(), MpiError> {
    install_report_writer()?;
    let me = Comm::world().rank()?;
    let lowest = ranks.first().copied().unwrap_or(me);
    ranks.remove(&me);
    let mut partners = PARTNERS.lock().unwrap_or_else(PoisonError::into_inner);
    if lowest == me {
        partners.senders.extend(ranks);
    } else {
        partners.receivers.insert(lowest);
    }
    Ok(())
}

impl Drop for ReportWriter {
    fn drop(&mut self) {
        if finalized() {
            return;
        }
        // Release caches first: the count of reblock's remaining communicators should be 0.
        session::release_kept();
        let rank = Comm::world().rank().unwrap_or(u32::MAX);
        // After a panic, which has printed its message, the program ends as without reblock.
        let report = std::panic::catch_unwind(|| {
            deliver_report().map_err(|why| stderr::line(format_args!("no report: {why}")))
        });
        let _ = REPORT_RESULT.set(ReportResult { rank, report: report.unwrap_or(Err(())) });
    }
}

/// Adds the reports sent to this rank to its own, and sends the sum on or writes it. Returns the file, if any.
fn deliver_report() -> Result<Option<PathBuf>, String> {
    let partners = PARTNERS.lock().unwrap_or_else(PoisonError::into_inner);
    let text = |error: MpiError| error.to_string();
    let me = Comm::world().rank().map_err(text)?;
    let mut messages = TaggedMessages::last();
    let to = partners.receivers.first().copied();
    for &other in partners.receivers.iter().filter(|&&other| Some(other) != to) {
        messages.send(other, Vec::new()).map_err(text)?;
    }
    let ranks = Comm::world().size().map_err(text)?;
    let mut report = {
        let (trial, ledger) = (TraceOptions::of_process()?.trial, ledger());
        let count = communicator_counts();
        let own = Made { duplicates: count.made, most: count.most, left: count.left };
        let scalapack = Original::find("pdgemr2d", Language::Fortran).and_then(Original::library);
        let scalapack = scalapack.map_or_else(String::new, |file| file.to_string_lossy().into_owned());
        let origin = Origin::of_process(crate::mpi::name(), scalapack);
        let job = TracedJob::of_process(
            trial,
            ranks,
            session::known(),
            own,
            ledger.calls_set_aside().clone(),
            origin,
        );
        let job = TracedJob { arrays: ProgramArrays::of_process(), ..job };
        Report::of(job, ledger.entries())
    };
    receive_reports(&mut messages, &partners.senders, &mut report)?;
    match to {
        Some(to) => {
            let json = serde_json::to_vec(&report).map_err(|why| why.to_string())?;
            messages.send(to, json).map_err(text)?;
            poll(|| Ok(Answer::when(messages.all_sent().map_err(text)?, ())))?;
            Ok(None)
        }
        None => {
            report.job.origin.rank = me;
            write(&report, me)
        }
    }
}

/// Adds the reports of the ranks `from` to `report`, and lists missing ranks.
fn receive_reports(
    messages: &mut TaggedMessages,
    from: &BTreeSet<u32>,
    report: &mut Report,
) -> Result<(), String> {
    let mut missing = from.clone();
    poll(|| {
        let received = messages.receive().map_err(|error| error.to_string())?;
        let Some((rank, json)) = received else {
            return Ok(Answer::when(missing.is_empty(), ()));
        };
        missing.remove(&rank);
        if !json.is_empty() {
            report.add(
                &serde_json::from_slice(&json)
                    .map_err(|why| format!("the record of rank {rank} is damaged: {why}"))?,
            );
        }
        Ok(Answer::Busy)
    })?;
    report.job.missing.extend(missing);
    Ok(())
}

/// Calls `condition` until it is `Ready`, or has been `NotYet` for [`MAX_SILENCE`].
fn poll(mut condition: impl FnMut() -> Result<Answer<()>, String>) -> Result<(), String> {
    let (mut news, mut backoff) = (Instant::now(), Backoff::default());
    while news.elapsed() < MAX_SILENCE {
        match condition()? {
            Answer::Ready(()) => break,
            Answer::Busy => {
                news = Instant::now();
                backoff.reset();
            }
            Answer::NotYet => {
                backoff.snooze();
            }
        }
    }
    Ok(())
}

/// Writes the report; returns its file, if `REBLOCK_TRACE` names one. Ranks other than 0 add a number to the name.
fn write(report: &Report, me: u32) -> Result<Option<PathBuf>, String> {
    let options = TraceOptions::of_process()?;
    if let (Some(path), Some(run)) = (&options.report, &options.run) {
        return write_of_run(report, me, path, run).map(Some);
    }
    stderr::text(&table(report));
    let Some(path) = &options.report else { return Ok(None) };
    let written = report.write_new(path, u32::from(me > 0));
    let path = written.map_err(|why| format!("{}: {why}", path.display()))?;
    stderr::line(format_args!("the report is in {}", path.display()));
    Ok(Some(path))
}

/// Writes the report of a program under `reblock run`, which shows it later. Rank 0 takes names that no page and no
/// data have yet.
fn write_of_run(report: &Report, me: u32, path: &Path, run: &Run) -> Result<PathBuf, String> {
    let failed = |path: &Path, why: std::io::Error| format!("{}: {why}", path.display());
    if me > 0 {
        return report.write_new(path, 1).map_err(|why| failed(path, why));
    }
    let [_, data] = free_names([&run.page, path])?;
    let written = report.write(&data).inspect_err(|_| drop(std::fs::remove_file(&data)));
    written.map_err(|why| failed(&data, why))?;
    Ok(data)
}
