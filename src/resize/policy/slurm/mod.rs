//! Policy for Slurm jobs. Another policy decides on the number of ranks; this one requests nodes from Slurm, chooses
//! the nodes where ranks start, and gives nodes back. A node has a place for each rank that fits on it. Without another
//! policy the job gets a rank for each place of its allocation. Slurm's commands run in the background
//! ([`BackgroundCommand`]), so a resize point never waits for them. If anything fails, the job keeps its ranks.

mod command;

use super::{Now, Policy};
use crate::resize::Placement;
use command::{BackgroundCommand, CommandAnswer};
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};

/// Shell script that executes a verb with Slurm's commands.
const MANAGER: &str = include_str!("manager.sh");
/// Time between two queries of the allocation.
const QUERY_PERIOD: Duration = Duration::from_secs(10);
/// Maximum time that the end of a job waits for the withdrawal of a request.
const WITHDRAW_LIMIT: Duration = Duration::from_secs(10);

/// Policy for Slurm jobs: grows and shrinks their allocations by whole nodes.
pub struct Slurm {
    /// Decides on the number of ranks, if set.
    inner: Option<Box<dyn Policy>>,
    setting: Setting,
    /// Number of ranks that fit on a node; 0 before Slurm has answered.
    places: u32,
    /// Nodes of the allocation; empty before Slurm has answered.
    nodes: Vec<String>,
    /// Nodes without ranks, to be given back once the job has its size.
    spare: BTreeSet<String>,
    /// Nodes that failed to start a rank.
    lost: BTreeSet<String>,
    command: Option<(Verb, BackgroundCommand)>,
    /// Nodes that the last command [`Verb::Give`] gives back.
    given: Vec<String>,
    /// Time of the last query of the allocation.
    last_query: Option<Instant>,
    /// Number of ranks to reach, if one has been decided.
    goal: Option<u32>,
    /// Number of ranks that could not be reached; not tried again until the other policy decides on another number.
    given_up: Option<u32>,
    /// The last decision, and the node where ranks were to start.
    answer: Option<(u32, Option<String>)>,
    /// True if a failure of Slurm has been reported; reset by its next answer.
    reported: bool,
}

struct Setting {
    job: Option<String>,
    /// Number of ranks on a node, if the job's user has set it (SLURM_NTASKS_PER_NODE).
    places: Option<u32>,
    /// Search path of Slurm's commands, if it is not the program's.
    path: Option<String>,
    period: Duration,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Verb {
    Look,
    Grow,
    Give,
    /// Cancels a growth that is no longer wanted.
    Withdraw,
}

impl Slurm {
    /// Makes the policy for the job of this process, with the number of ranks that `inner` decides.
    pub fn new(inner: Option<Box<dyn Policy>>) -> Self {
        let read = |name| std::env::var(name).ok();
        let places = read("SLURM_NTASKS_PER_NODE").and_then(|text| text.trim().parse().ok());
        let setting = Setting { job: read("SLURM_JOB_ID"), places, path: None, period: QUERY_PERIOD };
        Self::with_setting(inner, setting)
    }

    fn with_setting(inner: Option<Box<dyn Policy>>, setting: Setting) -> Self {
        Self {
            inner,
            setting,
            places: 0,
            nodes: Vec::new(),
            spare: BTreeSet::new(),
            lost: BTreeSet::new(),
            command: None,
            given: Vec::new(),
            last_query: None,
            goal: None,
            given_up: None,
            answer: None,
            reported: false,
        }
    }

    fn ask_slurm(&self, verb: &str, words: &[String]) -> BackgroundCommand {
        let mut command = Command::new("sh");
        let job = self.setting.job.as_deref().unwrap_or_default();
        command.args(["-c", MANAGER, "slurm", verb, job]).args(words);
        if let Some(path) = &self.setting.path {
            command.env("PATH", path);
        }
        BackgroundCommand::start(command)
    }

    fn query_nodes(&mut self) {
        if self.last_query.is_none_or(|last_query| last_query.elapsed() >= self.setting.period) {
            self.last_query = Some(Instant::now());
            self.command = Some((Verb::Look, self.ask_slurm("look", &[])));
        }
    }

    /// Processes Slurm's answer, if it has arrived.
    fn poll_answer(&mut self) -> Result<(), String> {
        let Some((verb, answer)) =
            self.command.as_ref().and_then(|(verb, command)| Some((*verb, command.try_answer()?)))
        else {
            return Ok(());
        };
        self.command = None;
        self.handle_answer(verb, answer)
    }

    fn handle_answer(&mut self, verb: Verb, answer: CommandAnswer) -> Result<(), String> {
        let why = match (verb, answer) {
            (_, Ok(nodes)) => {
                if matches!(verb, Verb::Grow | Verb::Withdraw) {
                    let new = nodes.iter().filter(|node| !self.nodes.contains(node));
                    self.spare.extend(new.cloned());
                }
                self.spare.retain(|node| nodes.contains(node));
                self.lost.retain(|node| nodes.contains(node));
                (self.nodes, self.reported) = (nodes, false);
                return Ok(());
            }
            (Verb::Withdraw, Err(_)) => return Ok(()),
            (_, Err(why)) => why,
        };
        match verb {
            Verb::Grow => self.given_up = self.goal.take(),
            // These nodes stay in the allocation. Nodes that became free since are tried next.
            Verb::Give => self.spare.retain(|node| !self.given.contains(node)),
            Verb::Look | Verb::Withdraw if std::mem::replace(&mut self.reported, true) => return Ok(()),
            Verb::Look | Verb::Withdraw => (),
        }
        Err(format!("Slurm: {why}"))
    }

