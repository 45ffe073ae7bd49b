//! Checks of one rank's arguments, equal to ScaLAPACK's. p?gemr2d does not examine DTYPE, and LLD may be 0 without
//! local rows. PBLAS accepts copies (RSRC or CSRC -1), and any LLD of at least 1 without local columns. p?lacpy checks
//! nothing; reblock checks the arguments that its results depend on.

use super::{ArgumentRules, Descriptor, Matrix};
use crate::layout::distribution::{Axis, Cyclic, Indirect};
use crate::transport::error::ArgumentError;

const ROWS_COLS: [&str; 2] = ["rows", "columns"];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// Name of the matrix: A, B or C; empty if there is only one.
    pub of: &'static str,
    pub extent: [u64; 2],
    /// Names of the extents: M and N.
    pub counts: [&'static str; 2],
}

/// Checks the descriptor of `matrix`, and that `section` lies within the matrix. The error names the first argument
/// that breaks `rules`.
pub fn check(matrix: &Matrix, section: &Section, rules: ArgumentRules) -> Result<(), ArgumentError> {
    let Descriptor { extent: whole, first_block, block, first, .. } = matrix.descriptor;
    let fail = |name, value, expected| Err(matrix.refused(name, value, expected));
    let (name, pblas) = (section.of, rules == ArgumentRules::Pblas);
    for d in 0..2 {
        let entry = |names: [&str; 2]| format!("{} of DESC{name}", names[d]);
        let procs = i64::from(matrix.grid.extents()[d]);
        let start = matrix.start[d];
        let index = || format!("{}{name}", ["I", "J"][d]);
        if block[d] < 1 {
            return fail(entry(["MB_", "NB_"]), block[d], "a block size of at least 1".into());
        }
        if first_block[d] < 1 {
            return fail(entry(["IMB_", "INB_"]), first_block[d], "a block size of at least 1".into());
        }
        if first[d] < -i64::from(pblas) || first[d] >= procs {
            let line = ["process rows", "process columns"][d];
            let least = if pblas { "-1 (each has all) or 0" } else { "0" };
            let expected = format!("{least} to {}, as the grid has {procs} {line}", procs - 1);
            return fail(entry(["RSRC_", "CSRC_"]), first[d], expected);
        }
        if start < 1 {
            return fail(index(), start, "an index of at least 1".into());
        }
        if pblas && whole[d] < 0 {
            return fail(entry(["M_", "N_"]), whole[d], "a number of at least 0".into());
        }
        let last = i128::from(start) + i128::from(section.extent[d]) - 1;
        // The start of an empty section does not matter.
        if last > i128::from(whole[d]) && !section.extent.contains(&0) {
            let (count, what) = (section.counts[d], ROWS_COLS[d]);
            let name = format!("{} + {count} - 1, the section's last of {name}'s {what},", index());
            let value = i64::try_from(last).unwrap_or(i64::MAX);
            return fail(name, value, format!("at most {}, {}", whole[d], entry(["M_", "N_"])));
        }
    }
    check_columns(matrix, name, rules)
}

fn check_columns(matrix: &Matrix, name: &str, rules: ArgumentRules) -> Result<(), ArgumentError> {
    let ld = matrix.descriptor.ld;
    let [rows, cols] = local_extent(matrix).expect("blocks and first processes are valid");
    let fail = |expected| Err(matrix.refused(format!("LLD_ of DESC{name}"), ld, expected));
    if rules == ArgumentRules::Pblas && ld < 1 {
        return fail("at least 1".into());
    }
    if i128::from(ld) < i128::from(rows) && (rules == ArgumentRules::Redistribution || cols > 0) {
        let of = if name.is_empty() { String::new() } else { format!(" of {name}") };
        let [row, col] = matrix.at;
        let expected = format!("at least {rows}, the local rows{of} on process ({row},{col})");
        // A caller outside the grid has no such array; it may have passed a wrong context.
        let outside = match (rules, matrix.grid.extents()) {
            (ArgumentRules::Redistribution, [rows, cols]) if !name.is_empty() => {
                format!(
                    " of the {rows} x {cols} grid of its CTXT_, which is -1 on a process outside of {name}'s grid"
                )
            }
            _ => String::new(),
        };
        return fail(expected + &outside);
    }
    Ok(())
}

