//! Options of traces and trials, read once from the environment. If a value is invalid, the first call fails.
//!
//! | variable | value | meaning |
//! |---|---|---|
//! | `REBLOCK_TRACE` | `1` | one line a call, from rank 0, on standard error |
//! | | a path | a report of all calls, by their shapes, written when the program ends |
//! | `REBLOCK_TRIAL` | `1` | each call is also made by the program's own ScaLAPACK, compared and timed; ScaLAPACK's result counts |
//! | | `use` | as `1`, but reblock's result counts |
//! | | `strict` | as `1`, and a difference ends the job |
//! | | `same` | as `1`, but ScaLAPACK takes reblock's place: it is compared with itself |
//! | `REBLOCK_OFF` | `1` | each call goes to the program's own ScaLAPACK, untouched |
//! | `REBLOCK_ONLY` | names | calls of other routines go to the program's own ScaLAPACK |

use super::Run;
use std::path::PathBuf;
use std::sync::OnceLock;

/// Options of traces and trials in this process.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceOptions {
    /// True to write a line for each call.
    pub lines: bool,
    /// Path of the report, absolute.
    pub report: Option<PathBuf>,
    /// Kind of the trial; `None` if ScaLAPACK makes no calls for comparison.
    pub trial: Option<Trial>,
    /// True if ScaLAPACK makes all calls alone.
    pub off: bool,
    /// Routines that reblock handles; `None` for all.
    pub only: Option<Vec<String>>,
    /// Set under `reblock run`, which shows the report when the program exits.
    pub run: Option<Run>,
}

/// Names of routines in `REBLOCK_ONLY`, without the leading `p` and the letter of the type. `tran` includes `tranu` and
/// `tranc`; `gemr2d` and `trmr2d` include their older variants.
pub const ROUTINES: [&str; 6] = ["gemr2d", "trmr2d", "tran", "geadd", "tradd", "lacpy"];

/// Kind of a trial: the library whose result counts, and the effect of a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// True if the program gets reblock's result, false if ScaLAPACK's.
    pub ours: bool,
    /// True if a difference ends the job.
    pub strict: bool,
    /// True if ScaLAPACK makes reblock's calls, too: then any difference comes from the trial itself.
    pub same: bool,
}

/// Kinds of trials, by value of `REBLOCK_TRIAL`.
const TRIALS: [(&str, Trial); 4] = [
    ("1", Trial { ours: false, strict: false, same: false }),
    ("use", Trial { ours: true, strict: false, same: false }),
    ("strict", Trial { ours: false, strict: true, same: false }),
    ("same", Trial { ours: false, strict: false, same: true }),
];

impl Trial {
    fn named(name: &str) -> Option<Self> {
        TRIALS.iter().find(|(other, _)| *other == name).map(|&(_, trial)| trial)
    }

    /// Returns the value of `REBLOCK_TRIAL` for this kind.
    pub fn name(self) -> &'static str {
        TRIALS.iter().find(|&&(_, trial)| trial == self).map_or("1", |(name, _)| name)
    }
}

impl TraceOptions {
    /// Returns the options of this process, which are read once. An error names the variable with an invalid value.
    pub fn of_process() -> Result<&'static Self, String> {
        static READ: OnceLock<Result<TraceOptions, String>> = OnceLock::new();
        READ.get_or_init(|| Self::read(|name| std::env::var(name).ok())).as_ref().map_err(Clone::clone)
    }

    /// Reads the options by `variable`, which returns the value of an environment variable.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let value = |name| variable(name).filter(|value: &String| !value.is_empty() && value != "0");
        let mut options = Self::default();
        match value("REBLOCK_TRACE") {
            Some(one) if one == "1" => options.lines = true,
            // The program may change its directory before it ends.
            Some(path) => {
                let absolute = std::path::absolute(&path);
                options.report = Some(absolute.map_err(|why| format!("REBLOCK_TRACE is {path}: {why}"))?);
            }
            None => {}
        }
        options.trial = match value("REBLOCK_TRIAL").as_deref() {
            None => None,
            Some(name) => Some(
                Trial::named(name)
                    .ok_or_else(|| format!("REBLOCK_TRIAL is {name}, expected 0, 1, use, strict or same"))?,
            ),
        };
        options.off = match value("REBLOCK_OFF").as_deref() {
            None => false,
            Some("1") => true,
            Some(other) => return Err(format!("REBLOCK_OFF is {other}, expected 0 or 1")),
        };
        options.run = value("REBLOCK_RUN").and_then(|value| Run::read(&value));
        options.only = value("REBLOCK_ONLY").map(|list| parse_routines(&list)).transpose()?;
        if options.off && options.trial.is_some() {
            return Err("REBLOCK_OFF and REBLOCK_TRIAL are both set, expected at most one of them".into());
        }
        Ok(options)
    }

    /// Returns true if reblock handles calls of routine `name`, one of [`ROUTINES`].
    pub fn handles(&self, name: &str) -> bool {
        !self.off && self.only.as_ref().is_none_or(|only| only.iter().any(|other| other == name))
    }

    /// Returns true if calls are counted, for a report when the program ends.
    pub fn counts_calls(&self) -> bool {
        self.report.is_some() || self.trial.is_some()
    }
}

