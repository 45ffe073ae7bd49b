//! One redistribution, checked and equal on all ranks, so that all ranks derive the same messages in the same order.

use crate::layout::distribution::{Grid, Nodes, Rank, View, places};
use crate::layout::intersect::{Overlap, Runs};
use std::borrow::Cow;
use std::ops::Range;

/// A redistribution of a section of an N-dimensional array: its layouts before and after, and the elements to move.
///
/// The first dimensions of each grid are the dimensions of the section; further grid dimensions count copies of the
/// array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem {
    /// Dimensions of the section; the dimension that varies fastest in messages comes first. It should be contiguous in
    /// local arrays, preferably in the target's: reading with a stride costs less than writing with a stride.
    pub dims: Vec<Overlap>,
    /// Grid of the source array.
    pub from: Grid,
    /// Grid of the target array.
    pub to: Grid,
    /// Elements of the section to move. Only a section with two dimensions may have a part other than the whole.
    pub part: Part,
    /// Node of each rank, if known; equal on all ranks. The choice of the copy to read and the order of the messages
    /// depend on it.
    pub nodes: Nodes,
    /// Whether the second dimension varies fastest in the source array and the first dimension in the target array.
    /// Messages have the same elements either way, but are cut into pieces that suit both arrays.
    pub is_transposed: bool,
    /// Copies of the source array to read, if there are several.
    pub copies: Copies,
    /// Whether the array is in boxes, before and after. On a side in boxes, dimensions give only extents, and the grid
    /// only the set of ranks; partners are found by communication.
    pub boxes: [bool; 2],
    /// Dimensions with a single index in the source, which is copied to all indices of the target.
    pub spread: Vec<usize>,
}

/// Choice of the copies of an array to read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Copies {
    /// The copy nearest to the reader.
    Nearest,
    /// All copies, one after the other.
    All,
}

/// The elements of a section that move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Part {
    /// All elements of the section.
    Whole,
    /// Element (i, j), 0-based in the section, iff `i < j + shift`.
    Upper {
        /// Number of rows of column 0 that move; if negative, no rows of the first columns move.
        shift: i64,
    },
    /// Element (i, j), 0-based in the section, iff `i >= j + shift`.
    Lower {
        /// First row of column 0 that moves; negative if the first columns move whole.
        shift: i64,
    },
}

impl Problem {
    /// Creates a problem that moves all elements of a section, from the nearest copy.
    pub fn whole(dims: Vec<Overlap>, from: Grid, to: Grid) -> Self {
        let (part, nodes, copies) = (Part::Whole, Nodes::default(), Copies::Nearest);
        Self {
            dims,
            from,
            to,
            part,
            nodes,
            is_transposed: false,
            copies,
            boxes: [false; 2],
            spread: Vec::new(),
        }
    }

    /// Returns true if every process can compute the local indices of every sender, to read its array in place or to
    /// derive the order of elements in it.
    pub fn source_is_known_to_all(&self) -> bool {
        !self.in_boxes() && self.dims.iter().all(|dim| dim.from.dist.part().is_none())
    }

    /// Returns true if an array lies in boxes, so that the problem is not a product of dimensions.
    pub fn in_boxes(&self) -> bool {
        self.boxes != [false; 2]
    }

    /// Returns the size of the section in bytes, with elements of `element` bytes (saturating).
    pub fn bytes(&self, element: u64) -> u64 {
        self.dims.iter().fold(element, |bytes, dim| bytes.saturating_mul(dim.len))
    }

    /// Returns the number of processes that share one copy of the section: before or after the move, whichever number
    /// is larger.
    pub fn parts(&self) -> u64 {
        let of = |grid: &Grid, boxes: bool| match boxes {
            true => grid.size(),
            false => grid.extents()[..self.dims.len()].iter().map(|&e| u64::from(e)).product::<u64>(),
        };
        of(&self.from, self.boxes[0]).max(of(&self.to, self.boxes[1]))
    }

    /// Returns the redistributions to carry out in sequence: only this problem, or one for each copy if all copies are
    /// read.
    pub fn redistributions(&self) -> Vec<Self> {
        match self.copies {
            Copies::Nearest => vec![self.clone()],
            Copies::All => self.of_each_copy().collect(),
        }
    }

