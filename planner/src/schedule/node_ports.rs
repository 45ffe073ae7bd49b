//! Network ports of nodes, which their ranks share, for listed messages.

use super::graph::{Edge, Graph};

/// The nodes of all senders and receivers. Each node has a port for sending, and one for receiving.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodePorts {
    senders: Vec<u32>,
    receivers: Vec<u32>,
    /// Bytes of the busiest port.
    load: u64,
}

impl NodePorts {
    /// Creates the ports from the node of each sender and of each receiver of `graph`.
    pub fn new(graph: &Graph, senders: Vec<u32>, receivers: Vec<u32>) -> Self {
        let mut ports = Self { senders, receivers, load: 0 };
        let mut bytes = [vec![0; ports.count()], vec![0; ports.count()]];
        for e in graph.edges().iter().filter(|e| !ports.is_within(e)) {
            bytes[0][ports.of_sender(e.sender)] += e.bytes;
            bytes[1][ports.of_receiver(e.receiver)] += e.bytes;
        }
        ports.load = bytes.iter().flatten().copied().max().unwrap_or(0);
        ports
    }

    /// Returns a number greater than the number of every node: the length of a table indexed by node.
    pub fn count(&self) -> usize {
        self.senders.iter().chain(&self.receivers).max().map_or(0, |&last| last as usize + 1)
    }

    /// Returns the node of a sender.
    pub fn of_sender(&self, sender: u32) -> usize {
        self.senders[sender as usize] as usize
    }

    /// Returns the node of a receiver.
    pub fn of_receiver(&self, receiver: u32) -> usize {
        self.receivers[receiver as usize] as usize
    }

    /// Returns whether a message stays within a node, so that it uses no port.
    pub fn is_within(&self, e: &Edge) -> bool {
        self.of_sender(e.sender) == self.of_receiver(e.receiver)
    }

    /// Returns the bytes that the busiest node sends to other nodes, or receives from them.
    pub fn load(&self) -> u64 {
        self.load
    }
}
