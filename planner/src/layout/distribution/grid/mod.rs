//! Process grids: map coordinates to ranks, and ranks to coordinates.
//!
//! A *place* is the list of coordinates of one process. Ranks count from 0 in the communicator that encloses the
//! redistribution. In grids made by BLACS, the rank is nearly always an affine function of the coordinates: a base and
//! a stride per dimension. Only permuted grids store a list.

mod nearly;

pub use nearly::{nearly_cubic, nearly_square};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// Rank in the communicator that encloses a redistribution.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Rank(pub u32);

/// Mapping from grid coordinates to ranks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RankMap {
    /// The rank is `base` + the sum over dimensions of stride x coordinate.
    Affine {
        /// Rank at the grid's origin.
        base: i64,
        /// Distance in ranks between neighbours, for each dimension.
        strides: Vec<i64>,
    },
    /// Ranks in row-major order of the coordinates.
    Listed(Arc<[u32]>),
}

/// One dimension of the grid that [`Grid::view`] returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum View {
    /// A dimension of one process.
    One,
    /// All processes along one dimension of the viewed grid.
    Along {
        /// Dimension of the viewed grid.
        dim: usize,
        /// Whether the last process comes first.
        reversed: bool,
    },
}

/// A process grid with any number of dimensions. Clones share their data, because calls often clone and compare grids.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Grid(Arc<GridShape>);

#[derive(PartialEq, Eq, Hash, Debug)]
struct GridShape {
    extents: Vec<u32>,
    map: RankMap,
}

impl Grid {
    fn new(extents: &[u32], map: RankMap) -> Self {
        Self(Arc::new(GridShape { extents: extents.into(), map }))
    }

    /// Creates a grid from its ranks in row-major order of the coordinates; `None` unless there is one rank for each
    /// place.
    pub fn from_ranks(extents: &[u32], ranks: &[u32]) -> Option<Self> {
        let places = extents.iter().try_fold(1usize, |n, &e| n.checked_mul(e as usize))?;
        if ranks.is_empty() || ranks.len() != places {
            return None;
        }
        let at = |i: usize| i64::from(ranks[i]);
        // Row-major number of the origin's neighbour in each dimension.
        let mut next = places;
        let strides: Vec<i64> = extents
            .iter()
            .map(|&extent| {
                next /= extent as usize;
                at(next % places) - at(0)
            })
            .collect();
        let affine = Self::affine(extents, at(0), &strides);
        let same = affine.places().zip(ranks).all(|(c, &r)| affine.affine_rank(&c) == Some(i64::from(r)));
        Some(if same { affine } else { Self::new(extents, RankMap::Listed(ranks.into())) })
    }

    /// Creates a grid with affine ranks. The stride of a dimension with one process has no effect, and is set to 0, so
    /// that equal grids compare equal.
    pub fn affine(extents: &[u32], base: i64, strides: &[i64]) -> Self {
        assert_eq!(extents.len(), strides.len(), "a stride for every dimension");
        let strides = strides.iter().zip(extents).map(|(&s, &e)| if e > 1 { s } else { 0 }).collect();
        Self::new(extents, RankMap::Affine { base, strides })
    }

    /// Creates a grid of ranks 0, 1, 2, … in row-major order.
    pub fn row_major(extents: &[u32]) -> Self {
        let mut strides: Vec<i64> = vec![1; extents.len()];
        for d in (1..extents.len()).rev() {
            strides[d - 1] = strides[d] * i64::from(extents[d]);
        }
        Self::affine(extents, 0, &strides)
    }

    /// Returns a number that no other grid has while this value or a clone of it exists. Clones share their number.
    pub fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Returns the number of processes in each dimension.
    pub fn extents(&self) -> &[u32] {
        &self.0.extents
    }

    /// Returns the number of processes in the grid.
    pub fn size(&self) -> u64 {
        self.0.extents.iter().map(|&e| u64::from(e)).product()
    }

    /// Returns the lowest and the highest rank that the grid may contain.
    pub fn span(&self) -> RangeInclusive<i64> {
        match &self.0.map {
            RankMap::Listed(_) => 0..=u32::MAX.into(),
            RankMap::Affine { base, strides } => {
                let ahead =
                    strides.iter().zip(&self.0.extents).map(|(&stride, &e)| stride * (i64::from(e) - 1));
                let (up, down): (Vec<i64>, Vec<i64>) = ahead.partition(|&ahead| ahead > 0);
                base + down.iter().sum::<i64>()..=base + up.iter().sum::<i64>()
            }
        }
    }

    /// Returns the mapping from coordinates to ranks.
    pub fn map(&self) -> &RankMap {
        &self.0.map
    }

    /// Returns the rank at `at`. Panics if `at` is outside the grid.
    pub fn rank(&self, at: &[u32]) -> Rank {
        let inside = at.len() == self.0.extents.len() && at.iter().zip(&self.0.extents).all(|(c, e)| c < e);
        assert!(inside, "{at:?} is outside a grid of {:?}", self.0.extents);
        match &self.0.map {
            RankMap::Listed(ranks) => {
                let number = usize::try_from(number(&self.0.extents, at));
                Rank(ranks[number.expect("a grid that is listed fits in memory")])
            }
            RankMap::Affine { .. } => {
                let rank = self.affine_rank(at).and_then(|r| u32::try_from(r).ok());
                Rank(rank.expect("an affine rank map stays within the communicator"))
            }
        }
    }

