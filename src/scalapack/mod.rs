//! Interface for ScaLAPACK's callers: p?gemr2d, p?trmr2d, p?tran, p?geadd, p?tradd and p?lacpy.
//!
//! The types here hold a rank's checked arguments of one call, without pointers. On a rank outside a matrix's grid, all
//! entries of the descriptor but the context are undefined and not read; the rank receives them from members of the
//! grid. In a call within one context every rank has all arguments. [`Prepared`] carries a call out.
//!
//! | file | contents, in the order of a call |
//! |---|---|
//! | `family`, `routine` | table of the routines |
//! | `raw` | arguments with pointers, as the caller passed them |
//! | `call_arguments` | arguments as numbers, without addresses |
//! | `arguments` | [`Prepared::of`]: session, and checked arguments, new or of an earlier call |
//! | `checked` | checked arguments that a session keeps for later calls |
//! | `check`, `addresses` | checks by one rank: descriptors and sections; addresses |
//! | `prepared` | [`Prepared::run`]: driver of the call |
//! | `terms` | numbers that ranks agree on, and the text if they differ |
//! | `local` | calls of p?lacpy without messages |
//! | `trial` | calls made by reblock and by the program's ScaLAPACK |

mod addresses;
mod arguments;
mod call_arguments;
mod check;
mod checked;
mod family;
mod local;
mod prepared;
pub(crate) mod raw;
mod routine;
mod terms;
pub(crate) mod trial;

pub use call_arguments::{CallArguments, MatrixArguments, extent};
pub use check::{Section, check};
pub use checked::ValidatedCall;
pub use family::{ArgumentRules, Family};
pub use prepared::Prepared;
pub use routine::Routine;
pub use terms::CallTerms;

use crate::exec::travel::Load;
use crate::layout::distribution::{Axis, Grid, Local, View};
use crate::layout::problem::Part;
use crate::layout::strides::Shape;
use crate::pack::{Combine, Update};
use std::ops::Range;

/// A ScaLAPACK array descriptor without its type (DTYPE_) and its context (CTXT_).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Descriptor {
    /// Global rows and columns (M_, N_).
    pub extent: [i64; 2],
    /// Rows and columns of the first block (IMB_, INB_); equal to `block` if the descriptor has no such entries.
    pub first_block: [i64; 2],
    /// Rows and columns of a block (MB_, NB_).
    pub block: [i64; 2],
    /// Process row and column of the first block (RSRC_, CSRC_); -1 if each process row has all rows, or each process
    /// column all columns.
    pub first: [i64; 2],
    /// Leading dimension of the local array (LLD_).
    pub ld: i64,
}

impl Descriptor {
    /// Creates a descriptor with blocks of one size.
    pub fn new(extent: [i64; 2], block: [i64; 2], first: [i64; 2], ld: i64) -> Self {
        Self { extent, first_block: block, block, first, ld }
    }

    /// Creates the descriptor from its entries after the context: 9 entries with IMB_ and INB_, otherwise 7.
    pub fn of_entries(entries: &[i64]) -> Self {
        let pair = |k: usize| [entries[k], entries[k + 1]];
        match entries.len() {
            9 => {
                let (extent, first_block, block, first) = (pair(0), pair(2), pair(4), pair(6));
                Self { extent, first_block, block, first, ld: entries[8] }
            }
            _ => Self::new(pair(0), pair(2), pair(4), entries[6]),
        }
    }
}

/// A matrix of a call on a process in its grid. The methods require that the matrix has been checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    /// The matrix's process grid, in ranks of the enclosing communicator.
    pub grid: Grid,
    pub at: [u32; 2],
    pub descriptor: Descriptor,
    /// First row and column of the section, from 1 (IA, JA).
    pub start: [i64; 2],
}

/// The arguments of one call on this rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    pub routine: Routine,
    /// Rows and columns of the section (M, N).
    pub extent: [u64; 2],
    /// The elements of the section that are moved.
    pub part: Part,
    /// Whether A is transposed: rows of B's section are columns of A.
    pub transposed: bool,
    /// The update, in routines that have ALPHA and BETA.
    pub update: Option<Update>,
    pub a: Option<Matrix>,
    pub b: Option<Matrix>,
}

