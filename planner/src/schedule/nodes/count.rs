//! Counts the messages of each node.
//!
//! The messages of a rank are a product of dimensions, so their numbers by length are products of [`Histogram`]s. A
//! node sends the messages of its ranks except those within the node, which are counted from the products of its ranks'
//! places ([`NodePlaces`]).

use super::super::traffic::Traffic;
use super::flow::{Flow, Kinds, NodeTally, Volume, add};
use super::lengths::{Histogram, Lengths};
use super::placement::Placement;
use super::places::{NodePlaces, Product};
use crate::layout::distribution::{Grid, RankMap, number, put_place};
use std::collections::BTreeMap;

/// Maximum number of products of lengths and of stretches that are examined, which takes seconds.
const MAX_EXAMINED: u64 = 1 << 28;

/// The lengths of all dimensions, seen from one side: the senders if `sending`.
pub(super) struct Sides {
    pub lengths: Vec<Lengths>,
    pub sending: bool,
}

/// One side's processes by node, and the messages of each node, so far.
pub(super) struct Side {
    pub grid: Grid,
    pub places: NodePlaces,
    pub flows: Vec<Flow>,
    /// Bytes that each process keeps, in row-major order.
    pub kept: Vec<u64>,
}

/// Counts of a redistribution in progress.
pub(super) struct Count<'a> {
    pub sides: &'a Sides,
    pub placement: Placement,
    pub element: u64,
    pub early: u64,
    pub near: Side,
    pub far: Side,
    /// Messages within each node, self copies included.
    pub within: Vec<Kinds>,
    /// Data that ranks keep, by node.
    pub kept: Vec<Kinds>,
    pub looked_at: u64,
}

impl<'a> Count<'a> {
    pub fn new(traffic: &Traffic, sides: &'a Sides, placement: Placement, early: u64) -> Self {
        let nodes = placement.nodes() as usize;
        let side = |grid: &Grid| Side {
            grid: grid.clone(),
            places: NodePlaces::new(grid, &placement),
            flows: vec![Flow::default(); nodes],
            kept: vec![0; usize::try_from(grid.size()).expect("a grid fits in memory")],
        };
        let (from, to) = (side(&traffic.from), side(&traffic.to));
        let (near, far) = if sides.sending { (from, to) } else { (to, from) };
        let (within, kept) = (vec![Default::default(); nodes], vec![Default::default(); nodes]);
        Self { sides, placement, element: traffic.element, early, near, far, within, kept, looked_at: 0 }
    }

    /// Counts work; `None` if it is too much.
    pub fn look_at(&mut self, more: u64) -> Option<()> {
        self.looked_at = self.looked_at.saturating_add(more);
        (self.looked_at <= MAX_EXAMINED).then_some(())
    }

    /// Returns `count` messages of `elements` elements by kind.
    fn kinds(&self, elements: u64, count: u64) -> Kinds {
        let bytes = elements.saturating_mul(self.element);
        let (all, none) = (Volume { messages: count, bytes: bytes.saturating_mul(count) }, Volume::default());
        if bytes <= self.early { [all, all, none] } else { [all, none, all] }
    }

    /// Returns the messages with the lengths of the product of `dims`.
    fn product(&mut self, dims: &[&Histogram]) -> Option<Kinds> {
        self.look_at(dims.iter().map(|dim| dim.len() as u64).product())?;
        let mut sum = Kinds::default();
        self.add_product(dims, (1, 1), &mut sum);
        Some(sum)
    }

    fn add_product(&self, dims: &[&Histogram], (elements, count): (u64, u64), sum: &mut Kinds) {
        match dims.split_first() {
            None => add(sum, &self.kinds(elements, count)),
            Some((first, rest)) => first.iter().for_each(|&(length, times)| {
                self.add_product(rest, (elements * length, count * times), sum);
            }),
        }
    }

