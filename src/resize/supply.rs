//! WHERE do a job's processes come from? They come through a trait, so that MPI sessions and process sets can replace
//! MPI_Comm_spawn where an MPI has them. It knows communicators; it never knows what the processes do.

use super::world::HOST;
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::counted;
use crate::mpi::{Arrival, Comm, Command, Duplicate, Info, MpiError, Started, joined, spawn};
use crate::runtime::patience::Watch;
use crate::runtime::session::look_around;
use crate::runtime::waiting::Waiting;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Where processes come from. Those that came together leave together.
pub trait Supply: Send {
    /// Collective over `within`: its ranks with `count` new processes behind them; all have them or none.
    fn add(&self, within: &Duplicate, count: u32) -> Result<Duplicate, Failure>;

    /// What rank 0 has to say about where and how processes are started, from now on.
    fn set_info(&mut self, info: Info);

    /// Whether the calling process is one that [`Supply::add`] brings.
    fn brings(&self) -> bool;

    /// In such a process, once, with the others: the communicator that [`Supply::add`] makes.
    fn join(&self) -> Result<Duplicate, Failure>;
}

/// Says to a new process that it is to join a job.
const MARK: &str = "REBLOCK_JOINS";
/// How long new processes may take to call MPI_Init and reblock_job_init, in seconds.
const PATIENCE: &str = "REBLOCK_SPAWN_SECONDS";
const USUAL_PATIENCE: u64 = 300;
/// After this time the first rank says that it waits for them.
const SOON: Duration = Duration::from_secs(10);

/// Processes that MPI_Comm_spawn starts.
pub struct Spawn {
    command: Command,
    info: Info,
    patience: Duration,
}

impl Spawn {
    /// Processes that run `program`, with its arguments; or the calling program with its own.
    pub fn new(program: Option<(OsString, Vec<OsString>)>) -> Result<Self, Failure> {
        let own = || {
            let program = std::env::current_exe().ok()?;
            Some((program.into(), std::env::args_os().skip(1).collect()))
        };
        let unknown = || Failure::argument("the program's own name or arguments cannot be passed on");
        let (program, arguments) = program.or_else(own).ok_or_else(unknown)?;
        // A process that cannot run its program never calls MPI_Init, and those that spawned it wait for it in MPI.
        if !is_found(&program) {
            let program = program.to_string_lossy();
            return Err(Failure::argument(format!("{program} cannot be run: it is not an executable file")));
        }
        // Launchers do not pass the environment on in the same way: what reblock is told travels with the command.
        // The name of a host is that of each process.
        let ours =
            |name: &OsStr| name.as_encoded_bytes().starts_with(b"REBLOCK_") && name != MARK && name != HOST;
        let told = std::env::vars_os().filter(|(name, _)| ours(name));
        let told = told.map(|(name, value)| [name, "=".into(), value].into_iter().collect());
        let words = told.chain([format!("{MARK}=1").into(), program]).chain(arguments);
        let command = Command::new("/usr/bin/env", words).ok_or_else(unknown)?;
        Ok(Self { command, info: Info::none(), patience: patience()? })
    }
}

/// Whether there is an executable file of that name, as execvp looks for it.
fn is_found(program: &OsStr) -> bool {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
    };
    match program.as_encoded_bytes().contains(&b'/') {
        true => runs(Path::new(program)),
        false => std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| runs(&folder.join(program)))),
    }
}

/// The time that is asked for. A value that is not UTF-8 is refused with the settings of the process.
fn patience() -> Result<Duration, Failure> {
    let Ok(value) = std::env::var(PATIENCE) else { return Ok(Duration::from_secs(USUAL_PATIENCE)) };
    let why = || format!("{PATIENCE} is \"{value}\", expected a number of seconds of at least 1");
    let seconds = value.trim().parse().ok().filter(|&seconds| seconds > 0);
    seconds.map(Duration::from_secs).ok_or_else(|| Failure::new(Code::Settings, why()))
}

impl Supply for Spawn {
    fn add(&self, within: &Duplicate, count: u32) -> Result<Duplicate, Failure> {
        let _watch = watch(self.patience, count, within.comm().rank()? == 0);
        let started = spawn(within, &self.command, count, &self.info);
        let good = good_for_all(within.comm(), started.is_ok())?;
        let started: Started = match started {
            Ok(started) if good => started,
            Ok(_) => return Err(not_started(count, "another rank could not start them")),
            Err(why) => return Err(not_started(count, &why.to_string())),
        };
        // New processes are not there yet.
        look_around();
        Ok(started.merge(within)?)
    }

    fn set_info(&mut self, info: Info) {
        self.info = info;
    }

    fn brings(&self) -> bool {
        std::env::var_os(MARK).is_some()
    }

    fn join(&self) -> Result<Duplicate, Failure> {
        let _watch = watch(self.patience, 0, false);
        let alone =
            || Failure::new(Code::State, format!("{MARK} is set, but no job has started this process"));
        // Those that wait for this process wait for one that starts: it is to be as ready as they are.
        look_around();
        joined()?.ok_or_else(alone)
    }
}

/// Why processes were not started. MPI's own text comes last: some are so long that they are cut off.
fn not_started(count: u32, why: &str) -> Failure {
    let these = counted(count, "process was", "processes were");
    Failure::new(
        Code::Mpi,
        format!(
            "{these} not started, and the job goes on with the ranks that it has. If this MPI cannot start processes, begin with \
             as many ranks as the job will ever have, set the option park, and shrink first: {why}"
        ),
    )
}

/// Collective: whether it is good on all ranks. One of them may be busy for seconds, and the new processes need cores.
fn good_for_all(comm: Comm, good: bool) -> Result<bool, MpiError> {
    let (mut arrival, mut waiting) = (Arrival::start(comm, [u64::from(good)])?, Waiting::default());
    loop {
        if let Some([least]) = arrival.test()? {
            return Ok(least == 1);
        }
        waiting.pause();
    }
}

/// Ends the job if it is not dropped in time: a process that does not call MPI_Init keeps those that spawned it in MPI for ever.
/// The first rank says soon that it waits.
fn watch(patience: Duration, count: u32, is_first: bool) -> Watch {
    let seconds = patience.as_secs();
    let words = format!(
        "{count} processes are being started by MPI_Comm_spawn, {} s so far: the job ends after {seconds} s ({PATIENCE})",
        SOON.as_secs()
    );
    Watch::speaking(patience, is_first.then_some((SOON, words)), move || match count {
        0 => format!("the job that spawned this process has not met it within {seconds} s"),
        _ => format!(
            "{count} processes were spawned and have not joined the job within {seconds} s ({PATIENCE})"
        ),
    })
}