impl Matrix {
    fn refused(&self, name: String, value: i64, expected: String) -> ArgumentError {
        let place = Some(self.at[0] * self.grid.extents()[1] + self.at[1]);
        ArgumentError { name, value, expected, place }
    }
}

/// Returns the local rows and columns of the whole matrix; `None` if the descriptor is not valid.
pub(super) fn local_extent(matrix: &Matrix) -> Option<[u64; 2]> {
    Some([local(matrix, 0)?, local(matrix, 1)?])
}

fn local(matrix: &Matrix, d: usize) -> Option<u64> {
    let extent = u64::try_from(matrix.descriptor.extent[d]).ok()?;
    let axis = axis(&matrix.descriptor, matrix.grid.extents()[d], d)?;
    Some(axis.local_len(extent, matrix.coordinate(d)))
}

/// Returns the distribution of dimension `d` of the whole matrix over `procs` processes, or over one if each has all
/// indices; `None` if the descriptor is invalid.
pub(super) fn axis(descriptor: &Descriptor, procs: u32, d: usize) -> Option<Axis> {
    let count = |n: i64| u64::try_from(n).ok();
    let (block, first_block) = (count(descriptor.block[d])?, count(descriptor.first_block[d])?);
    let (procs, first) = match descriptor.first[d] {
        -1 => (1, 0),
        first => (procs, u32::try_from(first).ok()?),
    };
    let dist = Cyclic::new(block, procs, first)?;
    if first_block == block || procs == 1 {
        return Some(Axis::new(dist, 0));
    }
    if first_block < block {
        // The first block is the rest of a whole block.
        return (first_block > 0).then(|| Axis::aligned(dist, block - first_block, 1));
    }
    let extent = count(descriptor.extent[d])?;
    if first_block >= extent {
        return Some(Axis::new(Cyclic::new(first_block, procs, first)?, 0));
    }
    let blocks = (extent - first_block).div_ceil(block);
    let len = |k: u64| block.min(extent - first_block - k * block);
    let rest = (0..blocks).map(|k| (dist.owner_of_block(k + 1), len(k)));
    Some(Axis::new(Indirect::new(procs, std::iter::once((first, first_block)).chain(rest))?, 0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::Grid;

    fn matrix() -> Matrix {
        // 47 x 30 in blocks of 4 x 3 on 2 x 3 processes: process (1, 2) has 23 rows.
        let descriptor = Descriptor::new([47, 30], [4, 3], [0, 1], 23);
        Matrix { grid: Grid::row_major(&[2, 3]), at: [1, 2], descriptor, start: [8, 1] }
    }

    fn checked(rules: ArgumentRules, change: impl Fn(&mut Matrix)) -> Result<(), ArgumentError> {
        let mut matrix = matrix();
        change(&mut matrix);
        check(&matrix, &Section { of: "B", extent: [40, 30], counts: ["M", "N"] }, rules)
    }

    fn changed(change: impl Fn(&mut Matrix)) -> Result<(), ArgumentError> {
        checked(ArgumentRules::Redistribution, change)
    }

    #[test]
    fn valid_arguments_pass() {
        assert_eq!(changed(|_| ()), Ok(()));
        let large = |m: &mut Matrix| {
            m.descriptor.block = [1000, i64::MAX];
            m.descriptor.first_block = [1000, i64::MAX];
        };
        assert_eq!(changed(large), Ok(()));
    }

    #[test]
    fn a_leading_dimension_of_0_is_enough_for_no_rows() {
        let on_row_1 = |m: &mut Matrix| {
            (m.descriptor.block[0], m.descriptor.first_block[0]) = (100, 100);
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
