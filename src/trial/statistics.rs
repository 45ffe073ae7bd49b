//! Counts of calls of one shape: sums, distributions and maxima, which can be added over ranks.

use super::units::{bytes, count_text};
use super::{Quantiles, RankCall, Versus, timeline};
use crate::system::machine::Machine;
use serde::{Deserialize, Serialize};

/// Counts of calls of one shape. Bytes and messages are those of one call, on one rank or, after [`Statistics::add`],
/// on all ranks.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of calls, on the rank with the most calls.
    pub calls: u64,
    /// Number of ranks that took part.
    pub participants: u64,
    /// Seconds of the first call on the slowest rank, including planning and allocation. `time` does not include it.
    pub first: f64,
    /// Seconds of each later call on each rank.
    pub time: Quantiles,
    /// Seconds that ranks waited for others without other work, summed over all calls and ranks.
    pub waiting: f64,
    /// Bytes sent to other ranks.
    pub sent: u64,
    /// Bytes that ranks copied to themselves.
    pub kept: u64,
    /// Number of messages sent to other ranks.
    pub messages: u64,
    /// Upper limit of the message buffers of a rank, in bytes.
    pub buffers: u64,
    /// Calls of all ranks, by transport.
    pub transports: Transports,
    /// Calls of all ranks, by their way of writing arrays and slots.
    #[serde(default)]
    pub ways: Ways,
    /// One call on each rank: its second one, or the first one if it made no other. Only calls that move a single array
    /// are recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timeline: Vec<RankCall>,
    /// Figures of the schedule, from one rank.
    pub schedule: Option<Scheduled>,
    /// Results of the trial; `None` if no call was compared.
    pub versus: Option<Versus>,
}

/// Calls by the transport of their messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Transports {
    /// All messages through shared memory.
    pub memory: u64,
    /// All messages through MPI, none through memory.
    pub mpi: u64,
    /// Shared memory within nodes, MPI between them.
    pub both: u64,
}

impl Transports {
    /// Adds the counts of other calls.
    pub fn add(&mut self, other: Self) {
        self.memory = self.memory.saturating_add(other.memory);
        self.mpi = self.mpi.saturating_add(other.mpi);
        self.both = self.both.saturating_add(other.both);
    }

    /// Describes the counts in words; leaves out transports that no call used.
    pub fn text(&self) -> String {
        join_counts(&[
            ("shared memory", self.memory),
            ("MPI", self.mpi),
            ("shared memory and MPI", self.both),
        ])
    }
}

/// Joins names and counts, without zero counts.
fn join_counts(ways: &[(&str, u64)]) -> String {
    let taken = ways.iter().filter(|(_, calls)| *calls > 0).map(|(way, calls)| format!("{way} {calls}"));
    taken.collect::<Vec<_>>().join(", ")
}

/// Calls by the way that ranks wrote their arrays, and, for calls with slots of shared memory, their slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ways {
    /// Arrays written message by message.
    pub by_message: u64,
    /// Arrays gathered: written in the order of their addresses.
    pub gathered: u64,
    /// Arrays written by lists of runs.
    pub written_out: u64,
    /// Slots written through the caches.
    pub cached: u64,
    /// Slots written with streaming stores.
    pub streamed: u64,
    /// Calls with an exposed array: other ranks read the rank's own array in place.
    #[serde(default)]
    pub exposed: u64,
}

impl Ways {
    /// Adds the counts of other calls.
    pub fn add(&mut self, other: Self) {
        self.by_message = self.by_message.saturating_add(other.by_message);
        self.gathered = self.gathered.saturating_add(other.gathered);
        self.written_out = self.written_out.saturating_add(other.written_out);
        self.cached = self.cached.saturating_add(other.cached);
        self.streamed = self.streamed.saturating_add(other.streamed);
        self.exposed = self.exposed.saturating_add(other.exposed);
    }

    /// Describes the counts in words; leaves out ways that no call used.
    pub fn text(&self) -> String {
        join_counts(&[
            ("by message", self.by_message),
            ("gathered", self.gathered),
            ("written out", self.written_out),
            ("slots in the caches", self.cached),
            ("slots past the caches", self.streamed),
            ("array exposed", self.exposed),
        ])
    }
}

/// Figures of a schedule, and the machine model of its choice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Scheduled {
    /// Name of the scheduler chosen.
    pub scheduler: String,
    /// Reason of the choice; empty in reports of former versions.
    #[serde(default)]
    pub why: String,
    /// Number of steps, and its lower bound; `None` if not counted.
    pub steps: Option<[u64; 2]>,
    /// Sum over the steps of the longest message, in bytes, and its lower bound.
    pub cost: Option<[u64; 2]>,
    /// Machine model that the choice used; needed to draw the schedule again.
    pub machine: Machine,
    /// Node of each rank, for which the schedule and the copies to read were chosen; empty if there is one node. `None`
    /// in reports of former versions, and for more than 1,024 ranks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<Vec<u32>>,
}

impl Scheduled {
    /// Describes the scheduler, the reason, the steps and the cost with their lower bounds.
    pub fn text(&self) -> String {
        let mut text = self.scheduler.clone();
        if !self.why.is_empty() {
            text += &format!(" ({})", self.why);
        }
        if let Some([steps, fewest]) = self.steps {
            text += &format!(", {steps} of at least {}", count_text(fewest, "step"));
        }
        if let Some([cost, least]) = self.cost {
            text += &format!(", cost {} of at least {}", bytes(cost), bytes(least));
        }
        text
    }
}

impl Statistics {
    /// Adds the counts of another rank for calls of the same shape. Counts saturate, since a file may have any number.
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
        timeline::add(&mut self.timeline, &other.timeline);
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
    fn equal_comparisons_of_ranks_count_once() {
        let versus = |compared| Versus { compared, different: 1, memory: [compared, 0], ..Versus::default() };
        let mut figures = Statistics { versus: Some(versus(5)), ..Statistics::default() };
        figures.add(&Statistics { versus: Some(versus(5)), ..Statistics::default() });
        figures.add(&Statistics::default());
        figures.add(&Statistics { versus: Some(versus(7)), ..Statistics::default() });
        let versus = figures.versus.unwrap();
        assert_eq!((versus.compared, versus.different, versus.memory), (7, 1, [7, 0]));
    }
}
