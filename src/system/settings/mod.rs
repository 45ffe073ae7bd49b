//! WHAT does the environment ask for? It is read once; an invalid value is an error at the first call. Ranks compare their
//! settings like arguments, because settings decide on the order of messages.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `REBLOCK_SCHEDULER` | the scheduler to use, by name | the cheapest |
//! | `REBLOCK_NETWORK` | between nodes: start-up in µs, bandwidth in GB/s | `2,10` |
//! | `REBLOCK_NODE` | within a node: the same | `0.5,6.7` |
//! | `REBLOCK_COPY` | packing and unpacking, in GB/s | `6.7` |
//! | `REBLOCK_WINDOW` | steps in flight | `4` |
//! | `REBLOCK_TRANSPORT` | `mpi`: all messages by MPI; `shm`: all through shared memory | shared memory within a node |
//! | `REBLOCK_BUFFER` | bytes that a call's buffers may take on each rank | 1/8 of the local data, 8 to 32 MiB |
//! | `REBLOCK_SLOTS` | `streamed`: large messages are always written past the caches, `cached`: never | measured |
//! | `REBLOCK_ARRAYS` | `node` or `node,BYTES`: the program's arrays from so many bytes on lie where ranks of the node can read them; `xpmem`: these read them anywhere, by XPMEM | no rank reads another's |
//! | `REBLOCK_GATHER` | `1`: arrays are always written in the order of their addresses, `0`: message by message | `1` for large arrays |
//! | `REBLOCK_OWNERS` | if the owners of an INDIRECT axis are given in parts: bytes up to which each rank holds all of them | 4 MiB |
//! | `REBLOCK_WAIT_SECONDS` | for how long a rank waits for others before the call fails: longer than any rank computes between two calls | for ever |
//! | `REBLOCK_SPAWNED` | `1`: all processes have reblock, also those that MPI_Comm_spawn started | they may not |
//! | `REBLOCK_VERBOSE` | `1`: the first call says that reblock is in use | nothing is said |
//! | `REBLOCK_THREADS` | threads that pack and unpack on each rank, at most the cores that it may run on | its own cores, at most `OMP_NUM_THREADS` |
//!
//! Reports, trials and resizing read further ones (`trial/wish.rs`, `job`).

pub(crate) mod alike;
mod node_arrays;
pub mod unknown;
mod variables;

use crate::system::digest::digest;
use crate::system::machine::Machine;
pub use node_arrays::NodeArrays;
use std::env::VarError;
use std::sync::OnceLock;
use std::time::Duration;
use variables::{BUFFERS, OPENMP, VARIABLES, WINDOWS, bytes_of, unusable};

/// How messages are to travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// Through shared memory within a node, by MPI between nodes.
    Best,
    /// By MPI.
    Mpi,
    /// Through shared memory, or not at all.
    Shm,
}

/// How many threads are to pack and unpack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// As many as the rank has cores, up to so many.
    AtMost(usize),
    /// So many, if the rank may run on as many cores.
    Exactly(usize),
}

impl Threads {
    /// On a rank with `own` cores to itself, of `all` that it may run on: never more than those, which are asked for only where it
    /// matters, as that takes longer than a small call.
    pub fn of(self, own: usize, all: impl FnOnce() -> usize) -> usize {
        match self {
            Self::AtMost(most) if own.min(most) <= 1 => own.min(most),
            Self::AtMost(most) => own.min(most).min(all()),
            Self::Exactly(threads) => threads.min(all()),
        }
    }
}

/// What the environment asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// The scheduler to use.
    pub scheduler: Option<String>,
    /// Ranks on different nodes.
    pub network: Machine,
    /// Ranks on one node.
    pub node: Machine,
    /// How messages are to travel.
    pub medium: Medium,
    /// Bytes that a call's buffers may take on each rank.
    pub buffer: Option<u64>,
    /// Bytes of the owners of an `INDIRECT` axis that ranks give stretches of, up to which each rank holds all of them.
    pub owners: u64,
    /// How other ranks of the node read the program's arrays; `None`: they do not.
    pub arrays: Option<NodeArrays>,
    /// Whether arrays are gathered from what the ranks of a node bring; `None`: where that is worth while.
    pub gather: Option<bool>,
    /// Whether slots of shared memory are written past the caches; `None`: where that was found to be faster.
    pub streamed: Option<bool>,
    /// For how long a rank waits for others before it gives up; `None`: for ever.
    pub wait: Option<Duration>,
    /// The values of `REBLOCK_TRIAL`, `REBLOCK_OFF` and `REBLOCK_ONLY`, so that ranks notice if they differ.
    pub trial: [String; 3],
    /// Whether all processes have reblock, also those that MPI_Comm_spawn started.
    pub spawned: bool,
    /// Threads that pack and unpack; each rank's own affair.
    pub threads: Threads,
    /// Whether the first call says that reblock is in use; each rank's own affair.
    pub verbose: bool,
    /// Tells settings apart.
    digest: i64,
}

