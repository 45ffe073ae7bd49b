//! Measures the prices of messages and copies on this machine: compiles benches/calibrate.c with the MPI's compiler,
//! runs it on two ranks of this node, and compares the results with the figures that reblock would use.

use super::{Finding, Launcher};
use crate::launch::{Links, Mpi, find_executable};
use reblock::system::settings::Settings;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = include_str!("../../../../benches/calibrate.c");
const MAX_RUN_TIME: Duration = Duration::from_secs(60);
/// Largest harmless ratio between a figure that reblock uses and the measured one, in either direction.
const MAX_FACTOR: f64 = 2.0;
const ABOUT: &str = "calibration";

/// A temporary folder, removed with its files on drop.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // If the removal fails, the files stay until the system cleans its folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub struct Compiled {
    _folder: Folder,
    program: PathBuf,
    /// The MPI that the program links, if it is known.
    pub mpi: Option<Mpi>,
}

/// Returns a finding with the measured figures, or with the reason why nothing was measured. Measures only if
/// `measure`. `busy`: other work uses the cores.
pub fn findings(
    launcher: &Launcher,
    compiled: Result<Compiled, String>,
    busy: bool,
    measure: bool,
) -> Vec<Finding> {
    let other = compiled.as_ref().ok().and_then(|compiled| compiled.mpi.clone());
    match (other, &launcher.mpi) {
        (Some(mpi), Ok(own)) if !own.is_like(&mpi) => vec![mismatch_finding(launcher, &mpi)],
        _ if !measure => Vec::new(),
        _ => vec![finding(launcher, busy, compiled)],
    }
}

/// Returns the finding for a compiler of `mpi` beside a launcher of another MPI.
fn mismatch_finding(launcher: &Launcher, mpi: &Mpi) -> Finding {
    let (compiler, mpirun) = (launcher.compiler().unwrap_or_default(), launcher.name());
    Finding::slow(
        "compiler",
        format!("{compiler} links {} ({}), and {mpirun} is of another MPI", mpi.name(), mpi.library),
        "each process of a program that it compiles would be a job of its own",
        "use the launcher and the compiler of one MPI, by their full names or with one module",
    )
}

fn finding(launcher: &Launcher, busy: bool, compiled: Result<Compiled, String>) -> Finding {
    match compiled.and_then(|compiled| run(launcher, &compiled.program)) {
        Ok(text) if busy => Finding::slow(
            ABOUT,
            text.trim().to_string(),
            "other work ran during the measurement",
            "measure again when the machine is free",
        ),
        Ok(text) => compare_figures(&text, |name| std::env::var(name).ok()),
        Err(why) if why.contains("--allow-run-as-root") => Finding::slow(
            ABOUT,
            "not done",
            format!("{} does not start programs for root", launcher.name()),
            format!(
                "run reblock doctor as another user, or with --mpirun \"{} --allow-run-as-root\"",
                launcher.name()
            ),
        ),
        Err(why) => Finding::slow(
            ABOUT,
            "not done",
            why,
            "install the MPI's compiler, or set REBLOCK_NODE, REBLOCK_NETWORK and REBLOCK_COPY by hand",
        ),
    }
}

/// Compiles benches/calibrate.c with the compiler that belongs to the launcher.
pub fn compiled(launcher: &Launcher) -> Result<Compiled, String> {
    let compiler =
        launcher.compiler().ok_or_else(|| format!("no compiler is known for {}", launcher.name()))?;
    find_executable(&compiler).ok_or_else(|| format!("there is no {compiler}"))?;
    let folder = Folder(std::env::temp_dir().join(format!("reblock-doctor-{}", std::process::id())));
    std::fs::create_dir(&folder.0).map_err(|error| format!("{}: {error}", folder.0.display()))?;
    let (source, program) = (folder.0.join("calibrate.c"), folder.0.join("calibrate"));
    std::fs::write(&source, PROGRAM).map_err(|error| error.to_string())?;
    let compiled = Command::new(&compiler).arg("-O2").arg("-o").args([&program, &source]).output();
    let compiled = compiled.map_err(|error| format!("{compiler}: {error}"))?;
    if !compiled.status.success() {
        return Err(format!("{compiler}: {}", String::from_utf8_lossy(&compiled.stderr).trim()));
    }
    let mpi = Links::of(&program).ok().and_then(|links| links.mpi);
    Ok(Compiled { _folder: folder, program, mpi })
}

