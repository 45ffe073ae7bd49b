//! WHAT does the report of a run say? As text, as JSON, or as a page.
//!
//! | file | the question it answers |
//! |---|---|
//! | `course` | which schedule did the calls of a shape have? |
//! | `digest` | what is the result of the run, as JSON? |
//! | `page` | how does it look in a browser? |
//! | `row` | what is said of the calls of a shape? |

mod course;
mod digest;
mod page;
mod row;

use crate::arguments::Read;
use crate::json;
use reblock::trial::{Report, Verdict, table};
use std::path::Path;

/// The text for standard output, and whether results differ; the page is written beside it.
pub fn report(arguments: &Read) -> Result<(String, bool), String> {
    let report = read(&arguments.trace)?;
    if let Some(file) = &arguments.output {
        let same = |of: &Path| of.canonicalize().ok();
        if same(file).is_some_and(|page| Some(page) == same(&arguments.trace)) {
            return Err(format!(
                "{}: the page would overwrite the report that it is made of",
                file.display()
            ));
        }
        write(&report, file)?;
    }
    let text = match arguments.json {
        true => json(&digest::digest(&report))?,
        false => text(&report),
    };
    Ok((text, Verdict::of(&report).different > 0))
}

/// The report at `path`.
pub fn read(path: &Path) -> Result<Report, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Report::read(&text).map_err(|why| format!("{}: {why}", path.display()))
}

/// Writes the page.
pub fn write(report: &Report, file: &Path) -> Result<(), String> {
    let page = page::page(report)?;
    std::fs::write(file, page).map_err(|error| format!("{}: {error}", file.display()))
}

/// The verdict, and the table.
pub fn text(report: &Report) -> String {
    format!("{}\n\n{}", Verdict::of(report).sentence, table(report))
}

#[cfg(test)]
mod tests;