fn parse_routines(list: &str) -> Result<Vec<String>, String> {
    let name = |name: &str| {
        let name = name.trim().to_ascii_lowercase();
        let expected = || format!("REBLOCK_ONLY is {list}, expected some of {}", ROUTINES.join(","));
        if ROUTINES.contains(&&*name) { Ok(name) } else { Err(expected()) }
    };
    list.split(',').map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(variables: &[(&str, &str)]) -> Result<TraceOptions, String> {
        TraceOptions::read(|name| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn nothing_is_on_unless_it_is_said() {
        assert_eq!(read(&[]), Ok(TraceOptions::default()));
        assert_eq!(
            read(&[("REBLOCK_TRACE", "0"), ("REBLOCK_TRIAL", ""), ("REBLOCK_OFF", "0")]),
            Ok(TraceOptions::default())
        );
        assert!(!TraceOptions::default().counts_calls());
    }

    #[test]
    fn what_is_said_is_on() {
        assert!(read(&[("REBLOCK_TRACE", "1")]).unwrap().lines);
        let report = read(&[("REBLOCK_TRACE", "/there/trace.json")]).unwrap();
        assert_eq!(report.report.as_deref(), Some(std::path::Path::new("/there/trace.json")));
        assert!(report.counts_calls() && !report.lines);
        assert!(read(&[("REBLOCK_TRACE", "here.json")]).unwrap().report.unwrap().is_absolute());
        let trial = |value| read(&[("REBLOCK_TRIAL", value)]).unwrap().trial;
        assert_eq!(trial("1"), Some(Trial { ours: false, strict: false, same: false }));
        assert_eq!(trial("use"), Some(Trial { ours: true, strict: false, same: false }));
        assert_eq!(trial("strict"), Some(Trial { ours: false, strict: true, same: false }));
        assert_eq!(trial("same"), Some(Trial { ours: false, strict: false, same: true }));
        for name in ["1", "use", "strict", "same"] {
            assert_eq!(trial(name).unwrap().name(), name);
        }
        let off = read(&[("REBLOCK_OFF", "1")]).unwrap();
        assert!(off.off && !off.handles("tran"));
        let only = read(&[("REBLOCK_ONLY", "gemr2d, Tran")]).unwrap();
        assert_eq!(ROUTINES.map(|name| only.handles(name)), [true, false, true, false, false, false]);
        assert!(ROUTINES.into_iter().all(|name| TraceOptions::default().handles(name)));
    }

    #[test]
    fn unusable_values_are_named() {
        for (variables, text) in [
            (&[("REBLOCK_TRIAL", "yes")][..], "REBLOCK_TRIAL is yes, expected 0, 1, use, strict or same"),
            (&[("REBLOCK_OFF", "on")], "REBLOCK_OFF is on, expected 0 or 1"),
            (
                &[("REBLOCK_ONLY", "tran,gemm")],
                "REBLOCK_ONLY is tran,gemm, expected some of gemr2d,trmr2d,tran,geadd,tradd,lacpy",
            ),
            (
                &[("REBLOCK_OFF", "1"), ("REBLOCK_TRIAL", "1")],
                "REBLOCK_OFF and REBLOCK_TRIAL are both set, expected at most one of them",
            ),
        ] {
            assert_eq!(read(variables).unwrap_err(), text);
        }
    }
}