impl Matrix {
    /// Returns the local array's shape, with its dimensions swapped if `transposed`. The matrix must have been checked.
    pub fn shape(&self, element: usize, transposed: bool) -> Shape {
        let [rows, cols] = check::local_extent(self).expect("a checked matrix has a shape");
        let ld = u64::try_from(self.descriptor.ld).unwrap_or(0);
        let shape = Shape::matrix(element, rows, cols, ld);
        match (transposed, shape.dims()) {
            (true, &[rows, cols]) => Shape::new(element, &[cols, rows]),
            _ => shape,
        }
    }

    /// Returns this process's coordinates in the [`section_grid`].
    fn place(&self, transposed: bool) -> Vec<u32> {
        let along = |view: &View| match *view {
            View::One => 0,
            View::Along { dim, .. } => self.at[dim],
        };
        section_views(self.descriptor.first, transposed).iter().map(along).collect()
    }
}

/// Returns the dimensions of the [`section_grid`]: for each dimension of the section, the matrix's grid dimension, or
/// one process if each has all indices; then the dimensions along which the matrix is repeated.
fn section_views(first: [i64; 2], transposed: bool) -> Vec<View> {
    let order = if transposed { [1, 0] } else { [0, 1] };
    let along = |dim: usize| View::Along { dim, reversed: false };
    let dealt = order.map(|dim| if first[dim] < 0 { View::One } else { along(dim) });
    dealt.into_iter().chain(order.into_iter().filter(|&dim| first[dim] < 0).map(along)).collect()
}

/// Returns a matrix's grid with its dimensions in the order of B's section: swapped if `transposed`. A dimension along
/// which the matrix is repeated (RSRC_ or CSRC_ is -1) becomes an additional dimension that counts copies.
fn section_grid(grid: Grid, first: [i64; 2], transposed: bool) -> Grid {
    if !transposed && first.iter().all(|&first| first >= 0) {
        return grid;
    }
    grid.view(&section_views(first, transposed), &[0, 0])
}

impl Matrix {
    /// Returns the global row and column, from 1, of the element at local row and column `at`, from 0.
    pub fn global_index(&self, at: [u64; 2]) -> [u64; 2] {
        let whole = |d: usize| entry(self.descriptor.extent[d]);
        let of = |d: usize| self.axis(d).global(whole(d), self.coordinate(d), Local(at[d])) + 1;
        [of(0), of(1)]
    }

    /// Returns the local rows and columns of a section of `extent` rows and columns.
    pub fn local_section(&self, extent: [u64; 2]) -> [Range<u64>; 2] {
        [0, 1].map(|d| self.local_range(&self.axis(d), d, extent[d]))
    }

    /// Returns the local indices of the section's `extent` indices along dimension `d`, whose distribution is `axis`.
    fn local_range(&self, axis: &Axis, d: usize, extent: u64) -> Range<u64> {
        let (at, start) = (self.coordinate(d), entry(self.start[d]) - 1);
        axis.local_len(start, at)..axis.local_len(start + extent, at)
    }

    /// Returns the ranges of the local array, in elements, that hold `part` of a section of `extent` rows and columns:
    /// one for each local column with such elements.
    pub fn local_ranges(&self, extent: [u64; 2], part: Part) -> impl Iterator<Item = Range<u64>> {
        let [rows, cols] = [self.axis(0), self.axis(1)];
        let [top, left] = self.start.map(|start| entry(start) - 1);
        let at = [self.coordinate(0), self.coordinate(1)];
        let (ld, all) = (entry(self.descriptor.ld), entry(self.descriptor.extent[1]));
        let local = self.local_range(&rows, 0, extent[0]);
        let columns = self.local_range(&cols, 1, extent[1]);
        let before = move |row: u64| rows.local_len(row, at[0]);
        // The moved rows of the last column, and their local rows: usually equal for all columns.
        let mut known = (0..extent[0], local);
        let of = move |col: u64| {
            let moved = match part {
                Part::Whole => 0..extent[0],
                _ => part.rows(extent[0], cols.global(all, at[1], Local(col)) - left),
            };
            if known.0 != moved {
                known = (moved.clone(), before(top + moved.start)..before(top + moved.end));
            }
            col * ld + known.1.start..col * ld + known.1.end
        };
        columns.map(of).filter(|range| !range.is_empty())
    }

