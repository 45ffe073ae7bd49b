//! Source of a job's processes: starts and connects them. A trait, so that MPI sessions and process sets could replace
//! MPI_Comm_spawn.

use super::world::HOST;
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::count_text;
use crate::mpi::{Arrival, Comm, Command, Duplicate, Info, MpiError, Started, join_parent, spawn};
use crate::runtime::backoff::Backoff;
use crate::runtime::session::read_node_facts;
use crate::runtime::slow_wait::Watchdog;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

/// Source of processes. Processes that were added together leave together.
pub trait Supply: Send {
    /// Starts `count` processes. Returns a communicator of the ranks of `within`, followed by the new processes. Fails
    /// on all ranks or on none. Collective over `within`.
    fn add(&self, within: &Duplicate, count: u32) -> Result<Duplicate, Failure>;

    /// Sets rank 0's hints for starting processes, for example their hosts.
    fn set_info(&mut self, info: Info);

    /// Returns whether [`Supply::add`] started the calling process.
    fn started_this_process(&self) -> bool;

    /// Returns, in a process that [`Supply::add`] started, the communicator that it makes. Called once. Collective over
    /// the new processes and those of `within`.
    fn join(&self) -> Result<Duplicate, Failure>;
}

/// Environment variable that marks processes that join a job.
const JOIN_VARIABLE: &str = "REBLOCK_JOINS";
/// Environment variable for the seconds in which new processes must call MPI_Init and reblock_job_init.
const SECONDS_VARIABLE: &str = "REBLOCK_SPAWN_SECONDS";
const DEFAULT_SECONDS: u64 = 300;
/// Delay before the first rank prints that it waits for new processes.
const NOTICE_DELAY: Duration = Duration::from_secs(10);

/// Supply by MPI_Comm_spawn: each new process runs `command`, with MPI's hints `info`.
pub struct Spawn {
    command: Command,
    info: Info,
    timeout: Duration,
}

impl Spawn {
    /// Makes a supply of processes that run `program` with its arguments, or the calling program with its own.
    pub fn new(program: Option<(OsString, Vec<OsString>)>) -> Result<Self, Failure> {
        let own = || {
            let program = std::env::current_exe().ok()?;
            Some((program.into(), std::env::args_os().skip(1).collect()))
        };
        let unknown = || Failure::argument("cannot determine the program's own name or arguments");
        let (program, arguments) = program.or_else(own).ok_or_else(unknown)?;
        // If the program could not run, the spawning ranks would wait in MPI for a process that never calls MPI_Init.
        if !is_executable(&program) {
            let program = program.to_string_lossy();
            return Err(Failure::argument(format!("{program} cannot be run: it is not an executable file")));
        }
        // The command sets reblock's variables, because launchers differ in how they pass the environment. It leaves
        // out REBLOCK_HOST, which differs between hosts.
        let ours = |name: &OsStr| {
            name.as_encoded_bytes().starts_with(b"REBLOCK_") && name != JOIN_VARIABLE && name != HOST
        };
        let variables = std::env::vars_os().filter(|(name, _)| ours(name));
        let variables = variables.map(|(name, value)| [name, "=".into(), value].into_iter().collect());
        let words = variables.chain([format!("{JOIN_VARIABLE}=1").into(), program]).chain(arguments);
        let command = Command::new("/usr/bin/env", words).ok_or_else(unknown)?;
        Ok(Self { command, info: Info::none(), timeout: timeout()? })
    }
}

fn is_executable(program: &OsStr) -> bool {
    let runs = |path: &Path| {
        path.metadata().is_ok_and(|known| known.is_file() && known.permissions().mode() & 0o111 != 0)
    };
    match program.as_encoded_bytes().contains(&b'/') {
        true => runs(Path::new(program)),
        false => std::env::var_os("PATH")
            .is_some_and(|path| std::env::split_paths(&path).any(|folder| runs(&folder.join(program)))),
    }
}

/// Returns the time of REBLOCK_SPAWN_SECONDS, or the default. Values that are not UTF-8 are reported by
/// [`Settings`](crate::system::settings::Settings).
fn timeout() -> Result<Duration, Failure> {
    let Ok(value) = std::env::var(SECONDS_VARIABLE) else { return Ok(Duration::from_secs(DEFAULT_SECONDS)) };
    let why = || format!("{SECONDS_VARIABLE} is \"{value}\", expected a number of seconds of at least 1");
    let seconds = value.trim().parse().ok().filter(|&seconds| seconds > 0);
    seconds.map(Duration::from_secs).ok_or_else(|| Failure::new(Code::Settings, why()))
}

impl Supply for Spawn {
    fn add(&self, within: &Duplicate, count: u32) -> Result<Duplicate, Failure> {
        let _watch = watch(self.timeout, count, within.comm().rank()? == 0);
        let started = spawn(within, &self.command, count, &self.info);
        let good = agree(within.comm(), started.is_ok())?;
        let started: Started = match started {
            Ok(started) if good => started,
            Ok(_) => return Err(not_started(count, "another rank could not start them")),
            Err(why) => return Err(not_started(count, &why.to_string())),
        };
        // The new processes start meanwhile.
        read_node_facts();
        Ok(started.merge(within)?)
    }

    fn set_info(&mut self, info: Info) {
        self.info = info;
    }

    fn started_this_process(&self) -> bool {
        std::env::var_os(JOIN_VARIABLE).is_some()
    }

    fn join(&self) -> Result<Duplicate, Failure> {
        let _watch = watch(self.timeout, 0, false);
        let alone = || {
            Failure::new(Code::State, format!("{JOIN_VARIABLE} is set, but no job has started this process"))
        };
        read_node_facts();
        join_parent()?.ok_or_else(alone)
    }
}

/// Returns the failure for `count` processes that were not started. MPI's own text comes last: a long text is cut off.
fn not_started(count: u32, why: &str) -> Failure {
    let these = count_text(count, "process was", "processes were");
    Failure::new(
        Code::Mpi,
        format!(
            "{these} not started, and the job continues with its current ranks. If this MPI cannot start processes, begin with as many ranks as the job will ever have, set the option park, and shrink first: {why}"
        ),
    )
}

/// Returns whether all ranks pass true. Sleeps while it waits: the new processes need cores. Collective over `comm`.
fn agree(comm: Comm, good: bool) -> Result<bool, MpiError> {
    let (mut arrival, mut backoff) = (Arrival::start(comm, [u64::from(good)])?, Backoff::default());
    loop {
        if let Some([least]) = arrival.test()? {
            return Ok(least == 1);
        }
        backoff.snooze();
    }
}

/// Starts a watchdog, which ends the job unless it is dropped within `timeout`: a process that does not call MPI_Init
/// would keep the spawning ranks in MPI for ever. `count` is the number of processes that this rank spawns, 0 in a new
/// process. The first rank prints a line after [`NOTICE_DELAY`].
fn watch(timeout: Duration, count: u32, is_first: bool) -> Watchdog {
    let seconds = timeout.as_secs();
    let words = format!(
        "{count} processes are being started by MPI_Comm_spawn, {} s so far: the job ends after {seconds} s ({SECONDS_VARIABLE})",
        NOTICE_DELAY.as_secs()
    );
    Watchdog::with_notice(timeout, is_first.then_some((NOTICE_DELAY, words)), move || match count {
        0 => format!("the job that spawned this process has not connected to it within {seconds} s"),
        _ => format!(
            "{count} processes were spawned and have not joined the job within {seconds} s ({SECONDS_VARIABLE})"
        ),
    })
}
