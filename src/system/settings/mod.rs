//! Settings from the environment, read once; an invalid value is an error at the first call. Ranks compare their
//! settings, because settings decide the order of messages.
//!
//! docs/settings.md has all variables, with their values and defaults. Those of reports, trials and resizing are read
//! elsewhere (`trial/options.rs`, `resize`).

pub(crate) mod comparison;
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

/// Transport of messages, chosen by `REBLOCK_TRANSPORT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Medium {
    /// Shared memory within a node, MPI between nodes.
    Best,
    /// MPI for all messages, also within a node.
    Mpi,
    /// Shared memory for all messages; an error if that is impossible.
    Shm,
}

/// Number of worker threads per rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Threads {
    /// One per core that the rank has to itself, up to this number.
    AtMost(usize),
    /// This number, but at most the cores that the rank may run on.
    Exactly(usize),
}

impl Threads {
    /// Returns the number of threads of a rank that has `own` cores to itself, at most the number of cores that the
    /// rank may run on. `all` returns that number; it takes longer than a small call, so it is called only if needed.
    pub fn of(self, own: usize, all: impl FnOnce() -> usize) -> usize {
        match self {
            Self::AtMost(most) if own.min(most) <= 1 => own.min(most),
            Self::AtMost(most) => own.min(most).min(all()),
            Self::Exactly(threads) => threads.min(all()),
        }
    }
}

/// The settings of a process.
#[derive(Clone, PartialEq, Debug)]
pub struct Settings {
    /// `REBLOCK_SCHEDULER`: name of the scheduler to use; `None` for the cheapest.
    pub scheduler: Option<String>,
    /// `REBLOCK_NETWORK`, `REBLOCK_COPY`, `REBLOCK_WINDOW`: machine model for messages between nodes.
    pub network: Machine,
    /// `REBLOCK_NODE`, `REBLOCK_COPY`, `REBLOCK_WINDOW`: machine model for messages within a node.
    pub node: Machine,
    /// `REBLOCK_TRANSPORT`: transport of messages within a node and between nodes.
    pub medium: Medium,
    /// `REBLOCK_BUFFER`: maximum bytes of a call's buffers on each rank; `None`: in proportion to the local data.
    pub buffer: Option<u64>,
    /// `REBLOCK_EARLY`: maximum bytes of a message that travels together with others of its node; 0: each message
    /// travels alone, `None`: as memory allows.
    pub early: Option<u64>,
    /// `REBLOCK_OWNERS`, if ranks pass the owners of an `INDIRECT` axis in parts: each rank keeps all owners if they
    /// take at most this many bytes.
    pub owners: u64,
    /// `REBLOCK_ARRAYS`: how other ranks of the node read the program's arrays; `None`: not at all.
    pub arrays: Option<NodeArrays>,
    /// `REBLOCK_GATHER`: whether arrays are gathered from messages within a node; `None`: if that is expected to be
    /// faster.
    pub gather: Option<bool>,
    /// `REBLOCK_SLOTS`: whether slots of shared memory are written past the caches; `None`: as measured.
    pub streamed: Option<bool>,
    /// `REBLOCK_DEVICE`: whether arrays may lie in the memory of a GPU.
    pub device: bool,
    /// `REBLOCK_DEVICE_IPC`: whether ranks of a node read each other's arrays in the memory of GPUs by CUDA IPC.
    pub device_ipc: bool,
    /// `REBLOCK_DEVICE_MPI`: whether MPI sends messages from the memory of GPUs and receives them there, if it can.
    pub device_mpi: bool,
    /// `REBLOCK_WAIT_SECONDS`: time that a rank waits for others before the call fails; `None`: for ever.
    pub wait: Option<Duration>,
    /// Values of `REBLOCK_TRIAL`, `REBLOCK_OFF` and `REBLOCK_ONLY`, for comparison between ranks.
    pub trial: [String; 3],
    /// `REBLOCK_SPAWNED`: whether all processes have reblock, including those started by MPI_Comm_spawn.
    pub spawned: bool,
    /// `REBLOCK_THREADS`: worker threads; may differ between ranks.
    pub threads: Threads,
    /// `REBLOCK_VERBOSE`: whether the first call reports that reblock is in use; may differ between ranks.
    pub verbose: bool,
    /// Digest of all settings that must be equal on all ranks.
    digest: i64,
}

