//! Counts of the messages and bytes of a node, or of all nodes.

use reblock_plan::schedule::nodes::{Flow, NodeTally, Tally};
use serde::Serialize;

#[derive(Serialize, PartialEq, Eq, Debug)]
pub struct NodeCounts {
    /// Messages that ranks send to other nodes.
    pub leave: FlowCounts,
    /// Messages that ranks receive from other nodes.
    pub enter: FlowCounts,
    /// Messages between ranks of a node.
    pub within: u64,
    pub within_bytes: u64,
    pub kept_bytes: u64,
}

#[derive(Serialize, PartialEq, Eq, Default, Debug)]
pub struct FlowCounts {
    pub messages: u64,
    pub bytes: u64,
    pub early: u64,
    pub early_bytes: u64,
    /// Number of other nodes at the other end of a message.
    pub nodes: u64,
    /// Number of other nodes at the other end of an early message.
    pub early_nodes: u64,
}

/// Returns, for each figure, its maximum over the nodes.
pub fn busiest(tally: &Tally) -> NodeCounts {
    let most = |of: &dyn Fn(&NodeCounts) -> u64| {
        tally.nodes.iter().map(|node| of(&NodeCounts::from(node))).max().unwrap_or(0)
    };
    let flow = |of: &dyn Fn(&NodeCounts) -> &FlowCounts| FlowCounts {
        messages: most(&|node| of(node).messages),
        bytes: most(&|node| of(node).bytes),
        early: most(&|node| of(node).early),
        early_bytes: most(&|node| of(node).early_bytes),
        nodes: most(&|node| of(node).nodes),
        early_nodes: most(&|node| of(node).early_nodes),
    };
    NodeCounts {
        leave: flow(&|node| &node.leave),
        enter: flow(&|node| &node.enter),
        within: most(&|node| node.within),
        within_bytes: most(&|node| node.within_bytes),
        kept_bytes: most(&|node| node.kept_bytes),
    }
}

impl From<&NodeTally> for NodeCounts {
    fn from(node: &NodeTally) -> Self {
        Self {
            leave: FlowCounts::from(&node.sent),
            enter: FlowCounts::from(&node.received),
            within: node.within.messages,
            within_bytes: node.within.bytes,
            kept_bytes: node.kept,
        }
    }
}

impl From<&Flow> for FlowCounts {
    fn from(flow: &Flow) -> Self {
        let (all, early) = (flow.all.between, flow.early.between);
        Self {
            messages: all.messages,
            bytes: all.bytes,
            early: early.messages,
            early_bytes: early.bytes,
            nodes: flow.nodes,
            early_nodes: flow.early_nodes,
        }
    }
}
