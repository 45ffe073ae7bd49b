//! WHAT is counted for calls of the same shape? Sums, distributions and greatest values, which can be added over ranks. It
//! never knows which calls they are.

use super::table::{bytes, counted};
use super::{Quantiles, Versus};
use crate::system::machine::Machine;
use serde::{Deserialize, Serialize};

/// What is counted of calls that are alike. Bytes and messages are of one call, on one rank or, once they are added, on all.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Calls, on the rank with most of them.
    pub calls: u64,
    /// Ranks that took part.
    pub participants: u64,
    /// Seconds of the first call, in which plans are made and memory is taken, on the slowest rank; it is not among `time`.
    pub first: f64,
    /// Seconds of each later call of each rank.
    pub time: Quantiles,
    /// Seconds of all calls of all ranks in which a rank had nothing to do but wait for others.
    pub waiting: f64,
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes kept by their rank.
    pub kept: u64,
    /// Messages.
    pub messages: u64,
    /// Bytes that buffers may take on a rank.
    pub buffers: u64,
    /// Calls of all ranks by transport.
    pub transports: Transports,
    /// Calls of all ranks by how arrays were written.
    #[serde(default)]
    pub ways: Ways,
    /// The schedule, told by one rank.
    pub schedule: Option<Scheduled>,
    /// What the trial found, told by one rank.
    pub versus: Option<Versus>,
}

/// Calls by how their messages could travel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Transports {
    /// All through memory that ranks of a node share.
    pub memory: u64,
    /// All by MPI.
    pub mpi: u64,
    /// Within nodes through memory, between them by MPI.
    pub both: u64,
}

impl Transports {
    /// Other calls, too.
    pub fn add(&mut self, other: Self) {
        self.memory = self.memory.saturating_add(other.memory);
        self.mpi = self.mpi.saturating_add(other.mpi);
        self.both = self.both.saturating_add(other.both);
    }

    /// In words, without those that no call took.
    pub fn text(&self) -> String {
        taken(&[("shared memory", self.memory), ("MPI", self.mpi), ("shared memory and MPI", self.both)])
    }
}

/// Ways with the calls that took them, but for those that no call took.
fn taken(ways: &[(&str, u64)]) -> String {
    let taken = ways.iter().filter(|(_, calls)| *calls > 0).map(|(way, calls)| format!("{way} {calls}"));
    taken.collect::<Vec<_>>().join(", ")
}

/// Calls by how ranks wrote their arrays, and those with slots in memory of the node by how a rank wrote these.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ways {
    /// Arrays message by message.
    pub by_message: u64,
    /// Arrays gathered, line by line.
    pub gathered: u64,
    /// Arrays by runs that are written out.
    pub written_out: u64,
    /// Slots in the caches.
    pub cached: u64,
    /// Slots past the caches.
    pub streamed: u64,
    /// The rank's own array lent to others, which copied straight out of it.
    #[serde(default)]
    pub lent: u64,
}

impl Ways {
    /// Other calls, too.
    pub fn add(&mut self, other: Self) {
        self.by_message = self.by_message.saturating_add(other.by_message);
        self.gathered = self.gathered.saturating_add(other.gathered);
        self.written_out = self.written_out.saturating_add(other.written_out);
        self.cached = self.cached.saturating_add(other.cached);
        self.streamed = self.streamed.saturating_add(other.streamed);
        self.lent = self.lent.saturating_add(other.lent);
    }

    /// In words, without those that no call took.
    pub fn text(&self) -> String {
        taken(&[
            ("by message", self.by_message),
            ("gathered", self.gathered),
            ("written out", self.written_out),
            ("slots in the caches", self.cached),
            ("slots past the caches", self.streamed),
            ("array lent", self.lent),
        ])
    }
}

