//! Are one rank's arguments valid? What ScaLAPACK demands, no more: DTYPE is not examined, LLD may be 0 where there
//! are no local rows.

use super::{Descriptor, Matrix};
use crate::error::ArgumentError;
use crate::layout::Cyclic;

const ROWS_COLS: [&str; 2] = ["rows", "columns"];

/// Checks the section of `matrix`, named "A" or "B", that is `extent` = [M, N] large.
pub fn check(matrix: &Matrix, name: &str, extent: [u64; 2]) -> Result<(), ArgumentError> {
    let Descriptor { extent: whole, block, first, ld } = matrix.descriptor;
    let place = Some(matrix.at[0] * matrix.grid.extents()[1] + matrix.at[1]);
    let fail = |name, value, expected| Err(ArgumentError { name, value, expected, place });
    for d in 0..2 {
        let entry = |names: [&str; 2]| format!("{} of DESC{name}", names[d]);
        let procs = i64::from(matrix.grid.extents()[d]);
        let start = matrix.start[d];
        let index = || format!("{}{name}", ["I", "J"][d]);
        if block[d] < 1 {
            return fail(entry(["MB_", "NB_"]), block[d], "a block size of at least 1".into());
        }
        if first[d] < 0 || first[d] >= procs {
            let line = ["process rows", "process columns"][d];
            return fail(
                entry(["RSRC_", "CSRC_"]),
                first[d],
                format!("0 to {}, as the grid has {procs} {line}", procs - 1),
            );
        }
        if start < 1 {
            return fail(index(), start, "an index of at least 1".into());
        }
        let last = i128::from(start) + i128::from(extent[d]) - 1;
        if last > i128::from(whole[d]) {
            let (count, what) = (["M", "N"][d], ROWS_COLS[d]);
            let name = format!("{} + {count} - 1, the section's last of {name}'s {what},", index());
            let value = i64::try_from(last).unwrap_or(i64::MAX);
            return fail(name, value, format!("at most {}, {}", whole[d], entry(["M_", "N_"])));
        }
    }
    let rows = local(matrix, 0).expect("blocks and first processes are valid");
    if i128::from(ld) < i128::from(rows) {
        let [row, col] = matrix.at;
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        return fail(
            format!("LLD_ of DESC{name}"),
            ld,
            format!("at least {rows}, the local rows{of} on process ({row},{col})"),
        );
    }
    Ok(())
}

/// Local rows and columns of the whole matrix; `None` if the descriptor is not valid.
pub(super) fn local_extent(matrix: &Matrix) -> Option<[u64; 2]> {
    Some([local(matrix, 0)?, local(matrix, 1)?])
}

/// Local rows or columns.
fn local(matrix: &Matrix, d: usize) -> Option<u64> {
    let extent = u64::try_from(matrix.descriptor.extent[d]).ok()?;
    Some(axis(&matrix.descriptor, matrix.grid.extents()[d], d)?.local_len(extent, matrix.at[d]))
}

/// How dimension `d` is dealt out; `None` if the descriptor is not valid.
pub(super) fn axis(descriptor: &Descriptor, procs: u32, d: usize) -> Option<Cyclic> {
    let block = u64::try_from(descriptor.block[d]).ok()?;
    Cyclic::new(block, procs, u32::try_from(descriptor.first[d]).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Grid;

    fn matrix() -> Matrix {
        // 47 x 30 in blocks of 4 x 3 on 2 x 3 processes: process (1, 2) has 23 rows.
        let descriptor = Descriptor { extent: [47, 30], block: [4, 3], first: [0, 1], ld: 23 };
        Matrix { grid: Grid::row_major(&[2, 3]), at: [1, 2], descriptor, start: [8, 1] }
    }

    fn changed(change: impl Fn(&mut Matrix)) -> Result<(), ArgumentError> {
        let mut matrix = matrix();
        change(&mut matrix);
        check(&matrix, "B", [40, 30])
    }

    #[test]
    fn valid_arguments_pass() {
        assert_eq!(changed(|_| ()), Ok(()));
        assert_eq!(changed(|m| m.descriptor.block = [1000, i64::MAX]), Ok(()));
    }

    #[test]
    fn a_leading_dimension_of_0_is_enough_for_no_rows() {
        let on_row_1 = |m: &mut Matrix| {
            m.descriptor.block[0] = 100;
            m.descriptor.ld = 0;
        };
        assert_eq!(changed(on_row_1), Ok(()));
    }

    #[test]
    fn each_bad_argument_is_named() {
        type Change = fn(&mut Matrix);
        let cases: [(Change, &str, i64); 12] = [
            (|m| m.descriptor.block[0] = 0, "MB_ of DESCB", 0),
            (|m| m.descriptor.block[1] = -3, "NB_ of DESCB", -3),
            (|m| m.descriptor.first[0] = 2, "RSRC_ of DESCB", 2),
            (|m| m.descriptor.first[1] = -1, "CSRC_ of DESCB", -1),
            (|m| m.start[0] = 0, "IB", 0),
            (|m| m.start[1] = -5, "JB", -5),
            (|m| m.start[0] = 9, "IB + M - 1", 48),
            (|m| m.start[1] = 2, "JB + N - 1", 31),
            (|m| m.descriptor.extent[0] = -1, "IB + M - 1", 47),
            (|m| m.start[0] = i64::MAX, "IB + M - 1", i64::MAX),
            (|m| m.descriptor.ld = 22, "LLD_ of DESCB", 22),
            (|m| m.descriptor.ld = -1, "LLD_ of DESCB", -1),
        ];
        for (change, name, value) in cases {
            let error = changed(change).unwrap_err();
            assert!(error.name.starts_with(name), "{error:?} instead of {name}");
            assert_eq!(error.value, value, "{error:?}");
        }
    }
}