impl Settings {
    /// Returns this process's settings, read at the first call.
    pub fn of_process() -> Result<&'static Self, String> {
        static READ: OnceLock<Result<Settings, String>> = OnceLock::new();
        READ.get_or_init(Self::of_environment).as_ref().map_err(Clone::clone)
    }

    fn of_environment() -> Result<Self, String> {
        let mut defined: Vec<(&str, String)> = Vec::new();
        for name in VARIABLES {
            match std::env::var(name) {
                Ok(value) => defined.push((name, value)),
                Err(VarError::NotUnicode(value)) => {
                    return Err(unusable(name, &value.to_string_lossy(), "text in UTF-8"));
                }
                Err(VarError::NotPresent) => (),
            }
        }
        defined.extend(std::env::var(OPENMP).ok().map(|value| (OPENMP, value)));
        Self::read(|name| defined.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone()))
    }

    /// Reads settings from variables; an error names the first invalid one.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let [network, node] = variables::machines(&variable)?;
        let mut settings = Self {
            scheduler: variables::scheduler(&variable)?,
            network,
            node,
            medium: variables::medium(&variable)?,
            buffer: variables::buffer(&variable)?,
            early: variables::early(&variable)?,
            owners: variables::owners(&variable)?,
            arrays: NodeArrays::read(&variable)?,
            gather: variables::choice(&variable, "REBLOCK_GATHER", ["0", "1"])?,
            streamed: variables::choice(&variable, "REBLOCK_SLOTS", ["cached", "streamed"])?,
            device: variables::choice(&variable, "REBLOCK_DEVICE", ["0", "1"])?.unwrap_or(false),
            device_ipc: variables::choice(&variable, "REBLOCK_DEVICE_IPC", ["0", "1"])?.unwrap_or(true),
            device_mpi: variables::choice(&variable, "REBLOCK_DEVICE_MPI", ["0", "1"])?.unwrap_or(true),
            wait: variables::wait(&variable)?,
            trial: ["REBLOCK_TRIAL", "REBLOCK_OFF", "REBLOCK_ONLY"]
                .map(|name| variable(name).unwrap_or_default()),
            spawned: variables::choice(&variable, "REBLOCK_SPAWNED", ["0", "1"])?.unwrap_or(false),
            threads: Threads::AtMost(usize::MAX),
            verbose: variables::choice(&variable, "REBLOCK_VERBOSE", ["0", "1"])?.unwrap_or(false),
            digest: 0,
        };
        settings.digest = settings.number();
        // Threads are excluded from the digest, because ranks may have different numbers of cores.
        settings.threads = variables::threads(&variable)?;
        Ok(settings)
    }

    /// Returns the default settings: those of an environment without variables of reblock.
    pub fn defaults() -> &'static Self {
        static PLAIN: OnceLock<Settings> = OnceLock::new();
        PLAIN.get_or_init(|| Self::read(|_| None).expect("nothing is said"))
    }

    /// Returns settings with another medium and, if given, another scheduler, buffer size and window.
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
        // Usually nothing changes, and computing the digest takes as long as planning a small redistribution.
        if settings != *self {
            settings.digest = settings.number();
        }
        Ok(settings)
    }

    /// Returns the settings without the name of a scheduler, for a plan without messages.
    pub fn with_any_scheduler(&self) -> Self {
        Self { scheduler: None, ..self.clone() }
    }

    fn number(&self) -> i64 {
        let Self {
            scheduler,
            network,
            node,
            medium,
            buffer,
            early,
            owners,
            arrays,
            gather,
            streamed,
            device,
            device_ipc,
            device_mpi,
            wait,
            trial,
            spawned,
            threads: _,
            verbose: _,
            digest: _,
        } = self;
        let machines = [network, node].map(|machine| {
            let Machine { start_up, byte, copy, window, contention, room, early } = *machine;
            ([start_up, byte, copy, contention].map(f64::to_bits), window, room, early)
        });
        digest(&(
            (scheduler, machines, *medium as u8, buffer, early, owners),
            (arrays, gather, streamed, [device, device_ipc, device_mpi], wait, trial, spawned),
        ))
    }

    /// Returns the digest of the settings, for comparison between ranks.
    pub fn digest(&self) -> i64 {
        self.digest
    }
}

#[cfg(test)]
mod tests;
