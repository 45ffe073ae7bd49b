//! Owners of the parts of an array: divides a plane of the array into tiles, for one side of a redistribution. A tile
//! is a block, or several blocks if the plane has more blocks than a drawing can show.

use super::ranks::RankGroups;
use reblock_plan::layout::distribution::{Axis, Dist, Grid, Rank, places};
use reblock_plan::layout::intersect::Overlap;
use reblock_plan::schedule::traffic::Traffic;
use std::ops::Range;

/// Maximum number of blocks that are walked to merge neighbours with one owner.
const MAX_WALKED: usize = 1 << 16;
/// Maximum number of ranks that the title of a tile with copies lists.
const MAX_NAMED: usize = 8;

/// A range of indices along a dimension.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Band {
    pub range: Range<u64>,
    /// Coordinates of the processes that own some of the indices, ascending.
    pub owners: Vec<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Owner {
    /// One rank, which is emphasised.
    Chosen,
    Rank {
        rank: u32,
        group: usize,
    },
    /// Several ranks, all in one group.
    Group(usize),
    /// Ranks of several groups. `has_chosen` if one of them is emphasised.
    Mixed {
        has_chosen: bool,
    },
}

/// The rank that is emphasised.
#[derive(Debug)]
pub struct Chosen {
    /// Place of the rank in the grid of the side, if it has one.
    pub place: Option<Vec<u32>>,
}

impl Chosen {
    pub fn of(rank: u32, grid: &Grid) -> Self {
        Self { place: grid.find(Rank(rank)) }
    }
}

/// The two dimensions that a drawing shows, numbered as in the source. In a vector there are only columns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plane {
    pub rows: Option<usize>,
    pub columns: usize,
}

impl Plane {
    /// Chooses two dimensions of an array: first those in which the owners change, then those that are distributed.
    pub fn of(traffic: &Traffic) -> Self {
        let overlaps = || traffic.dims.iter().map(|dim| &dim.overlap);
        let interest = |dim: &Overlap| {
            let is_distributed = |axis: &Axis| axis.dist.procs() > 1;
            let dealt = is_distributed(&dim.from) || is_distributed(&dim.to);
            match dealt {
                true if dim.from != dim.to => 0,
                true => 1,
                false => 2,
            }
        };
        let mut order: Vec<(usize, usize)> = overlaps().map(interest).zip(0..).collect();
        order.sort_unstable();
        match order[..] {
            [(_, only)] => Self { rows: None, columns: only },
            [(_, a), (_, b), ..] => Self { rows: Some(a.min(b)), columns: a.max(b) },
            [] => unreachable!("an array has a dimension"),
        }
    }

    /// Returns the plane in the target, in which dimension k of the source is dimension `axes[k]`. The lower dimension
    /// of the two becomes the rows.
    pub fn in_target(self, axes: &[usize]) -> Self {
        match self.rows {
            Some(rows) if axes[rows] > axes[self.columns] => Self { rows: Some(self.columns), columns: rows },
            _ => self,
        }
    }

    /// Returns the extents of the plane: rows and columns.
    pub fn extents(self, extent: impl Fn(usize) -> u64) -> [u64; 2] {
        [self.rows.map_or(1, &extent), extent(self.columns)]
    }
}

/// A plane of an array on one side, divided into tiles. All other dimensions are at their first index.
pub struct Tiles<'a> {
    pub rows: Vec<Band>,
    pub columns: Vec<Band>,
    /// True if each tile lies in one block, or in neighbouring blocks of one owner.
    pub is_exact: bool,
    grid: &'a Grid,
    plane: Plane,
    /// Place of the owner of the first index of each dimension, in the first copy.
    first: Vec<u32>,
    /// Number of dimensions of the array. Further dimensions of the grid number copies.
    dims: usize,
}

impl<'a> Tiles<'a> {
    /// Divides the part with the indices `rows` and `columns` of a plane into at most `most` by `most` tiles. `axes`
    /// are those of one side, and `grid` is its grid.
    pub fn new(axes: &[&Axis], grid: &'a Grid, plane: Plane, part: [Range<u64>; 2], most: usize) -> Self {
        let [rows, columns] = part;
        let along = |dim: usize, range| bands(axes[dim], range, most);
        let one = || (vec![Band { range: 0..1, owners: Vec::new() }], true);
        let (rows, rows_are_exact) = plane.rows.map_or_else(one, |dim| along(dim, rows));
        let (columns, columns_are_exact) = along(plane.columns, columns);
        let mut first = vec![0; grid.extents().len()];
        axes.iter().zip(&mut first).for_each(|(axis, owner)| *owner = axis.owner(0));
        Self {
            rows,
            columns,
            is_exact: rows_are_exact && columns_are_exact,
            grid,
            plane,
            first,
            dims: axes.len(),
        }
    }

