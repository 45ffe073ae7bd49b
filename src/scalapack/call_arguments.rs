//! The arguments of a call as numbers, without addresses and without the answers of BLACS about contexts.

use super::{Call, Descriptor, Family, Matrix, Routine};
use crate::layout::distribution::Grid;
use crate::layout::problem::Part;
use crate::mpi::blacs::{Int, wide};
use crate::pack::{Combine, Scalar, Update};
use crate::transport::error::ArgumentError;

/// The arguments of one call. Equal arguments mean equal calls if the grids are equal.
pub struct CallArguments {
    pub routine: Routine,
    /// M and N: see [`extent`].
    pub extent: [u64; 2],
    /// UPLO, DIAG and TRANS; `None` if the routine does not have it.
    pub options: [Option<u8>; 3],
    pub scalars: Option<[Scalar; 2]>,
    pub enclosing: Option<Int>,
    pub matrices: [MatrixArguments; 2],
}

#[derive(Default)]
pub struct MatrixArguments {
    /// CTXT_; negative on a rank outside the grid in a call between contexts: all other fields are 0.
    pub context: Int,
    pub start: [i64; 2],
    /// DTYPE_; 1 in calls between contexts, which do not examine it.
    pub dtype: i64,
    /// Entries of the descriptor after the context: see [`Self::count`].
    pub entries: [i64; 9],
}

/// Numbers in a key: of a call, of a matrix, of a matrix's grid, of all.
const CALL: usize = 10;
const MATRIX: usize = 12;
pub(super) const GRID: usize = 6;
const ALL: usize = CALL + 2 * (MATRIX + GRID);

/// Returns M and N. A negative count is an error, but 0 for p?lacpy.
pub fn extent(family: Family, counts: [Int; 2]) -> Result<[u64; 2], ArgumentError> {
    let count = |(name, value): (&str, Int)| match u64::try_from(value) {
        Ok(count) => Ok(count),
        Err(_) if family == Family::Lacpy => Ok(0),
        Err(_) => Err(ArgumentError {
            name: name.into(),
            value: wide(value),
            expected: "a number of at least 0".into(),
            place: None,
        }),
    };
    Ok([count(("M", counts[0]))?, count(("N", counts[1]))?])
}

impl MatrixArguments {
    /// Returns the number of entries after the context in a descriptor of type `dtype`: 9 with the sizes of the first
    /// block (IMB_, INB_), otherwise 7; 0 if routines of `family` refuse that type. p?lacpy reads any type but 2 as 1.
    pub fn count(family: Family, dtype: i64) -> usize {
        match dtype {
            1 => 7,
            2 if family.has_scalars() => 9,
            2 => 0,
            _ if family == Family::Lacpy => 7,
            _ => 0,
        }
    }
}

impl CallArguments {
    /// Returns the key of the checked call in its session; `grids` are the numbers of its grids.
    pub(super) fn key(&self, grids: [[i64; GRID]; 2]) -> [i64; ALL] {
        let mut key = [0; ALL];
        let (call, both) = key.split_at_mut(CALL);
        let [m, n] = self.extent.map(|count| i64::try_from(count).unwrap_or(i64::MAX));
        let [uplo, diag, trans] = self.options.map(|letter| letter.map_or(0, i64::from));
        let [alpha, beta] =
            self.scalars.map_or([[0; 2]; 2], |scalars| scalars.map(|scalar| scalar.numbers()));
        let code = self.routine.code();
        call.copy_from_slice(&[code, m, n, uplo, diag, trans, alpha[0], alpha[1], beta[0], beta[1]]);
        for ((part, matrix), grid) in both.chunks_exact_mut(MATRIX + GRID).zip(&self.matrices).zip(&grids) {
            let [i, j] = matrix.start;
            part[..3].copy_from_slice(&[i, j, matrix.dtype]);
            part[3..MATRIX].copy_from_slice(&matrix.entries);
            part[MATRIX..].copy_from_slice(grid);
        }
        key
    }

    pub(super) fn call(&self) -> Result<Call, ArgumentError> {
        let (Self { routine, extent, .. }, family) = (self, self.routine.family);
        let [uplo, diag, trans] = self.options.map(|letter| letter.map(|letter| letter.to_ascii_uppercase()));
        let unknown = |name: &str, letter: u8, expected: &str| ArgumentError {
            name: name.into(),
            value: letter.into(),
            expected: format!("{expected}: the number is the code of the character {:?}", char::from(letter)),
            place: None,
        };
        let part = match (family, uplo.unwrap_or(b'A'), diag) {
            // As in ScaLAPACK: any UPLO but U means lower; DIAG drops the diagonal if it is not N (upper), or if it
            // is U (lower).
            (_, uplo, Some(diag)) => {
                let unit = if uplo == b'U' { diag != b'N' } else { diag == b'U' };
                Part::trapezoid(uplo == b'U', unit, extent[0], extent[1])
            }
            (_, b'U', _) => Part::Upper { shift: 1 },
            (_, b'L', _) => Part::Lower { shift: 0 },
            (Family::Tradd, uplo, _) => return Err(unknown("UPLO", uplo, "U or L")),
            _ => Part::Whole,
        };
        let trans = match (family, trans.unwrap_or(b'N')) {
            (Family::Tran | Family::Tranu, _) => b'T',
            (Family::Tranc, _) => b'C',
            (_, trans @ (b'N' | b'T' | b'C')) => trans,
            (_, trans) => return Err(unknown("TRANS", trans, "N, T or C")),
        };
        let update = self.scalars.zip(routine.number()).map(|(scalars, number)| {
            Update::new(number, Combine::Add, trans == b'C', scalars).expect("all numbers are added")
        });
        let transposed = trans != b'N';
        Ok(Call { routine: *routine, extent: *extent, part, transposed, update, a: None, b: None })
    }

    /// Returns matrix number `k`; this process is at `at` in its grid.
    pub(super) fn matrix(&self, k: usize, grid: Grid, at: [u32; 2]) -> Result<Matrix, ArgumentError> {
        Ok(Matrix { grid, at, descriptor: self.descriptor(k)?, start: self.matrices[k].start })
    }

    fn descriptor(&self, k: usize) -> Result<Descriptor, ArgumentError> {
        let (MatrixArguments { dtype, entries, .. }, family) = (&self.matrices[k], self.routine.family);
        match MatrixArguments::count(family, *dtype) {
            count @ (7 | 9) => Ok(Descriptor::of_entries(&entries[..count])),
            _ => Err(ArgumentError {
                name: format!("DTYPE_ of DESC{}", ["A", family.target()][k]),
                value: *dtype,
                expected: if family.has_scalars() { "1 or 2" } else { "1" }.into(),
                place: None,
            }),
        }
    }
}
