//! Checks this machine for a job. Each check returns findings; a finding that would slow a job down has the reason and
//! the fix. Checks change nothing on the machine, and use little memory and time.
//!
//! | file | checks |
//! |---|---|
//! | `software` | MPI, reblock, ScaLAPACK and BLACS, environment variables |
//! | `memory` | shared memory, memory groups, limits, REBLOCK_ARRAYS, huge pages |
//! | `launcher` | the launcher that the user names |
//! | `cores` | usable cores, other work on them, and their clock |
//! | `calibration` | the MPI's compiler, and the prices of messages and copies |

mod calibration;
mod cores;
mod launcher;
mod memory;
mod software;

use crate::arguments::Examine;
use crate::columns::count;
use crate::json;
use launcher::Launcher;
use serde::Serialize;

/// The result of a check.
#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct Finding {
    pub about: &'static str,
    pub found: String,
    /// Reason why a job is slow or does not work; `None` for a finding without a fault.
    pub slow: Option<String>,
    /// The remedy, in words or as a command.
    pub mend: Option<String>,
}

impl Finding {
    pub fn good(about: &'static str, found: impl Into<String>) -> Self {
        Self { about, found: found.into(), slow: None, mend: None }
    }

    pub fn slow(
        about: &'static str,
        found: impl Into<String>,
        slow: impl Into<String>,
        mend: impl Into<String>,
    ) -> Self {
        Self { about, found: found.into(), slow: Some(slow.into()), mend: Some(mend.into()) }
    }
}

#[derive(Serialize)]
struct Findings {
    /// Version of the format; rises when a field changes its meaning.
    version: u32,
    /// Number of ranks on the node that the checks assume.
    ranks: u64,
    findings: Vec<Finding>,
}

pub fn doctor(arguments: &Examine) -> Result<String, String> {
    let ranks = arguments.ranks.unwrap_or_else(cores::usable);
    let launcher = Launcher::read(&arguments.mpirun);
    let compiled = calibration::compiled(&launcher);
    let near = compiled.as_ref().ok().and_then(|compiled| compiled.mpi.clone());
    let (mut findings, mpi) = software::findings(&launcher, near, arguments.program.as_deref())?;
    findings.extend(memory::findings(ranks));
    findings.extend(cores::findings(ranks, mpi.as_ref()));
    let busy = findings.iter().any(|finding| finding.about == cores::OTHER && finding.slow.is_some());
    findings.extend(calibration::findings(&launcher, compiled, busy, !arguments.no_calibration));
    let findings = Findings { version: 1, ranks, findings };
    if arguments.json { json(&findings) } else { Ok(text(&findings)) }
}

fn text(all: &Findings) -> String {
    let mut text = format!("A job with {} on this machine\n", count(all.ranks, "rank"));
    let width = all.findings.iter().map(|finding| finding.about.len()).max().unwrap_or(0);
    for Finding { about, found, slow, mend } in &all.findings {
        let mark = if slow.is_some() { "!" } else { " " };
        let indent = format!("\n  {}", " ".repeat(width + 2));
        text += &format!("{mark} {about:width$}  {}\n", found.replace('\n', &indent));
        for (word, line) in [("", slow), ("fix: ", mend)] {
            if let Some(line) = line {
                text += &format!("  {:width$}  {word}{}\n", "", line.replace('\n', &indent));
            }
        }
    }
    let slow = all.findings.iter().filter(|finding| finding.slow.is_some()).count();
    text + &match slow {
        0 => "Nothing was found that would slow the job down.\n".into(),
        1 => "One thing, marked !, would slow the job down.\n".to_string(),
        n => format!("{n} things, marked !, would slow the job down.\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_findings_are_marked_and_have_a_fix() {
        let findings = vec![
            Finding::good("cores", "8"),
            Finding::slow("shared memory", "64 MB", "messages go by MPI", "more\nof it"),
        ];
        assert_eq!(
            text(&Findings { version: 1, ranks: 8, findings }),
            "A job with 8 ranks on this machine\n  \
             cores          8\n\
             ! shared memory  64 MB\n                 \
             messages go by MPI\n                 \
             fix: more\n                 of it\n\
             One thing, marked !, would slow the job down.\n"
        );
    }
}
