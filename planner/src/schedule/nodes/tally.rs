//! Numbers of messages, bytes and partner nodes of each node.
//!
//! The messages of a rank are a product of dimensions, so their numbers by length are products of [`Histogram`]s. A
//! node sends the messages of its ranks except those within the node, which are counted from the products of its ranks'
//! places ([`NodePlaces`]). Partner nodes are a union over these products, too: the shortest message to a process
//! decides whether its node gets an early message.
//!
//! Time: proportional to the number of ranks and, for each node, to the stretches of the product of its messages. At
//! most [`MAX_EXAMINED`] are examined.

use super::super::traffic::Traffic;
use super::lengths::{Histogram, Lengths, Stretch};
use super::placement::Placement;
use super::places::{NodePlaces, Product};
use crate::layout::distribution::{Grid, RankMap, number, put_place};
use std::collections::BTreeMap;
use std::ops::{AddAssign, Range, Sub};

/// Maximum number of products of lengths and of stretches that are examined, which takes seconds.
const MAX_EXAMINED: u64 = 1 << 28;
/// Maximum number of nodes, which take half a kilobyte each.
const MAX_NODES: u32 = 1 << 20;

/// A number of messages, and their bytes.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Volume {
    /// Number of these messages, each counted once.
    pub messages: u64,
    /// Bytes of all these messages.
    pub bytes: u64,
}

/// Messages of one kind of a node in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Part {
    /// Messages to, or from, other nodes.
    pub between: Volume,
    /// Messages to, or from, all other ranks, those of the node included.
    pub with_own: Volume,
    /// Maxima over the node's ranks, messages within the node included. They may belong to different ranks.
    pub busiest: Volume,
}

/// Messages of a node in one direction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flow {
    /// Early and long messages together.
    pub all: Part,
    /// Early messages: those of at most the bytes that the tally was made for.
    pub early: Part,
    /// Messages that are not early.
    pub long: Part,
    /// Number of other nodes at the other end of a message.
    pub nodes: u64,
    /// Number of other nodes at the other end of an early message.
    pub early_nodes: u64,
}

/// Messages to, from and within one node.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct NodeTally {
    /// Messages that the ranks of the node send.
    pub sent: Flow,
    /// Messages that they receive.
    pub received: Flow,
    /// Messages between ranks of the node.
    pub within: Volume,
    /// Bytes that ranks of the node keep.
    pub kept: u64,
}

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

impl Volume {
    fn max(self, other: Self) -> Self {
        Self { messages: self.messages.max(other.messages), bytes: self.bytes.max(other.bytes) }
    }
}

impl Flow {
    fn parts(&mut self) -> [&mut Part; 3] {
        [&mut self.all, &mut self.early, &mut self.long]
    }
}

/// Messages by kind: all, early and long ones.
type Kinds = [Volume; 3];

impl AddAssign for Volume {
    fn add_assign(&mut self, other: Self) {
        self.messages += other.messages;
        self.bytes += other.bytes;
    }
}

impl Sub for Volume {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { messages: self.messages - other.messages, bytes: self.bytes - other.bytes }
    }
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

/// The lengths of all dimensions, seen from one side: the senders if `sending`.
struct Sides {
    lengths: Vec<Lengths>,
    sending: bool,
}

/// One side's processes by node, and the messages of each node, so far.
struct Side {
    grid: Grid,
    places: NodePlaces,
    flows: Vec<Flow>,
    /// Bytes that each process keeps, in row-major order.
    kept: Vec<u64>,
}

struct Count<'a> {
    sides: &'a Sides,
    placement: Placement,
    element: u64,
    early: u64,
    near: Side,
    far: Side,
    /// Messages within each node, self copies included.
    within: Vec<Kinds>,
    /// Data that ranks keep, by node.
    kept: Vec<Kinds>,
    looked_at: u64,
}

