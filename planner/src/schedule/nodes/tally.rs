//! Numbers of messages, bytes and partner nodes of each node.
//!
//! Time: proportional to the number of ranks and, for each node, to the stretches of the product of its messages. A
//! limited number of them is examined.

use super::super::traffic::Traffic;
use super::count::{Count, Sides};
use super::flow::NodeTally;
use super::lengths::Lengths;
use super::placement::Placement;

/// Maximum number of nodes, which take half a kilobyte each.
const MAX_NODES: u32 = 1 << 20;

/// The messages of a redistribution by node.
#[derive(PartialEq, Eq, Debug)]
pub struct Tally {
    /// Placement of the ranks on the nodes.
    pub placement: Placement,
    /// Maximum bytes of an early message.
    pub early: u64,
    /// Messages of each node, by its number.
    pub nodes: Vec<NodeTally>,
}

impl Tally {
    /// Counts the messages of `traffic`. Messages of at most `early` bytes are early. `None` if there may be too many
    /// messages or nodes to count, if arrays have copies, or if only a part of the section moves.
    pub fn new(traffic: &Traffic, placement: Placement, early: u64) -> Option<Self> {
        if traffic.copies() != (1, 1)
            || traffic.from.extents().len() != traffic.dims.len()
            || !traffic.is_whole()
        {
            return None;
        }
        if placement.nodes() > MAX_NODES {
            return None;
        }
        let lengths = |sending| {
            let all = traffic.dims.iter().map(|dim| Lengths::new(dim, sending));
            Some(Sides { lengths: all.collect::<Option<_>>()?, sending })
        };
        let sides = lengths(true).or_else(|| lengths(false))?;
        let mut count = Count::new(traffic, &sides, placement, early);
        count.kept();
        count.all_of_ranks(true)?;
        count.all_of_ranks(false)?;
        count.within_nodes()?;
        count.partners()?;
        Some(Self { placement, early, nodes: count.nodes() })
    }

    /// Returns the sum over all nodes.
    pub fn total(&self) -> NodeTally {
        let mut total = NodeTally::default();
        for node in &self.nodes {
            for (sum, flow) in [(&mut total.sent, &node.sent), (&mut total.received, &node.received)] {
                sum.nodes += flow.nodes;
                sum.early_nodes += flow.early_nodes;
                for (sum, part) in sum.parts().into_iter().zip([flow.all, flow.early, flow.long]) {
                    sum.between += part.between;
                    sum.with_own += part.with_own;
                    sum.busiest = sum.busiest.max(part.busiest);
                }
            }
            total.within += node.within;
            total.kept += node.kept;
        }
        total
    }
}
