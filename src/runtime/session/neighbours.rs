//! The ranks of a node and their shared memory, as found by a [`survey`](super::survey).

use crate::layout::distribution::Nodes;
use crate::mpi::{Comm, MpiError};
use crate::system::buffer_memory::BytesInUse;
use crate::system::machine::Proximity;
use crate::system::workers::cores;
use crate::transport::shm::Endpoint;
use crate::transport::shm::exchange::NodeExchange;
use std::sync::Arc;

/// The ranks of this node, their shared memory and cores.
pub struct Neighbours {
    /// Slots in shared memory, if the node has several ranks, memory for slots, and settings that allow them.
    pub shared: Option<NodeEnds>,
    /// Exchanges between nodes, if there are several nodes, not too many, and memory.
    pub exchange: Option<NodeExchange>,
    pub(super) node: NodeRanks,
    pub nodes: Nodes,
    pub(super) node_info: NodeInfo,
}

#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// Whether all ranks of the communicator share one memory; equal on all of them.
    pub one_node: bool,
    /// Cores for this rank alone; 0 if it shares its cores with other ranks.
    pub cores: usize,
    /// Maximum bytes of a message that travels early, in an exchange between nodes; 0 without exchanges.
    pub early: u64,
}

impl NodeInfo {
    /// Returns where the ranks of the communicator run.
    pub fn proximity(self) -> Proximity {
        if self.one_node { Proximity::OneNode } else { Proximity::Nodes { early: self.early } }
    }

    /// Returns the facts for the only rank of a communicator. Its cores are its own if the job has no other rank.
    pub fn alone() -> Result<Self, MpiError> {
        let own = if Comm::world().size()? == 1 { cores() } else { 1 };
        Ok(Self { one_node: true, cores: own, early: 0 })
    }
}

impl Default for NodeInfo {
    fn default() -> Self {
        Self { one_node: false, cores: 1, early: 0 }
    }
}

pub struct NodeEnds {
    pub data: Endpoint,
    pub agreement: Endpoint,
    pub(super) _bytes_in_use: BytesInUse,
}

impl Neighbours {
    pub fn node_info(&self) -> NodeInfo {
        self.node_info
    }
}

/// The ranks of a session on this node, in ascending order.
pub(super) struct NodeRanks {
    pub(super) numbers: Arc<[u32]>,
    /// A digest of each rank's core set.
    pub(super) masks: Vec<u64>,
    /// Index of this rank among them.
    pub(super) me: usize,
}
