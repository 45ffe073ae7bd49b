//! Lines at the end of a run: the verdict first, then the place of the report and the use of reblock without a trial,
//! then the details.

use super::say;
use super::signals::Signals;
use crate::trace;
use reblock::system::one_line::one_line;
use reblock::trial::{Report, Verdict, table};
use std::path::PathBuf;
use std::process::ExitStatus;

/// Writes the page, and the findings of the run. `production` is the command line without a trial.
pub fn show(reports: &[Report], [page, data]: &[PathBuf; 2], production: &[String]) -> Result<(), String> {
    trace::write(reports, page)?;
    eprintln!();
    for report in reports {
        if reports.len() > 1 {
            say(&format!("{}:", report.job.command.join(" ")));
        }
        say(&Verdict::of(report).sentence);
    }
    say(&format!("the page is {}, its data {}", page.display(), data.display()));
    if reports.iter().any(is_for_use) && !trace::differ(reports) {
        say(&format!("to use reblock without a trial: {}", quoted(production)));
    }
    for report in reports {
        eprint!("\n{}", table(report));
    }
    Ok(())
}

/// Returns whether the program may profit from reblock: it made calls, and ScaLAPACK was not shown to be faster.
fn is_for_use(report: &Report) -> bool {
    let verdict = Verdict::of(report);
    let is_slower = verdict.shown == Some(true) && verdict.saved.is_some_and(|saved| saved < 0.0);
    verdict.calls > 0 && !is_slower && report.job.trial.as_deref() != Some("same")
}

/// Returns the reason why there is no report.
pub fn why_none(status: ExitStatus, signals: &Signals) -> String {
    match (signals.latest(), status.success()) {
        (Some(name), _) => format!("{name} came before the program called MPI_Finalize"),
        (None, false) => {
            format!("the command ended with {}, before the program called MPI_Finalize; what it wrote above may say why", in_words(status))
        }
        (None, true) => "the program made no redistribution, or it ended without MPI_Finalize, or its ranks see other files, or it has \
                         ScaLAPACK linked statically but no symbols that show this, or it calls ScaLAPACK by addresses that it asks \
                         the library itself for (dlsym with a handle, ctypes)"
            .into(),
    }
}

fn in_words(status: ExitStatus) -> String {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("status {code}"),
        (_, Some(signal)) => format!("signal {signal}"),
        _ => "an unknown status".into(),
    }
}

/// Formats a command line that a shell reads as `words`.
fn quoted(words: &[String]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    let quote = |word: &String| match !word.is_empty() && word.chars().all(is_plain) {
        true => word.clone(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    };
    one_line(&words.iter().map(quote).collect::<Vec<_>>().join(" ")).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_to_paste_is_quoted() {
        let words = ["mpirun", "-n", "4", "env", "LD_PRELOAD=/a b/c.so", "./it's", ""].map(String::from);
        assert_eq!(quoted(&words), "mpirun -n 4 env 'LD_PRELOAD=/a b/c.so' './it'\\''s' ''");
    }
}
