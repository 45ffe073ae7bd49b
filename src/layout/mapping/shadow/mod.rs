//! WHICH elements of other processes lie in the shadow of a local array, and in whose shadows do a process's own elements lie?
//!
//! Along one axis, a shadow shows the indices that come before and behind a process's own ones, as far as it is wide; where the
//! axis is periodic, the last index comes before the first one. The owners of these indices cut it into *pieces*. A share is a
//! product of pieces, one an axis. It lies in the shadow if it does along at least one axis, and in no corner if along one only.
//!
//! Places count from the start of a local array with its shadow, and not in indices of the array: where an axis is periodic, an
//! index may have several places in one shadow. All processes of a regular layout can work out all of this, so nobody needs to be
//! asked; it takes time in proportion to those that share something.

use super::{Between, End, Layout, Map, Mistake, ensure};
use crate::layout::distribution::{Grid, Local, Rank};
use std::ops::Range;

/// What the calling process shares with another one, or with itself, where both have it in the storage of one array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayShare {
    /// The other rank.
    pub peer: Rank,
    /// Of each dimension, numbers that both ends give these indices; no other share of the two begins with the same ones.
    pub span: Vec<Range<u64>>,
    /// Of each dimension, where the first of them is in the calling process's array.
    pub first: Vec<u64>,
}

/// Which elements of the shadows of an array are filled, and with what.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shadow {
    /// Elements before and behind a process's own, of each axis: no more than the map's.
    widths: Vec<(u64, u64)>,
    /// Whether the last index of an axis comes before the first one.
    periodic: Vec<bool>,
    /// Whether elements are filled that are outside a process's own indices along several axes.
    corners: bool,
    /// Whether owners' elements are combined with shadows, and not the other way round.
    back: bool,
}

/// A piece of what a process sees along an axis, of indices of one owner.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    /// The process that sees it.
    reader: u32,
    owner: u32,
    /// Whether it is in the shadow.
    outside: bool,
    /// The place of its first index in the reader's local array, and in the owner's.
    shown: u64,
    owned: u64,
    len: u64,
}

impl Shadow {
    /// Of an array with that map: shadows of these widths, (before, behind) of each axis, or as wide as the map's.
    pub fn new(
        map: &Map,
        layout: &Layout,
        widths: Option<&[(u64, u64)]>,
        periodic: Option<&[bool]>,
        corners: bool,
    ) -> Result<Self, Mistake> {
        ensure(map.boxes().is_none(), || "a shadow of an array in boxes, which have none".into())?;
        let axes = map.axes();
        let whole: Vec<_> = axes.iter().map(|axis| axis.shadow).collect();
        let widths = widths.map_or(whole, <[_]>::to_vec);
        let periodic = periodic.map_or_else(|| vec![false; axes.len()], <[bool]>::to_vec);
        ensure(widths.len() == axes.len() && periodic.len() == axes.len(), || {
            format!("widths of {} axes, periodicity of {}, for {}", widths.len(), periodic.len(), axes.len())
        })?;
        for (k, axis) in axes.iter().enumerate() {
            let ((low, high), (before, behind)) = (widths[k], axis.shadow);
            ensure(low <= before && high <= behind, || {
                format!(
                    "axis {k}: a width of {low} before and {high} behind, expected at most {before} and {behind}, the map's"
                )
            })?;
            let (extent, widest) = (axis.extent(), low.max(high));
            if widest == 0 || extent == 0 {
                continue;
            }
            ensure(!periodic[k] || widest <= extent, || {
                format!(
                    "axis {k}: a width of {widest} of a periodic axis of {extent}, expected at most as many"
                )
            })?;
            let runs = layout.axes()[k].is_one_run_each(extent);
            ensure(runs == Some(true), || {
                format!(
                    "axis {k} is {}, expected one run of neighbouring indices on each process, as BLOCK and GEN_BLOCK have",
                    match runs {
                        None => "INDIRECT, and each process knows its own indices only".into(),
                        Some(_) => layout.axes()[k].dist.to_string(),
                    }
                )
            })?;
        }
        Ok(Self { widths, periodic, corners, back: false })
    }

    /// The way back: from the shadows to the owners.
    pub fn reversed(&self) -> Self {
        Self { back: !self.back, ..self.clone() }
    }

    /// Whether shadows are read, and their owners' elements are written, some of them several times.
    pub fn is_back(&self) -> bool {
        self.back
    }

    /// The same as numbers, that other ranks can be told.
    pub fn numbers(&self) -> Vec<i64> {
        let wide = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let axis = |(&(low, high), &periodic)| [wide(low), wide(high), i64::from(periodic)];
        let axes = self.widths.iter().zip(&self.periodic).flat_map(axis);
        [self.corners, self.back].map(i64::from).into_iter().chain(axes).collect()
    }

    /// What these numbers mean, if [`Shadow::numbers`] gave them.
    pub fn from_numbers(numbers: &[i64]) -> Option<Self> {
        let (&[corners, back], axes) = numbers.split_first_chunk()?;
        let width = |n: i64| u64::try_from(n).ok();
        let widths = axes.chunks_exact(3).map(|axis| Some((width(axis[0])?, width(axis[1])?)));
        let widths = widths.collect::<Option<_>>()?;
        let periodic = axes.chunks_exact(3).map(|axis| axis[2] != 0).collect();
        Some(Self { widths, periodic, corners: corners != 0, back: back != 0 })
    }

