//! Processor arrangements (HPF's `PROCESSORS`): the rank at each place.

use super::{MAX_AXES, Mistake, count_text, ensure};
use crate::layout::distribution::{Grid, Rank};
use std::collections::HashSet;

/// Processes of one communicator in an arrangement of any shape. Axes count from 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Arrangement {
    grid: Grid,
}

impl Arrangement {
    /// Arranges `ranks` in row-major order of the coordinates (the last axis varies fastest, as in MPI's Cartesian
    /// communicators). Without `ranks`, takes ranks 0, 1, 2, … of a communicator of `size` ranks.
    pub fn new(shape: &[u32], ranks: Option<&[u32]>, size: u32) -> Result<Self, Mistake> {
        let count = shape.iter().try_fold(1u32, |n, &extent| n.checked_mul(extent));
        ensure(shape.len() <= MAX_AXES, || {
            format!("the arrangement has {} axes, expected 0 to {MAX_AXES}", shape.len())
        })?;
        if let Some(axis) = shape.iter().position(|&extent| extent == 0) {
            return Err(Mistake(format!(
                "axis {axis} of the arrangement has 0 processes, expected at least 1"
            )));
        }
        let Some(count) = count.filter(|&count| count <= size) else {
            let shape: Vec<String> = shape.iter().map(u32::to_string).collect();
            let why = format!(
                "the arrangement has {} processes, expected at most {size}, the size of the communicator",
                shape.join("x")
            );
            return Err(Mistake(why));
        };
        let grid = match ranks {
            None => Grid::row_major(shape),
            Some(ranks) => {
                ensure(ranks.len() == count as usize, || {
                    format!(
                        "{} for an arrangement of {}, expected as many",
                        count_text(ranks.len(), "rank", "ranks"),
                        count_text(count, "process", "processes")
                    )
                })?;
                check_distinct(ranks, size)?;
                Grid::from_ranks(shape, ranks).expect("a rank for every place")
            }
        };
        Ok(Self { grid })
    }

    pub(super) fn from_grid(grid: Grid) -> Self {
        Self { grid }
    }

    /// Returns the number of processes along each axis.
    pub fn shape(&self) -> &[u32] {
        self.grid.extents()
    }

    /// Returns the grid of the arrangement's ranks.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the coordinates of `rank`, if it is in the arrangement.
    pub fn coords(&self, rank: u32) -> Option<Vec<u32>> {
        self.grid.find(Rank(rank))
    }

    /// Returns the arrangement of the same processes with their ranks in another communicator. `rank` translates a
    /// rank; the result is `None` if the other communicator lacks one of the processes.
    pub fn translated(&self, rank: impl Fn(u32) -> Option<u32>) -> Option<Self> {
        let ranks = self.grid.ranks().map(|of| rank(of.0)).collect::<Option<Vec<u32>>>()?;
        Some(Self { grid: Grid::from_ranks(self.shape(), &ranks)? })
    }
}

fn check_distinct(ranks: &[u32], size: u32) -> Result<(), Mistake> {
    let mut seen = HashSet::new();
    for &rank in ranks {
        ensure(rank < size, || format!("the arrangement has rank {rank}, expected 0 to {}", size - 1))?;
        ensure(seen.insert(rank), || {
            format!("rank {rank} is in the arrangement twice, expected at most once")
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_row_major_or_as_given() {
        let plain = Arrangement::new(&[2, 3], None, 8).unwrap();
        assert_eq!((plain.coords(4), plain.coords(6)), (Some(vec![1, 1]), None));
        let given = Arrangement::new(&[2, 2], Some(&[7, 1, 0, 3]), 8).unwrap();
        assert_eq!((given.coords(0), given.coords(2)), (Some(vec![1, 0]), None));
        let moved = given.translated(|rank| (rank != 9).then_some(rank + 10)).unwrap();
        assert_eq!(moved.coords(17), Some(vec![0, 0]));
        assert_eq!(given.translated(|rank| (rank != 3).then_some(rank)), None);
        let single = Arrangement::new(&[], Some(&[5]), 8).unwrap();
        assert_eq!((single.coords(5), single.coords(0)), (Some(vec![]), None));
    }

    #[test]
    fn mistakes_are_named() {
        type Case<'a> = (&'a [u32], Option<&'a [u32]>, &'a str);
        let cases: [Case; 7] = [
            (&[], Some(&[]), "0 ranks for an arrangement of 1 process, expected as many"),
            (&[1; 16], None, "the arrangement has 16 axes, expected 0 to 15"),
            (&[2, 0], None, "axis 1 of the arrangement has 0 processes, expected at least 1"),
            (
                &[3, 3],
                None,
                "the arrangement has 3x3 processes, expected at most 8, the size of the communicator",
            ),
            (&[2, 2], Some(&[0, 1, 2]), "3 ranks for an arrangement of 4 processes, expected as many"),
            (&[2], Some(&[0, 8]), "the arrangement has rank 8, expected 0 to 7"),
            (&[2], Some(&[5, 5]), "rank 5 is in the arrangement twice, expected at most once"),
        ];
        for (shape, ranks, why) in cases {
            assert_eq!(Arrangement::new(shape, ranks, 8).unwrap_err().to_string(), why);
        }
        assert!(Arrangement::new(&[u32::MAX, u32::MAX], None, 8).is_err());
    }
}
