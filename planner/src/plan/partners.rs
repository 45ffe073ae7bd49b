//! Partner coordinates of a rank along each dimension, and the index sets that it shares with them.

use super::{PhaseSide, Share};
use crate::layout::problem::{Part, Problem};

/// Per dimension, a rank's partner coordinates and the indices shared with each of them.
pub(super) struct Partners {
    coords: Vec<Vec<u32>>,
    shares: Vec<Vec<Share<1>>>,
}

impl Partners {
    /// Computes the partners of the rank at `at` of the source (`source` is true) or of the destination. `known`
    /// returns the indices shared with a coordinate in a dimension, if they were computed before.
    ///
    /// For the source side of a problem with one dimension, leaves out the processes that read other copies of the
    /// source: a process may have 100,000 partners, each of which reads one of 1,000 copies.
    pub fn new<'a>(
        problem: &Problem,
        (at, source): (&[u32], bool),
        known: impl Fn(usize, u32) -> Option<&'a Share<1>>,
    ) -> Self {
        let (mut all_coords, mut all_shares) = (Vec::new(), Vec::new());
        let whole = problem.part == Part::Whole;
        let omits_other_readers = source && problem.dims.len() == 1 && problem.source_has_copies();
        let is_partner = |coord| !omits_other_readers || problem.reads_from(coord, at);
        for (d, (dim, &c)) in problem.dims.iter().zip(at).enumerate() {
            let (mut coords, mut shares) = (Vec::new(), Vec::new());
            let divided = whole
                && dim.divide(c, source, |coord, local| {
                    if is_partner(coord) {
                        coords.push(coord);
                        shares.push(Share::local(local));
                    }
                });
            if !divided {
                let axis = if source { &dim.from } else { &dim.to };
                coords = if source { dim.destinations(c) } else { dim.sources(c) };
                coords.retain(|&coord| is_partner(coord));
                let shared = |&coord: &u32| match (known(d, coord).and_then(Share::indices), source) {
                    (Some(indices), _) => indices.clone(),
                    (None, true) => dim.shared(c, coord),
                    (None, false) => dim.shared(coord, c),
                };
                shares = coords.iter().map(|coord| Share::new(shared(coord), [axis])).collect();
            }
            all_coords.push(coords);
            all_shares.push(shares);
        }
        Self { coords: all_coords, shares: all_shares }
    }

    /// Returns the indices shared with `coord` in dimension `d`, if there are any.
    pub fn share(&self, d: usize, coord: u32) -> Option<&Share<1>> {
        self.coords[d].binary_search(&coord).ok().map(|k| &self.shares[d][k])
    }

    /// Returns the number of combinations of partners.
    pub fn count(&self) -> usize {
        self.coords.iter().map(Vec::len).product()
    }

    /// Calls `visit` with each combination of partners in row-major order: their numbers, one for each dimension, and
    /// their coordinates.
    pub fn each(&self, mut visit: impl FnMut(&[u32], &[u32])) {
        let (mut which, mut place) = (vec![0; self.coords.len()], vec![0; self.coords.len()]);
        for (c, coords) in place.iter_mut().zip(&self.coords) {
            let Some(&first) = coords.first() else { return };
            *c = first;
        }
        loop {
            visit(&which, &place);
            // Advances the last dimension that has another partner; those after it begin anew.
            let mut d = self.coords.len();
            loop {
                let Some(outer) = d.checked_sub(1) else { return };
                d = outer;
                let next = which[d] as usize + 1;
                if let Some(&coord) = self.coords[d].get(next) {
                    (which[d], place[d]) = (which[d] + 1, coord);
                    break;
                }
                (which[d], place[d]) = (0, self.coords[d][0]);
            }
        }
    }

    /// Returns the indices shared with the partner numbers `which`, per dimension.
    pub fn shared(&self, which: &[u32]) -> impl Iterator<Item = &Share<1>> + Clone {
        self.shares.iter().zip(which).map(|(shares, &k)| &shares[k as usize])
    }

    /// Adds the shares to a side, whose messages refer to them.
    pub fn complete(self, side: PhaseSide) -> PhaseSide {
        PhaseSide { shares: self.shares, ..side }
    }
}
