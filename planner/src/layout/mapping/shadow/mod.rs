//! Shadow exchange: computes which elements of other processes a process has in its shadow, and which of its own
//! elements other processes have in their shadows.
//!
//! Along one axis, a shadow has indices before and after a process's own indices. On a periodic axis, the last index
//! precedes the first. The owners of these indices cut them into *pieces*. A share is a product of pieces, one per
//! axis. It belongs to the shadow if at least one of its pieces does, and to a corner if several do.
//!
//! A place is an index in a local array, counted from 0 at the start of the shadow. Array indices would be ambiguous:
//! on a periodic axis, an index may have several places in one shadow. Every process computes its shares without
//! communication, in time proportional to the number of partners.

use super::{ArrayRedistribution, Layout, Map, MappedSection, Mistake, ensure};
use crate::layout::distribution::{Grid, Local, Rank};
use std::ops::Range;

/// Elements that one process has in its shadow and another process, or the same process, owns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayShare {
    /// Rank of the other process, which may be the caller.
    pub peer: Rank,
    /// For each dimension, the places at the process with the shadow. They identify the share on both processes: no two
    /// shares of a pair of processes have equal starts.
    pub span: Vec<Range<u64>>,
    /// For each dimension, the place of the first index in the calling process's array.
    pub first: Vec<u64>,
}

/// Parameters of a shadow exchange: the part of the shadows that it fills, and its direction.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shadow {
    /// Shadow elements to fill before and after a process's own elements, for each axis: at most the map's widths.
    widths: Vec<(u64, u64)>,
    /// Whether the last index of an axis precedes the first.
    periodic: Vec<bool>,
    /// Whether to fill corners: elements that are outside a process's own indices along several axes.
    corners: bool,
    /// Whether to combine shadow elements into the owners' elements, instead of filling shadows from owners.
    back: bool,
}

/// Neighbouring indices of one owner that a process has in its local array along an axis, in its shadow or among its
/// own elements.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct ShadowPiece {
    /// The process that has these indices in its local array. `outside`: they are in its shadow.
    reader: u32,
    owner: u32,
    outside: bool,
    /// Places of the first index in the local arrays of the reader and of the owner.
    reader_place: u64,
    owner_place: u64,
    len: u64,
}

impl Shadow {
    /// Creates the exchange of shadows with these widths (before, after) for each axis, by default the map's; by
    /// default no axis is periodic. Fails if an axis with a shadow does not have one run on each process.
    pub fn new(
        map: &Map,
        layout: &Layout,
        widths: Option<&[(u64, u64)]>,
        periodic: Option<&[bool]>,
        corners: bool,
    ) -> Result<Self, Mistake> {
        ensure(map.boxes().is_none(), || "the array lies in boxes, which have no shadow".into())?;
        let axes = map.axes();
        let whole: Vec<_> = axes.iter().map(|axis| axis.shadow).collect();
        let widths = widths.map_or(whole, <[_]>::to_vec);
        let periodic = periodic.map_or_else(|| vec![false; axes.len()], <[bool]>::to_vec);
        ensure(widths.len() == axes.len() && periodic.len() == axes.len(), || {
            format!(
                "{} widths and {} entries of periodic for {} axes, expected one of each for each axis",
                widths.len(),
                periodic.len(),
                axes.len()
            )
        })?;
        for (k, axis) in axes.iter().enumerate() {
            let ((low, high), (before, behind)) = (widths[k], axis.shadow);
            ensure(low <= before && high <= behind, || {
                format!(
                    "axis {k}: the width is {low} before and {high} behind, expected at most {before} and {behind}, the map's widths"
                )
            })?;
            let (extent, widest) = (axis.extent(), low.max(high));
            if widest == 0 || extent == 0 {
                continue;
            }
            ensure(!periodic[k] || widest <= extent, || {
                format!(
                    "axis {k}: the width is {widest}, expected at most {extent}, the extent of the periodic axis"
                )
            })?;
            let runs = layout.axes()[k].is_one_run_each(extent);
            ensure(runs == Some(true), || {
                format!(
                    "axis {k} is {}, expected one run of neighbouring indices on each process, as BLOCK and GEN_BLOCK have",
                    match runs {
                        None => "INDIRECT, and each process has only its own indices".into(),
                        Some(_) => layout.axes()[k].dist.to_string(),
                    }
                )
            })?;
        }
        Ok(Self { widths, periodic, corners, back: false })
    }

    /// Returns the reverse exchange, from shadows to owners.
    pub fn reversed(&self) -> Self {
        Self { back: !self.back, ..self.clone() }
    }