    /// Returns the distribution of dimension `d`.
    fn axis(&self, d: usize) -> Axis {
        check::axis(&self.descriptor, self.grid.extents()[d], d).expect("a checked descriptor")
    }

    /// Returns this process's coordinate along dimension `d`; 0 if each process has all indices of that dimension.
    fn coordinate(&self, d: usize) -> u32 {
        if self.descriptor.first[d] < 0 { 0 } else { self.at[d] }
    }
}

fn entry(value: i64) -> u64 {
    u64::try_from(value).expect("a checked descriptor")
}

impl Call {
    /// Prepares `load` for p?tradd if BETA is 0 and ALPHA is not: sets C to 0, and updates with BETA 1. ScaLAPACK adds
    /// BETA times C even then: 0 + -0 is 0, not -0.
    fn prepare_load(&self, load: &mut Load<'_>) {
        let adds_to_0 = |update: &Update| {
            self.routine.family == Family::Tradd && update.ignores_target() && !update.ignores_source()
        };
        let Some(update) = self.update.filter(adds_to_0) else { return };
        let number = update.number();
        let zero = Update::new(number, Combine::Add, false, [number.scalar(0); 2]);
        load.destination = load.destination.take().map(|to| to.updated_by(zero.expect("a sum")));
        load.update = zero;
        load.update_alone();
        load.update = Some(update.accumulating());
    }

    /// Returns the shapes of this rank's local arrays, with A's dimensions in the order of B's. The matrices must have
    /// been checked.
    pub fn shapes(&self) -> [Option<Shape>; 2] {
        let shape = |matrix: &Option<Matrix>, transposed| {
            matrix.as_ref().map(|matrix| matrix.shape(self.routine.element, transposed))
        };
        [shape(&self.a, self.transposed), shape(&self.b, false)]
    }

    /// Returns whether each of `ranks` ranks is in both grids, so that none lacks arguments. Equal on all ranks,
    /// because members of a grid see that it has fewer ranks.
    pub fn has_all_arguments_on_all_ranks(&self, ranks: u32) -> bool {
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
            let first = grid.map(|procs| i64::from(random.u32(0..=procs)) - 1);
            let block = [random.i64(1..6), random.i64(1..6)];
            let first_block = if case % 3 == 0 { block } else { [random.i64(1..9), random.i64(1..9)] };
            let ld = extent[0] + random.i64(0..3);
            for at in (0..grid[0]).flat_map(|row| (0..grid[1]).map(move |col| [row, col])) {
                let descriptor = Descriptor { extent, first_block, block, first, ld };
                let matrix = Matrix { grid: Grid::row_major(&grid), at, descriptor, start };
                let found: Vec<u64> = matrix.local_ranges(section, part).flatten().collect();
                let [rows, cols] = check::local_extent(&matrix).unwrap();
                let moves = |at: [u64; 2]| {
                    let inside = |d: usize| matrix.global_index(at)[d].checked_sub(entry(start[d]));
                    let (Some(i), Some(j)) = (inside(0), inside(1)) else { return false };
                    j < section[1] && part.rows(section[0], j).contains(&i)
                };
                let positions = (0..cols).flat_map(|col| (0..rows).map(move |row| [row, col]));
                let slow: Vec<u64> =
                    positions.filter(|&at| moves(at)).map(|[row, col]| col * entry(ld) + row).collect();
                assert_eq!(found, slow, "seed {seed}, case {case}: {matrix:?} {section:?} {part:?}");
            }
        }
    }
}
