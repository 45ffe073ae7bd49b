//! A program under trial: preloads the matching library on all ranks, with any launcher, and shows the report when
//! the run ends.
//!
//! | file | contents |
//! |---|---|
//! | `line` | programs in a launcher's command line |
//! | `options` | options of launchers that take values |
//! | `program` | libraries that a program links |
//! | `mpi` | the MPI of a program or a launcher |
//! | `library` | search for the matching libreblock |
//! | `signals` | signals passed on to the command |
//! | `names` | names of the page and its data |
//! | `waiting` | waiting for the command, and lines meanwhile |
//! | `outcome` | lines at the end of a run |

mod library;
mod line;
mod mpi;
mod names;
mod options;
mod outcome;
mod program;
mod signals;
mod waiting;

use library::abi;
pub use library::{Fit, choose, folders, libraries};
pub use mpi::{Mpi, of_launcher};
pub use program::{Links, find_executable};

use crate::DIFFERENT;
use crate::arguments::Run;
use crate::trace::{self, launches, numbered};
use line::Line;
use options::{Family, is_launcher};
use reblock::system::one_line::one_line;
use reblock::trial::Report;
use signals::Signals;
use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};

/// Writes a line on standard error, without the control characters that a name may have.
fn say(what: &str) {
    eprintln!("reblock: {}", one_line(what));
}

/// Runs the command. The status is that of the command, but never 0 for a run without a report.
pub fn run(arguments: &Run) -> Result<ExitCode, String> {
    let first = &arguments.command[0];
    // Lazy, because it runs the launcher.
    let launcher_mpi = LazyCell::new(|| is_launcher(first).then(|| of_launcher(first)));
    let family = Family::of(first, || (*launcher_mpi).clone()?.ok());
    let is_program = |word: &str| find_executable(word).is_some();
    let line = Line::read(&arguments.command, family, &arguments.program, is_program)?;
    let links = match arguments.no_inspect {
        true => Vec::new(),
        false => line.inspected().map(inspected).collect::<Result<Vec<_>, String>>()?,
    };
    let library = library_for(arguments, &links, || (*launcher_mpi).clone())?;
    let wanted = names::wanted(&arguments.output)?;
    // No file has this name yet, so all files of this name, or with a number after it, belong to this run.
    let trace = wanted[1].with_extension(format!("json.run-{}", std::process::id()));
    let preload = preload(&library)?;
    let words = line.with(&variables(arguments, &preload, &trace)?);
    let programs: Vec<&str> = line.inspected().collect();
    let (into, makes) = (programs.join(" and "), who_makes(&arguments.trial));
    say(&format!("{} is preloaded into {into}; {makes}", library.display()));
    let mut signals = Signals::catch()?;
    let mut command = Command::new(&words[0]);
    let mut child = command.args(&words[1..]).spawn().map_err(|error| format!("{}: {error}", words[0]))?;
    let status = waiting::wait(&mut child, &mut signals, &trace)?;
    let written = numbered(&trace);
    if written.is_empty() {
        say(&format!("there is no report: {}", outcome::why_none(status, &signals)));
        return Ok(if status.success() { ExitCode::FAILURE } else { code(status) });
    }
    let places = names::free(&wanted)?;
    // The files of this run stay in place if they cannot be read.
    let reports = collected(&written, &places[1]).inspect_err(|_| names::give_up(&places))?;
    outcome::show(&reports, &places, &line.with(&["env".into(), preload]))?;
    Ok(if status.success() && trace::differ(&reports) { DIFFERENT.into() } else { code(status) })
}

/// Moves the reports from `written` to `data`, merged to one for each launch, and returns them.
fn collected(written: &[PathBuf], data: &Path) -> Result<Vec<Report>, String> {
    let all = written.iter().map(|path| trace::read(path)).collect::<Result<Vec<_>, String>>()?;
    let reports = launches(all.into_iter().flatten().collect());
    trace::write_data(&reports, data)?;
    for path in written {
        std::fs::remove_file(path).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    if written.len() > reports.len() {
        say(&format!(
            "ranks that shared no call wrote separate reports, {} in all; added up here",
            written.len()
        ));
    }
    Ok(reports)
}

/// Returns words for the libraries that make the calls in this mode.
fn who_makes(trial: &str) -> &'static str {
    match trial {
        "0" => "it makes each call, and ScaLAPACK makes none",
        "same" => "the program's own ScaLAPACK makes each call twice",
        _ => "the program's own ScaLAPACK makes each call, too",
    }
}

/// Returns the libraries of the program `word`; the error says why it cannot be tried.
fn inspected(word: &str) -> Result<Links, String> {
    let path = find_executable(word).ok_or_else(|| no_such_program(word))?;
    let links = Links::of(&path)?;
    if let Some(why) = links.obstacle() {
        return Err(format!("{}: {why}", path.display()));
    }
    Ok(links)
}

