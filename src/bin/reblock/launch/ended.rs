//! `reblock ended`, which the library in rank 0's process starts when the program exits. Collects the reports and
//! writes the page. Prints the verdict, the paths of the page and its data, how to use reblock without a trial, and the
//! table of calls.

use super::say;
use crate::DIFFERENT;
use crate::arguments::Ended;
use crate::forward;
use crate::trace::{self, launches, numbered_files};
use reblock::trial::{Report, Run, Verdict, free_names, numbered_name, table};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Shows the report of the run that this process's environment names. Returns the exit status: [`DIFFERENT`] if
/// results differ, and 1 if there is no report.
pub fn show_report(arguments: &Ended) -> Result<ExitCode, String> {
    let variable =
        |name| std::env::var(name).map_err(|_| format!("{name} is not set: only reblock run sets it"));
    let run = Run::read(&variable("REBLOCK_RUN")?).ok_or("REBLOCK_RUN is not what reblock run sets")?;
    let data = PathBuf::from(variable("REBLOCK_TRACE")?);
    let parts = parts(&data, arguments)?;
    let reports = match parts.is_empty() {
        true => {
            let shown = earlier_reports(&run, &data);
            if shown.is_empty() {
                say(&format!("there is no report: {}", reason_for_no_report(arguments, &run)));
                return Ok(ExitCode::FAILURE);
            }
            shown
        }
        false => {
            let [page, data] = names(&run, &data, arguments.written.as_deref())?;
            let reports = collect_reports(parts, &data)?;
            show(&reports, [&page, &data], &run)?;
            reports
        }
    };
    Ok(if trace::any_results_differ(&reports) { DIFFERENT.into() } else { ExitCode::SUCCESS })
}

/// A report of this launch, with its file.
type ReportPart = (PathBuf, Report);

/// Returns the report that rank 0 wrote, and the reports of ranks that shared no call with rank 0. Their files have a
/// number after the name of `data`.
fn parts(data: &Path, arguments: &Ended) -> Result<Vec<ReportPart>, String> {
    let mut parts = Vec::new();
    if let Some(written) = &arguments.written {
        parts.extend(trace::read(written)?.into_iter().map(|report| (written.clone(), report)));
    }
    for path in numbered_files(data).into_iter().filter(|path| path != data) {
        // A file of this name without a report is not from this run.
        let reports = trace::read(&path).unwrap_or_default();
        let of_launch = |report: &Report| report.job.origin.launch == arguments.launch;
        parts.extend(reports.into_iter().filter(of_launch).map(|report| (path.clone(), report)));
    }
    Ok(parts)
}

/// Returns the paths of the page and its data, with the number of the file that rank 0 has `written`. If rank 0 wrote
/// none, returns unused names.
fn names(run: &Run, data: &Path, written: Option<&Path>) -> Result<[PathBuf; 2], String> {
    let Some(written) = written else { return free_names([&run.page, data]) };
    let number = (0..).find(|&number| numbered_name(data, number) == written);
    let number = number.ok_or_else(|| format!("{}: not a file of this run", written.display()))?;
    Ok([numbered_name(&run.page, number), written.to_path_buf()])
}

/// Merges the parts of each launch into one report. If files other than `data` have parts, writes the merged reports to
/// `data` and removes these files.
fn collect_reports(parts: Vec<ReportPart>, data: &Path) -> Result<Vec<Report>, String> {
    let (files, reports): (Vec<PathBuf>, Vec<Report>) = parts.into_iter().unzip();
    let others: Vec<&PathBuf> = files.iter().filter(|file| *file != data).collect();
    let reports = launches(reports);
    if !others.is_empty() {
        trace::write_data(&reports, data)?;
        for file in &others {
            std::fs::remove_file(file).map_err(|error| format!("{}: {error}", file.display()))?;
        }
    }
    if files.len() > 1 {
        say(&format!(
            "ranks that shared no call wrote separate reports, {} in all; added up here",
            files.len()
        ));
    }
    Ok(reports)
}

/// Returns the reports of this run that earlier calls of this command showed, if the program is a script that starts
/// several programs: the reports in `data` and in its numbered files that are not older than the run.
fn earlier_reports(run: &Run, data: &Path) -> Vec<Report> {
    let files = (0..).map(|number| numbered_name(data, number)).take_while(|file| file.exists());
    let reports = files.filter_map(|file| trace::read(&file).ok()).flatten();
    reports.filter(|report| report.job.origin.date >= run.began).collect()
}

/// Writes the page, and prints the verdict, the advice and the table.
fn show(reports: &[Report], [page, data]: [&Path; 2], run: &Run) -> Result<(), String> {
    trace::write(reports, page)?;
    eprintln!();
    for report in reports {
        say(&Verdict::of(report).sentence);
    }
    say(&format!("the page is {}, its data {}", page.display(), data.display()));
    if reports.iter().any(is_for_use) && !trace::any_results_differ(reports) {
        say(&format!(
            "to use reblock without a trial, write env LD_PRELOAD={} instead of reblock run and its options",
            run.preload
        ));
    }
    for report in reports {
        eprint!("\n{}", table(report));
    }
    Ok(())
}

/// Returns whether the program may profit from reblock: it made calls, reblock was not shown to be slower, and the
/// trial did not compare ScaLAPACK with itself.
fn is_for_use(report: &Report) -> bool {
    let verdict = Verdict::of(report);
    let is_slower = verdict.shown == Some(true) && verdict.saved.is_some_and(|saved| saved < 0.0);
    verdict.calls > 0 && !is_slower && report.job.trial.as_deref() != Some("same")
}

fn reason_for_no_report(arguments: &Ended, run: &Run) -> String {
    match (arguments.unfinished, arguments.status) {
        (true, 0) => "the program ended without MPI_Finalize".into(),
        (true, status) => format!(
            "the program ended with status {status}, before it called MPI_Finalize; its output above may show the reason"
        ),
        (false, _) => {
            let library = run.preload.split(':').next().map(Path::new);
            let remedy = forward::advice(library, arguments.scalapack.as_deref());
            let other = match &arguments.scalapack {
                Some(scalapack) => format!("it asks {scalapack} itself for the addresses of routines"),
                None => "it has ScaLAPACK linked statically but no symbols that show this, or it asks the library itself for the \
                         addresses of routines"
                    .into(),
            };
            format!(
                "the program made no redistribution, or its ranks write to a file system that this process does not see, or {other} (dlsym with a handle, ctypes): {remedy}"
            )
        }
    }
}