    /// Returns the grid with dimension `d` restricted to the coordinates `coords`, which must ascend.
    #[must_use]
    pub fn restrict_dimension(&self, d: usize, coords: &[u32]) -> Self {
        if coords.len() == self.0.extents[d] as usize {
            return self.clone();
        }
        let mut extents = self.0.extents.clone();
        extents[d] = u32::try_from(coords.len()).expect("no more than before");
        let rank = |mut at: Vec<u32>| {
            at[d] = coords[at[d] as usize];
            self.rank(&at).0
        };
        let ranks: Vec<u32> = places(&extents).map(rank).collect();
        Self::from_ranks(&extents, &ranks).expect("a rank for every place")
    }

    /// Returns a grid with the dimensions `dims` of this grid. `at` is a place in this grid; it gives the coordinates
    /// along the dimensions that are not in `dims`.
    pub fn view(&self, dims: &[View], at: &[u32]) -> Self {
        let extent = |view: &View| match *view {
            View::One => 1,
            View::Along { dim, .. } => self.0.extents[dim],
        };
        let extents: Vec<u32> = dims.iter().map(extent).collect();
        let place = |coords: &[u32]| {
            let mut place = at.to_vec();
            for (view, &c) in dims.iter().zip(coords) {
                if let View::Along { dim, reversed } = *view {
                    place[dim] = if reversed { self.0.extents[dim] - 1 - c } else { c };
                }
            }
            place
        };
        let RankMap::Affine { strides, .. } = &self.0.map else {
            let ranks: Vec<u32> = places(&extents).map(|coords| self.rank(&place(&coords)).0).collect();
            return Self::from_ranks(&extents, &ranks).expect("a rank for every place");
        };
        let stride = |view: &View| match *view {
            View::One => 0,
            View::Along { dim, reversed } => {
                if reversed {
                    -strides[dim]
                } else {
                    strides[dim]
                }
            }
        };
        let base = self.affine_rank(&place(&vec![0; dims.len()])).expect("the map is affine");
        Self::affine(&extents, base, &dims.iter().map(stride).collect::<Vec<_>>())
    }

    /// Returns all places, in row-major order.
    pub fn places(&self) -> impl Iterator<Item = Vec<u32>> + use<> {
        places(&self.0.extents)
    }

    /// Returns the rank of each place, in row-major order of the places.
    pub fn ranks(&self) -> impl Iterator<Item = Rank> + '_ {
        self.places().map(|at| self.rank(&at))
    }

    /// Returns the place of `rank`, if it is in the grid.
    pub fn find(&self, rank: Rank) -> Option<Vec<u32>> {
        if let RankMap::Affine { base, strides } = &self.0.map {
            if let Some(solution) = solve(&self.0.extents, strides, i64::from(rank.0) - base) {
                return solution;
            }
        }
        self.places().find(|at| self.rank(at) == rank)
    }

    fn affine_rank(&self, at: &[u32]) -> Option<i64> {
        let RankMap::Affine { base, strides } = &self.0.map else { return None };
        Some(base + at.iter().zip(strides).map(|(&c, s)| i64::from(c) * s).sum::<i64>())
    }
}

/// Returns all places of a grid with the given extents, in row-major order.
pub fn places(extents: &[u32]) -> impl Iterator<Item = Vec<u32>> + use<> {
    let extents = extents.to_vec();
    let size: u64 = extents.iter().map(|&e| u64::from(e)).product();
    (0..size).map(move |number| place(&extents, number))
}

/// Returns the place with row-major number `number` in a grid with the given extents.
pub fn place(extents: &[u32], number: u64) -> Vec<u32> {
    let mut at = Vec::new();
    put_place(extents, number, &mut at);
    at
}

/// Writes the result of [`place`] to `at`.
pub fn put_place(extents: &[u32], mut number: u64, at: &mut Vec<u32>) {
    at.resize(extents.len(), 0);
    for (c, &e) in at.iter_mut().zip(extents).rev() {
        *c = u32::try_from(number % u64::from(e)).expect("below a u32");
        number /= u64::from(e);
    }
}

/// Returns the row-major number of a place in a grid with the given extents.
pub fn number(extents: &[u32], at: &[u32]) -> u64 {
    at.iter().zip(extents).fold(0, |n, (&c, &e)| n * u64::from(e) + u64::from(c))
}

/// Finds coordinates for which stride x coordinate, summed over the dimensions, is `ahead`: the distance from the
/// origin's rank. Returns `Some(None)` if there are none. Returns `None` if only a search can decide, because some
/// stride is at most the largest sum of the terms with shorter strides.
fn solve(extents: &[u32], strides: &[i64], mut ahead: i64) -> Option<Option<Vec<u32>>> {
    let mut longest_first: Vec<usize> = (0..extents.len()).filter(|&d| extents[d] > 1).collect();
    longest_first.sort_unstable_by_key(|&d| std::cmp::Reverse(strides[d].unsigned_abs()));
    let reach = |d: usize| strides[d].unsigned_abs().saturating_mul(u64::from(extents[d]) - 1);
    let mut shorter = 0u64;
    for &d in longest_first.iter().rev() {
        if strides[d].unsigned_abs() <= shorter {
            return None;
        }
        shorter = shorter.saturating_add(reach(d));
    }
    // From the place with the lowest rank, every stride counts as positive.
    for &d in &longest_first {
        ahead = ahead.checked_sub(strides[d].min(0).checked_mul(i64::from(extents[d]) - 1)?)?;
    }
    let mut at = vec![0; extents.len()];
    for d in longest_first {
        let stride = strides[d].checked_abs()?;
        let steps = u32::try_from(ahead.div_euclid(stride)).unwrap_or(0).min(extents[d] - 1);
        ahead -= stride * i64::from(steps);
        at[d] = if strides[d] < 0 { extents[d] - 1 - steps } else { steps };
    }
    Some((ahead == 0).then_some(at))
}

#[cfg(test)]
mod tests;
