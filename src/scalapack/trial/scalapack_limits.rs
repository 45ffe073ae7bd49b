//! Detects calls that are too large for ScaLAPACK, by their sizes. ScaLAPACK counts elements and bytes and adds block
//! sizes in 32 bits; on overflow, it hangs, crashes or copies wrong elements.

use crate::scalapack::Matrix;

/// Maximum number of rows or columns of a matrix in a trial.
const MAX_ROWS: i64 = 100_000_000;
/// Minimum bytes of a local array that is too large. Messages are no longer than arrays.
const TOO_LARGE_BYTES: u64 = 1 << 31;

/// Maximum sum of a matrix's period (one block of each process), its first block and its extent along a dimension.
/// ScaLAPACK adds the periods of two matrices in 32 bits.
const MAX_PERIOD: i64 = 1 << 30;

/// Returns the bytes of this rank's local array; 0 if it has none.
pub(crate) fn bytes(matrix: Option<&Matrix>, element: usize) -> u64 {
    let reach = matrix.map(|matrix| matrix.shape(element, false).reach().unwrap_or((0, u64::MAX)));
    reach.map_or(0, |(_, behind)| behind)
}

/// Returns whether a call for a section of `extent`, with elements of `element` bytes, may be too large for ScaLAPACK,
/// judging by the matrices that this rank has.
pub(crate) fn is_too_large(extent: [u64; 2], matrices: [Option<&Matrix>; 2], element: usize) -> bool {
    let long = |matrix: &Matrix| {
        let extents = matrix.descriptor.extent;
        extents.iter().any(|&extent| extent > MAX_ROWS) || (0..2).any(|d| has_long_period(matrix, d))
    };
    extent.iter().any(|&extent| extent > MAX_ROWS.unsigned_abs())
        || matrices
            .into_iter()
            .any(|matrix| matrix.is_some_and(long) || bytes(matrix, element) >= TOO_LARGE_BYTES)
}

/// Returns whether ScaLAPACK's sums of block sizes along dimension `d` may overflow.
fn has_long_period(matrix: &Matrix, d: usize) -> bool {
    let (descriptor, procs) = (&matrix.descriptor, i64::from(matrix.grid.extents()[d]));
    let period = descriptor.block[d].saturating_mul(procs).saturating_add(descriptor.first_block[d]);
    period.saturating_add(descriptor.extent[d]) > MAX_PERIOD
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::Grid;
    use crate::scalapack::Descriptor;

    fn matrix(rows: i64, cols: i64, ld: i64) -> Matrix {
        let descriptor = Descriptor::new([rows, cols], [8; 2], [0; 2], ld);
        Matrix { grid: Grid::row_major(&[1, 1]), at: [0; 2], descriptor, start: [1; 2] }
    }

    #[test]
    fn local_arrays_of_2_gib_are_too_large() {
        // 8 rows of 8 bytes; the second column begins `ld` elements after the first.
        let ld = (1 << 28) - 9;
        let (fits, large) = (matrix(8, 2, ld), matrix(8, 2, ld + 1));
        assert_eq!([&fits, &large].map(|one| bytes(Some(one), 8)), [(1 << 31) - 8, 1 << 31]);
        for (one, is_large) in [(&fits, false), (&large, true)] {
            assert_eq!(is_too_large([8, 2], [Some(one), None], 8), is_large);
            assert_eq!(is_too_large([8, 2], [None, Some(one)], 8), is_large);
            assert!(!is_too_large([8, 2], [Some(one), None], 4));
        }
        assert!(is_too_large([8, 2], [Some(&matrix(8, 1 << 40, 1 << 40)), None], 8));
    }

    #[test]
    fn blocks_whose_sums_exceed_32_bits_are_too_large() {
        for (block, procs, is_large) in [(1 << 28, 2, false), (1 << 29, 2, true), ((1 << 31) - 1, 1, true)] {
            for block in [[block, 4], [4, block]] {
                let descriptor = Descriptor::new([8, 9], block, [0; 2], 8);
                let grid = Grid::row_major(&[procs, procs]);
                let one = Matrix { grid, at: [0; 2], descriptor, start: [1; 2] };
                assert_eq!(is_too_large([8, 9], [Some(&one), None], 8), is_large, "{block:?}");
            }
        }
    }

    #[test]
    fn more_than_100_million_rows_are_too_many() {
        for (rows, is_large) in [(100_000_000, false), (100_000_001, true)] {
            let (long, wide) = (matrix(rows, 1, rows), matrix(1, rows, 1));
            for one in [&long, &wide] {
                assert_eq!(is_too_large([1, 1], [Some(one), None], 8), is_large);
                assert_eq!(is_too_large([1, 1], [None, Some(one)], 8), is_large);
            }
            let rows = rows.unsigned_abs();
            assert_eq!([[rows, 1], [1, rows]].map(|m| is_too_large(m, [None, None], 8)), [is_large; 2]);
        }
    }
}
