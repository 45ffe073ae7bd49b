//! Placement of ranks on nodes by a rule, as launchers place them.

use crate::layout::distribution::Rank;
use std::ops::Range;

/// Rule of a launcher for placing ranks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlacementOrder {
    /// Consecutive ranks on one node (block; `--map-by slot`).
    BySlot,
    /// Consecutive ranks on consecutive nodes, round robin (cyclic; `--map-by node`).
    ByNode,
}

/// Placement of a job's ranks on the fewest nodes that have room for them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placement {
    ranks: u32,
    per_node: u32,
    order: PlacementOrder,
}

impl Placement {
    /// Places `ranks` ranks (at least 1), with at most `per_node` ranks on each node (at least 1).
    pub fn new(ranks: u32, per_node: u32, order: PlacementOrder) -> Self {
        assert!(ranks > 0 && per_node > 0, "a job has a rank, and a node has room for one");
        Self { ranks, per_node: per_node.min(ranks), order }
    }

    /// Returns the number of nodes with ranks.
    pub fn nodes(&self) -> u32 {
        self.ranks.div_ceil(self.per_node)
    }

    /// Returns the number of ranks of the job.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// Returns the largest number of ranks on a node.
    pub fn most(&self) -> u32 {
        match self.order {
            PlacementOrder::BySlot => self.per_node,
            PlacementOrder::ByNode => self.ranks.div_ceil(self.nodes()),
        }
    }

    /// Returns the smallest number of ranks on a node.
    pub fn fewest(&self) -> u32 {
        self.of_node(self.nodes() - 1)
    }

    /// Returns the number of ranks on node `node`.
    pub fn of_node(&self, node: u32) -> u32 {
        match self.order {
            PlacementOrder::BySlot => self.per_node.min(self.ranks - node * self.per_node),
            PlacementOrder::ByNode => (self.ranks - node).div_ceil(self.nodes()),
        }
    }

    /// Returns the node of a rank.
    pub fn node(&self, Rank(rank): Rank) -> u32 {
        match self.order {
            PlacementOrder::BySlot => rank / self.per_node,
            PlacementOrder::ByNode => rank % self.nodes(),
        }
    }

    /// Passes ranges of nodes to `add` that together contain the nodes of the consecutive `ranks`, which must not be
    /// empty.
    pub(super) fn nodes_of(&self, ranks: Range<u32>, mut add: impl FnMut(Range<u32>)) {
        let nodes = self.nodes();
        match self.order {
            PlacementOrder::BySlot => add(ranks.start / self.per_node..(ranks.end - 1) / self.per_node + 1),
            PlacementOrder::ByNode if ranks.end - ranks.start >= nodes => add(0..nodes),
            PlacementOrder::ByNode => {
                let (first, last) = (ranks.start % nodes, (ranks.end - 1) % nodes);
                if first <= last {
                    add(first..last + 1);
                } else {
                    add(first..nodes);
                    add(0..last + 1);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_their_ranks() {
        for (ranks, per_node) in [(1, 1), (7, 3), (12, 4), (5, 9), (10, 4)] {
            for order in [PlacementOrder::BySlot, PlacementOrder::ByNode] {
                let placement = Placement::new(ranks, per_node, order);
                let nodes: Vec<u32> = (0..ranks).map(|rank| placement.node(Rank(rank))).collect();
                let on = |node| nodes.iter().filter(|&&other| other == node).count() as u32;
                let counts: Vec<u32> = (0..placement.nodes()).map(on).collect();
                assert!(counts.iter().all(|&count| (1..=per_node).contains(&count)), "{placement:?}");
                assert_eq!(counts.iter().max(), Some(&placement.most()), "{placement:?}");
                assert_eq!(counts.iter().min(), Some(&placement.fewest()), "{placement:?}");
                assert!((0..).zip(&counts).all(|(node, &count)| placement.of_node(node) == count));
                assert_eq!(counts.iter().sum::<u32>(), ranks);
                for (start, end) in
                    (0..ranks).flat_map(|start| (start + 1..=ranks).map(move |end| (start, end)))
                {
                    let mut found = vec![false; counts.len()];
                    placement
                        .nodes_of(start..end, |range| range.for_each(|node| found[node as usize] = true));
                    let expected = |node: u32| nodes[start as usize..end as usize].contains(&node);
                    assert!((0..).zip(&found).all(|(node, &found)| found == expected(node)));
                }
            }
        }
    }
}
