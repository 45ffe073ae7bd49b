//! Parses reblock's environment variables. Errors name the variable, its text and the expected value.

use super::{Medium, Threads};
use crate::schedule::table::TABLE;
use crate::system::budget;
use crate::system::machine::Machine;
use crate::system::one_line::one_line;
use std::ops::RangeInclusive;
use std::time::Duration;

pub(super) const VARIABLES: [&str; 26] = [
    "REBLOCK_SCHEDULER",
    "REBLOCK_NETWORK",
    "REBLOCK_NODE",
    "REBLOCK_COPY",
    "REBLOCK_WINDOW",
    "REBLOCK_TRANSPORT",
    "REBLOCK_BUFFER",
    "REBLOCK_EARLY",
    "REBLOCK_OWNERS",
    "REBLOCK_ARRAYS",
    "REBLOCK_GATHER",
    "REBLOCK_SLOTS",
    "REBLOCK_DEVICE",
    "REBLOCK_DEVICE_IPC",
    "REBLOCK_DEVICE_MPI",
    "REBLOCK_THREADS",
    "REBLOCK_TRACE",
    "REBLOCK_TRIAL",
    "REBLOCK_OFF",
    "REBLOCK_ONLY",
    "REBLOCK_SPAWNED",
    "REBLOCK_VERBOSE",
    "REBLOCK_RESIZE",
    "REBLOCK_SPAWN_SECONDS",
    "REBLOCK_HOST",
    "REBLOCK_WAIT_SECONDS",
];
/// OpenMP's variable for the number of threads.
pub(super) const OPENMP: &str = "OMP_NUM_THREADS";
/// Valid numbers of steps in flight.
pub(super) const WINDOWS: RangeInclusive<u32> = 1..=1024;
/// Valid sizes of buffers, in bytes.
pub(super) const BUFFERS: RangeInclusive<u64> = budget::MINIMUM..=1 << 50;
/// Valid limits of early messages, in bytes.
const EARLY: RangeInclusive<u64> = 0..=budget::MAX_EARLY_MESSAGE;
/// Default of `REBLOCK_OWNERS`: maximum bytes of a list of all owners of an axis, which each rank keeps. 100 ranks of a
/// node then keep at most 400 MiB for an axis.
const DEFAULT_OWNERS_BYTES: u64 = 4 << 20;

/// Returns the machine models between nodes and within a node.
pub(super) fn machines(variable: &impl Fn(&str) -> Option<String>) -> Result<[Machine; 2], String> {
    let mut machines = [("REBLOCK_NETWORK", Machine::NETWORK), ("REBLOCK_NODE", Machine::NODE)];
    for (name, machine) in &mut machines {
        if let Some(value) = variable(name) {
            let numbers = value.split_once(',').and_then(|(a, b)| positive(a).zip(positive(b)));
            let expected =
                "a start-up in microseconds and a bandwidth in GB/s, as in 2,10, from 1e-6 to 1e6 each";
            let (start_up, bandwidth) = numbers.ok_or_else(|| unusable(name, &value, expected))?;
            (machine.start_up, machine.byte) = (start_up * 1e-6, 1e-9 / bandwidth);
        }
        if let Some(value) = variable("REBLOCK_COPY") {
            let bandwidth = positive(&value);
            machine.copy = 1e-9
                / bandwidth.ok_or_else(|| {
                    unusable("REBLOCK_COPY", &value, "a bandwidth in GB/s from 1e-6 to 1e6")
                })?;
        }
        if let Some(value) = variable("REBLOCK_WINDOW") {
            let window = value.trim().parse().ok().filter(|w| WINDOWS.contains(w));
            machine.window =
                window.ok_or_else(|| unusable("REBLOCK_WINDOW", &value, "a number from 1 to 1024"))?;
        }
    }
    Ok(machines.map(|(_, machine)| machine))
}

pub(super) fn medium(variable: &impl Fn(&str) -> Option<String>) -> Result<Medium, String> {
    match variable("REBLOCK_TRANSPORT").as_deref() {
        None | Some("") => Ok(Medium::Best),
        Some("mpi") => Ok(Medium::Mpi),
        Some("shm") => Ok(Medium::Shm),
        Some(other) => Err(unusable("REBLOCK_TRANSPORT", other, "mpi or shm")),
    }
}

