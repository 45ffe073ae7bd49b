//! Reads reports of runs, and shows them as text, as JSON or as a page.
//!
//! | file | contents |
//! |---|---|
//! | `course` | schedule of the calls with one shape |
//! | `digest` | result of a run, as JSON |
//! | `files` | files with reports, and the reports of one launch |
//! | `page` | page for a browser |
//! | `row` | row of a shape in the page's table |

mod course;
mod digest;
mod files;
mod page;
mod row;

pub use files::{launches, numbered_files, read, write as write_data};

use crate::arguments::Read;
use crate::json;
use files::read_all;
use reblock::trial::{Report, Verdict, table};
use std::path::{Path, PathBuf};

/// Returns the text for standard output, and whether results differ. Also writes the page if one was asked for.
pub fn report(arguments: &Read) -> Result<(String, bool), String> {
    let reports = launches(read_all(&arguments.traces)?);
    if let Some(file) = &arguments.output {
        let page = file.canonicalize().ok();
        let is_read = |trace: &PathBuf| page.is_some() && trace.canonicalize().ok() == page;
        if arguments.traces.iter().flat_map(|trace| numbered_files(trace)).any(|trace| is_read(&trace)) {
            return Err(format!(
                "{}: the page would overwrite the report that it is made from",
                file.display()
            ));
        }
        write(&reports, file)?;
    }
    let text = match (arguments.json, &reports[..]) {
        (true, [one]) => json(&digest::digest(one))?,
        (true, all) => json(&digest::digests(all))?,
        (false, all) => text(all),
    };
    Ok((text, any_results_differ(&reports)))
}

/// Returns whether results differ in a call of any report.
pub fn any_results_differ(reports: &[Report]) -> bool {
    reports.iter().any(|report| Verdict::of(report).different > 0)
}

pub fn write(reports: &[Report], file: &Path) -> Result<(), String> {
    let page = page::page(reports)?;
    std::fs::write(file, page).map_err(|error| format!("{}: {error}", file.display()))
}

/// Returns the verdict and the table of each launch.
pub fn text(reports: &[Report]) -> String {
    let of = |(k, report): (usize, &Report)| {
        let title = match reports.len() {
            1 => String::new(),
            all => format!("Launch {} of {all}: {}\n", k + 1, report.job.command.join(" ")),
        };
        format!("{title}{}\n\n{}", Verdict::of(report).sentence, table(report))
    };
    reports.iter().enumerate().map(of).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;
