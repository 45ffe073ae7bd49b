//! Circumstances of a run: nodes, their cores and load, libraries, the launcher, the date. Values that the system does
//! not report are empty.

use super::units::count_text;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Programs that start ranks; names may have a suffix after `.`, `-` or `_`.
const LAUNCHERS: [&str; 10] =
    ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun", "jsrun", "ibrun", "flux"];

/// Circumstances of a run, merged from its ranks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// Time of the report in UTC, to the microsecond: `2026-11-23T11:55:25.000001Z`.
    pub date: String,
    /// Name and version reported by MPI.
    pub mpi: String,
    /// File of the program's own ScaLAPACK.
    pub scalapack: String,
    /// Command line of the launcher.
    pub launcher: Vec<String>,
    /// Identifier of the launch: equal in all reports of one launch, and different in those of other launches.
    pub launch: String,
    /// Rank in MPI_COMM_WORLD that wrote the report.
    pub rank: u32,
    /// Nodes of the job, by name.
    pub nodes: BTreeMap<String, Node>,
}

/// A node of the job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Number of ranks on the node that reported.
    pub ranks: u32,
    /// Cores that these ranks may use.
    pub cores: Cores,
    /// Load average of one minute: the larger of the values at the first call and at the end of the program.
    pub load: f64,
}

/// Set of core numbers, written as in Linux: `0-3,8`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Cores(BTreeSet<u32>);

impl Origin {
    /// Describes this process, which uses `mpi` and the ScaLAPACK in the file `scalapack`.
    pub fn of_process(mpi: String, scalapack: String) -> Self {
        let ancestor = launcher();
        let node = Node { ranks: 1, cores: Cores::of_process(), load: load() };
        let name = read("/proc/sys/kernel/hostname");
        Self {
            date: now(),
            mpi,
            scalapack,
            launch: launch(&name, ancestor.as_ref().map(|&(pid, _)| pid), |name| std::env::var(name).ok()),
            launcher: ancestor.map_or_else(Vec::new, |(_, words)| words),
            rank: 0,
            nodes: [(name, node)].into(),
        }
    }

    /// Adds the circumstances of another rank of the same job.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.date, &other.date),
            (&mut self.mpi, &other.mpi),
            (&mut self.scalapack, &other.scalapack),
        ] {
            if mine.is_empty() {
                mine.clone_from(theirs);
            }
        }
        if self.launcher.is_empty() {
            self.launcher.clone_from(&other.launcher);
        }
        for (name, theirs) in &other.nodes {
            let node = self.nodes.entry(name.clone()).or_default();
            node.ranks = node.ranks.saturating_add(theirs.ranks);
            node.cores.0.extend(&theirs.cores.0);
            node.load = node.load.max(theirs.load);
        }
    }

    /// Returns the time of the report for readers, to the second: `2026-11-23T11:55:25Z`.
    pub fn format_time(&self) -> String {
        self.date.split_once('.').map_or_else(|| self.date.clone(), |(second, _)| format!("{second}Z"))
    }

    /// Describes the ranks, cores and load of the most crowded node; empty if no node's cores are known.
    pub fn room(&self) -> String {
        let crowd = |node: &Node| node.load.max(f64::from(node.ranks)) / f64::from(node.cores.count().max(1));
        let nodes = self.nodes.values().filter(|node| node.cores.count() > 0);
        let Some(node) = nodes.max_by(|a, b| crowd(a).total_cmp(&crowd(b))) else { return String::new() };
        let (ranks, cores) =
            (count_text(node.ranks.into(), "rank"), count_text(node.cores.count().into(), "core"));
        format!("{ranks} on {cores}, load {:.1}", node.load)
    }

    /// Returns the reason why times of this run are unreliable: ranks share cores with each other or with other
    /// programs.
    pub fn unreliable_reason(&self) -> Option<&'static str> {
        let any_node = |condition: &dyn Fn(&Node, f64) -> bool| {
            let known = self.nodes.values().filter(|node| node.cores.count() > 0);
            known.into_iter().any(|node| condition(node, f64::from(node.cores.count())))
        };
        if any_node(&|node, cores| f64::from(node.ranks) > cores) {
            Some("ranks shared cores")
        } else if any_node(&|node, cores| node.load > cores.max(f64::from(node.ranks)) * 1.5) {
            Some("other programs ran on the same cores")
        } else {
            None
        }
    }
}

impl Cores {
    fn of_process() -> Self {
        let status = read("/proc/self/status");
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        list.unwrap_or_default().to_string().into()
    }

    /// Returns the number of cores.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

impl From<String> for Cores {
    /// Parses a list of ranges; leaves out parts that are not ranges of core numbers.
    fn from(list: String) -> Self {
        /// Limit on core numbers, above those of any node. It bounds the memory of a list in a forged report.
        const MAX_CORES: u32 = 1 << 16;
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&core| core < MAX_CORES);
            Some(number(first)?..=number(last)?)
        };
        Self(list.split(',').filter_map(range).flatten().collect())
    }
}

impl From<Cores> for String {
    fn from(cores: Cores) -> Self {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for core in cores.0 {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == core => *last = core,
                _ => ranges.push((core, core)),
            }
        }
        let range = |&(first, last): &(u32, u32)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        ranges.iter().map(range).collect::<Vec<_>>().join(",")
    }
}

/// Reads the load average of this node. Returns the largest value that it has read in this process.
pub fn load() -> f64 {
    static LARGEST: Mutex<f64> = Mutex::new(0.0);
    let now = read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let mut largest = LARGEST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *largest = largest.max(now);
    *largest
}