    /// Adds the messages of each rank of a side, also those within nodes.
    pub fn all_of_ranks(&mut self, near: bool) -> Option<()> {
        let lengths = self.sides.lengths.iter();
        let by_dim: Vec<Vec<Histogram>> =
            lengths.map(|dim| if near { dim.of_near() } else { dim.of_far() }).collect();
        let side = if near { &self.near } else { &self.far };
        let (extents, node_of) = (side.grid.extents().to_vec(), side.places.node_of.clone());
        let mut at = Vec::new();
        for (number, node) in node_of.into_iter().enumerate() {
            put_place(&extents, number as u64, &mut at);
            let dims: Vec<&Histogram> =
                by_dim.iter().zip(&at).map(|(dim, &coord)| &dim[coord as usize]).collect();
            let all = self.product(&dims)?;
            let side = if near { &self.near } else { &self.far };
            let own = side.kept[number] / self.element;
            let kept = self.kinds(own, u64::from(own > 0));
            let side = if near { &mut self.near } else { &mut self.far };
            let parts = side.flows[node as usize].parts();
            for ((part, all), kept) in parts.into_iter().zip(all).zip(kept) {
                part.with_own += all - kept;
                part.busiest = part.busiest.max(all - kept);
            }
        }
        Some(())
    }

    /// Counts the messages within each node, self copies included.
    pub fn within_nodes(&mut self) -> Option<()> {
        let sides = self.sides;
        for node in 0..self.within.len() {
            let (near, far) = (&self.near.places.of_node[node], &self.far.places.of_node[node]);
            let pairs: Vec<(Product, Product)> =
                near.iter().flat_map(|near| far.iter().map(|far| (near.clone(), far.clone()))).collect();
            for (near, far) in pairs {
                self.look_at(near.iter().map(|coords| coords.len() as u64).sum())?;
                let dims: Vec<Histogram> = sides
                    .lengths
                    .iter()
                    .zip(near.iter().zip(&far))
                    .map(|(dim, (near, far))| dim.among(near, far))
                    .collect();
                let all = self.product(&dims.iter().collect::<Vec<_>>())?;
                add(&mut self.within[node], &all);
            }
        }
        Some(())
    }

    /// Counts the data that ranks keep.
    pub fn kept(&mut self) {
        let (near, far) = (&self.near.grid, &self.far.grid);
        let mut homes = Vec::new();
        match far.map() {
            RankMap::Affine { .. } => homes.extend(
                near.places()
                    .filter_map(|near_place| Some((near_place.clone(), far.find(near.rank(&near_place))?))),
            ),
            RankMap::Listed(_) => {
                let by_rank: BTreeMap<_, _> = far.places().map(|place| (far.rank(&place), place)).collect();
                homes.extend(near.places().filter_map(|near_place| {
                    Some((near_place.clone(), by_rank.get(&near.rank(&near_place))?.clone()))
                }));
            }
        }
        let index = |grid: &Grid, place: &[u32]| {
            usize::try_from(number(grid.extents(), place)).expect("a process of a list")
        };
        for (near_place, far_place) in homes {
            let pairs = near_place.iter().zip(&far_place);
            let elements: u64 = self
                .sides
                .lengths
                .iter()
                .zip(pairs)
                .map(|(dim, (&near, &far))| dim.between(near, far))
                .product();
            if elements > 0 {
                let (near, far) = (index(&self.near.grid, &near_place), index(&self.far.grid, &far_place));
                (self.near.kept[near], self.far.kept[far]) =
                    (elements * self.element, elements * self.element);
                let kept = self.kinds(elements, 1);
                add(&mut self.kept[self.near.places.node_of[near] as usize], &kept);
            }
        }
    }

    /// Returns the tallies. Messages between nodes are those of all ranks, less those within nodes.
    pub fn nodes(&self) -> Vec<NodeTally> {
        let node = |node: usize| {
            let pairs = self.within[node].iter().zip(&self.kept[node]);
            let within: Vec<Volume> = pairs.map(|(&within, &kept)| within - kept).collect();
            let flow = |side: &Side| {
                let mut flow = side.flows[node];
                for (part, &within) in flow.parts().into_iter().zip(&within) {
                    part.between = part.with_own - within;
                }
                flow
            };
            let (near, far) = (flow(&self.near), flow(&self.far));
            let (sent, received) = if self.sides.sending { (near, far) } else { (far, near) };
            NodeTally { sent, received, within: within[0], kept: self.kept[node][0].bytes }
        };
        (0..self.within.len()).map(node).collect()
    }
}
