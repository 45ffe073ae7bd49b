//! Map of ranks to nodes.

use crate::layout::distribution::Rank;
use std::collections::HashMap;

/// The ranks of a communicator by node. Nodes are numbered in the order of their first ranks.
#[derive(PartialEq, Eq, Debug)]
pub struct NodeMap {
    /// Node of each rank, and number of the rank among the ranks of that node.
    of_rank: Vec<(u32, u32)>,
    /// The ranks of each node, in ascending order.
    nodes: Vec<Vec<u32>>,
}

impl NodeMap {
    /// Creates the map of ranks that run on these `machines`, one for each rank.
    pub fn new(machines: &[u64]) -> Self {
        let (mut nodes, mut numbers): (Vec<Vec<u32>>, HashMap<u64, usize>) = (Vec::new(), HashMap::new());
        let mut of_rank = Vec::with_capacity(machines.len());
        for (rank, machine) in (0u32..).zip(machines) {
            let node = *numbers.entry(*machine).or_insert(nodes.len());
            if node == nodes.len() {
                nodes.push(Vec::new());
            }
            let small = |n: usize| u32::try_from(n).expect("at most the number of ranks");
            of_rank.push((small(node), small(nodes[node].len())));
            nodes[node].push(rank);
        }
        Self { of_rank, nodes }
    }

    /// Returns the number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of ranks.
    pub fn ranks(&self) -> usize {
        self.of_rank.len()
    }

    /// Returns the number of ranks of the node with the fewest.
    pub fn min_ranks(&self) -> usize {
        self.nodes.iter().map(Vec::len).min().unwrap_or(1)
    }

    /// Returns the largest number of pairs of a rank of one node and a rank of another one, or of the same one.
    pub fn max_pairs(&self) -> usize {
        let most = self.nodes.iter().map(Vec::len).max().unwrap_or(1);
        most * most
    }

    /// Returns the ranks of node number `node`.
    pub fn of_node(&self, node: usize) -> &[u32] {
        &self.nodes[node]
    }

    /// Returns the node of a rank, and the rank's number among the ranks of that node.
    pub fn place(&self, Rank(rank): Rank) -> (usize, usize) {
        let (node, number) = self.of_rank[rank as usize];
        (node as usize, number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_a_node_need_not_be_consecutive() {
        let map = NodeMap::new(&[9, 4, 9, 9, 4, 6]);
        assert_eq!((map.count(), map.ranks(), map.max_pairs()), (3, 6, 9));
        assert_eq!([0, 1, 2].map(|node| map.of_node(node).to_vec()), [vec![0, 2, 3], vec![1, 4], vec![5]]);
        for node in 0..map.count() {
            for (number, &rank) in map.of_node(node).iter().enumerate() {
                assert_eq!(map.place(Rank(rank)), (node, number));
            }
        }
    }
}
