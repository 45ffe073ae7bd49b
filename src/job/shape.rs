//! WHICH process grid do so many ranks make up? As nearly square as their number lets it be: 6 are 2 x 3, 7 are 1 x 7 (Sudarsan and
//! Ribbens 2007, table 1, "nearly square"). It knows numbers only.

/// The extents of a grid of `ranks` ranks with `axes` axes, in ascending order: the first is the largest divisor that is not
/// larger than the axes-th root, and so on with what is left.
pub fn nearly_square(ranks: u32, axes: usize) -> Vec<u32> {
    let mut shape = Vec::with_capacity(axes);
    let mut left = ranks.max(1);
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
    fn grids_are_those_of_the_paper() {
        let table: [(u32, [u32; 2]); 13] = [
            (2, [1, 2]),
            (4, [2, 2]),
            (6, [2, 3]),
            (8, [2, 4]),
            (9, [3, 3]),
            (12, [3, 4]),
            (16, [4, 4]),
            (20, [4, 5]),
            (25, [5, 5]),
            (30, [5, 6]),
            (36, [6, 6]),
            (40, [5, 8]),
            (48, [6, 8]),
        ];
        for (ranks, shape) in table {
            assert_eq!(nearly_square(ranks, 2), shape);
        }
    }

    #[test]
    fn all_ranks_are_in_the_grid() {
        for ranks in 1..200 {
            for axes in 1..5 {
                let shape = nearly_square(ranks, axes);
                assert_eq!((shape.len(), shape.iter().product::<u32>()), (axes, ranks));
                assert!(shape.is_sorted(), "{shape:?}");
            }
        }
        assert_eq!(nearly_square(12, 3), [2, 2, 3]);
        assert_eq!(nearly_square(u32::MAX, 1), [u32::MAX]);
    }
}