/// Returns the process number and the command line of the launcher: the nearest ancestor process that is one.
fn launcher() -> Option<(u32, Vec<String>)> {
    const MAX_ANCESTORS: usize = 32;
    let mut pid = std::process::id();
    for _ in 0..MAX_ANCESTORS {
        pid = parent_process(pid).filter(|&pid| pid > 1)?;
        let line = read(&format!("/proc/{pid}/cmdline"));
        let words: Vec<String> = line.trim_end_matches('\0').split('\0').map(str::to_string).collect();
        if words.iter().take(2).any(|word| is_launcher(word)) {
            return Some((pid, words));
        }
    }
    None
}

/// Returns whether `word` names a program that starts ranks.
pub fn is_launcher(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    LAUNCHERS.iter().any(|launcher| {
        name.strip_prefix(launcher).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-', '_']))
    })
}

fn parent_process(pid: u32) -> Option<u32> {
    // The program's name, in parentheses, may contain blanks. The parent's number is the second field after it.
    read(&format!("/proc/{pid}/stat")).rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// Returns the identifier of this process's launch, as in [`Origin`].
pub fn launch_of_process() -> String {
    let ancestor = launcher().map(|(pid, _)| pid);
    launch(&read("/proc/sys/kernel/hostname"), ancestor, |name| std::env::var(name).ok())
}

/// Returns the present time, as in [`Origin`].
pub fn now() -> String {
    date(SystemTime::now())
}

/// Returns the identifier of the launch: the launcher's own, equal on all nodes, if a variable has it; otherwise one of
/// the node `host` and the process number `launcher`.
fn launch(host: &str, launcher: Option<u32>, variable: impl Fn(&str) -> Option<String>) -> String {
    let by_pmix = variable("PMIX_NAMESPACE");
    let by_slurm = || Some(format!("{}.{}", variable("SLURM_JOB_ID")?, variable("SLURM_STEP_ID")?));
    let by_process = || format!("{host}:{}", launcher.unwrap_or_else(std::process::id));
    by_pmix.or_else(by_slurm).unwrap_or_else(by_process)
}

/// Returns the text of a system file without trailing white space; empty if it cannot be read.
fn read(path: &str) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end().into()
}

/// Formats a time in UTC, to the microsecond, which distinguishes runs that began in the same second; empty unless the
/// year is from 1970 to 9999.
fn date(time: SystemTime) -> String {
    const YEAR_10000: Duration = Duration::from_secs(253_402_300_800);
    let writable = UNIX_EPOCH..UNIX_EPOCH + YEAR_10000;
    if writable.contains(&time) { humantime::format_rfc3339_micros(time).to_string() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_in_utc_and_empty_outside_of_1970_to_9999() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000000Z"),
            (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (951_868_799, "2000-02-29T23:59:59.000000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000000Z"),
            (253_402_300_799, "9999-12-31T23:59:59.000000Z"),
            (253_402_300_800, ""),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(date(UNIX_EPOCH - Duration::from_secs(1)), "");
        let later = date(UNIX_EPOCH + Duration::from_micros(1));
        assert!(date(UNIX_EPOCH) < later);
        let second = |date: &str| Origin { date: date.into(), ..Origin::default() }.format_time();
        assert_eq!(
            [later.as_str(), "2026-11-23T11:55:25Z", ""].map(second),
            ["1970-01-01T00:00:00Z", "2026-11-23T11:55:25Z", ""]
        );
    }

    #[test]
    fn cores_are_written_as_linux_does() {
        for list in ["", "0", "0-3,8", "1,3,5-6"] {
            assert_eq!(String::from(Cores::from(list.to_string())), list);
        }
        assert_eq!(Cores::from("0-1,1-2".to_string()).count(), 3);
        assert_eq!(Cores::from("none,0-4000000000".to_string()).count(), 0);
    }

    #[test]
    fn nodes_add_up() {
        let on = |name: &str, cores: &str, load| {
            let node = Node { ranks: 1, cores: cores.to_string().into(), load };
            Origin { nodes: [(name.to_string(), node)].into(), ..Origin::default() }
        };
        let mut all = on("one", "0", 0.5);
        for (other, crowded) in [
            (on("one", "1", 0.5), None),
            (on("two", "0-1", 3.5), Some("other programs ran on the same cores")),
            (on("one", "1", 0.5), Some("ranks shared cores")),
        ] {
            all.add(&other);
            assert_eq!(all.unreliable_reason(), crowded);
        }
        assert_eq!(all.room(), "1 rank on 2 cores, load 3.5");
        assert_eq!((Origin::default().room(), Origin::default().unreliable_reason()), (String::new(), None));
    }

    #[test]
    fn launchers_are_known_by_their_names() {
        let known = ["mpirun", "/usr/bin/mpirun.openmpi", "mpiexec.hydra", "srun"];
        assert!(known.into_iter().all(is_launcher));
        assert!(!["mpirunner", "sh", "srunner", ""].into_iter().any(is_launcher));
    }

    #[test]
    fn a_launch_has_the_launchers_identifier() {
        let none = |_: &str| None;
        assert_eq!(launch("here", Some(7), none), "here:7");
        let slurm = |name: &str| ["SLURM_JOB_ID", "SLURM_STEP_ID"].contains(&name).then(|| "5".to_string());
        assert_eq!(launch("here", Some(7), slurm), "5.5");
        let open_mpi = |name: &str| (name == "PMIX_NAMESPACE").then(|| "12".to_string());
        assert_eq!(launch("here", Some(7), open_mpi), "12");
    }
}
