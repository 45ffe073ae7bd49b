//! Terms of a call: the numbers that all ranks must agree on, and that the problem is built from.
//!
//! A rank outside a matrix's grid leaves that matrix's numbers blank; blanks agree with everything. Leading dimensions
//! are not among the numbers, since ranks may differ in them. Scalars come last, because a plan does not depend on
//! them.

mod words;

use super::check::axis;
use super::{Call, Descriptor, Matrix, Routine, section_grid};
use crate::layout::distribution::{Axis, Grid, RankMap};
use crate::layout::intersect::Overlap;
use crate::layout::problem::{Part, Problem};
use crate::pack::Scalar;
use crate::runtime::agreement::Knowledge;
use crate::system::digest::{digest, quick};
use crate::transport::error::Error;
use std::ops::Range;

/// Names of the call's own numbers.
const CALL: [&str; 8] = [
    "the routine",
    "M",
    "N",
    "UPLO",
    "the trapezoid's shift (DIAG)",
    "TRANS",
    "the membership of all ranks in the grids of A and B",
    "the digest of the settings (REBLOCK_... in the environment)",
];
/// Names of one matrix's numbers; `?` stands for the matrix's name, A, B or C.
const MATRIX: [&str; 18] = [
    "I?",
    "J?",
    "M_ of DESC?",
    "N_ of DESC?",
    "IMB_ of DESC?",
    "INB_ of DESC?",
    "MB_ of DESC?",
    "NB_ of DESC?",
    "RSRC_ of DESC?",
    "CSRC_ of DESC?",
    "the number of process rows of ?'s grid",
    "the number of process columns of ?'s grid",
    "the kind of ?'s grid",
    "the process (0,0) of ?'s grid",
    "the distance of process rows in ?'s grid",
    "the distance of process columns in ?'s grid",
    "the list of processes of ?'s grid",
    "the first rank of ?'s grid",
];
/// Positions among a matrix's numbers: the next five. TRANS and ALL are positions among the call's own numbers, A and B
/// those of each matrix's first number.
const FIRST_BLOCK: usize = 4;
const BLOCK: usize = 6;
const FIRST: usize = 8;
const GRID: usize = 10;
const FIRST_RANK: usize = 17;
const TRANS: usize = 5;
const ALL: usize = 6;
const A: usize = CALL.len();
const B: usize = A + MATRIX.len();
/// Position of the scalars ALPHA and BETA; each takes two numbers.
const SCALARS: usize = B + MATRIX.len();
const COUNT: usize = SCALARS + 4;
/// Marks a number that this rank lacks; smaller than all valid numbers.
const BLANK: i64 = i64::MIN;

