//! WHAT did the user turn on? Read once from the environment; an invalid value is an error at the first call.
//!
//! | variable | value | meaning |
//! |---|---|---|
//! | `REBLOCK_TRACE` | `1` | one line a call, from rank 0, on standard error |
//! | | a path | a report of all calls, by their shapes, written when the program ends |
//! | `REBLOCK_TRIAL` | `1` | each call is also made by the program's own ScaLAPACK, compared and timed; its result counts |
//! | | `use` | the same, and reblock's result counts |
//! | | `strict` | as `1`, and a difference ends the job |
//! | | `same` | as `1`, but ScaLAPACK takes reblock's place: it is compared with itself |
//! | `REBLOCK_OFF` | `1` | each call goes to the program's own ScaLAPACK, untouched |
//! | `REBLOCK_ONLY` | names | the same for calls of other routines than these |

use std::path::PathBuf;
use std::sync::OnceLock;

/// What was turned on.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Wish {
    /// One line a call.
    pub lines: bool,
    /// Where the report goes.
    pub report: Option<PathBuf>,
    /// Whether ScaLAPACK makes each call, too.
    pub trial: Option<Trial>,
    /// Whether ScaLAPACK makes each call alone.
    pub off: bool,
    /// The routines that reblock makes the calls of; `None`: all.
    pub only: Option<Vec<String>>,
    /// Whether `reblock run` started the program: it shows the report itself, and asks how far the program is.
    pub is_run: bool,
}

/// Names of routines without `p` and the letter of a type, as they are chosen: `tran` stands for `tranu` and `tranc`, too, and
/// `gemr2d` and `trmr2d` for their older variants.
pub const ROUTINES: [&str; 6] = ["gemr2d", "trmr2d", "tran", "geadd", "tradd", "lacpy"];

/// How a trial goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Trial {
    /// Whether the program gets reblock's result, not ScaLAPACK's.
    pub ours: bool,
    /// Whether a difference ends the job.
    pub strict: bool,
    /// Whether ScaLAPACK makes reblock's calls, too: what the trial finds then is the trial's own doing.
    pub same: bool,
}

/// Trials by their names.
const TRIALS: [(&str, Trial); 4] = [
    ("1", Trial { ours: false, strict: false, same: false }),
    ("use", Trial { ours: true, strict: false, same: false }),
    ("strict", Trial { ours: false, strict: true, same: false }),
    ("same", Trial { ours: false, strict: false, same: true }),
];

impl Trial {
    /// The trial called `name`.
    fn named(name: &str) -> Option<Self> {
        TRIALS.iter().find(|(other, _)| *other == name).map(|&(_, trial)| trial)
    }

    /// What it is called.
    pub fn name(self) -> &'static str {
        TRIALS.iter().find(|&&(_, trial)| trial == self).map_or("1", |(name, _)| name)
    }
}

impl Wish {
    /// Of this process.
    pub fn of_process() -> Result<&'static Self, String> {
        static READ: OnceLock<Result<Wish, String>> = OnceLock::new();
        READ.get_or_init(|| Self::read(|name| std::env::var(name).ok())).as_ref().map_err(Clone::clone)
    }

    /// From variables.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let value = |name| variable(name).filter(|value: &String| !value.is_empty() && value != "0");
        let mut wish = Self::default();
        match value("REBLOCK_TRACE") {
            Some(one) if one == "1" => wish.lines = true,
            // The program may change its directory before it ends.
            Some(path) => {
                let absolute = std::path::absolute(&path);
                wish.report = Some(absolute.map_err(|why| format!("REBLOCK_TRACE is {path}: {why}"))?);
            }
            None => {}
        }
        wish.trial = match value("REBLOCK_TRIAL").as_deref() {
            None => None,
            Some(name) => Some(
                Trial::named(name)
                    .ok_or_else(|| format!("REBLOCK_TRIAL is {name}, expected 0, 1, use, strict or same"))?,
            ),
        };
        wish.off = match value("REBLOCK_OFF").as_deref() {
            None => false,
            Some("1") => true,
            Some(other) => return Err(format!("REBLOCK_OFF is {other}, expected 0 or 1")),
        };
        wish.is_run = value("REBLOCK_RUN").is_some();
        wish.only = value("REBLOCK_ONLY").map(|list| names(&list)).transpose()?;
        if wish.off && wish.trial.is_some() {
            return Err("REBLOCK_OFF and REBLOCK_TRIAL are both set, expected at most one of them".into());
        }
        Ok(wish)
    }

    /// Whether reblock makes calls of the routine that is chosen as `name`.
    pub fn takes(&self, name: &str) -> bool {
        !self.off && self.only.as_ref().is_none_or(|only| only.iter().any(|other| other == name))
    }

    /// Whether calls are counted and reported when the program ends.
    pub fn collects(&self) -> bool {
        self.report.is_some() || self.trial.is_some()
    }
}

/// Names of routines that are separated by commas.
fn names(list: &str) -> Result<Vec<String>, String> {
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

    fn read(variables: &[(&str, &str)]) -> Result<Wish, String> {
        Wish::read(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn nothing_is_on_unless_it_is_said() {
        assert_eq!(read(&[]), Ok(Wish::default()));
        assert_eq!(
            read(&[("REBLOCK_TRACE", "0"), ("REBLOCK_TRIAL", ""), ("REBLOCK_OFF", "0")]),
            Ok(Wish::default())
        );
        assert!(!Wish::default().collects());
    }

    #[test]
    fn what_is_said_is_on() {
        assert!(read(&[("REBLOCK_TRACE", "1")]).unwrap().lines);
        let report = read(&[("REBLOCK_TRACE", "/there/trace.json")]).unwrap();
        assert_eq!(report.report.as_deref(), Some(std::path::Path::new("/there/trace.json")));
        assert!(report.collects() && !report.lines);
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
        assert!(off.off && !off.takes("tran"));
        let only = read(&[("REBLOCK_ONLY", "gemr2d, Tran")]).unwrap();
        assert_eq!(ROUTINES.map(|name| only.takes(name)), [true, false, true, false, false, false]);
        assert!(ROUTINES.into_iter().all(|name| Wish::default().takes(name)));
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