    /// If the job has not followed the last decision, gives up the goal and the decision's node.
    fn check_last_decision(&mut self, ranks: u32) {
        let Some((answer, node)) = self.answer.take() else { return };
        if answer == ranks {
            return;
        }
        self.given_up = self.goal.take();
        if let Some(node) = node {
            self.spare.insert(node.clone());
            self.lost.insert(node);
        }
    }

    fn update_goal(&mut self, now: &Now) -> Result<(), String> {
        let Some(inner) = &mut self.inner else {
            if self.command.is_none() {
                self.query_nodes();
            }
            let nodes = self.nodes.iter().filter(|&node| !self.lost.contains(node));
            let room = u32::try_from(nodes.count()).unwrap_or(u32::MAX).saturating_mul(self.places);
            self.goal = Some(room).filter(|&room| room > now.ranks);
            return Ok(());
        };
        if self.goal.is_some_and(|goal| goal != now.ranks) && inner.waits() {
            return Ok(());
        }
        if let Some(ranks) = inner.ask(now)? {
            self.given_up = self.given_up.filter(|&given_up| given_up == ranks);
            if self.given_up.is_none() {
                self.goal = Some(ranks);
            }
        }
        Ok(())
    }

    fn find_room(&self, hosts: &[String]) -> Option<(String, u32)> {
        let free = |node: &String| {
            let taken = hosts.iter().filter(|&host| is_same_host(host, node)).count();
            self.places.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX))
        };
        let mut there = self.nodes.iter().filter(|&node| !self.lost.contains(node));
        there.find_map(|node| Some((node.clone(), free(node))).filter(|&(_, free)| free > 0))
    }

    /// Grows towards `goal`, above the current number of ranks: returns the next number of ranks, or requests nodes. At
    /// each resize point ranks start on one node only, so that the ranks of a node join and leave together.
    fn grow(&mut self, goal: u32, now: &Now, placement: &Placement) -> Option<u32> {
        if self.nodes.is_empty() {
            if self.command.is_none() {
                self.query_nodes();
            }
            return None;
        }
        let missing = goal - now.ranks;
        let Some((node, free)) = self.find_room(&placement.hosts()) else {
            if self.command.is_none() && self.inner.is_some() {
                let words = [missing.div_ceil(self.places).to_string(), self.places.to_string()];
                self.command = Some((Verb::Grow, self.ask_slurm("grow", &words)));
            }
            return None;
        };
        let count = free.min(missing);
        placement.set_start(&node, count);
        self.spare.remove(&node);
        self.answer = Some((now.ranks + count, Some(node)));
        Some(now.ranks + count)
    }

    /// Withdraws a pending request for nodes, or gives back nodes without ranks. Called unless the job is to grow.
    fn release_nodes(&mut self) {
        match &self.command {
            // Nodes that Slurm grants before the withdrawal are given back.
            Some((Verb::Grow, _)) => {
                let withdrawal = self.ask_slurm("withdraw", &[]);
                if let Some((verb, _)) = &mut self.command {
                    *verb = Verb::Withdraw;
                }
                drop(withdrawal);
            }
            None if self.inner.is_some() && !self.spare.is_empty() => {
                self.given = self.spare.iter().cloned().collect();
                self.command = Some((Verb::Give, self.ask_slurm("give", &self.given)));
            }
            _ => (),
        }
    }
}

impl Policy for Slurm {
    /// Returns `None`, since the hosts are unknown.
    fn ask(&mut self, _: &Now) -> Result<Option<u32>, String> {
        Ok(None)
    }

    fn ask_on_hosts(&mut self, now: &Now, placement: &Placement) -> Result<Option<u32>, String> {
        if self.setting.job.is_none() {
            let reported = std::mem::replace(&mut self.reported, true);
            return if reported {
                Ok(None)
            } else {
                Err("SLURM_JOB_ID is not set, so this is not a job of Slurm".into())
            };
        }
        if self.places == 0 {
            let hosts = placement.hosts();
            let beside = hosts.iter().filter(|&host| Some(host) == hosts.first()).count();
            self.places = self.setting.places.unwrap_or(u32::try_from(beside).unwrap_or(u32::MAX)).max(1);
        }
        while let Some(host) = placement.next_freed() {
            self.spare.extend(self.nodes.iter().find(|node| is_same_host(&host, node)).cloned());
        }
        self.check_last_decision(now.ranks);
        match (self.poll_answer(), self.update_goal(now)) {
            (Err(slurm), Err(other)) => return Err(format!("{slurm}; {other}")),
            (heard, aimed) => heard.and(aimed)?,
        }
        match self.goal {
            Some(goal) if goal > now.ranks => Ok(self.grow(goal, now, placement)),
            goal => {
                self.release_nodes();
                let fewer = goal.filter(|&goal| goal < now.ranks);
                self.answer = fewer.map(|fewer| (fewer, None));
                Ok(fewer)
            }
        }
    }
}

/// Withdraws a pending request for nodes when the job ends.
impl Drop for Slurm {
    fn drop(&mut self) {
        if let Some((Verb::Grow, _)) = self.command {
            // If it fails, Slurm ends the request with the job.
            let _ = self.ask_slurm("withdraw", &[]).wait_answer(WITHDRAW_LIMIT);
        }
    }
}

/// Returns whether `host`, the host of a process, is `node`, a node of Slurm. Ignores their domains.
fn is_same_host(host: &str, node: &str) -> bool {
    let short = |name: &str| name.split('.').next().unwrap_or_default().to_string();
    short(host) == short(node)
}

#[cfg(test)]
mod tests;