    /// Returns one problem for each copy of the source array, in row-major order of the grid dimensions that count
    /// copies.
    fn of_each_copy(&self) -> impl Iterator<Item = Self> + '_ {
        let (own, extents) = (self.dims.len(), self.from.extents());
        let along: Vec<View> = (0..own).map(|dim| View::Along { dim, reversed: false }).collect();
        places(&extents[own..]).map(move |copy| {
            let from = self.from.view(&along, &[&vec![0; own][..], &copy].concat());
            Self { from, copies: Copies::Nearest, ..self.clone() }
        })
    }

    /// Returns the place, in the source's grid, of the process that sends to `reader`: the process of the nearest copy
    /// with the coordinates `part` along the section's dimensions.
    pub fn source<'a>(&self, part: &'a [u32], reader: Rank) -> Cow<'a, [u32]> {
        self.nodes.nearest_copy(&self.from, part, reader)
    }

    /// Returns true if the source's grid has several copies of the section.
    pub fn source_has_copies(&self) -> bool {
        self.from.extents()[self.dims.len()..].iter().any(|&e| e > 1)
    }

    /// Returns true if a process with coordinate `coord` of the target reads from the source process at place `at` of
    /// its grid. The section must have one dimension.
    pub fn reads_from(&self, coord: u32, at: &[u32]) -> bool {
        places(&self.to.extents()[1..])
            .any(|copy| *self.source(&at[..1], self.to.rank(&[&[coord], &copy[..]].concat())) == *at)
    }
}

impl Part {
    /// Returns ScaLAPACK's trapezoid of an `m` x `n` section: the upper trapezoid if `upper`, otherwise the lower;
    /// without the diagonal if `unit`.
    ///
    /// ScaLAPACK defines the upper trapezoid as `i < max(m-n, 0) + j + (diagonal kept)`, and the lower as `i >= max(0,
    /// j - max(n-m, 0) + (diagonal dropped))`. These are the half planes of [`Part`].
    pub fn trapezoid(upper: bool, unit: bool, m: u64, n: u64) -> Self {
        let wide = |excess: u64| i64::try_from(excess).expect("extents fit in 63 bits");
        if upper {
            Self::Upper { shift: wide(m.saturating_sub(n)) + i64::from(!unit) }
        } else {
            Self::Lower { shift: i64::from(unit) - wide(n.saturating_sub(m)) }
        }
    }

    /// Returns the positions of `rows` that move in column `j` of the section.
    pub fn positions(&self, rows: &Runs<1>, j: u64) -> Range<u64> {
        match *self {
            Self::Whole => 0..rows.total(),
            Self::Upper { shift } => 0..rows.rank(j.saturating_add_signed(shift)),
            Self::Lower { shift } => rows.rank(j.saturating_add_signed(shift))..rows.total(),
        }
    }

    /// Returns the rows that move in column `j` of a section of `rows` rows.
    pub fn rows(&self, rows: u64, j: u64) -> Range<u64> {
        match *self {
            Self::Whole => 0..rows,
            Self::Upper { shift } => 0..j.saturating_add_signed(shift).min(rows),
            Self::Lower { shift } => j.saturating_add_signed(shift).min(rows)..rows,
        }
    }

    /// Returns the number of elements of the product of `rows` and `cols` that move. For a trapezoid, takes time
    /// proportional to the number of columns.
    pub fn elements(&self, rows: &Runs<1>, cols: &Runs<1>) -> u64 {
        let families = cols.families();
        let runs = families.iter().flat_map(|f| (0..f.count).map(|k| (f.start[0] + k * f.stride[0], f.len)));
        let height = |j: u64| {
            let kept = self.positions(rows, j);
            kept.end.saturating_sub(kept.start)
        };
        match self {
            Self::Whole => rows.total() * cols.total(),
            _ => runs.flat_map(|(start, len)| start..start + len).map(height).sum(),
        }
    }

