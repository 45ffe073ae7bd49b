//! Grids of a given number of processes with nearly equal extents.
//!
//! Nearly square grids are as in Table 1 of Sudarsan and Ribbens (2007).

/// Returns the grid of `procs` processes (at least 1) that is nearest to a square, with no more rows than columns.
pub fn nearly_square(procs: u32) -> [u32; 2] {
    let rows = (1..=procs.isqrt()).rev().find(|rows| procs % rows == 0).unwrap_or(1);
    [rows, procs / rows]
}

/// Returns the ascending extents of a grid of `procs` processes with `axes` axes. While k axes and n processes remain,
/// the next extent is the largest divisor of n that is at most the k-th root of n.
pub fn nearly_cubic(procs: u32, axes: usize) -> Vec<u32> {
    let mut shape = Vec::with_capacity(axes);
    let mut left = procs.max(1);
    for rest in (1..=axes).rev() {
        let fits = |d: &u32| {
            left % d == 0 && (0..rest).try_fold(1u32, |n, _| n.checked_mul(*d)).is_some_and(|n| n <= left)
        };
        let extent = if rest == 1 {
            left
        } else {
            (1..=left).take_while(|d| d * d <= left).filter(fits).last().unwrap_or(1)
        };
        shape.push(extent);
        left /= extent;
    }
    shape.sort_unstable();
    shape
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_square_grids_equal_the_papers() {
        let table_1 = [
            [1, 2],
            [2, 2],
            [2, 3],
            [2, 4],
            [3, 3],
            [3, 4],
            [4, 4],
            [4, 5],
            [5, 5],
            [5, 6],
            [6, 6],
            [5, 8],
            [6, 8],
        ];
        for grid in table_1 {
            assert_eq!(nearly_square(grid[0] * grid[1]), grid);
        }
        assert_eq!((nearly_square(1), nearly_square(7), nearly_square(50)), ([1, 1], [1, 7], [5, 10]));
        for procs in 1..200 {
            assert_eq!(nearly_cubic(procs, 2), nearly_square(procs));
        }
    }

    #[test]
    fn all_processes_are_in_a_grid_of_any_number_of_axes() {
        for procs in 1..200 {
            for axes in 1..5 {
                let shape = nearly_cubic(procs, axes);
                assert_eq!((shape.len(), shape.iter().product::<u32>()), (axes, procs));
                assert!(shape.is_sorted(), "{shape:?}");
            }
        }
        assert_eq!(nearly_cubic(12, 3), [2, 2, 3]);
        assert_eq!(nearly_cubic(u32::MAX, 1), [u32::MAX]);
    }
}
