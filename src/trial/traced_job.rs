//! WHAT is told of the job whose calls were counted?

use super::table::counted;
use super::{Origin, ProgramArrays, Trial};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TracedJob {
    /// reblock's version.
    pub reblock: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// The processor.
    pub processor: String,
    /// What `REBLOCK_TRIAL` was, if there was a trial.
    pub trial: Option<String>,
    /// Ranks of MPI_COMM_WORLD.
    pub ranks: u32,
    /// Ranks that told what they counted.
    pub reported: u32,
    /// Ranks that were waited for in vain.
    pub missing: Vec<u32>,
    /// Seconds that the program ran, on the rank that wrote this.
    pub seconds: f64,
    /// Calls that a trial did not make twice, on the rank with most of them, by the reason.
    pub aside: BTreeMap<String, u64>,
    /// Communicators of the program that reblock kept something for, on the rank with most of them; contexts of the same ranks
    /// share one.
    pub communicators: u64,
    /// Communicators that reblock made.
    #[serde(default)]
    pub own_communicators: Made,
    /// Where large arrays of the program lay, if that was asked for.
    #[serde(default)]
    pub arrays: Option<ProgramArrays>,
    /// Where, when and by what it was run; empty in reports of former versions.
    #[serde(default)]
    pub origin: Origin,
}

/// Communicators that reblock made, each number on the rank where it is largest.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Made {
    /// Duplicates of the program's communicators.
    pub duplicates: u64,
    /// Those of the ranks of a node.
    pub of_nodes: u64,
    /// The most of both that there were at a time.
    pub most: u64,
    /// Both that there were when the program ended.
    pub left: u64,
}

impl Made {
    fn add(&mut self, other: Self) {
        self.duplicates = self.duplicates.max(other.duplicates);
        self.of_nodes = self.of_nodes.max(other.of_nodes);
        self.most = self.most.max(other.most);
        self.left = self.left.max(other.left);
    }

    /// In words.
    pub fn text(&self) -> String {
        let Self { duplicates, of_nodes, most, left } = self;
        format!(
            "{}, {of_nodes} for the ranks of a node; at most {most} at a time, {left} at the end",
            counted(*duplicates, "duplicate")
        )
    }
}

impl TracedJob {
    /// What another rank told of it, too.
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

    /// The job of this process, which is one of `ranks`, knew `communicators`, made some of its own and set calls `aside`; run at
    /// `origin`.
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
            seconds: age().unwrap_or(0.0),
            aside,
            communicators,
            own_communicators,
            arrays: None,
            origin,
        }
    }
}

/// Seconds since this process began: its start and the present time are told in different units.
fn age() -> Option<f64> {
    let uptime: f64 = std::fs::read_to_string("/proc/uptime").ok()?.split(' ').next()?.parse().ok()?;
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name, in parentheses, may have blanks; the start is the 22nd entry, the 20th behind the name.
    let start: f64 = stat.rsplit_once(')')?.1.split_whitespace().nth(19)?.parse().ok()?;
    /// Of a second: what Linux counts in for every program, whatever the kernel's own clock.
    const TICKS: f64 = 100.0;
    Some(uptime - start / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_an_age() {
        let age = age().unwrap();
        assert!((0.0..1e6).contains(&age), "{age}");
    }
}
