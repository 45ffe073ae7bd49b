//! The interface for ScaLAPACK's callers: p?gemr2d and p?trmr2d.
//!
//! WHAT did the caller ask for? The arguments of one call as this rank gives them, checked, without pointers. A rank outside
//! a matrix's grid knows nothing about that matrix: all entries of its descriptor but the context are undefined there, and
//! are not read. Such a rank learns what it needs from the members. [`door`] takes a call through the modules.

mod addresses;
mod check;
pub mod door;
mod terms;

pub use check::check;
pub use terms::Terms;

use crate::layout::{Axis, Cyclic, Grid, Local};
use crate::pack::Shape;
use crate::problem::Part;
use std::fmt;

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
        let of = |d: usize| {
            let entry = |value: i64| u64::try_from(value).expect("a checked descriptor");
            let (block, first) = (entry(self.descriptor.block[d]), entry(self.descriptor.first[d]));
            let procs = self.grid.extents()[d];
            let first = u32::try_from(first).expect("a checked descriptor");
            let dist = Cyclic::new(block, procs, first).expect("a checked descriptor");
            Axis::new(dist, 0).global(entry(self.descriptor.extent[d]), self.at[d], Local(at[d])) + 1
        };
        [of(0), of(1)]
    }
}

impl Call {
    /// Whether every one of `ranks` ranks is in both grids: then all of them know all arguments, and nothing has to be
    /// told. Every rank answers alike, since a rank outside a grid knows that the grid is smaller.
    pub fn all_know_all(&self, ranks: u32) -> bool {
        let full = |m: &Option<Matrix>| m.as_ref().is_some_and(|m| m.grid.size() == u64::from(ranks));
        full(&self.a) && full(&self.b)
    }
}
