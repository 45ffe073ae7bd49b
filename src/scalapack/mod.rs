//! The interface for ScaLAPACK's callers: p?gemr2d and p?trmr2d.
//!
//! WHAT did the caller ask for? The arguments of one call as this rank gives them, checked, without pointers. A rank outside
//! a matrix's grid knows nothing about that matrix: all entries of its descriptor but the context are undefined there, and
//! are not read. Such a rank learns what it needs from the members. [`Prepared`] takes a call through the modules.

mod addresses;
mod check;
mod prepared;
mod terms;

pub use check::check;
pub use prepared::{MatrixArguments, Prepared};
pub use terms::Terms;

use crate::layout::{Axis, Grid, Local};
use crate::pack::Shape;
use crate::problem::Part;
use std::fmt;
use std::ops::Range;

/// A ScaLAPACK routine: p?gemr2d or p?trmr2d, or its older variant without a context argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Routine {
    /// The element type's letter: i, s, d, c or z.
    pub letter: char,
    /// Whether a trapezoid is copied.
    pub trapezoid: bool,
    /// Whether it is the older variant, which all processes call.
    pub old: bool,
    /// Bytes an element.
    pub element: usize,
}

impl fmt::Display for Routine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.trapezoid { "TRMR2D" } else { "GEMR2D" };
        write!(f, "P{}{kind}{}", self.letter.to_ascii_uppercase(), if self.old { "O" } else { "" })
    }
}

/// A ScaLAPACK array descriptor without its type, which is not examined, and its context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Global rows and columns (M_, N_).
    pub extent: [i64; 2],
    /// Rows and columns of a block (MB_, NB_).
    pub block: [i64; 2],
    /// The process row and column of the first block (RSRC_, CSRC_).
    pub first: [i64; 2],
    /// Leading dimension of the local array (LLD_).
    pub ld: i64,
}

/// One of the two matrices, as a member of its grid sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// Its grid, in ranks of the enclosing communicator.
    pub grid: Grid,
    /// This process's row and column in the grid.
    pub at: [u32; 2],
    /// Its descriptor.
    pub descriptor: Descriptor,
    /// The section's first row and column, from 1 (IA, JA).
    pub start: [i64; 2],
}

/// One call, as this rank gives it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// The routine.
    pub routine: Routine,
    /// Rows and columns of the section (M, N).
    pub extent: [u64; 2],
    /// Which elements of it move.
    pub part: Part,
    /// The source, if this rank is in its grid.
    pub a: Option<Matrix>,
    /// The destination, if this rank is in its grid.
    pub b: Option<Matrix>,
}

impl Matrix {
    /// The local array's shape; for a matrix that was checked.
    pub fn shape(&self, element: usize) -> Shape {
        let [rows, cols] = check::local_extent(self).expect("a checked matrix has a shape");
        let ld = u64::try_from(self.descriptor.ld).unwrap_or(0);
        Shape::matrix(element, rows, cols, ld)
    }
}

impl Matrix {
    /// Row and column of the whole matrix, from 1, of an element at local row and column `at`, from 0; for a matrix that was
    /// checked.
    pub fn global(&self, at: [u64; 2]) -> [u64; 2] {
        let of =
            |d: usize| self.axis(d).global(entry(self.descriptor.extent[d]), self.at[d], Local(at[d])) + 1;
        [of(0), of(1)]
    }

    /// The places in the local array, in elements, of the elements that a call moves: of `part` of a section of `extent` elements,
    /// a range for each local column that has some; for a matrix that was checked.
    pub fn places(&self, extent: [u64; 2], part: Part) -> impl Iterator<Item = Range<u64>> {
        let [rows, cols] = [self.axis(0), self.axis(1)];
        let [top, left] = self.start.map(|start| entry(start) - 1);
        let (at, ld, all) = (self.at, entry(self.descriptor.ld), entry(self.descriptor.extent[1]));
        let before = move |row: u64| rows.local_len(row, at[0]);
        let columns = cols.local_len(left, at[1])..cols.local_len(left + extent[1], at[1]);
        let of = move |col: u64| {
            let moved = part.rows(extent[0], cols.global(all, at[1], Local(col)) - left);
            col * ld + before(top + moved.start)..col * ld + before(top + moved.end)
        };
        columns.map(of).filter(|places| !places.is_empty())
    }

    /// How dimension `d` is dealt out.
    fn axis(&self, d: usize) -> Axis {
        let procs = self.grid.extents()[d];
        Axis::new(check::axis(&self.descriptor, procs, d).expect("a checked descriptor"), 0)
    }
}

fn entry(value: i64) -> u64 {
    u64::try_from(value).expect("a checked descriptor")
}

impl Call {
    /// Whether every one of `ranks` ranks is in both grids: then all of them know all arguments, and nothing has to be
    /// told. Every rank answers alike, since a rank outside a grid knows that the grid is smaller.
    pub fn all_know_all(&self, ranks: u32) -> bool {
        let full = |m: &Option<Matrix>| m.as_ref().is_some_and(|m| m.grid.size() == u64::from(ranks));
        full(&self.a) && full(&self.b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_moves_the_elements_of_its_section_and_no_others() {
        let seed = 5;
        let mut random = fastrand::Rng::with_seed(seed);
        for case in 0..300 {
            let grid = [random.u32(1..4), random.u32(1..4)];
            let extent = [random.i64(1..20), random.i64(1..20)];
            let start = extent.map(|extent| random.i64(1..=extent));
            let section = [0, 1].map(|d| random.i64(1..=extent[d] - start[d] + 1).unsigned_abs());
            let (upper, unit) = (random.bool(), random.bool());
            let part = match case % 2 {
                0 => Part::Whole,
                _ => Part::trapezoid(upper, unit, section[0], section[1]),
            };
            let first = grid.map(|procs| random.u32(0..procs).into());
            let block = [random.i64(1..6), random.i64(1..6)];
            let ld = extent[0] + random.i64(0..3);
            for at in (0..grid[0]).flat_map(|row| (0..grid[1]).map(move |col| [row, col])) {
                let descriptor = Descriptor { extent, block, first, ld };
                let matrix = Matrix { grid: Grid::row_major(&grid), at, descriptor, start };
                let found: Vec<u64> = matrix.places(section, part).flatten().collect();
                let [rows, cols] = check::local_extent(&matrix).unwrap();
                let moves = |at: [u64; 2]| {
                    let inside = |d: usize| matrix.global(at)[d].checked_sub(entry(start[d]));
                    let (Some(i), Some(j)) = (inside(0), inside(1)) else { return false };
                    j < section[1] && part.rows(section[0], j).contains(&i)
                };
                let places = (0..cols).flat_map(|col| (0..rows).map(move |row| [row, col]));
                let slow: Vec<u64> =
                    places.filter(|&at| moves(at)).map(|[row, col]| col * entry(ld) + row).collect();
                assert_eq!(found, slow, "seed {seed}, case {case}: {matrix:?} {section:?} {part:?}");
            }
        }
    }
}
