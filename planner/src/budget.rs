//! Memory budget of a call's buffers, and its division into parts.
//!
//! The budget is equal on all ranks that exchange messages, because both ends must cut messages alike.
//!
//! | part | for |
//! |---|---|
//! | up to a half | the slots that ranks of a node share, made once |
//! | up to a quarter | messages sent by MPI: a window of them in each direction |
//! | up to a quarter | intermediate arrays, if data moves in several phases |
//! | at most half of a small budget more, and at most as much for headers | early messages between nodes, made once |
//!
//! The library applies the limits where it cuts messages (`src/plan/rank_plan`), makes slots
//! (`src/runtime/session/survey.rs`), and reads and writes files (`src/arrays/file.rs`).

/// Minimum default budget of a call, in bytes; the default is an eighth of the local data. Half of this minimum has
/// room for [`MAX_SLOTS`] slots of [`NODE_SLOT`] bytes.
const MIN_BUDGET: u64 = 8 << 20;
/// Maximum default budget of a call, in bytes.
const MAX_BUDGET: u64 = 32 << 20;
/// Maximum message size for MPI, in bytes. From this size on, the start-up of a message is negligible, and larger
/// messages only make the receiver wait longer.
const MAX_MESSAGE_BYTES: u64 = 1 << 20;
/// Minimum number of shared slots per rank, for its sends. Between this minimum and [`MAX_SLOTS`], a rank has two slots
/// for each rank of the node.
const MIN_SLOTS: u64 = 4;
/// Maximum number of shared slots per rank.
const MAX_SLOTS: u64 = 32;
/// Maximum bytes of a slot. A few slots of this size stay in a core's cache, and handing one over costs little: with a
/// quarter of this size, 16 ranks on 2 cores took twice the time.
pub const NODE_SLOT: u64 = 120 << 10;
/// Default maximum, in bytes, of the slots of all ranks of a node together, for up to 96 ranks. Containers often have
/// 64 MiB of shared memory.
const MAX_NODE_BYTES: u64 = 48 << 20;
/// Default maximum bytes of an early message, which travels together with those of the other ranks of its node. At this
/// size, messages between few nodes with few ranks take about as long alone (measured: docs/research/nodes.md).
pub const DEFAULT_EARLY_BYTES: u64 = 8 << 10;
/// Maximum bytes of all early messages from one node to another: far below 2^31, MPI's limit for a message.
const MAX_REGION_BYTES: u64 = 1 << 28;
/// Bytes before an early message in its region: sender, length, and place of the next message.
pub const EARLY_HEADER: u64 = 8;
/// Bytes in a region for each receiving rank: the place of its first early message.
pub const EARLY_LIST: u64 = 4;
/// Maximum bytes of an early message, whatever the settings: its header has 16 bits for the length.
pub const MAX_EARLY_MESSAGE: u64 = 65_528;
/// Maximum number of messages that a rank sends in an exchange. Estimate: 31 start-ups of some µs take as long as the
/// rounds of a dissemination among a thousand ranks.
pub const MAX_LED: u64 = 31;
/// Maximum number of nodes of an exchange. Each rank reads a record from each node, which takes 0.1 µs.
pub const MAX_NODES: u64 = 512;
/// Budget of a rank, in bytes, that sizes its slots if shared memory is short or the node has more than 96 ranks. Also
/// the minimum of the default budget that sizes messages and intermediate arrays.
const SMALL_BUDGET: u64 = 1 << 20;
/// Bytes of shared memory per rank for other purposes than slots: headers, agreement, rounding to pages.
pub const NODE_REST: u64 = 24 << 10;
/// Minimum budget of a call, in bytes.
pub const MINIMUM: u64 = 64 << 10;

/// Memory of a call's buffers on one rank.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Budget {
    /// The whole budget, in bytes.
    pub total: u64,
    /// Four times the bytes for MPI messages, and four times those for intermediate arrays. Less than `total` in small
    /// calls with the default budget.
    moving: u64,
    window: u64,
}

impl Budget {
    /// Creates a budget of `asked` bytes, or the default for a call that moves `local` bytes per rank. `window` is the
    /// number of steps in flight.
    pub fn new(asked: Option<u64>, local: u64, window: u32) -> Self {
        let at_least = |least| asked.unwrap_or((local / 8).clamp(least, MAX_BUDGET)).max(MINIMUM);
        Self { total: at_least(MIN_BUDGET), moving: at_least(SMALL_BUDGET), window: window.into() }
    }

    /// Returns the shared slots per rank, as (number, bytes of each): first the preferred slots, then smaller ones to
    /// try if shared memory is short. They do not depend on the size of a call, because slots are made once.
    pub fn node_slots(asked: Option<u64>, ranks: u64) -> impl Iterator<Item = (usize, usize)> {
        let slots = ranks.saturating_mul(2).clamp(MIN_SLOTS, MAX_SLOTS);
        let mut of_each = match asked {
            Some(_) => vec![Self::new(asked, 0, 1).total / 2],
            None => vec![
                (MIN_BUDGET / 2).min(MAX_NODE_BYTES / ranks.max(1)).max(SMALL_BUDGET / 2),
                SMALL_BUDGET / 2,
            ],
        };
        of_each.iter_mut().for_each(|room| *room = NODE_SLOT.min((*room - NODE_REST) / slots / 128 * 128));
        of_each.dedup();
        of_each.into_iter().map(move |slot| (bytes(slots), bytes(slot)))
    }

