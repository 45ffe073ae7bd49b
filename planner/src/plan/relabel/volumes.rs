//! Bytes of a target place that a rank already has in its part of the source: the element size times the product of the
//! numbers of shared indices in each dimension. Only pairs that share elements are listed.

use super::pairs::{MAX_PAIRS, PlacePair};
use crate::layout::distribution::{Axis, Dist, Rank};
use crate::layout::intersect::Overlap;
use crate::layout::problem::Problem;
use std::collections::HashMap;

pub struct PlaceVolumes<'a> {
    problem: &'a Problem,
    element: u64,
    /// Source coordinates of each rank's part.
    parts: HashMap<Rank, Vec<u32>>,
    /// Per dimension: the numbers of shared indices computed so far, by (source coordinate, target coordinate).
    known: Vec<HashMap<(u32, u32), u64>>,
}

/// Shared indices along one dimension. By source coordinate: (target coordinate, number of shared indices).
type SharedByCoordinate = Vec<Vec<(u32, u64)>>;

impl<'a> PlaceVolumes<'a> {
    pub fn new(problem: &'a Problem, element: u64) -> Self {
        let dims = problem.dims.len();
        let parts = problem.from.places().map(|mut at| {
            let rank = problem.from.rank(&at);
            at.truncate(dims);
            (rank, at)
        });
        Self { problem, element, parts: parts.collect(), known: vec![HashMap::new(); dims] }
    }

    /// Returns the bytes of all places of the target; saturates.
    pub fn all(&self) -> u64 {
        self.problem.bytes(self.element).saturating_mul(self.copies())
    }

    /// Returns the bytes that need not move if the target's places, in row-major order, are on `ranks`; saturates.
    pub fn kept_bytes(&mut self, ranks: &[Rank]) -> u64 {
        let Self { problem, parts, known, .. } = self;
        let kept = problem.to.places().zip(ranks).map(|(at, rank)| {
            let Some(part) = parts.get(rank) else { return 0 };
            let dims = problem.dims.iter().zip(known.iter_mut()).zip(part.iter().zip(&at));
            dims.fold(self.element, |bytes, ((dim, known), (&p, &q))| {
                let shared = known.entry((p, q)).or_insert_with(|| dim.volume(p, q));
                bytes.saturating_mul(*shared)
            })
        });
        kept.fold(0, u64::saturating_add)
    }

    /// Lists all pairs of a target place and a candidate that share data, and the pair of each place with its present
    /// rank. `candidates` must begin with the present ranks of places 0, 1, 2, …. Returns `None` if there are too many
    /// pairs, or if they cannot be listed because no rank has all owners.
    pub fn pairs(&self, candidates: &[Rank]) -> Option<Vec<PlacePair>> {
        let lines =
            self.problem.dims.iter().map(shared_counts).collect::<Option<Vec<SharedByCoordinate>>>()?;
        let parts = || candidates.iter().map(|rank| self.parts.get(rank));
        let pair_count = |part: &Vec<u32>| {
            let each = lines.iter().zip(part).map(|(line, &p)| line[p as usize].len() as u64);
            each.fold(self.copies(), u64::saturating_mul)
        };
        let count = parts().flatten().map(pair_count).fold(0, u64::saturating_add);
        if count > MAX_PAIRS {
            return None;
        }
        let places = self.problem.to.size();
        let mut pairs = Vec::new();
        for (holder, part) in (0..).zip(parts()) {
            let first = pairs.len();
            for (number, bytes) in part.into_iter().flat_map(|part| self.places_sharing(&lines, part)) {
                let copies = number * self.copies()..(number + 1) * self.copies();
                pairs.extend(copies.map(|place| PlacePair { place: place_number(place), holder, bytes }));
            }
            if u64::from(holder) < places && !pairs[first..].iter().any(PlacePair::stays) {
                pairs.push(PlacePair { place: holder, holder, bytes: 0 });
            }
        }
        Some(pairs)
    }

    /// Returns the target places that share data with the source part `part`, as (row-major number, bytes). Numbers do
    /// not count the copies of a place.
    fn places_sharing(&self, lines: &[SharedByCoordinate], part: &[u32]) -> Vec<(u64, u64)> {
        let extents = self.problem.to.extents();
        let mut met = vec![(0, self.element)];
        for ((line, &p), &extent) in lines.iter().zip(part).zip(extents) {
            let longer = |&(n, bytes): &(u64, u64)| {
                let add = move |&(q, shared): &(u32, u64)| {
                    (n * u64::from(extent) + u64::from(q), bytes.saturating_mul(shared))
                };
                line[p as usize].iter().map(add)
            };
            met = met.iter().flat_map(longer).collect();
        }
        met
    }

    fn copies(&self) -> u64 {
        self.problem.to.extents()[self.problem.dims.len()..].iter().map(|&e| u64::from(e)).product()
    }
}

/// Counts the indices that pairs of coordinates share along one dimension. `None` if there are too many pairs, or if no
/// rank has all owners and the counts were not received.
fn shared_counts(dim: &Overlap) -> Option<SharedByCoordinate> {
    let mut line = vec![Vec::new(); dim.from.dist.procs() as usize];
    let listed = |axis: &Axis| matches!(axis.dist, Dist::Indirect(_));
    let by_a_walk = || if listed(&dim.from) || listed(&dim.to) { dim.messages_along_lists() } else { None };
    if let Some(all) = dim.single_block_messages().or_else(by_a_walk) {
        for (p, q, shared) in all {
            line[p as usize].push((q, shared));
        }
        return Some(line);
    }
    if dim.is_partial() {
        return None;
    }
    let mut left = MAX_PAIRS;
    for (p, met) in (0..).zip(&mut line) {
        let coords = dim.destinations(p);
        left = left.checked_sub(coords.len() as u64)?;
        met.extend(coords.into_iter().map(|q| (q, dim.shared(p, q).total())));
    }
    Some(line)
}

fn place_number(place: u64) -> u32 {
    u32::try_from(place).expect("no more places than ranks")
}