/// Returns whether number `k` is blank. Scalars never are: the scalar -0.0 has the bits of [`BLANK`].
#[inline]
fn is_blank(k: usize, n: i64) -> bool {
    n == BLANK && (A..SCALARS).contains(&k)
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallTerms {
    numbers: [i64; COUNT],
    /// Digest of the numbers that are equal on all ranks; `None` unless every rank is in both grids.
    digest: Option<i64>,
}

impl CallTerms {
    /// Returns the terms of `call` on rank `me` of `ranks`; `settings` is the digest of its settings.
    #[inline]
    pub fn of(call: &Call, me: u32, ranks: u32, settings: i64) -> Self {
        let wide = |n: u64| i64::try_from(n).expect("extents fit in 63 bits");
        let (part, shift) = match call.part {
            Part::Whole => (0, 0),
            Part::Upper { shift } => (1, shift),
            Part::Lower { shift } => (2, shift),
        };
        let trans =
            call.update.filter(|update| update.conjugates()).map_or(i64::from(call.transposed), |_| 2);
        let mut terms = [BLANK; COUNT];
        let all = i64::from(call.has_all_arguments_on_all_ranks(ranks));
        terms[..A].copy_from_slice(&[
            call.routine.code(),
            wide(call.extent[0]),
            wide(call.extent[1]),
            part,
            shift,
            trans,
            all,
            settings,
        ]);
        for (matrix, at) in [(&call.a, A), (&call.b, B)] {
            if let Some(matrix) = matrix {
                terms[at..at + MATRIX.len()].copy_from_slice(&matrix_terms(matrix, me));
            }
        }
        let scalars =
            call.update.map_or([[0; 2]; 2], |update| [update.alpha(), update.beta()].map(Scalar::numbers));
        terms[SCALARS..].copy_from_slice(scalars.as_flattened());
        Self { numbers: terms, digest: (all != 0).then(|| shared_digest(&terms)) }
    }

    /// Returns whether every rank is in both grids, so that none lacks a number.
    #[inline]
    pub fn are_complete_on_all_ranks(&self) -> bool {
        self.digest.is_some()
    }

    /// Returns the digest; `None` unless every rank is in both grids.
    #[inline]
    pub fn digest(&self) -> Option<i64> {
        self.digest
    }

    /// Returns the numbers that a plan depends on: all but the scalars.
    #[inline]
    pub fn numbers(&self) -> &[i64] {
        &self.numbers[..SCALARS]
    }

    /// Checks that no number is blank, after the merge of all ranks' terms.
    #[inline]
    pub fn complete(&self) -> Result<(), Error> {
        match (0..COUNT).find(|&k| is_blank(k, self.numbers[k])) {
            None => Ok(()),
            Some(k) => {
                let name = if k < B { "A" } else { self.target() };
                Err(Error::Host(format!("no rank of the enclosing context is in the grid of {name}")))
            }
        }
    }

    /// Returns the grid of A, or the broadcast that its list of ranks needs.
    #[inline]
    pub fn grid_a(&self) -> Result<Grid, Unlisted> {
        self.grid(A)
    }

    /// Returns the grid of the matrix that is written, as [`CallTerms::grid_a`].
    #[inline]
    pub fn grid_b(&self) -> Result<Grid, Unlisted> {
        self.grid(B)
    }

    #[inline]
    fn grid(&self, at: usize) -> Result<Grid, Unlisted> {
        let term = |k: usize| self.numbers[at + k];
        let count = |k| u32::try_from(term(k)).expect("grids have at least one process row and column");
        let (rows, cols) = (count(GRID), count(GRID + 1));
        if term(GRID + 2) == 0 {
            Ok(Grid::affine(&[rows, cols], term(GRID + 3), &[term(GRID + 4), term(GRID + 5)]))
        } else {
            Err(Unlisted { rows, cols, root: count(FIRST_RANK) })
        }
    }

    /// Returns the problem for the grids `a` and `b`, in the dimensions of B; those of A are swapped if `transposed`.
    /// No number may be blank.
    #[inline]
    pub fn problem(&self, part: Part, transposed: bool, a: Grid, b: Grid) -> Problem {
        let dim = |d: usize| {
            let of_a = if transposed { 1 - d } else { d };
            Overlap {
                from: self.axis(A, of_a, a.extents()[of_a]),
                to: self.axis(B, d, b.extents()[d]),
                len: u64::try_from(self.numbers[1 + d]).expect("extents are not negative"),
            }
        };
        let dims = vec![dim(0), dim(1)];
        let first = |at: usize| [self.numbers[at + FIRST], self.numbers[at + FIRST + 1]];
        let (from, to) = (section_grid(a, first(A), transposed), section_grid(b, first(B), false));
        Problem { part, is_transposed: transposed, ..Problem::whole(dims, from, to) }
    }

    #[inline]
    fn axis(&self, at: usize, d: usize, procs: u32) -> Axis {
        let pair = |k: usize| [self.numbers[at + k], self.numbers[at + k + 1]];
        let descriptor =
            Descriptor { extent: pair(2), first_block: pair(4), block: pair(6), first: pair(FIRST), ld: 0 };
        let whole = axis(&descriptor, procs, d).expect("members checked their descriptors");
        whole.section(u64::try_from(self.numbers[at + d] - 1).expect("members checked their indices"), 1)
    }

    fn target(&self) -> &'static str {
        Routine::family_of(self.numbers[0]).map_or("B", |family| family.target())
    }
}

