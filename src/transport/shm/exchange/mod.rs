//! Exchange between nodes: each node sends one message to each other node, with the data of all its ranks for all ranks
//! there.
//!
//! Ranks of a node share a network port, and small messages cost little but their start-up. N nodes of R ranks send
//! N (N - 1) messages in an exchange, in place of up to N (N - 1) R². This is also called node-aware aggregation.
//!
//! A message has two parts: a record of the call that the sending node's ranks make, and their small messages to ranks
//! of the other node. So ranks agree on a call and move its data with a single message between two nodes, and nothing
//! is written before all ranks have agreed: the receivers read the record first. (In ScaLAPACK's routines the record is
//! empty, and the check travels beside.)
//!
//! Each node has, in memory that its ranks share, a *region* for the message to each node and one for the message from
//! each. Ranks write into a region side by side, MPI sends it from there and receives it there, and ranks read it
//! there. Each element is copied twice, as within a node. The *leaders* of a region, a rank at each end, call MPI; the
//! regions of a node have different leaders, so no rank serves all of them. [`region`] says who may access a region
//! when.
//!
//! ```text
//! record, at the end of its room   table                       messages
//! ┌──────────┬────────────────────┬───────────────────────────┬────────────────────────────────────────┐
//! │          │ lengths, record    │ place of the first one in │ in the order of packing; each has the  │
//! │          │                    │ each receiving rank's     │ place of the next one in its list: the │
//! │          │                    │ list: the one packed last │ one that was packed before             │
//! └──────────┴────────────────────┴───────────────────────────┴────────────────────────────────────────┘
//!            └─────────────────────────── sent ──────────────────────────────────────┘
//! ```
//! The region for a node's own ranks is not sent; they read from it. Without messages, only the record is sent. MPI
//! carries a long message in pieces; the lengths before the record, in the first piece, say where it ends.
//!
//! | file | contents |
//! |---|---|
//! | `region` | ownership of a region |
//! | `layout` | places of regions in the memory of a node |
//! | `contents` | the record and the messages in a region |
//! | `call` | one exchange, as a call uses it |
//! | `led` | messages between nodes that a rank sends and receives as a leader, in pieces |
//! | `node_map` | map of ranks to nodes |

#![cfg_attr(not(feature = "mpi"), allow(dead_code))]

#[cfg(feature = "mpi")]
mod call;
mod contents;
mod layout;
#[cfg(feature = "mpi")]
mod led;
mod node_map;
mod region;

#[cfg(feature = "mpi")]
pub(crate) use call::{CallExchange, ExchangeCall};
pub(crate) use layout::{Layout, MAX_RECORD_BYTES};
pub(crate) use node_map::NodeMap;

use super::Segment;
use crate::layout::distribution::Rank;
use crate::system::budget::is_exchange_worthwhile;
use crate::system::buffer_memory::BytesInUse;
use contents::Contents;
use layout::Region;
use region::{RankCounts, RegionState};
use std::sync::Arc;

/// Returns whether the ranks of these nodes should use exchanges.
pub(crate) fn is_worthwhile(map: &NodeMap) -> bool {
    is_exchange_worthwhile(map.count() as u64, map.min_ranks() as u64)
}

/// One rank's access to the exchanges of its communicator.
pub(crate) struct NodeExchange {
    segment: Arc<Segment>,
    layout: Layout,
    map: Arc<NodeMap>,
    /// This rank's node, and its number among the ranks of the node.
    node: usize,
    me: usize,
    /// Number of the next exchange; equal on all ranks.
    next: u64,
    _bytes: BytesInUse,
}

impl NodeExchange {
    /// Creates the access of rank `me` to the memory `segment` of its node. The memory has the bytes of `layout`, is
    /// zero at first, and has no other use. Panics on a second access of the same rank.
    pub fn new(segment: Arc<Segment>, layout: Layout, map: Arc<NodeMap>, me: Rank) -> Self {
        segment.at(0..layout.bytes());
        let (node, me) = map.place(me);
        let record = layout.records + me * MAX_RECORD_BYTES;
        assert!(segment.claim(record..record + MAX_RECORD_BYTES), "a second access of one rank");
        let bytes = BytesInUse::new(layout.bytes().div_ceil(map.of_node(node).len()));
        Self { segment, layout, map, node, me, next: 0, _bytes: bytes }
    }

    /// Returns the maximum bytes of a message between two ranks.
    pub fn limit(&self) -> usize {
        self.layout.limit
    }

    /// Returns the number of ranks on this node.
    fn ranks(&self) -> usize {
        self.map.of_node(self.node).len()
    }

    /// Returns the distance from this node to the node of `to`, and the rank's number there.
    fn ahead(&self, to: Rank) -> (usize, usize) {
        let (node, number) = self.map.place(to);
        ((node + self.map.count() - self.node) % self.map.count(), number)
    }

    /// Returns the number, among the `ranks` ranks of a node, of the leader of the regions at distance `k`.
    fn leader(k: usize, ranks: usize) -> usize {
        k % ranks
    }

    /// Returns the leader of the node `k` places further on for the message from this node, and of the node `k` places
    /// before for the message to it.
    fn far_leaders(&self, k: usize) -> (u32, u32) {
        let nodes = self.map.count();
        let leader = |node: usize| {
            let ranks = self.map.of_node(node % nodes);
            ranks[Self::leader(k, ranks.len())]
        };
        (leader(self.node + k), leader(self.node + nodes - k))
    }

    /// Returns the distances for which this rank is a leader.
    fn led(&self) -> impl Iterator<Item = usize> {
        (1..self.map.count()).filter(|&k| Self::leader(k, self.ranks()) == self.me)
    }

    /// Returns the ranks whose messages this rank receives as a leader.
    pub fn far(&self) -> impl Iterator<Item = Rank> {
        self.led().map(|k| Rank(self.far_leaders(k).1))
    }

    /// Returns whether another rank of this node has begun the next exchange.
    pub fn is_begun(&self) -> bool {
        self.state(&self.layout.sent[0]).is_turn(self.next) && self.counts().has_begun()
    }

    fn counts(&self) -> &RankCounts {
        let counts = self.segment.at(self.layout.counts..self.layout.counts + size_of::<RankCounts>());
        // SAFETY: as in `state`.
        unsafe { &*counts.cast::<RankCounts>() }
    }

    fn state(&self, region: &Region) -> &RegionState {
        let state = self.segment.at(region.state..region.state + size_of::<RegionState>());
        // SAFETY: the state is within the segment, as `at` asserts, and aligned, since segments begin at pages. Any
        // bytes are a valid state, and all ranks access it as atomics only.
        unsafe { &*state.cast::<RegionState>() }
    }

    fn contents<'a>(&'a self, region: &'a Region) -> Contents<'a> {
        Contents::new(&self.segment, region, self.state(region))
    }
}