    /// Returns true if shadows are read and the owners' elements written, perhaps several times.
    pub fn is_back(&self) -> bool {
        self.back
    }

    /// Serializes the exchange, to send it to other ranks.
    pub fn numbers(&self) -> Vec<i64> {
        let wide = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let axis = |(&(low, high), &periodic)| [wide(low), wide(high), i64::from(periodic)];
        let axes = self.widths.iter().zip(&self.periodic).flat_map(axis);
        [self.corners, self.back].map(i64::from).into_iter().chain(axes).collect()
    }

    /// Restores an exchange from the result of [`Shadow::numbers`].
    pub fn from_numbers(numbers: &[i64]) -> Option<Self> {
        let (&[corners, back], axes) = numbers.split_first_chunk()?;
        let width = |n: i64| u64::try_from(n).ok();
        let widths = axes.chunks_exact(3).map(|axis| Some((width(axis[0])?, width(axis[1])?)));
        let widths = widths.collect::<Option<_>>()?;
        let periodic = axes.chunks_exact(3).map(|axis| axis[2] != 0).collect();
        Some(Self { widths, periodic, corners: corners != 0, back: back != 0 })
    }

    /// Returns the shares that process `me` reads, and the shares that it writes. The process reads its own elements
    /// that are in shadows, and writes its shadow; the reverse exchange reads its shadow and writes its own elements.
    /// `to_itself` is the redistribution of `end`'s array to itself.
    pub fn shares(
        &self,
        end: &MappedSection<'_>,
        to_itself: &ArrayRedistribution,
        me: Rank,
    ) -> [Vec<ArrayShare>; 2] {
        let grid = end.layout.whole_grid();
        let Some(place) = grid.find(me) else { return [Vec::new(), Vec::new()] };
        let finder = NeighbourFinder { shadow: self, map: end.map, layout: end.layout };
        let axes = 0..end.map.axes().len();
        // Each copy of the array has all its elements, so shadows are filled within a copy.
        let (coords, copy) = place.split_at(axes.len());
        let builder = ShareBuilder { grid: &grid, copy, to_itself };
        let seen: Vec<_> = axes.clone().map(|k| finder.reader_pieces(k, coords[k])).collect();
        let owned: Vec<_> = axes.map(|k| finder.owner_pieces(k, coords[k])).collect();
        let seen = self
            .products(&seen)
            .map(|pieces| builder.share(&pieces, |piece| (piece.owner, piece.reader_place)));
        let owned = self
            .products(&owned)
            .map(|pieces| builder.share(&pieces, |piece| (piece.reader, piece.owner_place)));
        let mut sides = [owned.collect(), seen.collect()];
        if self.back {
            sides.reverse();
        }
        sides
    }

    /// Returns all combinations of pieces, one per axis, that are in the shadow to fill.
    fn products<'a>(&'a self, axes: &'a [Vec<ShadowPiece>]) -> impl Iterator<Item = Vec<ShadowPiece>> + 'a {
        let mut all = vec![(Vec::new(), 0)];
        for (k, pieces) in axes.iter().enumerate() {
            let longer = |(before, outside): (Vec<ShadowPiece>, usize)| {
                let fits = move |piece: &&ShadowPiece| self.corners || outside == 0 || !piece.outside;
                pieces.iter().filter(fits).map(move |&piece| {
                    let mut pieces = Vec::with_capacity(axes.len().max(k + 1));
                    pieces.extend(&before);
                    pieces.push(piece);
                    (pieces, outside + usize::from(piece.outside))
                })
            };
            all = all.into_iter().flat_map(longer).collect();
        }
        all.into_iter().filter(|(_, outside)| *outside > 0).map(|(pieces, _)| pieces)
    }
}

struct ShareBuilder<'a> {
    grid: &'a Grid,
    /// Coordinates in the grid dimensions that count copies.
    copy: &'a [u32],
    to_itself: &'a ArrayRedistribution,
}

impl ShareBuilder<'_> {
    /// Builds the product of these pieces, one per axis. `other` returns the coordinate of the other process along a
    /// piece's axis, and the place of the piece in the calling process's array.
    fn share(&self, pieces: &[ShadowPiece], other: impl Fn(&ShadowPiece) -> (u32, u64)) -> ArrayShare {
        let at: Vec<u32> =
            pieces.iter().map(|piece| other(piece).0).chain(self.copy.iter().copied()).collect();
        let along = |(d, len)| match self.to_itself.from.axis(d).map(|k| &pieces[k]) {
            Some(piece) => (piece.reader_place..piece.reader_place + piece.len, other(piece).1),
            // Parts of an element.
            None => (0..len, 0),
        };
        let lens = self.to_itself.problem.dims.iter().map(|dim| dim.len);
        let (span, first) = lens.enumerate().map(along).unzip();
        ArrayShare { peer: self.grid.rank(&at), span, first }
    }
}