    /// Returns the number of ranks that have each tile.
    pub fn copies(&self) -> u64 {
        self.grid.extents()[self.dims..].iter().map(|&extent| u64::from(extent)).product()
    }

    /// Describes the ranks that have the same part of the array as `rank`.
    pub fn name(&self, rank: u32) -> String {
        let Some(mut place) = self.grid.find(Rank(rank)).filter(|_| self.copies() > 1) else {
            return format!("rank {rank}");
        };
        let ranks = places(&self.grid.extents()[self.dims..]).take(MAX_NAMED).map(|copy| {
            place[self.dims..].copy_from_slice(&copy);
            self.grid.rank(&place).0.to_string()
        });
        let ranks: Vec<String> = ranks.collect();
        let more = if self.copies() > ranks.len() as u64 { ", …" } else { "" };
        format!("copies on {} ranks: {}{more}", self.copies(), ranks.join(", "))
    }

    /// Returns the owner of a tile. If the tile has several copies, returns the emphasised rank if it has one of them,
    /// otherwise the owner of the first copy.
    pub fn owner(&self, row: &Band, column: &Band, groups: &RankGroups, chosen: &Chosen) -> Owner {
        let mut at = self.first.clone();
        let rows = if self.plane.rows.is_some() { row.owners.as_slice() } else { &[0] };
        let has_chosen = chosen.place.as_ref().is_some_and(|place| {
            let is_here = |(dim, coordinate): (usize, &u32)| match dim {
                dim if Some(dim) == self.plane.rows => rows.contains(coordinate),
                dim if dim == self.plane.columns => column.owners.contains(coordinate),
                dim => dim >= self.dims || *coordinate == self.first[dim],
            };
            place.iter().enumerate().all(is_here)
        });
        let (mut ranks, mut group, mut is_one_group) = (0, None, true);
        'tile: for &row in rows {
            self.plane.rows.inspect(|&dim| at[dim] = row);
            for &column in &column.owners {
                at[self.plane.columns] = column;
                let of_this = groups.group_of(self.grid.rank(&at).0);
                ranks += 1;
                is_one_group &= group.replace(of_this).is_none_or(|before| before == of_this);
                if !is_one_group {
                    break 'tile;
                }
            }
        }
        match (group, is_one_group) {
            _ if has_chosen && ranks == 1 => Owner::Chosen,
            (Some(group), true) if ranks == 1 => Owner::Rank { rank: self.grid.rank(&at).0, group },
            (Some(group), true) if !has_chosen => Owner::Group(group),
            _ => Owner::Mixed { has_chosen },
        }
    }
}

/// Returns the blocks of `range` in turn, each with the coordinate of its owner.
fn blocks(axis: &Axis, range: Range<u64>) -> impl Iterator<Item = (Range<u64>, u32)> + '_ {
    let mut at = range.start;
    std::iter::from_fn(move || {
        (at < range.end).then(|| {
            let (start, owner) = (at, axis.owner(at));
            at = at.saturating_add(axis.run_length_from(at)).min(range.end);
            (start..at, owner)
        })
    })
}

/// Divides `range` into at most `most` bands: blocks, or else parts of nearly equal length. Also returns whether the
/// bands are blocks.
fn bands(axis: &Axis, range: Range<u64>, most: usize) -> (Vec<Band>, bool) {
    let mut merged: Vec<Band> = Vec::new();
    let mut walked = blocks(axis, range.clone());
    for (block, owner) in walked.by_ref().take(MAX_WALKED) {
        match merged.last_mut() {
            Some(band) if band.owners == [owner] => band.range.end = block.end,
            _ => merged.push(Band { range: block, owners: vec![owner] }),
        }
        if merged.len() > most {
            break;
        }
    }
    if merged.len() <= most && merged.last().is_none_or(|band| band.range.end == range.end) {
        return (merged, true);
    }
    let length = u128::from(range.end - range.start);
    let bound = |k: usize| {
        let before = length * k as u128 / most as u128;
        range.start + u64::try_from(before).expect("at most the length")
    };
    let part = |k: usize| {
        let range = bound(k)..bound(k + 1);
        let mut owners: Vec<u32> =
            blocks(axis, range.clone()).take(different(axis)).map(|(_, owner)| owner).collect();
        owners.sort_unstable();
        owners.dedup();
        Band { range, owners }
    };
    ((0..most).map(part).collect(), false)
}

/// Returns the number of successive blocks after which all owners have been seen.
fn different(axis: &Axis) -> usize {
    match &axis.dist {
        Dist::Cyclic(dist) if axis.round_robin().is_some() => dist.procs() as usize,
        _ => usize::MAX,
    }
}

/// Returns the end of the first `most` blocks of the axis, at most `len`.
pub fn end_of_first(axis: &Axis, len: u64, most: usize) -> u64 {
    blocks(axis, 0..len).take(most).last().map_or(len, |(block, _)| block.end)
}