fn run(launcher: &Launcher, program: &Path) -> Result<String, String> {
    let mpirun = launcher.name();
    let mut command = launcher.two_ranks(program);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("{mpirun}: {error}"))?;
    let start = Instant::now();
    while child.try_wait().map_err(|error| error.to_string())?.is_none() {
        if start.elapsed() > MAX_RUN_TIME {
            return Err(describe_end(child));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    // The output is short enough for the buffers of the pipes, so the child did not have to wait for a reader.
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    match output.status.success() {
        true => Ok(text),
        false => Err(format!("{mpirun}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn describe_end(mut child: Child) -> String {
    let killed = child.kill().and_then(|()| child.wait());
    match killed {
        Ok(_) => format!("it took more than {} s", MAX_RUN_TIME.as_secs()),
        Err(error) => error.to_string(),
    }
}

/// Compares the measured figures in `text`, lines such as `export REBLOCK_COPY=6.7`, with the figures that reblock
/// would use: those of the environment, read by `variable`, otherwise its defaults.
fn compare_figures(text: &str, variable: impl Fn(&str) -> Option<String>) -> Finding {
    let found: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let values: Vec<(&str, &str)> =
        found.iter().filter_map(|line| line.strip_prefix("export ")?.split_once('=')).collect();
    let now = Settings::read(&variable);
    let here = Settings::read(|name| {
        let measured = values.iter().find(|(n, _)| *n == name).map(|(_, value)| value.to_string());
        measured.or_else(|| variable(name))
    });
    let (Ok(now), Ok(here)) = (now, here) else {
        return Finding::slow(ABOUT, found.join("\n"), "these are not settings", "measure again");
    };
    let far = |a: f64, b: f64| a / b > MAX_FACTOR || b / a > MAX_FACTOR;
    let is_far = [(now.node, here.node), (now.network, here.network)].iter().any(|(now, here)| {
        far(now.start_up, here.start_up) || far(now.byte, here.byte) || far(now.copy, here.copy)
    });
    let is_set = |name: &str| values.iter().any(|(n, _)| *n == name);
    match is_far && (is_set("REBLOCK_NODE") || is_set("REBLOCK_COPY")) {
        true => Finding::slow(
            ABOUT,
            found.join("\n"),
            "the figures that reblock uses are more than twice or less than half of these",
            "set these variables for the job, on all ranks",
        ),
        false => Finding::good(ABOUT, found.join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_that_are_far_off_are_reported() {
        let unset = |_: &str| None;
        let plain = "export REBLOCK_COPY=6.7\nexport REBLOCK_NODE=0.50,6.70\n# all ranks are on one node\n";
        let other = "export REBLOCK_COPY=30\nexport REBLOCK_NODE=0.50,6.70\n";
        assert_eq!(compare_figures(plain, unset).slow, None);
        assert!(compare_figures(other, unset).slow.is_some());
        assert!(compare_figures("export REBLOCK_COPY=many\n", unset).slow.unwrap().contains("not settings"));
        let set =
            |name: &'static str, value: &'static str| move |it: &str| (it == name).then(|| value.to_string());
        assert_eq!(compare_figures(other, set("REBLOCK_COPY", "29")).slow, None);
        assert!(compare_figures(plain, set("REBLOCK_COPY", "30")).slow.is_some());
        // The network between nodes was not measured.
        assert_eq!(compare_figures(plain, set("REBLOCK_NETWORK", "90,0.1")).slow, None);
    }
}