pub(super) fn scheduler(variable: &impl Fn(&str) -> Option<String>) -> Result<Option<String>, String> {
    let Some(name) = variable("REBLOCK_SCHEDULER").filter(|name| !name.is_empty()) else { return Ok(None) };
    let names: Vec<&str> = TABLE.iter().map(|scheduler| scheduler.name).collect();
    let expected = || format!("one of {}", names.join(", "));
    if names.contains(&&*name) {
        Ok(Some(name))
    } else {
        Err(unusable("REBLOCK_SCHEDULER", &name, &expected()))
    }
}

pub(super) fn buffer(variable: &impl Fn(&str) -> Option<String>) -> Result<Option<u64>, String> {
    let Some(value) = variable("REBLOCK_BUFFER") else { return Ok(None) };
    let bytes = value.trim().parse().ok().filter(|bytes| BUFFERS.contains(bytes));
    bytes.map(Some).ok_or_else(|| unusable("REBLOCK_BUFFER", &value, &bytes_of(&BUFFERS)))
}

pub(super) fn early(variable: &impl Fn(&str) -> Option<String>) -> Result<Option<u64>, String> {
    let Some(value) = variable("REBLOCK_EARLY") else { return Ok(None) };
    let bytes = value.trim().parse().ok().filter(|bytes| EARLY.contains(bytes));
    bytes.map(Some).ok_or_else(|| unusable("REBLOCK_EARLY", &value, &bytes_of(&EARLY)))
}

pub(super) fn owners(variable: &impl Fn(&str) -> Option<String>) -> Result<u64, String> {
    let Some(value) = variable("REBLOCK_OWNERS") else { return Ok(DEFAULT_OWNERS_BYTES) };
    let bytes = value.trim().parse().ok().filter(|&bytes| bytes <= i64::MAX.unsigned_abs());
    bytes.ok_or_else(|| unusable("REBLOCK_OWNERS", &value, "a number of bytes"))
}

pub(super) fn wait(variable: &impl Fn(&str) -> Option<String>) -> Result<Option<Duration>, String> {
    let Some(value) = variable("REBLOCK_WAIT_SECONDS").filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    let seconds = value.trim().parse().ok().filter(|&seconds| seconds > 0);
    let wait = seconds.map(|seconds| Some(Duration::from_secs(seconds)));
    wait.ok_or_else(|| unusable("REBLOCK_WAIT_SECONDS", &value, "a number of seconds of at least 1"))
}

/// Parses a variable with two values: false for `no`, true for `yes`, `None` if it is not set.
pub(super) fn choice(
    variable: &impl Fn(&str) -> Option<String>,
    name: &str,
    [no, yes]: [&str; 2],
) -> Result<Option<bool>, String> {
    match variable(name).as_deref() {
        None | Some("") => Ok(None),
        Some(value) if value == yes => Ok(Some(true)),
        Some(value) if value == no => Ok(Some(false)),
        Some(other) => Err(unusable(name, other, &format!("{no} or {yes}"))),
    }
}

/// Returns the number of threads of `REBLOCK_THREADS`. If it is not set, returns OpenMP's as a maximum: the first
/// number, for the outermost level.
pub(super) fn threads(variable: &impl Fn(&str) -> Option<String>) -> Result<Threads, String> {
    let number = |text: &str| text.trim().parse().ok().filter(|threads| (1..=1024).contains(threads));
    if let Some(value) = variable("REBLOCK_THREADS") {
        let threads = number(&value);
        return threads
            .map(Threads::Exactly)
            .ok_or_else(|| unusable("REBLOCK_THREADS", &value, "a number from 1 to 1024"));
    }
    // Ignores an invalid value, because reporting it is OpenMP's task.
    let openmp = variable(OPENMP).and_then(|value| number(value.split(',').next()?));
    Ok(Threads::AtMost(openmp.unwrap_or(usize::MAX)))
}

/// Parses a number from 10⁻⁶ to 10⁶. In this range computations with times are accurate.
fn positive(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|n: &f64| (1e-6..=1e6).contains(n))
}

pub(super) fn bytes_of(range: &RangeInclusive<u64>) -> String {
    format!("a number of bytes from {} to {}", range.start(), range.end())
}

pub(super) fn unusable(name: &str, value: &str, expected: &str) -> String {
    format!("{name} is {}, expected {expected}", one_line(value))
}
