//! Counts the partner nodes of each node: a union over the products of its ranks' places. The shortest message to a
//! process decides whether its node gets an early message.

use super::count::Count;
use super::lengths::Stretch;
use crate::layout::distribution::RankMap;
use std::ops::Range;

impl Count<'_> {
    /// Counts the partner nodes of each node.
    pub fn partners(&mut self) -> Option<()> {
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
}

/// Returns the last dimension with several processes; the last of all if there is none.
fn inner_dim(extents: &[u32]) -> usize {
    extents.iter().rposition(|&extent| extent > 1).unwrap_or(extents.len() - 1)
}

/// A set of nodes under construction.
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