/// A schedule's figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scheduled {
    /// The scheduler.
    pub scheduler: String,
    /// Why it was taken; empty in reports of former versions.
    #[serde(default)]
    pub why: String,
    /// Steps, and the fewest that there can be; `None` where they were not counted.
    pub steps: Option<[u64; 2]>,
    /// Sum over the steps of the longest message, in bytes, and what it is at least.
    pub cost: Option<[u64; 2]>,
    /// The machine that it was chosen for: what it takes to draw it again.
    pub machine: Machine,
}

impl Scheduled {
    /// In words: the scheduler, why it was taken, its steps and its cost beside the least that there can be.
    pub fn text(&self) -> String {
        let mut text = self.scheduler.clone();
        if !self.why.is_empty() {
            text += &format!(" ({})", self.why);
        }
        if let Some([steps, fewest]) = self.steps {
            text += &format!(", {steps} of at least {}", counted(fewest, "step"));
        }
        if let Some([cost, least]) = self.cost {
            text += &format!(", cost {} of at least {}", bytes(cost), bytes(least));
        }
        text
    }
}

impl Statistics {
    /// What another rank counted of the same calls. Counts stay at what 64 bits hold: a trace may say anything.
    pub fn add(&mut self, other: &Self) {
        self.calls = self.calls.max(other.calls);
        self.participants = self.participants.saturating_add(other.participants);
        self.first = self.first.max(other.first);
        self.time.add(&other.time);
        self.waiting += other.waiting;
        self.sent = self.sent.saturating_add(other.sent);
        self.kept = self.kept.saturating_add(other.kept);
        self.messages = self.messages.saturating_add(other.messages);
        self.buffers = self.buffers.max(other.buffers);
        self.transports.add(other.transports);
        self.ways.add(other.ways);
        self.schedule = self.schedule.take().or_else(|| other.schedule.clone());
        match (&mut self.versus, &other.versus) {
            (Some(mine), Some(theirs)) => mine.add(theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            (_, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_add_up() {
        let rank = |first: f64, sent| {
            let mut figures =
                Statistics { calls: 3, participants: 1, first, sent, kept: 1, ..Statistics::default() };
            figures.time.record(first / 2.0);
            figures.transports.memory = 3;
            figures.ways = Ways { by_message: 1, gathered: 2, cached: 3, ..Ways::default() };
            figures
        };
        let mut all = rank(2e-3, 100);
        all.add(&rank(4e-3, 50));
        assert_eq!((all.calls, all.participants, all.sent, all.kept), (3, 2, 150, 2));
        assert_eq!((all.first, all.time.count(), all.transports.memory), (4e-3, 2, 6));
        assert_eq!(all.ways, Ways { by_message: 2, gathered: 4, cached: 6, ..Ways::default() });
        assert_eq!(all.ways.text(), "by message 2, gathered 4, slots in the caches 6");
    }

    #[test]
    fn forged_counts_do_not_overflow() {
        let most = u64::MAX;
        let transports = Transports { memory: most, mpi: most, both: most };
        let forged = Statistics {
            calls: most,
            participants: most,
            sent: most,
            kept: most,
            messages: most,
            transports,
            ..Statistics::default()
        };
        let mut all = forged.clone();
        all.add(&forged);
        assert_eq!([all.calls, all.participants, all.sent, all.kept, all.messages], [most; 5]);
        assert_eq!(all.transports, transports);
    }

    #[test]
    fn what_all_ranks_were_told_counts_once() {
        let told = |compared| Versus { compared, different: 1, memory: [compared, 0], ..Versus::default() };
        let mut figures = Statistics { versus: Some(told(5)), ..Statistics::default() };
        figures.add(&Statistics { versus: Some(told(5)), ..Statistics::default() });
        figures.add(&Statistics::default());
        figures.add(&Statistics { versus: Some(told(7)), ..Statistics::default() });
        let versus = figures.versus.unwrap();
        assert_eq!((versus.compared, versus.different, versus.memory), (7, 1, [7, 0]));
    }
}
