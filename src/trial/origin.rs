//! WHERE, when and by what was a job run? What a reader needs to judge its times: nodes, their cores and their load, libraries, the
//! launcher and the date. What the system does not tell is empty. It never knows a call.

use super::table::counted;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Programs that start ranks, by the beginnings of their names.
const LAUNCHERS: [&str; 7] = ["mpirun", "mpiexec", "orterun", "prterun", "prun", "srun", "aprun"];

/// The origin of a report.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Origin {
    /// When the report was written, in UTC: `2026-11-23T11:55:25Z`.
    pub date: String,
    /// What MPI calls itself.
    pub mpi: String,
    /// The file of the program's own ScaLAPACK.
    pub scalapack: String,
    /// The launcher and its arguments.
    pub launcher: Vec<String>,
    /// The same in all reports of one launch, and not in those of others.
    pub launch: String,
    /// The rank in MPI_COMM_WORLD that wrote this.
    pub rank: u32,
    /// Nodes by their names.
    pub nodes: BTreeMap<String, Node>,
}

/// A node of the job.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Node {
    /// Ranks on it that reported.
    pub ranks: u32,
    /// Cores that they may run on.
    pub cores: Cores,
    /// Its load, the mean of a minute: when the calls began or when the program ended, whichever was more.
    pub load: f64,
}

/// Cores by their numbers; written as Linux does, for instance `0-3,8`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(into = "String", from = "String")]
pub struct Cores(BTreeSet<u32>);

impl Origin {
    /// Of this process, which runs under `mpi` with the ScaLAPACK in the file `scalapack`.
    pub fn of_process(mpi: String, scalapack: String) -> Self {
        let ancestor = launcher();
        let node = Node { ranks: 1, cores: Cores::of_process(), load: load() };
        let name = read("/proc/sys/kernel/hostname");
        Self {
            date: date(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()),
            mpi,
            scalapack,
            launch: launch(&name, ancestor.as_ref().map(|&(pid, _)| pid), |name| std::env::var(name).ok()),
            launcher: ancestor.map_or_else(Vec::new, |(_, words)| words),
            rank: 0,
            nodes: [(name, node)].into(),
        }
    }

    /// What another rank says of the same job.
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

    /// Cores, ranks and load of the node on which ranks had the least of a core, in words; empty where nothing is known.
    pub fn room(&self) -> String {
        let crowd = |node: &Node| node.load.max(f64::from(node.ranks)) / f64::from(node.cores.count().max(1));
        let nodes = self.nodes.values().filter(|node| node.cores.count() > 0);
        let Some(node) = nodes.max_by(|a, b| crowd(a).total_cmp(&crowd(b))) else { return String::new() };
        let (ranks, cores) = (counted(node.ranks.into(), "rank"), counted(node.cores.count().into(), "core"));
        format!("{ranks} on {cores}, load {:.1}", node.load)
    }

    /// Why times of this run say little, if so: ranks share cores, among themselves or with other programs.
    pub fn crowded(&self) -> Option<&'static str> {
        let any = |is: &dyn Fn(&Node, f64) -> bool| {
            let known = self.nodes.values().filter(|node| node.cores.count() > 0);
            known.into_iter().any(|node| is(node, f64::from(node.cores.count())))
        };
        if any(&|node, cores| f64::from(node.ranks) > cores) {
            Some("ranks shared cores")
        } else if any(&|node, cores| node.load > cores.max(f64::from(node.ranks)) * 1.5) {
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

    /// How many there are.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }
}

impl From<String> for Cores {
    /// What is no list of numbers has none.
    fn from(list: String) -> Self {
        /// More than any node has: a forged list takes no more memory.
        const MOST: u32 = 1 << 16;
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&core| core < MOST);
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

/// The load of this node, if it is more than at any time when this was asked before.
pub fn load() -> f64 {
    static MOST: Mutex<f64> = Mutex::new(0.0);
    let now = read("/proc/loadavg").split(' ').next().and_then(|load| load.parse().ok()).unwrap_or(0.0);
    let mut most = MOST.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    *most = most.max(now);
    *most
}

/// The nearest ancestor of this process that starts ranks: its number and its words.
fn launcher() -> Option<(u32, Vec<String>)> {
    /// Ancestors that are looked at.
    const MOST: usize = 32;
    let mut pid = std::process::id();
    for _ in 0..MOST {
        pid = parent(pid).filter(|&pid| pid > 1)?;
        let line = read(&format!("/proc/{pid}/cmdline"));
        let words: Vec<String> = line.trim_end_matches('\0').split('\0').map(str::to_string).collect();
        if words.iter().take(2).any(|word| is_launcher(word)) {
            return Some((pid, words));
        }
    }
    None
}

fn is_launcher(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    LAUNCHERS.iter().any(|launcher| {
        name.strip_prefix(launcher).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '-']))
    })
}

fn parent(pid: u32) -> Option<u32> {
    // The name, in parentheses, may have blanks; the parent is the second entry behind it.
    read(&format!("/proc/{pid}/stat")).rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// What stands for a launch on the node `host` by the process `launcher`; the launcher's own name for it is the same on all nodes.
fn launch(host: &str, launcher: Option<u32>, variable: impl Fn(&str) -> Option<String>) -> String {
    let named = variable("PMIX_NAMESPACE");
    let by_slurm = || Some(format!("{}.{}", variable("SLURM_JOB_ID")?, variable("SLURM_STEP_ID")?));
    let by_process = || format!("{host}:{}", launcher.unwrap_or_else(std::process::id));
    named.or_else(by_slurm).unwrap_or_else(by_process)
}

/// Text of a file of the system, without the end of its line; empty where it cannot be read.
fn read(path: &str) -> String {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end().into()
}

/// A time since 1970 as the calendar has it, in UTC.
fn date(since: Duration) -> String {
    let (days, second) = (since.as_secs() / 86_400, since.as_secs() % 86_400);
    let leap = |year: u64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let (mut year, mut day) = (1970, days);
    while day >= 365 + u64::from(leap(year)) {
        day -= 365 + u64::from(leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while day >= lengths[month] {
        day -= lengths[month];
        month += 1;
    }
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year}-{:02}-{:02}T{hour:02}:{minute:02}:{second:02}Z", month + 1, day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_735_689_599, "2024-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(date(Duration::from_secs(seconds)), text);
        }
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
            assert_eq!(all.crowded(), crowded);
        }
        assert_eq!(all.room(), "1 rank on 2 cores, load 3.5");
        assert_eq!((Origin::default().room(), Origin::default().crowded()), (String::new(), None));
    }

    #[test]
    fn launchers_are_known_by_their_names() {
        let known = ["mpirun", "/usr/bin/mpirun.openmpi", "mpiexec.hydra", "srun"];
        assert!(known.into_iter().all(is_launcher));
        assert!(!["mpirunner", "sh", "srunner", ""].into_iter().any(is_launcher));
    }

    #[test]
    fn a_launch_is_known_by_the_launchers_name_for_it() {
        let none = |_: &str| None;
        assert_eq!(launch("here", Some(7), none), "here:7");
        let slurm = |name: &str| ["SLURM_JOB_ID", "SLURM_STEP_ID"].contains(&name).then(|| "5".to_string());
        assert_eq!(launch("here", Some(7), slurm), "5.5");
        let open_mpi = |name: &str| (name == "PMIX_NAMESPACE").then(|| "12".to_string());
        assert_eq!(launch("here", Some(7), open_mpi), "12");
    }
}