impl<'a> Count<'a> {
    fn new(traffic: &Traffic, sides: &'a Sides, placement: Placement, early: u64) -> Self {
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
    fn look_at(&mut self, more: u64) -> Option<()> {
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
    fn all_of_ranks(&mut self, near: bool) -> Option<()> {
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
    fn within_nodes(&mut self) -> Option<()> {
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
    fn kept(&mut self) {
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

    /// Counts the partner nodes of each node.
    fn partners(&mut self) -> Option<()> {
        let nodes = self.placement.nodes();
        // Differences between the partner nodes of consecutive far nodes: all, and early ones.
        let mut far = [vec![0i64; nodes as usize + 1], vec![0i64; nodes as usize + 1]];
        for node in 0..nodes {
            let partners = self.partners_of(node)?;
            for (which, ranges) in partners.into_iter().enumerate() {
                let mut count = 0;
                for range in ranges.into_ranges() {
                    count += u64::from(range.end - range.start);
                    far[which][range.start as usize] += 1;
                    far[which][range.end as usize] -= 1;
                    if range.contains(&node) {
                        count -= 1;
                        far[which][node as usize] -= 1;
                        far[which][node as usize + 1] += 1;
                    }
                }
                let flow = &mut self.near.flows[node as usize];
                *(if which == 0 { &mut flow.nodes } else { &mut flow.early_nodes }) = count;
            }
        }
        let mut sums = [0i64; 2];
        for (node, flow) in self.far.flows.iter_mut().enumerate() {
            for (sum, far) in sums.iter_mut().zip(&far) {
                *sum += far[node];
            }
            let [all, early] = sums.map(|sum| u64::try_from(sum).expect("a number of nodes"));
            (flow.nodes, flow.early_nodes) = (all, early);
        }
        Some(())
    }

    /// Returns the far nodes of the messages of near node `node`, itself included: all, and those of early messages.
    fn partners_of(&mut self, node: u32) -> Option<[NodeRanges; 2]> {
        let sides = self.sides;
        let mut found = [NodeRanges::default(), NodeRanges::default()];
        for product in self.near.places.of_node[node as usize].clone() {
            self.look_at(product.iter().map(|coords| coords.len() as u64).sum())?;
            let shortest: Vec<Vec<Stretch>> =
                sides.lengths.iter().zip(&product).map(|(dim, coords)| dim.shortest(coords)).collect();
            let processes = |stretches: &Vec<Stretch>| -> u64 {
                stretches.iter().map(|stretch| u64::from(stretch.end - stretch.start)).sum()
            };
            let inner = inner_dim(self.far.grid.extents());
            let size = |(d, stretches): (usize, &Vec<Stretch>)| match d == inner && self.far_is_row_major() {
                true => stretches.len() as u64,
                false => processes(stretches),
            };
            let looks = shortest.iter().enumerate().map(size).fold(1u64, u64::saturating_mul);
            self.look_at(looks)?;
            let mut at = vec![0; shortest.len()];
            self.add_nodes(&shortest, (0, inner), &mut at, self.element, &mut found);
        }
        Some(found)
    }

    /// Returns whether the ranks of the far grid are consecutive along its inner dimension.
    fn far_is_row_major(&self) -> bool {
        let inner = inner_dim(self.far.grid.extents());
        matches!(self.far.grid.map(), RankMap::Affine { strides, .. } if strides.get(inner).is_none_or(|&s| s == 1 || s == 0))
    }

    /// Adds the nodes of the far processes in the product of `stretches` to `found`. The coordinates of the dimensions
    /// below `d` are chosen in `at`; `bytes` is the product of their lengths. The inner dimension comes last.
    fn add_nodes(
        &self,
        stretches: &[Vec<Stretch>],
        (d, inner): (usize, usize),
        at: &mut Vec<u32>,
        bytes: u64,
        found: &mut [NodeRanges; 2],
    ) {
        if d < inner {
            for stretch in &stretches[d] {
                for coord in stretch.start..stretch.end {
                    at[d] = coord;
                    self.add_nodes(
                        stretches,
                        (d + 1, inner),
                        at,
                        bytes.saturating_mul(stretch.elements),
                        found,
                    );
                }
            }
            return;
        }
        // Behind the inner dimension, each dimension has one process.
        let Some(rest) = stretches[inner + 1..]
            .iter()
            .map(|rest| rest.first().map(|stretch| stretch.elements))
            .try_fold(bytes, |bytes, elements| Some(bytes.saturating_mul(elements?)))
        else {
            return;
        };
        let whole = self.far_is_row_major();
        for stretch in &stretches[inner] {
            let early = rest.saturating_mul(stretch.elements) <= self.early;
            let mut add = |coords: Range<u32>| {
                at[inner] = coords.start;
                let first = self.far.grid.rank(at).0;
                self.placement.nodes_of(first..first + (coords.end - coords.start), |range| {
                    if early {
                        found[1].add(range.clone());
                    }
                    found[0].add(range);
                });
            };
            match whole {
                true => add(stretch.start..stretch.end),
                false => (stretch.start..stretch.end).for_each(|coord| add(coord..coord + 1)),
            }
        }
    }

    /// Returns the tallies. Messages between nodes are those of all ranks, less those within nodes.
    fn nodes(&self) -> Vec<NodeTally> {
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

fn add(sum: &mut Kinds, more: &Kinds) {
    sum.iter_mut().zip(more).for_each(|(sum, &more)| *sum += more);
}

/// Returns the last dimension with several processes; the last of all if there is none.
fn inner_dim(extents: &[u32]) -> usize {
    extents.iter().rposition(|&extent| extent > 1).unwrap_or(extents.len() - 1)
}

#[derive(Default, Debug)]
struct NodeRanges {
    ranges: Vec<Range<u32>>,
    /// Number of ranges after the last merge.
    merged: usize,
}

impl NodeRanges {
    fn add(&mut self, range: Range<u32>) {
        match self.ranges.last_mut() {
            Some(last) if last.start <= range.start && range.start <= last.end => {
                last.end = last.end.max(range.end)
            }
            _ => self.ranges.push(range),
        }
        if self.ranges.len() > 2 * self.merged + 4096 {
            self.merge();
        }
    }

    fn merge(&mut self) {
        self.ranges.sort_unstable_by_key(|range| range.start);
        self.ranges.dedup_by(|next, last| {
            let adjoin = next.start <= last.end;
            last.end = last.end.max(if adjoin { next.end } else { 0 });
            adjoin
        });
        self.merged = self.ranges.len();
    }

    /// Returns the nodes as disjoint ranges.
    fn into_ranges(mut self) -> Vec<Range<u32>> {
        self.merge();
        self.ranges
    }
}