    /// What the process `me` reads, and what it writes: its own elements that are in shadows, and its shadow, which may be one of
    /// these where an axis is periodic. `made` is from the array of `end` to itself.
    pub fn shares(&self, end: &End<'_>, made: &Between, me: Rank) -> [Vec<ArrayShare>; 2] {
        let grid = end.layout.whole_grid();
        let Some(place) = grid.find(me) else { return [Vec::new(), Vec::new()] };
        let walker = Walker { shadow: self, map: end.map, layout: end.layout };
        let axes = 0..end.map.axes().len();
        // Of several copies each is complete by itself.
        let (coords, copy) = place.split_at(axes.len());
        let sharer = Sharer { grid: &grid, copy, made };
        let seen: Vec<_> = axes.clone().map(|k| walker.pieces(k, coords[k])).collect();
        let given: Vec<_> = axes.map(|k| walker.given(k, coords[k])).collect();
        let seen = self.products(&seen).map(|pieces| sharer.share(&pieces, |of| (of.owner, of.shown)));
        let given = self.products(&given).map(|pieces| sharer.share(&pieces, |of| (of.reader, of.owned)));
        let mut sides = [given.collect(), seen.collect()];
        if self.back {
            sides.reverse();
        }
        sides
    }

    /// All combinations of pieces, one an axis, that are in the shadow.
    fn products<'a>(&'a self, axes: &'a [Vec<Piece>]) -> impl Iterator<Item = Vec<Piece>> + 'a {
        let mut all = vec![(Vec::new(), 0)];
        for (k, pieces) in axes.iter().enumerate() {
            let longer = |(before, outside): (Vec<Piece>, usize)| {
                let fits = move |piece: &&Piece| self.corners || outside == 0 || !piece.outside;
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

/// Makes shares of pieces.
struct Sharer<'a> {
    grid: &'a Grid,
    /// Which copy of the array the process has.
    copy: &'a [u32],
    made: &'a Between,
}

impl Sharer<'_> {
    /// The product of these pieces, one an axis; `other` says who the other process is along an axis, and the place of the first
    /// index in the process's own array.
    fn share(&self, pieces: &[Piece], other: impl Fn(&Piece) -> (u32, u64)) -> ArrayShare {
        let at: Vec<u32> =
            pieces.iter().map(|piece| other(piece).0).chain(self.copy.iter().copied()).collect();
        let along = |(d, len)| match self.made.from.axis(d).map(|k| &pieces[k]) {
            Some(piece) => (piece.shown..piece.shown + piece.len, other(piece).1),
            // Parts of an element.
            None => (0..len, 0),
        };
        let lens = self.made.problem.dims.iter().map(|dim| dim.len);
        let (span, first) = lens.enumerate().map(along).unzip();
        ArrayShare { peer: self.grid.rank(&at), span, first }
    }
}

/// Finds who is beside whom along an axis.
struct Walker<'a> {
    shadow: &'a Shadow,
    map: &'a Map,
    layout: &'a Layout,
}

impl Walker<'_> {
    fn len(&self, k: usize, coord: u32) -> u64 {
        self.layout.axes()[k].local_len(self.layout.extents()[k], coord)
    }

    /// The indices of process `coord` along axis `k`, which are one run.
    fn run(&self, k: usize, coord: u32) -> Range<u64> {
        let len = self.len(k, coord);
        let first = self.layout.axes()[k].global(self.layout.extents()[k], coord, Local(0));
        first..first + len
    }

    /// The `count` indices before index `from` of axis `k`, the nearest first: the owner of each part, the part, and which of
    /// the owner's indices it begins with.
    fn before(&self, k: usize, mut from: u64, mut count: u64) -> Vec<(u32, u64, u64)> {
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

    /// The same of the indices from `from` on.
    fn behind(&self, k: usize, mut from: u64, mut count: u64) -> Vec<(u32, u64, u64)> {
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

    /// What process `reader` sees along axis `k`: its own indices and what is in its shadow.
    fn pieces(&self, k: usize, reader: u32) -> Vec<Piece> {
        let (low, high) = self.shadow.widths[k];
        let (start, len) = (self.map.axes()[k].shadow.0, self.len(k, reader));
        if len == 0 {
            return Vec::new();
        }
        let mut pieces =
            vec![Piece { reader, owner: reader, outside: false, shown: start, owned: start, len }];
        if low == 0 && high == 0 {
            return pieces;
        }
        let run = self.run(k, reader);
        let mut at = start;
        for (owner, len, first) in self.before(k, run.start, low) {
            at -= len;
            pieces.push(Piece { reader, owner, outside: true, shown: at, owned: start + first, len });
        }
        let mut at = start + len;
        for (owner, len, first) in self.behind(k, run.end, high) {
            pieces.push(Piece { reader, owner, outside: true, shown: at, owned: start + first, len });
            at += len;
        }
        pieces
    }

    /// What others, and process `owner` itself, see of its indices along axis `k`.
    fn given(&self, k: usize, owner: u32) -> Vec<Piece> {
        let (low, high) = self.shadow.widths[k];
        if self.len(k, owner) == 0 {
            return Vec::new();
        }
        let mut readers = vec![owner];
        if low > 0 || high > 0 {
            let run = self.run(k, owner);
            // Whose shadow reaches here has its nearest index at most as far away as the shadow is wide.
            let (before, behind) = (self.before(k, run.start, high), self.behind(k, run.end, low));
            readers.extend(before.into_iter().chain(behind).map(|(reader, ..)| reader));
            readers.sort_unstable();
            readers.dedup();
        }
        let seen = readers.into_iter().flat_map(|reader| self.pieces(k, reader));
        seen.filter(|piece| piece.owner == owner).collect()
    }
}

#[cfg(test)]
mod tests;