impl Knowledge for CallTerms {
    const BYTES: usize = (1 + COUNT) * size_of::<i64>();

    #[inline]
    fn write(&self, out: &mut [u8]) {
        let (digest, numbers) = out[..Self::BYTES].split_at_mut(size_of::<i64>());
        digest.copy_from_slice(&self.digest.unwrap_or(BLANK).to_ne_bytes());
        for (n, place) in self.numbers.iter().zip(numbers.chunks_exact_mut(size_of::<i64>())) {
            place.copy_from_slice(&n.to_ne_bytes());
        }
    }

    #[inline]
    fn read(bytes: &[u8]) -> Self {
        let digest = Some(number(bytes, 0)).filter(|&digest| digest != BLANK);
        Self { numbers: std::array::from_fn(|k| number(bytes, 1 + k)), digest }
    }

    #[inline]
    fn is_echo(&self, message: &[u8]) -> bool {
        self.digest == Some(number(message, 0))
    }

    #[inline]
    fn agree(&self, other: &Self, rank: Option<u32>) -> Result<(), Error> {
        // Usually at most the first ranks of the grids differ.
        let same = |numbers: Range<usize>| self.numbers[numbers.clone()] == other.numbers[numbers];
        if same(0..A + FIRST_RANK) && same(B..B + FIRST_RANK) && same(SCALARS..COUNT) {
            return Ok(());
        }
        let differ = |k: &usize| {
            let (here, there) = (self.numbers[*k], other.numbers[*k]);
            let are_known = !is_blank(*k, here) && !is_blank(*k, there);
            here != there && are_known && ![A + FIRST_RANK, B + FIRST_RANK].contains(k)
        };
        match (0..COUNT).find(differ) {
            Some(k) => Err(self.disagreement(k, other, rank)),
            None => Ok(()),
        }
    }

    #[inline]
    fn absorb(&mut self, other: &Self, rank: Option<u32>) -> Result<(), Error> {
        self.agree(other, rank)?;
        for (k, (mine, theirs)) in self.numbers.iter_mut().zip(other.numbers).enumerate() {
            if is_blank(k, *mine)
                || ([A + FIRST_RANK, B + FIRST_RANK].contains(&k) && theirs != BLANK && theirs < *mine)
            {
                *mine = theirs;
            }
        }
        Ok(())
    }
}

/// A grid with listed ranks; `root` broadcasts the list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unlisted {
    pub rows: u32,
    pub cols: u32,
    /// The lowest rank of the grid, which has the list.
    pub root: u32,
}

#[inline]
fn number(message: &[u8], k: usize) -> i64 {
    let at = k * size_of::<i64>();
    i64::from_ne_bytes(message[at..at + size_of::<i64>()].try_into().expect("eight bytes"))
}

/// Returns the digest of the numbers that are equal on all ranks: all but the first rank of each grid.
fn shared_digest(numbers: &[i64; COUNT]) -> i64 {
    let mut shared = *numbers;
    [A, B].iter().for_each(|matrix| shared[matrix + FIRST_RANK] = 0);
    quick(&shared)
}

fn matrix_terms(matrix: &Matrix, me: u32) -> [i64; MATRIX.len()] {
    let d = &matrix.descriptor;
    let (kind, base, row_stride, col_stride, list) = match matrix.grid.map() {
        RankMap::Affine { base, strides } => (0, *base, strides[0], strides[1], 0),
        RankMap::Listed(ranks) => (1, 0, 0, 0, digest(ranks)),
    };
    [
        matrix.start[0],
        matrix.start[1],
        d.extent[0],
        d.extent[1],
        d.first_block[0],
        d.first_block[1],
        d.block[0],
        d.block[1],
        d.first[0],
        d.first[1],
        i64::from(matrix.grid.extents()[0]),
        i64::from(matrix.grid.extents()[1]),
        kind,
        base,
        row_stride,
        col_stride,
        list,
        i64::from(me),
    ]
}

#[cfg(test)]
mod tests;
