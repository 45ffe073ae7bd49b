//! Description of the job whose calls were counted.

use super::units::count_text;
use super::{Origin, ProgramArrays, Trial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A job and its totals over all ranks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TracedJob {
    /// Version of reblock in this run.
    pub reblock: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Model name of the processor.
    pub processor: String,
    /// Value of `REBLOCK_TRIAL`; `None` without a trial.
    pub trial: Option<String>,
    /// Number of ranks in MPI_COMM_WORLD.
    pub ranks: u32,
    /// Number of ranks whose counts are included.
    pub reported: u32,
    /// Ranks that did not report in time.
    pub missing: Vec<u32>,
    /// Seconds that the program ran, on the rank that wrote the report.
    pub seconds: f64,
    /// Number of calls set aside, by reason, on the rank with the most: only one library made them, because a trial
    /// could not compare them or because some processes may lack reblock.
    pub aside: BTreeMap<String, u64>,
    /// Number of sessions that reblock made for communicators of the program, on the rank with the most. BLACS contexts
    /// of the same ranks share one.
    pub communicators: u64,
    /// Communicators that reblock created for itself.
    #[serde(default)]
    pub own_communicators: Made,
    /// Location of the program's large arrays, if `REBLOCK_ARRAYS` was set.
    #[serde(default)]
    pub arrays: Option<ProgramArrays>,
    /// Circumstances of the run; empty in reports of former versions.
    #[serde(default)]
    pub origin: Origin,
}

/// Numbers of communicators that reblock created, each on the rank with the most.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Made {
    /// Duplicates of the program's communicators.
    pub duplicates: u64,
    /// Largest number that existed at a time.
    pub most: u64,
    /// Number that existed when the program ended.
    pub left: u64,
}

impl Made {
    fn add(&mut self, other: Self) {
        self.duplicates = self.duplicates.max(other.duplicates);
        self.most = self.most.max(other.most);
        self.left = self.left.max(other.left);
    }

    /// Describes the numbers in words.
    pub fn text(&self) -> String {
        let Self { duplicates, most, left } = self;
        format!("{}; at most {most} at a time, {left} at the end", count_text(*duplicates, "duplicate"))
    }
}

impl TracedJob {
    pub(super) fn add(&mut self, other: &Self) {
        self.reported = self.reported.saturating_add(other.reported);
        self.missing.extend(&other.missing);
        self.communicators = self.communicators.max(other.communicators);
        self.own_communicators.add(other.own_communicators);
        ProgramArrays::add(&mut self.arrays, other.arrays);
        self.origin.add(&other.origin);
        for (why, &calls) in &other.aside {
            let most = self.aside.entry(why.clone()).or_default();
            *most = calls.max(*most);
        }
    }

    /// Describes the job from this process, one of `ranks`. `communicators`, `own_communicators` and `aside` are its
    /// counts.
    pub fn of_process(
        trial: Option<Trial>,
        ranks: u32,
        communicators: u64,
        own_communicators: Made,
        aside: BTreeMap<String, u64>,
        origin: Origin,
    ) -> Self {
        let processor = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = processor.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            reblock: env!("CARGO_PKG_VERSION").into(),
            command: std::env::args_os().map(|part| part.to_string_lossy().into_owned()).collect(),
            processor: model.map_or_else(String::new, |(_, name)| name.into()),
            trial: trial.map(|trial| trial.name().into()),
            ranks,
            reported: 1,
            missing: Vec::new(),
            seconds: process_age().unwrap_or(0.0),
            aside,
            communicators,
            own_communicators,
            arrays: None,
            origin,
        }
    }
}

/// Returns the seconds since this process began. Linux reports its start in ticks and the present time in seconds, both
/// since the machine started.
fn process_age() -> Option<f64> {
    let uptime: f64 = std::fs::read_to_string("/proc/uptime").ok()?.split(' ').next()?.parse().ok()?;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may contain blanks. The start is entry 22, the 20th after the name.
    let start: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    /// Ticks per second in the files of /proc (USER_HZ), independent of the kernel's own clock.
    const TICKS: f64 = 100.0;
    Some(uptime - start / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_an_age() {
        let age = process_age().unwrap();
        assert!((0.0..1e6).contains(&age), "{age}");
    }
}
