//! Runs a program under trial. The launcher starts `reblock run` on each rank. This command sets LD_PRELOAD to the
//! matching library and replaces itself by the program. The program thus has the process that the launcher started, so
//! signals reach it directly and the launcher gets its exit status. When rank 0's process exits, the library starts
//! `reblock ended`, which shows the report.
//!
//! The MPI is that of the program's libraries. If the program links no MPI, the launcher's variables name the MPI
//! ([`library_for`]).
//!
//! | file | contents |
//! |---|---|
//! | `program` | libraries that a program links |
//! | `mpi` | the MPI of a program or a launcher |
//! | `library` | search for the matching libreblock |
//! | `ranks` | choice of the process that prints lines for all ranks |
//! | `ended` | the end of a run |

mod ended;
mod library;
mod mpi;
mod program;
mod ranks;

pub use ended::show_report;
use library::abi;
pub use library::{Fit, choose, folders, libraries};
use mpi::of_environment;
pub use mpi::{Mpi, of_launcher};
pub use program::{Library, Links, find_executable, is_routine, loaded};
pub use ranks::is_first_of_node;

use crate::arguments;
use reblock::system::one_line::one_line;
use reblock::trial::{Run, is_launcher, now};
use std::convert::Infallible;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes `message` as one line on standard error, without the control characters that a name may have.
fn say(message: &str) {
    eprintln!("reblock: {}", one_line(message));
}

/// Replaces this process by the program. Returns only if that fails, with the reason.
pub fn run(arguments: &arguments::Run) -> Result<Infallible, String> {
    let words = &arguments.command;
    let program = Program::find(words, arguments.no_inspect)?;
    if let Some(why) = program.links.obstacle() {
        return Err(format!("{}: {why}", words[program.at]));
    }
    let library = library_for(arguments, &program.links)?;
    let preload = preload(&library)?;
    let [page, data] = names(&arguments.output)?;
    let speaks = ranks::is_first();
    if speaks {
        if let Some(folder) = data.parent() {
            std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        let (path, into) = (library.display(), &words[program.at]);
        say(&format!("{path} is preloaded into {into}; {}", describe_calls(&arguments.trial)));
    }
    let own = std::env::current_exe().map_err(|error| format!("the path of this command: {error}"))?;
    let process = std::process::id();
    let run = Run { command: own, process, speaks, page, preload: preload.clone(), began: now() };
    let mut command = Command::new(&words[0]);
    command.args(with_preloaded(words, program.at, &preload));
    command
        .env("LD_PRELOAD", preload)
        .env("REBLOCK_TRIAL", &arguments.trial)
        .env("REBLOCK_TRACE", in_utf8(&data)?);
    // The library shows the report when the program exits.
    command.env("REBLOCK_RUN", run.text());
    // Overrides a REBLOCK_OFF of the shell, since each mode needs reblock.
    command.env("REBLOCK_OFF", "0");
    Err(format!("{}: {}", words[0], command.exec()))
}

/// The MPI program in a command such as `env A=1 numactl -l ./program`.
struct Program {
    /// Index of the word that names the program. The words before are commands that start the program.
    at: usize,
    links: Links,
}

impl Program {
    /// Finds the first word that names a program with MPI or ScaLAPACK. If no word does, returns the first word, which
    /// is a script, or a program that loads its libraries while it runs.
    fn find(words: &[String], no_inspect: bool) -> Result<Self, String> {
        let first = find_executable(&words[0]).ok_or_else(|| missing_program(&words[0]))?;
        if no_inspect {
            return Ok(Self { at: 0, links: Links::default() });
        }
        let links = Links::of(&first)?;
        let inner = if links.is_of_mpi() { None } else { Self::find_after_first(words) };
        Ok(inner.unwrap_or(Self { at: 0, links }))
    }

    /// Finds the first word after `words[0]` that names a program with MPI or ScaLAPACK.
    fn find_after_first(words: &[String]) -> Option<Self> {
        words.iter().enumerate().skip(1).find_map(|(at, word)| {
            let links = Links::of(&find_executable(word)?).ok()?;
            links.is_of_mpi().then_some(Self { at, links })
        })
    }
}

/// Returns the error for a command that begins with a launcher; `None` for any other command.
pub fn misplaced_launcher_error(words: &[String]) -> Option<String> {
    if !is_launcher(&words[0]) {
        return None;
    }
    let line = match Program::find_after_first(words) {
        Some(Program { at, .. }) => {
            format!("{} reblock run {}", words[..at].join(" "), words[at..].join(" "))
        }
        None => format!("{} ... reblock run ./program", words[0]),
    };
    Some(format!("put reblock run after the launcher, before the program: {line}"))
}

/// Returns the arguments of `words[0]`. If an argument of `env` before the program sets LD_PRELOAD, puts `preload` in
/// front of its list.
fn with_preloaded(words: &[String], program: usize, preload: &str) -> Vec<String> {
    let leading = words[1..].iter().take_while(|word| word.contains('=') || word.starts_with('-')).count();
    let end = if program == 0 && words[0].ends_with("env") { leading + 1 } else { program };
    let own = |(k, word): (usize, &String)| match word.strip_prefix("LD_PRELOAD=") {
        Some(list) if k < end => format!("LD_PRELOAD={preload}:{list}"),
        _ => word.clone(),
    };
    words.iter().enumerate().skip(1).map(own).collect()
}

/// Returns the absolute path of the page that the user asks for, and that of its data: the same name with `.json`.
fn names(page: &Path) -> Result<[PathBuf; 2], String> {
    if page.extension().is_some_and(|extension| extension == "json") {
        return Err(format!(
            "{}: the page would overwrite its own data: give the page a name that ends in .html",
            page.display()
        ));
    }
    let absolute =
        |path: &Path| std::path::absolute(path).map_err(|error| format!("{}: {error}", path.display()));
    Ok([absolute(page)?, absolute(&page.with_extension("json"))?])
}

/// Returns the text that names the libraries that make the calls in the mode `trial`.
fn describe_calls(trial: &str) -> &'static str {
    match trial {
        "0" => "it makes each call, and ScaLAPACK makes none",
        "same" => "the program's own ScaLAPACK makes each call twice",
        _ => "the program's own ScaLAPACK makes each call, too",
    }
}