struct NeighbourFinder<'a> {
    shadow: &'a Shadow,
    map: &'a Map,
    layout: &'a Layout,
}

impl NeighbourFinder<'_> {
    fn len(&self, k: usize, coord: u32) -> u64 {
        self.layout.axes()[k].local_len(self.layout.extents()[k], coord)
    }

    fn run(&self, k: usize, coord: u32) -> Range<u64> {
        let len = self.len(k, coord);
        let first = self.layout.axes()[k].global(self.layout.extents()[k], coord, Local(0));
        first..first + len
    }

    /// Splits the `count` indices before index `from` of axis `k` by owner, nearest first: (owner, number of indices,
    /// position of the lowest index among the owner's indices). Stops at the array's end unless the axis is periodic.
    fn owners_before(&self, k: usize, mut from: u64, mut count: u64) -> Vec<(u32, u64, u64)> {
        let (extent, mut parts) = (self.layout.extents()[k], Vec::new());
        while count > 0 {
            if from == 0 && !self.shadow.periodic[k] {
                break;
            }
            from = if from == 0 { extent } else { from };
            let owner = self.layout.axes()[k].owner(from - 1);
            let run = self.run(k, owner);
            let len = count.min(from - run.start);
            (from, count) = (from - len, count - len);
            parts.push((owner, len, from - run.start));
        }
        parts
    }

    /// Like [`NeighbourFinder::owners_before`] for the indices from `from` on.
    fn owners_behind(&self, k: usize, mut from: u64, mut count: u64) -> Vec<(u32, u64, u64)> {
        let (extent, mut parts) = (self.layout.extents()[k], Vec::new());
        while count > 0 {
            if from == extent && !self.shadow.periodic[k] {
                break;
            }
            from = if from == extent { 0 } else { from };
            let owner = self.layout.axes()[k].owner(from);
            let run = self.run(k, owner);
            let len = count.min(run.end - from);
            parts.push((owner, len, from - run.start));
            (from, count) = (from + len, count - len);
        }
        parts
    }

    /// Returns the pieces in the local array of process `reader` along axis `k`: its own indices, and its shadow by
    /// owner.
    fn reader_pieces(&self, k: usize, reader: u32) -> Vec<ShadowPiece> {
        let (low, high) = self.shadow.widths[k];
        let (start, len) = (self.map.axes()[k].shadow.0, self.len(k, reader));
        if len == 0 {
            return Vec::new();
        }
        let piece = |owner, reader_place, owner_place, len| ShadowPiece {
            reader,
            owner,
            outside: true,
            reader_place,
            owner_place,
            len,
        };
        let mut pieces = vec![ShadowPiece { outside: false, ..piece(reader, start, start, len) }];
        if low == 0 && high == 0 {
            return pieces;
        }
        let run = self.run(k, reader);
        let mut at = start;
        for (owner, len, first) in self.owners_before(k, run.start, low) {
            at -= len;
            pieces.push(piece(owner, at, start + first, len));
        }
        let mut at = start + len;
        for (owner, len, first) in self.owners_behind(k, run.end, high) {
            pieces.push(piece(owner, at, start + first, len));
            at += len;
        }
        pieces
    }

    /// Returns the pieces that process `owner` owns along axis `k`, in the local arrays of all processes, itself
    /// included.
    fn owner_pieces(&self, k: usize, owner: u32) -> Vec<ShadowPiece> {
        let (low, high) = self.shadow.widths[k];
        if self.len(k, owner) == 0 {
            return Vec::new();
        }
        let mut readers = vec![owner];
        if low > 0 || high > 0 {
            let run = self.run(k, owner);
            // If the shadow of a process has indices of `owner`, the process owns an index within a shadow's width of
            // these indices.
            let (before, behind) =
                (self.owners_before(k, run.start, high), self.owners_behind(k, run.end, low));
            readers.extend(before.into_iter().chain(behind).map(|(reader, ..)| reader));
            readers.sort_unstable();
            readers.dedup();
        }
        let seen = readers.into_iter().flat_map(|reader| self.reader_pieces(k, reader));
        seen.filter(|piece| piece.owner == owner).collect()
    }
}

#[cfg(test)]
mod tests;
