//! Places of a node's ranks in a grid, as products of coordinates. With ranks in row-major order, a node has few
//! products: up to 2d - 1 in d dimensions if its ranks are consecutive, often one if ranks are placed round robin.

use super::placement::Placement;
use crate::layout::distribution::Grid;
use std::collections::BTreeMap;

/// A set of places: all combinations of the coordinates, ascending, of each dimension.
pub type Product = Vec<Vec<u32>>;

/// The processes of a grid by node.
#[derive(Debug)]
pub struct NodePlaces {
    /// The node of each process, in row-major order.
    pub node_of: Vec<u32>,
    /// The places of each node.
    pub of_node: Vec<Vec<Product>>,
}

impl NodePlaces {
    pub fn new(grid: &Grid, placement: &Placement) -> Self {
        let mut numbers = vec![Vec::new(); placement.nodes() as usize];
        let mut node_of = Vec::new();
        for (number, place) in (0u64..).zip(grid.places()) {
            let node = placement.node(grid.rank(&place));
            node_of.push(node);
            numbers[node as usize].push(number);
        }
        let of_node = numbers.iter().map(|numbers| products(grid.extents(), numbers)).collect();
        Self { node_of, of_node }
    }
}

/// Returns the places with the row-major numbers `numbers`, which ascend.
fn products(extents: &[u32], numbers: &[u64]) -> Vec<Product> {
    let small = |n: u64| u32::try_from(n).expect("a coordinate");
    let Some((_, inner)) = extents.split_first().filter(|(_, inner)| !inner.is_empty()) else {
        let coords: Vec<u32> = numbers.iter().map(|&number| small(number)).collect();
        return if coords.is_empty() { Vec::new() } else { vec![vec![coords]] };
    };
    let size: u64 = inner.iter().map(|&e| u64::from(e)).product();
    let mut groups: BTreeMap<Vec<Product>, Vec<u32>> = BTreeMap::new();
    for row in numbers.chunk_by(|a, b| a / size == b / size) {
        let rest: Vec<u64> = row.iter().map(|number| number % size).collect();
        groups.entry(products(inner, &rest)).or_default().push(small(row[0] / size));
    }
    let outer = |(rest, coords): (Vec<Product>, Vec<u32>)| {
        rest.into_iter().map(move |product| [vec![coords.clone()], product].concat())
    };
    groups.into_iter().flat_map(outer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Rank, number, places};
    use crate::schedule::nodes::PlacementOrder::{ByNode, BySlot};

    #[test]
    fn products_have_each_place_once() {
        for extents in [&[12][..], &[3, 4], &[4, 6], &[2, 3, 4], &[6, 1], &[1, 5, 1]] {
            let grid = Grid::row_major(extents);
            for (per_node, order) in (1..=7).flat_map(|n| [(n, BySlot), (n, ByNode)]) {
                let ranks = u32::try_from(grid.size()).unwrap();
                let placement = Placement::new(ranks, per_node, order);
                let found = NodePlaces::new(&grid, &placement);
                let mut times = vec![0; ranks as usize];
                for (node, products) in (0..).zip(&found.of_node) {
                    for product in products {
                        let counts: Vec<u32> = product.iter().map(|coords| coords.len() as u32).collect();
                        for which in places(&counts) {
                            let place: Vec<u32> =
                                product.iter().zip(which).map(|(coords, k)| coords[k as usize]).collect();
                            let rank = number(extents, &place);
                            times[rank as usize] += 1;
                            assert_eq!(placement.node(Rank(rank as u32)), node);
                        }
                    }
                    assert!(order == ByNode || products.len() < 2 * extents.len());
                }
                assert!(times.iter().all(|&times| times == 1), "{extents:?} {placement:?}");
            }
        }
    }
}