/// Returns the error for a program that does not exist, usually because its name is misspelt.
fn missing_program(word: &str) -> String {
    let why = match Path::new(word).metadata() {
        Ok(file) if file.is_dir() => "is a folder, not a program".into(),
        Ok(_) if !word.contains('/') => format!("no such program in PATH: is ./{word} meant?"),
        Ok(_) => "is not executable (chmod +x)".into(),
        Err(_) if word.contains('/') => "no such program: is the name right?".into(),
        Err(_) => "no such program in PATH: is the name right?".to_string(),
    };
    format!("{word}: {why}")
}

fn library_for(arguments: &arguments::Run, links: &Links) -> Result<PathBuf, String> {
    if let Some(library) = &arguments.library {
        return library.canonicalize().map_err(|error| format!("{}: {error}", library.display()));
    }
    let launcher = of_environment(|name| std::env::var_os(name).is_some());
    let wanted = agreed_mpi(links.mpi.clone(), launcher)?;
    match choose(&libraries(&folders()), &wanted, links.ilp64) {
        Fit::Found(path) => Ok(path),
        Fit::None(why) => Err(why),
    }
}

/// Returns the MPI that the program links, otherwise that of the launcher; an error if both are known and differ.
fn agreed_mpi(program: Option<Mpi>, launcher: Option<Mpi>) -> Result<Mpi, String> {
    match (program, launcher) {
        (Some(program), Some(launcher)) if !program.is_like(&launcher) => Err(format!(
            "the program links {} ({}), but the launcher is that of {}: each process would be a job of its own",
            program.name(),
            program.library,
            launcher.name()
        )),
        (Some(program), _) => Ok(program),
        (None, Some(launcher)) => Ok(launcher),
        (None, None) => Err(
            "neither the program nor the launcher shows which MPI is used: name the library with --library"
                .into(),
        ),
    }
}

/// Returns the list of libraries to preload: `library`, reblock's allocator if REBLOCK_ARRAYS needs it, and the user's
/// own list.
fn preload(library: &Path) -> Result<String, String> {
    if in_utf8(library)?.contains([' ', ':']) {
        let why = "LD_PRELOAD cannot name a path with a blank or a colon: copy or link the library elsewhere";
        return Err(format!("{}: {why}", library.display()));
    }
    let mut preload = vec![in_utf8(library)?];
    // XPMEM reads any memory of the program, so it needs no allocator.
    if std::env::var_os("REBLOCK_ARRAYS").is_some_and(|value| !value.is_empty() && value != "xpmem") {
        let names = ["libreblock_arrays.so".into(), format!("libreblock_arrays.so.{}", abi())];
        let places = names.map(|name| library.with_file_name(name));
        let Some(allocator) = places.iter().find(|place| place.exists()) else {
            return Err(format!("{}: there is no such library for REBLOCK_ARRAYS", places[0].display()));
        };
        preload.push(in_utf8(allocator)?);
    }
    preload.extend(std::env::var("LD_PRELOAD").ok().filter(|list| !list.is_empty()));
    Ok(preload.join(":"))
}

fn in_utf8(path: &Path) -> Result<String, String> {
    path.to_str()
        .map(str::to_string)
        .ok_or_else(|| format!("{}: a path that is not in UTF-8", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_and_launcher_have_the_same_mpi() {
        let (open, mpich) = (|| Mpi::of_name("libmpi.so.40"), || Mpi::of_name("libmpich.so.12"));
        assert_eq!(agreed_mpi(Some(open()), Some(open())), Ok(open()));
        assert_eq!(agreed_mpi(Some(mpich()), None), Ok(mpich()));
        assert_eq!(agreed_mpi(None, Some(mpich())), Ok(mpich()));
        assert!(agreed_mpi(Some(open()), Some(mpich())).unwrap_err().contains("a job of its own"));
        assert!(agreed_mpi(None, None).unwrap_err().contains("--library"));
    }

    #[test]
    fn a_list_of_a_wrapper_is_kept() {
        let words = ["env", "A=1", "LD_PRELOAD=/own.so", "./solve", "LD_PRELOAD=x"].map(String::from);
        for program in [0, 3] {
            let longer = with_preloaded(&words, program, "/reblock.so");
            assert_eq!(longer, ["A=1", "LD_PRELOAD=/reblock.so:/own.so", "./solve", "LD_PRELOAD=x"]);
        }
        assert_eq!(with_preloaded(&words[3..], 0, "/reblock.so"), words[4..]);
    }
}
