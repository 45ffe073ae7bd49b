//! Checks the MPI, reblock, ScaLAPACK and BLACS that a job would load, and the environment. If the user names a
//! program, checks the libraries of that program, otherwise the installed libraries.

use super::{Finding, Launcher};
use crate::forward;
use crate::launch::{Fit, Links, Mpi, choose, folders, libraries};
use reblock::system::settings::{Medium, Settings, unknown};
use reblock::trial::TraceOptions;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the findings, and the MPI of a job; an error only if the named program cannot be examined. `near` is the MPI
/// of the compiler beside the launcher.
pub fn findings(
    launcher: &Launcher,
    near: Option<Mpi>,
    program: Option<&Path>,
) -> Result<(Vec<Finding>, Option<Mpi>), String> {
    let links = program.map(Links::of).transpose()?;
    let own = links.as_ref().and_then(|links| links.mpi.clone());
    // A batch system's launcher starts programs of any MPI, so take the MPI of the program or of the compiler.
    let known = match launcher.is_of_any_mpi() {
        true => own.clone().or(near),
        false => launcher.mpi.as_ref().ok().cloned(),
    };
    let mut findings = vec![mpi(launcher, known.as_ref(), links.as_ref())];
    let job = own.or(known);
    let fit = job.as_ref().map(|mpi| {
        let ilp64 = links.as_ref().is_some_and(|links| links.ilp64);
        (mpi, choose(&libraries(&folders()), mpi, ilp64))
    });
    findings.extend(fit.as_ref().map(|(mpi, fit)| reblock(mpi, fit)));
    let library = match &fit {
        Some((_, Fit::Found(path))) => Some(path.as_path()),
        _ => None,
    };
    findings.push(scalapack(links.as_ref(), program, library));
    findings.extend(variables());
    Ok((findings, job))
}

fn mpi(launcher: &Launcher, known: Option<&Mpi>, links: Option<&Links>) -> Finding {
    let mpirun = launcher.name();
    let Some(known) = known else {
        let why = "the MPI of that launcher is not known, so the rest cannot be checked";
        let mend = match launcher.is_of_any_mpi() {
            true => format!(
                "name a program, so that its MPI is checked: reblock doctor --mpirun {mpirun} ./program"
            ),
            false => "name the launcher: --mpirun /path/to/mpirun".into(),
        };
        return Finding::slow("MPI", mpirun, why, mend);
    };
    let found = match launcher.is_of_any_mpi() {
        true => format!("{} ({}), started by {mpirun}", known.name(), known.library),
        false => format!("{} ({mpirun})", known.name()),
    };
    match links.and_then(|links| links.mpi.as_ref()).filter(|mpi| !mpi.is_like(known)) {
        Some(own) => Finding::slow(
            "MPI",
            format!("{found}; the program links {} ({})", own.name(), own.library),
            "each process would be a job of its own",
            "run the program with the launcher of its MPI",
        ),
        None => Finding::good("MPI", found),
    }
}

fn reblock(mpi: &Mpi, fit: &Fit) -> Finding {
    match fit {
        Fit::Found(path) => Finding::good("reblock", path.display().to_string()),
        Fit::None(why) => Finding::slow(
            "reblock",
            format!("none for {}", mpi.name()),
            why.clone(),
            "build it with that MPI's compiler: make MPICC=/path/to/mpicc",
        ),
    }
}

/// Checks the ScaLAPACK of the program with these links, or the installed ScaLAPACKs. `library` is the libreblock for
/// the job.
fn scalapack(links: Option<&Links>, program: Option<&Path>, library: Option<&Path>) -> Finding {
    const ABOUT: &str = "ScaLAPACK, BLACS";
    if let Some(links) = links {
        let width = if links.ilp64 { ", integers of 64 bits" } else { "" };
        return match (links.obstacle(), &links.scalapack) {
            (Some(why), _) => Finding::slow(ABOUT, "in the program itself", "reblock is not called", why),
            (None, Some(libraries)) => match links.mismatched_blacs() {
                Some(blacs) => Finding::slow(
                    ABOUT,
                    format!("{libraries}{width}"),
                    format!("{blacs} is for another MPI than the program's"),
                    "link the BLACS of its MPI: mkl_blacs_openmpi for Open MPI, mkl_blacs_intelmpi for Intel MPI and MPICH",
                ),
                None => Finding::good(ABOUT, format!("{libraries}{width}")),
            },
            (None, None) if program.is_some_and(forward::asks_by_handle) => Finding::slow(
                ABOUT,
                "none linked: the program seems to open a library and to ask it for routines (dlsym, ctypes)",
                "a preloaded library does not get these calls",
                forward::advice(library, None),
            ),
            (None, None) => Finding::good(ABOUT, "none linked: the program may load one, as Python does"),
        };
    }
    let known = Command::new("ldconfig")
        .arg("-p")
        .output()
        .or_else(|_| Command::new("/sbin/ldconfig").arg("-p").output());
    let text = known.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let names = text.lines().filter_map(|line| line.split_whitespace().next()).map(String::from);
    let is_of_either = |name: &String| name.contains("scalapack") || name.contains("blacs");
    let mut found: Vec<String> = names.chain(loader_libraries()).filter(is_of_either).collect();
    found.sort_unstable();
    found.dedup();
    match found.is_empty() {
        true => Finding::good(ABOUT, "none where the loader looks; name a program to see what it links"),
        false => Finding::good(ABOUT, found.join(", ")),
    }
}

/// Returns the names of the shared libraries in the folders of LD_LIBRARY_PATH and of MKL, which `ldconfig` does not
/// list.
fn loader_libraries() -> Vec<String> {
    let list = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&list).filter(|path| path.is_absolute()).collect();
    if let Some(mkl) = std::env::var_os("MKLROOT").map(PathBuf::from) {
        folders.extend([mkl.join("lib"), mkl.join("lib/intel64")]);
    }
    let entries = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| name.contains(".so"))
        .collect()
}

/// Checks the environment for settings that cost time or are wrong.
fn variables() -> Vec<Finding> {
    let variable = |name: &str| std::env::var(name).ok();
    let options = TraceOptions::read(variable);
    let settings = Settings::read(variable);
    let wrong = [settings.as_ref().err(), options.as_ref().err()];
    let mut findings: Vec<Finding> = wrong
        .into_iter()
        .flatten()
        .map(|why| {
            Finding::slow("environment", why.clone(), "the first call would end the job", "correct it")
        })
        .collect();
    findings.extend(
        unknown::lines_of_process()
            .into_iter()
            .map(|line| Finding::slow("environment", line, "it has no effect", "correct or unset it")),
    );
    if settings.is_ok_and(|settings| settings.medium == Medium::Mpi) {
        let why = "ranks of a node do not exchange data through shared memory";
        findings.push(Finding::slow("environment", "REBLOCK_TRANSPORT=mpi", why, "unset it"));
    }
    if options.as_ref().is_ok_and(|options| options.off) {
        findings.push(Finding::slow("environment", "REBLOCK_OFF=1", "reblock makes no call", "unset it"));
    }
    if let Some(only) = options.ok().and_then(|options| options.only) {
        let set = format!("REBLOCK_ONLY={}", only.join(","));
        let why = "ScaLAPACK makes the calls of other routines";
        findings.push(Finding::slow("environment", set, why, "unset it"));
    }
    findings
}