impl Settings {
    /// This process's settings.
    pub fn of_process() -> Result<&'static Self, String> {
        static READ: OnceLock<Result<Settings, String>> = OnceLock::new();
        READ.get_or_init(Self::of_environment).as_ref().map_err(Clone::clone)
    }

    fn of_environment() -> Result<Self, String> {
        let mut said: Vec<(&str, String)> = Vec::new();
        for name in VARIABLES {
            match std::env::var(name) {
                Ok(value) => said.push((name, value)),
                Err(VarError::NotUnicode(value)) => {
                    return Err(unusable(name, &value.to_string_lossy(), "text in UTF-8"));
                }
                Err(VarError::NotPresent) => (),
            }
        }
        said.extend(std::env::var(OPENMP).ok().map(|value| (OPENMP, value)));
        Self::read(|name| said.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }

    /// Settings from variables.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let [network, node] = variables::machines(&variable)?;
        let mut settings = Self {
            scheduler: variables::scheduler(&variable)?,
            network,
            node,
            medium: variables::medium(&variable)?,
            buffer: variables::buffer(&variable)?,
            owners: variables::owners(&variable)?,
            arrays: NodeArrays::read(&variable)?,
            gather: variables::choice(&variable, "REBLOCK_GATHER", ["0", "1"])?,
            streamed: variables::choice(&variable, "REBLOCK_SLOTS", ["cached", "streamed"])?,
            wait: variables::wait(&variable)?,
            trial: ["REBLOCK_TRIAL", "REBLOCK_OFF", "REBLOCK_ONLY"]
                .map(|name| variable(name).unwrap_or_default()),
            spawned: variables::choice(&variable, "REBLOCK_SPAWNED", ["0", "1"])?.unwrap_or(false),
            threads: Threads::AtMost(usize::MAX),
            verbose: variables::choice(&variable, "REBLOCK_VERBOSE", ["0", "1"])?.unwrap_or(false),
            digest: 0,
        };
        settings.digest = settings.number();
        // Threads are no matter of agreement: ranks may have different numbers of cores.
        settings.threads = variables::threads(&variable)?;
        Ok(settings)
    }

    /// The settings of an environment that says nothing.
    pub fn plain() -> &'static Self {
        static PLAIN: OnceLock<Settings> = OnceLock::new();
        PLAIN.get_or_init(|| Self::read(|_| None).expect("nothing is said"))
    }

    /// The same with another medium; and, where they are given, another scheduler, bytes for buffers, and messages under way.
    pub fn with(
        &self,
        scheduler: Option<String>,
        medium: Medium,
        buffer: Option<u64>,
        window: Option<u32>,
    ) -> Result<Self, String> {
        let mut settings = self.clone();
        (settings.scheduler, settings.medium) = (scheduler.or(settings.scheduler), medium);
        if let Some(bytes) = buffer {
            if !BUFFERS.contains(&bytes) {
                return Err(format!("the option buffer is {bytes}, expected {}", bytes_of(&BUFFERS)));
            }
            settings.buffer = Some(bytes);
        }
        if let Some(window) = window {
            if !WINDOWS.contains(&window) {
                return Err(format!("the option window is {window}, expected a number from 1 to 1024"));
            }
            (settings.network.window, settings.node.window) = (window, window);
        }
        // Mostly nothing else is asked for, and to make the number takes as long as to plan a small redistribution.
        if settings != *self {
            settings.digest = settings.number();
        }
        Ok(settings)
    }

    /// The same for what has no messages: any scheduler will do.
    pub fn with_any_scheduler(&self) -> Self {
        Self { scheduler: None, ..self.clone() }
    }

    /// The number for [`Settings::digest`].
    fn number(&self) -> i64 {
        let Self {
            scheduler,
            network,
            node,
            medium,
            buffer,
            owners,
            arrays,
            gather,
            streamed,
            wait,
            trial,
            spawned,
            threads: _,
            verbose: _,
            digest: _,
        } = self;
        let machines = [network, node].map(|machine| {
            let Machine { start_up, byte, copy, window, contention, room } = *machine;
            ([start_up, byte, copy, contention].map(f64::to_bits), window, room)
        });
        digest(&(
            (scheduler, machines, *medium as u8, buffer, owners),
            (arrays, gather, streamed, wait, trial, spawned),
        ))
    }

    /// A number that tells settings apart: the same on all ranks of a job, which run the same program.
    pub fn digest(&self) -> i64 {
        self.digest
    }
}

#[cfg(test)]
mod tests;
