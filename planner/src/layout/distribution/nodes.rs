//! The node of each rank, and the choice of the copy of a replicated array that a rank reads.
//!
//! A rank reads its own copy if it has one, otherwise a copy on its node, otherwise any copy. Ranks without a copy are
//! spread over the eligible copies. Distances between nodes are not considered.

use super::{Grid, Rank, place, put_place};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// Node of each rank, and the number of the rank there, if nodes are known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Nodes(Option<Arc<NodeNumbers>>);

#[derive(PartialEq, Eq, Hash, Debug)]
struct NodeNumbers {
    of_each: Vec<NodePlace>,
    count: u32,
    max_ranks: u32,
}

/// Place of a rank: its node, and its number there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct NodePlace {
    /// Number of its node, in the order of the nodes' first ranks.
    pub node: u32,
    /// Number among the ranks of the node, in ascending order.
    pub number: u32,
}

impl Nodes {
    /// Creates the nodes from a number for each rank: equal on the ranks of a node, different on different nodes.
    pub fn new(of_each: &[u32]) -> Self {
        let (mut nodes, mut ranks) = (HashMap::new(), Vec::new());
        let place = |node| {
            let node = *nodes.entry(node).or_insert_with(|| {
                ranks.push(0);
                ranks.len() - 1
            });
            let number = ranks[node];
            ranks[node] += 1;
            NodePlace { node: u32::try_from(node).expect("no more nodes than ranks"), number }
        };
        let of_each = of_each.iter().map(place).collect();
        let count = u32::try_from(ranks.len()).expect("no more nodes than ranks");
        Self(Some(Arc::new(NodeNumbers { of_each, count, max_ranks: ranks.into_iter().max().unwrap_or(0) })))
    }

    /// Returns the number of nodes and the largest number of ranks on a node, if ranks share network ports: there are
    /// several nodes, and one of them has several ranks. Otherwise `None`.
    pub fn shared_ports(&self) -> Option<(u32, u32)> {
        self.0.as_ref().filter(|all| all.count > 1 && all.max_ranks > 1).map(|all| (all.count, all.max_ranks))
    }

    /// Returns the place of a rank; `None` if nodes are not known, or if there is no such rank.
    pub fn place(&self, Rank(rank): Rank) -> Option<NodePlace> {
        self.0.as_ref()?.of_each.get(rank as usize).copied()
    }

    /// Returns the number of each rank's node. The list is empty if nodes are not known or if there is only one node.
    pub fn numbers(&self) -> Vec<u32> {
        let several = self.0.as_ref().filter(|all| all.count > 1);
        several.map_or_else(Vec::new, |all| all.of_each.iter().map(|at| at.node).collect())
    }

    fn node(&self, rank: Rank) -> Option<u32> {
        self.place(rank).map(|at| at.node)
    }

    /// Returns the place in `grid` that `reader` reads from. The place begins with the coordinates `part`; the
    /// remaining coordinates choose a copy. Without node numbers, all ranks are assumed to share a node; this function
    /// then takes a time that does not depend on the number of copies.
    pub fn nearest_copy<'a>(&self, grid: &Grid, part: &'a [u32], reader: Rank) -> Cow<'a, [u32]> {
        let copies = &grid.extents()[part.len()..];
        if copies.is_empty() {
            return Cow::Borrowed(part);
        }
        if copies.iter().all(|&e| e == 1) {
            return Cow::Owned([part, &vec![0; copies.len()]].concat());
        }
        if let Some(own) = grid.find(reader).filter(|own| own.starts_with(part)) {
            return Cow::Owned(own);
        }
        let all = copies.iter().map(|&e| e as usize).product();
        let near = match self.0 {
            Some(_) => self.copies_on_node(grid, part, reader, all),
            None => Vec::new(),
        };
        let turn = |count: usize| reader.0 as usize % count;
        let number = match near.len() {
            0 => turn(all),
            count => near[turn(count)],
        };
        Cow::Owned([part, &place(copies, number as u64)].concat())
    }

    /// Returns the numbers of those of the `all` copies of `part` that are on the node of `reader`.
    fn copies_on_node(&self, grid: &Grid, part: &[u32], reader: Rank, all: usize) -> Vec<usize> {
        let (node, mut copy, mut at) = (self.node(reader), Vec::new(), part.to_vec());
        let is_near = |&number: &usize| {
            put_place(&grid.extents()[part.len()..], number as u64, &mut copy);
            at.truncate(part.len());
            at.extend(&copy);
            self.node(grid.rank(&at)) == node
        };
        (0..all).filter(is_near).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_copy_is_chosen() {
        // Two parts, four copies: part p, copy c on rank 4p + c; two ranks per node.
        let grid = Grid::row_major(&[2, 4]);
        let nodes = Nodes::new(&(0..16).map(|rank| rank / 2).collect::<Vec<_>>());
        let read =
            |nodes: &Nodes, part, reader| grid.rank(&nodes.nearest_copy(&grid, &[part], Rank(reader))).0;
        for reader in 0..8 {
            assert_eq!(read(&nodes, reader / 4, reader), reader, "its own");
        }
        let odd = Nodes::new(&[0, 1, 2, 3, 4, 5, 6, 7, 3]);
        assert_eq!(read(&odd, 0, 8), 3, "of the same node");
        let far: Vec<u32> = (8..12).map(|reader| read(&nodes, 1, reader)).collect();
        assert_eq!(far, [4, 5, 6, 7], "spread over all");
        let unknown: Vec<u32> = (0..4).map(|reader| read(&Nodes::default(), 1, reader)).collect();
        assert_eq!(unknown, [4, 5, 6, 7]);
        assert_eq!(*Nodes::default().nearest_copy(&Grid::row_major(&[2, 1]), &[1], Rank(9)), [1, 0]);
    }

    #[test]
    fn nodes_and_their_ranks_are_numbered_in_order() {
        let nodes = Nodes::new(&[7, 2, 7, 2, 7, 0]);
        let place = |rank| nodes.place(Rank(rank)).map(|at| (at.node, at.number));
        let places: Vec<_> = (0..6).map(|rank| place(rank).unwrap()).collect();
        assert_eq!(places, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (2, 0)]);
        assert_eq!((place(6), nodes.shared_ports()), (None, Some((3, 3))));
        assert_eq!((nodes.numbers(), Nodes::new(&[4, 4]).numbers()), (vec![0, 1, 0, 1, 0, 2], vec![]));
        for alone in [Nodes::default(), Nodes::new(&[]), Nodes::new(&[4, 4, 4]), Nodes::new(&[0, 1, 2])] {
            assert_eq!(alone.shared_ports(), None, "no port is shared, or none is used");
        }
    }
}
