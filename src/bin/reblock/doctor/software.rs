//! WHICH MPI, reblock, ScaLAPACK and BLACS would a job have, and what does the environment say? If a program is named, what
//! it links counts; otherwise what is installed.

use super::Finding;
use crate::launch::{Fit, Links, Mpi, choose, find_executable, folders, libraries, of_launcher};
use reblock::settings::{Medium, Settings};
use reblock::trial::Wish;
use std::path::Path;
use std::process::Command;

/// What was found; an error only if the program that was named is not there.
pub fn findings(mpirun: &str, program: Option<&Path>) -> Result<Vec<Finding>, String> {
    let links = program.map(Links::of).transpose()?;
    let launcher = find_executable(mpirun).and_then(|_| of_launcher(mpirun).ok());
    let mut findings = vec![mpi(mpirun, launcher.as_ref(), links.as_ref())];
    if let Some(mpi) = links.as_ref().and_then(|links| links.mpi.clone()).or(launcher) {
        findings.push(reblock(&mpi, links.as_ref().is_some_and(|links| links.ilp64)));
    }
    findings.push(scalapack(links.as_ref()));
    findings.extend(variables());
    Ok(findings)
}

fn mpi(mpirun: &str, launcher: Option<&Mpi>, links: Option<&Links>) -> Finding {
    let Some(launcher) = launcher else {
        let why = "the MPI of that launcher is not known, so the rest cannot be checked";
        return Finding::slow("MPI", mpirun, why, "name the launcher: --mpirun /path/to/mpirun");
    };
    let found = format!("{} ({mpirun})", launcher.name());
    match links.and_then(|links| links.mpi.as_ref()).filter(|mpi| !mpi.is_like(launcher)) {
        Some(own) => Finding::slow(
            "MPI",
            format!("{found}; the program links {} ({})", own.name(), own.library),
            "each process would be a job of its own",
            "run the program with the launcher of its MPI",
        ),
        None => Finding::good("MPI", found),
    }
}

fn reblock(mpi: &Mpi, ilp64: bool) -> Finding {
    match choose(&libraries(&folders()), mpi, ilp64) {
        Fit::Found(path) => Finding::good("reblock", path.display().to_string()),
        Fit::None(why) => Finding::slow(
            "reblock",
            format!("none for {}", mpi.name()),
            why,
            "build it with that MPI's compiler: make MPICC=/path/to/mpicc",
        ),
    }
}

fn scalapack(links: Option<&Links>) -> Finding {
    const ABOUT: &str = "ScaLAPACK, BLACS";
    if let Some(links) = links {
        let width = if links.ilp64 { ", integers of 64 bits" } else { "" };
        return match (links.obstacle(), &links.scalapack) {
            (Some(why), _) => Finding::slow(ABOUT, "in the program itself", "reblock is not called", why),
            (None, Some(library)) => Finding::good(ABOUT, format!("{library}{width}")),
            (None, None) => Finding::good(ABOUT, "none linked: the program may load one, as Python does"),
        };
    }
    let known = Command::new("ldconfig")
        .arg("-p")
        .output()
        .or_else(|_| Command::new("/sbin/ldconfig").arg("-p").output());
    let text = known.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let names = || text.lines().filter_map(|line| line.split_whitespace().next());
    let mut found: Vec<&str> =
        names().filter(|name| name.contains("scalapack") || name.contains("blacs")).collect();
    found.sort_unstable();
    found.dedup();
    match found.is_empty() {
        true => Finding::good(ABOUT, "none where the loader looks; name a program to see what it links"),
        false => Finding::good(ABOUT, found.join(", ")),
    }
}

/// What the environment says that costs time, or that cannot be.
fn variables() -> Vec<Finding> {
    let variable = |name: &str| std::env::var(name).ok();
    let wish = Wish::read(variable);
    let settings = Settings::read(variable);
    let wrong = [settings.as_ref().err(), wish.as_ref().err()];
    let mut findings: Vec<Finding> = wrong
        .into_iter()
        .flatten()
        .map(|why| {
            Finding::slow("environment", why.clone(), "the first call would end the job", "correct it")
        })
        .collect();
    if settings.is_ok_and(|settings| settings.medium == Medium::Mpi) {
        let why = "ranks of a node do not exchange data through shared memory";
        findings.push(Finding::slow("environment", "REBLOCK_TRANSPORT=mpi", why, "unset it"));
    }
    if wish.as_ref().is_ok_and(|wish| wish.off) {
        findings.push(Finding::slow("environment", "REBLOCK_OFF=1", "reblock makes no call", "unset it"));
    }
    if let Some(only) = wish.ok().and_then(|wish| wish.only) {
        let set = format!("REBLOCK_ONLY={}", only.join(","));
        let why = "ScaLAPACK makes the calls of other routines";
        findings.push(Finding::slow("environment", set, why, "unset it"));
    }
    findings
}
