//! The ranks of a node and their shared memory, as a [`survey`](super::survey) finds them.

use crate::layout::distribution::Nodes;
use crate::mpi::{Comm, Duplicate, MpiError};
use crate::system::buffer_memory::BytesInUse;
use crate::system::machine::Proximity;
use crate::system::workers::cores;
use crate::transport::shm::Endpoint;
use crate::transport::shm::exchange::NodeExchange;

/// The ranks of this node, their shared memory and cores.
pub struct Neighbours {
    /// Slots in shared memory, if this node has several ranks and memory for the slots, and the settings allow it.
    pub shared: Option<NodeEnds>,
    /// Exchanges between nodes, if there are several nodes, but not too many, with memory for them.
    pub exchange: Option<NodeExchange>,
    /// The ranks of this node, if MPI has a communicator for them.
    pub(super) node: Option<NodeRanks>,
    pub nodes: Nodes,
    pub(super) node_info: NodeInfo,
}

#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// Set if all ranks of the communicator share one memory; equal on all of them.
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

    /// Returns the facts for the only rank of a communicator. Its cores are its own only if the job has no other
    /// rank.
    pub fn alone() -> Result<Self, MpiError> {
        let own = if Comm::world().size()? == 1 { cores() } else { 1 };
        Ok(Self { one_node: true, cores: own, early: 0 })
    }
}

/// The assumptions before the survey.
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

    /// Returns whether all ranks of the communicator are on this node.
    pub fn has_all_ranks(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.own.is_none())
    }

    /// Gives up the node's communicator without freeing it, so that MPI does not reuse it.
    pub fn keep(&mut self) {
        self.node.take().and_then(|node| node.own).into_iter().for_each(Duplicate::keep);
    }
}

/// The ranks of a session on this node, in ascending order.
pub(super) struct NodeRanks {
    /// Their communicator; `None` if they are all ranks of the session.
    pub(super) own: Option<Duplicate>,
    pub(super) numbers: Vec<u32>,
    /// A digest of each rank's core set.
    pub(super) masks: Vec<u64>,
    /// Index of this rank among them.
    pub(super) me: usize,
}