    /// Returns the number of elements of a section of `rows` x `cols` that move.
    pub fn size(&self, rows: u64, cols: u64) -> u64 {
        // Elements above the cut: columns without elements, then columns with one element more than the column before,
        // then whole columns.
        let above = |shift: i64| {
            let (rows, cols, shift) = (i128::from(rows), i128::from(cols), i128::from(shift));
            let (first, full) = ((-shift).clamp(0, cols), (rows - shift).clamp(0, cols));
            let slope = full - first;
            slope * (first + shift) + slope * (slope - 1) / 2 + (cols - full) * rows
        };
        let whole = i128::from(rows) * i128::from(cols);
        let size = match *self {
            Self::Whole => whole,
            Self::Upper { shift } => above(shift),
            Self::Lower { shift } => whole - above(shift),
        };
        u64::try_from(size).unwrap_or(u64::MAX)
    }

    /// Returns true if any element of the product of `dims` moves.
    pub fn moves_any<'a>(&self, dims: impl IntoIterator<Item = &'a Runs<1>> + Clone) -> bool {
        if dims.clone().into_iter().any(Runs::is_empty) {
            return false;
        }
        let mut dims = dims.into_iter();
        let mut both = || dims.next().zip(dims.next()).expect("a part of a section has rows and columns");
        match *self {
            Self::Whole => true,
            Self::Upper { shift } => {
                let (rows, cols) = both();
                rows.first() < Some((cols.end() - 1).saturating_add_signed(shift))
            }
            Self::Lower { shift } => {
                let (rows, cols) = both();
                Some(rows.end()) > cols.first().map(|left| left.saturating_add_signed(shift))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Oracle: the text of ScaLAPACK's pdtrmr2.c, element by element.
    fn inside(upper: bool, unit: bool, m: i64, n: i64, i: i64, j: i64) -> bool {
        if upper {
            i < (m - n).max(0) + j + i64::from(!unit)
        } else {
            i >= (j - (n - m).max(0) + i64::from(unit)).max(0)
        }
    }

    #[test]
    fn trapezoids_have_as_many_elements_as_their_columns() {
        use crate::layout::distribution::{Axis, Cyclic};
        for (m, n) in (1..9).flat_map(|m| (1..9).map(move |n| (m, n))) {
            let one = Axis::new(Cyclic::new(1, 1, 0).unwrap(), 0);
            let all = |len| Overlap { from: one.clone(), to: one.clone(), len }.shared(0, 0);
            let (rows, cols) = (all(m), all(n));
            for shift in -10..=10 {
                for part in [Part::Whole, Part::Upper { shift }, Part::Lower { shift }] {
                    let count: usize = (0..n).map(|j| part.positions(&rows, j).count()).sum();
                    assert_eq!((part.elements(&rows, &cols), part.size(m, n)), (count as u64, count as u64));
                }
            }
        }
    }

    #[test]
    fn trapezoids_equal_scalapacks() {
        use crate::layout::distribution::{Axis, Cyclic};
        for (m, n) in (1..8).flat_map(|m| (1..8).map(move |n| (m, n))) {
            let one = Axis::new(Cyclic::new(1, 1, 0).unwrap(), 0);
            let all = |len| Overlap { from: one.clone(), to: one.clone(), len }.shared(0, 0);
            let (rows, cols) = (all(m), all(n));
            for (upper, unit) in [(true, true), (true, false), (false, true), (false, false)] {
                let part = Part::trapezoid(upper, unit, m, n);
                let mut any = false;
                for j in 0..n {
                    let kept: Vec<u64> = (0..m)
                        .filter(|&i| inside(upper, unit, m as i64, n as i64, i as i64, j as i64))
                        .collect();
                    any |= !kept.is_empty();
                    let positions = part.positions(&rows, j).collect::<Vec<_>>();
                    assert_eq!(positions, kept, "{part:?} m={m} n={n} j={j}");
                    assert_eq!(part.rows(m, j).collect::<Vec<_>>(), kept, "{part:?} m={m} n={n} j={j}");
                }
                assert_eq!(part.moves_any([&rows, &cols]), any, "{part:?} m={m} n={n}");
            }
        }
    }
}
