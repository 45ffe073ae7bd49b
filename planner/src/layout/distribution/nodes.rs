//! Choice of the copy of a replicated array that a rank reads.
//!
//! A rank reads its own copy if it has one, otherwise a copy on its node, otherwise any copy. Ranks without a copy of
//! their own are spread over the eligible copies. Distances between nodes are not considered.

use super::{Grid, Rank, places};
use std::sync::Arc;

/// Node of each rank, if nodes are known.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Nodes(Option<Arc<[u32]>>);

impl Nodes {
    /// Creates the nodes from a node number for each rank.
    pub fn new(of_each: &[u32]) -> Self {
        Self(Some(of_each.into()))
    }

    fn same(&self, a: Rank, b: Rank) -> bool {
        self.0.as_ref().is_none_or(|nodes| nodes[a.0 as usize] == nodes[b.0 as usize])
    }

    /// Returns the place in `grid` that `reader` reads from. The place begins with the coordinates `part`; the
    /// remaining coordinates choose a copy. Without node numbers, all ranks are assumed to share a node.
    pub fn nearest(&self, grid: &Grid, part: &[u32], reader: Rank) -> Vec<u32> {
        let copies = &grid.extents()[part.len()..];
        if copies.iter().all(|&e| e == 1) {
            let mut only = Vec::with_capacity(grid.extents().len());
            only.extend_from_slice(part);
            only.resize(grid.extents().len(), 0);
            return only;
        }
        if let Some(own) = grid.find(reader).filter(|own| own.starts_with(part)) {
            return own;
        }
        let all: Vec<Vec<u32>> = places(copies).map(|copy| [part, &copy].concat()).collect();
        let near: Vec<&Vec<u32>> = all.iter().filter(|at| self.same(grid.rank(at), reader)).collect();
        let count = if near.is_empty() { all.len() } else { near.len() };
        let turn = reader.0 as usize % count;
        near.get(turn).map_or_else(|| all[turn].clone(), |&at| at.clone())
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
        let read = |nodes: &Nodes, part, reader| grid.rank(&nodes.nearest(&grid, &[part], Rank(reader))).0;
        for reader in 0..8 {
            assert_eq!(read(&nodes, reader / 4, reader), reader, "its own");
        }
        let odd = Nodes::new(&[0, 1, 2, 3, 4, 5, 6, 7, 3]);
        assert_eq!(read(&odd, 0, 8), 3, "of the same node");
        let far: Vec<u32> = (8..12).map(|reader| read(&nodes, 1, reader)).collect();
        assert_eq!(far, [4, 5, 6, 7], "spread over all");
        let unknown: Vec<u32> = (0..4).map(|reader| read(&Nodes::default(), 1, reader)).collect();
        assert_eq!(unknown, [4, 5, 6, 7]);
        assert_eq!(Nodes::default().nearest(&Grid::row_major(&[2, 1]), &[1], Rank(9)), [1, 0]);
    }
}
