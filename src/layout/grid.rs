//! WHICH rank sits at which place of a process grid?
//!
//! Ranks count from 0 in the communicator that encloses the redistribution. Grids that BLACS makes are nearly
//! always an affine image of the coordinates, so a rank map is three numbers; only a permuted grid is listed.

use std::sync::Arc;

/// A process of the communicator that encloses a redistribution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rank(pub u32);

/// A place in a process grid: (process row, process column).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Coord {
    /// Process row.
    pub row: u32,
    /// Process column.
    pub col: u32,
}

/// From grid coordinates to ranks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RankMap {
    /// `base + row_stride * row + col_stride * col`.
    Affine {
        /// Rank at (0, 0).
        base: i64,
        /// From one process row to the next.
        row_stride: i64,
        /// From one process column to the next.
        col_stride: i64,
    },
    /// Ranks in row-major order of the coordinates.
    Listed(Arc<[u32]>),
}

/// A process grid whose places are ranks of the enclosing communicator.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grid {
    rows: u32,
    cols: u32,
    map: RankMap,
}

impl Grid {
    /// A grid from its ranks in row-major order of the coordinates; `None` unless there are `rows * cols` of them.
    pub fn from_ranks(rows: u32, cols: u32, ranks: &[u32]) -> Option<Self> {
        let places = usize::try_from(u64::from(rows) * u64::from(cols)).ok()?;
        if ranks.is_empty() || ranks.len() != places {
            return None;
        }
        let at = |i: usize| i64::from(ranks[i]);
        let affine = Self::affine(
            rows,
            cols,
            at(0),
            if rows > 1 { at(cols as usize) - at(0) } else { 0 },
            if cols > 1 { at(1) - at(0) } else { 0 },
        );
        let same = affine.coords().zip(ranks).all(|(c, &r)| affine.affine_rank(c) == Some(i64::from(r)));
        Some(if same { affine } else { Self { rows, cols, map: RankMap::Listed(ranks.into()) } })
    }

    /// A grid whose ranks are an affine image of its coordinates.
    pub fn affine(rows: u32, cols: u32, base: i64, row_stride: i64, col_stride: i64) -> Self {
        Self { rows, cols, map: RankMap::Affine { base, row_stride, col_stride } }
    }

    /// A grid of ranks 0, 1, 2, … in row-major order.
    pub fn row_major(rows: u32, cols: u32) -> Self {
        Self::affine(rows, cols, 0, i64::from(cols), 1)
    }

    /// Process rows.
    pub fn rows(&self) -> u32 {
        self.rows
    }

    /// Process columns.
    pub fn cols(&self) -> u32 {
        self.cols
    }

    /// Processes in the grid.
    pub fn size(&self) -> u64 {
        u64::from(self.rows) * u64::from(self.cols)
    }

    /// How coordinates become ranks.
    pub fn map(&self) -> &RankMap {
        &self.map
    }

    /// The rank at `at`, which must lie inside the grid.
    pub fn rank(&self, at: Coord) -> Rank {
        assert!(
            at.row < self.rows && at.col < self.cols,
            "{at:?} is outside a {}x{} grid",
            self.rows,
            self.cols
        );
        match &self.map {
            RankMap::Listed(ranks) => Rank(ranks[at.row as usize * self.cols as usize + at.col as usize]),
            RankMap::Affine { .. } => {
                let rank = self.affine_rank(at).and_then(|r| u32::try_from(r).ok());
                Rank(rank.expect("an affine rank map stays within the communicator"))
            }
        }
    }

    /// All places, in row-major order.
    pub fn coords(&self) -> impl Iterator<Item = Coord> + use<> {
        let (rows, cols) = (self.rows, self.cols);
        (0..rows).flat_map(move |row| (0..cols).map(move |col| Coord { row, col }))
    }

    /// The place of `rank`, by search: for tests and simulations, where no BLACS tells it.
    pub fn find(&self, rank: Rank) -> Option<Coord> {
        self.coords().find(|&c| self.rank(c) == rank)
    }

    fn affine_rank(&self, at: Coord) -> Option<i64> {
        let RankMap::Affine { base, row_stride, col_stride } = self.map else { return None };
        Some(base + row_stride * i64::from(at.row) + col_stride * i64::from(at.col))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks_of(grid: &Grid) -> Vec<u32> {
        grid.coords().map(|c| grid.rank(c).0).collect()
    }

    #[test]
    fn usual_grids_become_three_numbers() {
        for (rows, cols, ranks) in [
            (2, 3, vec![0, 1, 2, 3, 4, 5]),
            (2, 3, vec![0, 2, 4, 1, 3, 5]),
            (1, 4, vec![9, 7, 5, 3]),
            (1, 1, vec![6]),
            (3, 1, vec![2, 5, 8]),
        ] {
            let grid = Grid::from_ranks(rows, cols, &ranks).unwrap();
            assert!(matches!(grid.map(), RankMap::Affine { .. }), "{ranks:?}");
            assert_eq!(ranks_of(&grid), ranks);
        }
    }

    #[test]
    fn a_permuted_grid_is_listed() {
        let ranks = [3, 0, 2, 1];
        let grid = Grid::from_ranks(2, 2, &ranks).unwrap();
        assert!(matches!(grid.map(), RankMap::Listed(_)));
        assert_eq!(ranks_of(&grid), ranks);
        assert_eq!(grid.find(Rank(2)), Some(Coord { row: 1, col: 0 }));
        assert_eq!(grid.find(Rank(9)), None);
    }

    #[test]
    fn a_grid_needs_a_rank_for_every_place() {
        assert_eq!(Grid::from_ranks(2, 2, &[0, 1, 2]), None);
        assert_eq!(Grid::from_ranks(0, 2, &[]), None);
    }
}