    /// Returns the maximum bytes of an early message between two of `ranks` ranks: first the preferred value, then 0 to
    /// try if shared memory is short. `early` is the user's maximum. Early messages take at most half of a small budget
    /// on each rank, and their headers at most as much, beside the slots. Their memory is made once.
    pub fn early_limits(asked: Option<u64>, early: Option<u64>, ranks: u64) -> impl Iterator<Item = usize> {
        let half = Self::new(asked, 0, 1).moving / 2;
        let most = early.unwrap_or(DEFAULT_EARLY_BYTES);
        let of_each = (half / (2 * ranks.max(1))).min(most) / 8 * 8;
        [of_each, 0].into_iter().take(1 + usize::from(of_each > 0)).map(bytes)
    }

    /// Returns the maximum bytes of an early message between two nodes with `pairs` pairs of ranks: `limit`, or less if
    /// there are many pairs. A multiple of 8.
    pub fn early_in_region(limit: u64, pairs: u64) -> u64 {
        limit.min(MAX_REGION_BYTES / pairs.max(1)) / 8 * 8
    }

    /// Returns the maximum message size for MPI, in bytes: a multiple of 64.
    pub fn message(&self) -> usize {
        bytes(message(self.room(), self.window))
    }

    /// Returns the bytes for intermediate arrays.
    pub fn room(&self) -> u64 {
        self.moving / 4
    }
}

/// Returns whether the ranks of `nodes` nodes, each with at least `fewest` ranks, should use exchanges. In each
/// exchange each node sends a message to each other node, and its ranks share this work.
pub fn is_exchange_worthwhile(nodes: u64, fewest: u64) -> bool {
    (2..=MAX_NODES).contains(&nodes) && (nodes - 1).div_ceil(fewest.max(1)) <= MAX_LED
}

/// Returns the message size for MPI that lets `window` messages in each direction fit in `room` bytes: a multiple of 64
/// bytes, from 64 to `MAX_MESSAGE_BYTES`.
pub fn message(room: u64, window: u64) -> u64 {
    ((room / (2 * window)).min(MAX_MESSAGE_BYTES) / 64 * 64).max(64)
}

fn bytes(n: u64) -> usize {
    usize::try_from(n).expect("buffers fit in memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_are_within_the_whole() {
        for asked in [None, Some(1), Some(MINIMUM), Some(100_000), Some(1 << 20), Some(1 << 40)] {
            for (local, window) in [(0, 1), (1 << 20, 4), (100 << 20, 8), (1 << 40, 1024)] {
                let budget = Budget::new(asked, local, window);
                let messages = 2 * u64::from(window) * budget.message() as u64;
                for ranks in [1, 2, 3, 10, 1000] {
                    for (slots, slot) in Budget::node_slots(asked, ranks) {
                        let sum = (slots * slot) as u64 + NODE_REST + messages + budget.room();
                        assert!(sum <= budget.total || budget.message() == 64, "{budget:?}");
                        assert!(slot >= 64 && budget.message() % 64 == 0);
                    }
                }
            }
        }
    }

    #[test]
    fn ranks_of_a_node_share_no_more_than_a_container_has() {
        let slots = |ranks| Budget::node_slots(None, ranks).collect::<Vec<_>>();
        let full = bytes(NODE_SLOT);
        assert_eq!([2, 4].map(|ranks| slots(ranks)[0]), [(4, full), (8, full)]);
        for ranks in [2, 4, 16, 64, 96] {
            let (slots, slot) = slots(ranks)[0];
            assert!((slots * slot) as u64 * ranks <= MAX_NODE_BYTES, "{ranks} ranks");
        }
        assert!(slots(16)[1] < slots(16)[0], "there is something to make do with");
        assert_eq!([2, 97].map(|ranks| slots(ranks).len()), [1, 1], "nothing is tried twice");
        assert_eq!(Budget::node_slots(Some(MINIMUM), 4).count(), 1, "what was asked for is what is taken");
    }

    #[test]
    fn early_messages_take_half_a_small_budget() {
        for ranks in [2, 16, 64, 100, 4096, 1 << 20] {
            for (asked, early) in
                [(None, None), (Some(MINIMUM), None), (None, Some(1 << 20)), (None, Some(9))]
            {
                let limits: Vec<_> = Budget::early_limits(asked, early, ranks).collect();
                assert!(limits.ends_with(&[0]) && limits.is_sorted_by(|a, b| a > b), "{limits:?}");
                let most = limits[0] as u64;
                assert!(
                    most == 0 || 2 * ranks * most <= asked.unwrap_or(SMALL_BUDGET) / 2 && most % 8 == 0,
                    "{most}"
                );
                assert!(most <= early.unwrap_or(DEFAULT_EARLY_BYTES));
            }
        }
    }

    #[test]
    fn many_ranks_have_room_for_shorter_early_messages() {
        for (ranks, limit) in [(2, 8 << 10), (32, 8 << 10), (64, 4 << 10), (128, 2 << 10)] {
            assert_eq!(Budget::early_limits(None, None, ranks).next(), Some(limit), "{ranks} ranks");
        }
    }

    #[test]
    fn an_eighth_of_the_data_within_limits() {
        let total = |local| Budget::new(None, local, 4).total;
        assert_eq!([0, 80 << 20, 1 << 40].map(total), [MIN_BUDGET, 10 << 20, MAX_BUDGET]);
        assert_eq!(Budget::new(Some(2 << 20), 1 << 40, 4).total, 2 << 20);
    }
}
