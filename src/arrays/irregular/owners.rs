//! Owners of the elements that a rank lists, and the indices that these ranks own along axes without lists.

use super::dims::{Along, ListedDims};
use super::list_draft::ListDirection;
use super::ranked::KeysOfPart;
use crate::arrays::end::ResolvedEnd;
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Grid, Nodes, Rank, places};
use crate::layout::intersect::{Runs, runs_of};
use crate::runtime::session::Session;
use std::ops::Range;

pub(super) struct OwnerList {
    pub peer: Rank,
    /// Coordinates of the part of `peer`.
    pub at: Vec<u32>,
    /// Number of the part among those with keys.
    pub part: usize,
    /// Range of the part's keys among the distinct keys.
    pub range: Range<usize>,
}

/// Parts of an array and their ranks, as seen by one rank.
pub(super) struct Owners<'a> {
    known: &'a ResolvedEnd,
    grid: Grid,
    nodes: Nodes,
    me: Rank,
    direction: ListDirection,
    /// The listed axis; `None` if elements are listed.
    axis: Option<usize>,
}

impl<'a> Owners<'a> {
    pub fn new(
        session: &Session,
        known: &'a ResolvedEnd,
        direction: ListDirection,
        axis: Option<usize>,
    ) -> Self {
        let grid = known.layout().whole_grid();
        let copies = grid.extents().len() > known.map.axes().len();
        let nodes = if copies { session.nodes() } else { Nodes::default() };
        Self { known, grid, nodes, me: Rank(session.rank), direction, axis }
    }

    pub fn lists(&self, parts: &[KeysOfPart]) -> Vec<OwnerList> {
        let mut all = Vec::new();
        for (part, keys) in parts.iter().enumerate() {
            for at in self.parts(keys.number) {
                for peer in self.holders(&at) {
                    all.push(OwnerList { peer, at: at.clone(), part, range: keys.range.clone() });
                }
            }
        }
        all
    }

    /// Returns the coordinates of the parts with number `number`: the coordinate along the listed axis or, if elements
    /// are listed, the row-major number of all coordinates.
    fn parts(&self, number: u64) -> Vec<Vec<u32>> {
        let mut extents = self.grid.extents()[..self.known.map.axes().len()].to_vec();
        let small = |n: u64| u32::try_from(n).expect("a coordinate");
        if let Some(axis) = self.axis {
            extents[axis] = 1;
            let on = |mut at: Vec<u32>| {
                at[axis] = small(number);
                at
            };
            return places(&extents).map(on).collect();
        }
        let mut rest = number;
        let mut at: Vec<u32> = extents
            .iter()
            .rev()
            .map(|&extent| {
                let coordinate = small(rest % u64::from(extent));
                rest /= u64::from(extent);
                coordinate
            })
            .collect();
        at.reverse();
        vec![at]
    }

    /// Returns the ranks of the part at `at`: the nearest copy for a gather, all copies for a scatter.
    fn holders(&self, at: &[u32]) -> Vec<Rank> {
        if self.direction == ListDirection::Gather {
            return vec![self.grid.rank(&self.nodes.nearest_copy(&self.grid, at, self.me))];
        }
        let copies = places(&self.grid.extents()[at.len()..]);
        copies.map(|copy| self.grid.rank(&[at, &copy].concat())).collect()
    }

    /// Returns the runs of each rank that has received a list from this rank, along the [`partial`] axes, axis after
    /// axis. `received` has the lists that this rank has received, by sender: the senders of non-empty lists get its
    /// runs. Collective.
    pub fn runs_of_others(
        &self,
        session: &Session,
        dims: &ListedDims,
        received: &[Vec<u64>],
    ) -> Result<Vec<Vec<Runs<1>>>, Failure> {
        let partial = partial(self.known, dims);
        if partial.is_empty() {
            return Ok(Vec::new());
        }
        let layout = self.known.layout();
        let part = layout.part(session.rank);
        let mut words = Vec::new();
        for &k in &partial {
            let runs =
                part.as_ref().map_or(Vec::new(), |at| runs_of(&layout.axes()[k], layout.extents()[k], at[k]));
            words.push(runs.len() as u64);
            words.extend(runs.iter().flat_map(|run| [run.start, run.end - run.start]));
        }
        let reply = |asked: &Vec<u64>| if asked.is_empty() { Vec::new() } else { words.clone() };
        let all = exchange_lists(session, received.iter().map(reply).collect())?;
        let runs = |mut words: &[u64]| {
            let mut of_axis = Vec::new();
            while let Some((&count, rest)) = words.split_first() {
                let (own, rest) = rest.split_at(2 * usize::try_from(count).expect("a count in memory"));
                of_axis.push(Runs::of_runs(own.chunks_exact(2).map(|run| ([run[0]], run[1]))));
                words = rest;
            }
            of_axis
        };
        Ok(all.iter().map(|words| runs(words)).collect())
    }
}

/// Returns the whole axes on which each process knows its own indices only, in the order of the dimensions.
pub(super) fn partial(known: &ResolvedEnd, dims: &ListedDims) -> Vec<usize> {
    let axes = known.layout().axes();
    let whole = dims.all().iter().filter_map(|along| match *along {
        Along::Axis(k) => Some(k),
        _ => None,
    });
    whole.filter(|&k| axes[k].dist.part().is_some()).collect()
}