/// Returns the error for a program that does not exist; its name is usually misspelt.
fn no_such_program(word: &str) -> String {
    let why = match Path::new(word).metadata() {
        Ok(file) if file.is_dir() => "is a folder, not a program".into(),
        Ok(_) if !word.contains('/') => format!("no such program in PATH: is ./{word} meant?"),
        Ok(_) => "is not executable (chmod +x)".into(),
        Err(_) if word.contains('/') => "no such program: is the name right?".into(),
        Err(_) => "no such program in PATH: is the name right?".to_string(),
    };
    format!("{word}: {why} (if it is on other machines only: --program {word} --no-inspect --library FILE)")
}

/// Returns the library that the user names, or the one that fits the programs and the launcher.
fn library_for(
    arguments: &Run,
    links: &[Links],
    launcher: impl FnOnce() -> Option<Result<Mpi, String>>,
) -> Result<PathBuf, String> {
    if let Some(library) = &arguments.library {
        return library.canonicalize().map_err(|error| format!("{}: {error}", library.display()));
    }
    let wanted = agreed(links.iter().find_map(|links| links.mpi.clone()), launcher())?;
    let ilp64 = links.iter().any(|links| links.ilp64);
    match choose(&libraries(&folders()), &wanted, ilp64) {
        Fit::Found(path) => Ok(path),
        Fit::None(why) => Err(why),
    }
}

/// Returns the MPI of the program if it links one, otherwise that of the launcher; an error if both are known and
/// differ.
fn agreed(program: Option<Mpi>, launcher: Option<Result<Mpi, String>>) -> Result<Mpi, String> {
    match (program, launcher) {
        (Some(program), Some(Ok(launcher))) if !program.is_like(&launcher) => Err(format!(
            "the program links {} ({}), but the launcher is that of {}: each process would be a job of its own",
            program.name(),
            program.library,
            launcher.name()
        )),
        (Some(program), _) => Ok(program),
        (None, Some(launcher)) => launcher,
        (None, None) => Err("the MPI of that command is not known: name the library with --library".into()),
    }
}

/// Returns the variable that preloads `library` and the user's own libraries.
fn preload(library: &Path) -> Result<String, String> {
    if in_utf8(library)?.contains([' ', ':']) {
        let why = "LD_PRELOAD cannot name a path with a blank or a colon: copy or link the library elsewhere";
        return Err(format!("{}: {why}", library.display()));
    }
    let mut preload = vec![in_utf8(library)?];
    // With XPMEM, arrays are read in place.
    if std::env::var_os("REBLOCK_ARRAYS").is_some_and(|value| !value.is_empty() && value != "xpmem") {
        let names = ["libreblock_arrays.so".into(), format!("libreblock_arrays.so.{}", abi())];
        let places = names.map(|name| library.with_file_name(name));
        let Some(allocator) = places.iter().find(|place| place.exists()) else {
            return Err(format!("{}: there is no such library for REBLOCK_ARRAYS", places[0].display()));
        };
        preload.push(in_utf8(allocator)?);
    }
    preload.extend(std::env::var("LD_PRELOAD").ok().filter(|list| !list.is_empty()));
    Ok(format!("LD_PRELOAD={}", preload.join(":")))
}

fn in_utf8(path: &Path) -> Result<String, String> {
    path.to_str()
        .map(str::to_string)
        .ok_or_else(|| format!("{}: a path that is not in UTF-8", path.display()))
}

/// Returns the words before the program under trial.
fn variables(arguments: &Run, preload: &str, trace: &Path) -> Result<Vec<String>, String> {
    Ok(vec![
        "env".into(),
        preload.into(),
        format!("REBLOCK_TRIAL={}", arguments.trial),
        format!("REBLOCK_TRACE={}", in_utf8(trace)?),
        // The library leaves its findings to this command, and reports its progress.
        "REBLOCK_RUN=1".into(),
        // Overrides the shell's value: every mode needs reblock, and a trial with this set is an error.
        "REBLOCK_OFF=0".into(),
    ])
}

/// Returns the exit status as a shell reports it.
fn code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_and_launcher_have_the_same_mpi() {
        let (open, mpich) = (|| Mpi::of_name("libmpi.so.40"), || Mpi::of_name("libmpich.so.12"));
        let unknown = || Some(Err("slurm".to_string()));
        assert_eq!(agreed(Some(open()), Some(Ok(open()))), Ok(open()));
        assert_eq!(agreed(Some(mpich()), unknown()), Ok(mpich()));
        assert_eq!(agreed(None, Some(Ok(mpich()))), Ok(mpich()));
        assert_eq!(agreed(None, unknown()), Err("slurm".into()));
        assert!(agreed(Some(open()), Some(Ok(mpich()))).unwrap_err().contains("a job of its own"));
        assert!(agreed(None, None).is_err());
    }
}
