//! Partner coordinates of a rank along each dimension, and the index sets that it shares with them.

use super::{Message, PhaseSide, Share};
use crate::layout::distribution::{Rank, places};
use crate::layout::problem::{Part, Problem};

/// Per dimension, a rank's partner coordinates and the indices shared with each of them.
pub(super) struct Partners {
    coords: Vec<Vec<u32>>,
    shares: Vec<Vec<Share<1>>>,
}

impl Partners {
    /// Computes the partners of the rank at `at` of the source (`source` is true) or of the destination. `known`
    /// returns the indices shared with a coordinate in a dimension, if they were computed before.
    pub fn new<'a>(
        problem: &Problem,
        (at, source): (&[u32], bool),
        known: impl Fn(usize, u32) -> Option<&'a Share<1>>,
    ) -> Self {
        let (mut all, mut shares) = (Vec::new(), Vec::new());
        let whole = problem.part == Part::Whole;
        for (d, (dim, &c)) in problem.dims.iter().zip(at).enumerate() {
            if let Some(portions) = whole.then(|| dim.division(c, source)).flatten() {
                let (coords, local): (Vec<_>, Vec<_>) = portions.into_iter().unzip();
                all.push(coords);
                shares.push(local.into_iter().map(Share::local).collect());
                continue;
            }
            let (axis, coords) = match source {
                true => (&dim.from, dim.destinations(c)),
                false => (&dim.to, dim.sources(c)),
            };
            let shared = |&coord: &u32| match (known(d, coord), source) {
                (Some(share), _) => share.indices.clone(),
                (None, true) => dim.shared(c, coord),
                (None, false) => dim.shared(coord, c),
            };
            shares.push(coords.iter().map(|coord| Share::new(shared(coord), [axis])).collect());
            all.push(coords);
        }
        Self { coords: all, shares }
    }

    /// Returns the indices shared with `coord` in dimension `d`, if there are any.
    pub fn share(&self, d: usize, coord: u32) -> Option<&Share<1>> {
        self.coords[d].binary_search(&coord).ok().map(|k| &self.shares[d][k])
    }

    /// Iterates over all combinations of partner numbers, one number per dimension.
    pub fn combinations(&self) -> impl Iterator<Item = Vec<u32>> + use<> {
        let count = |coords: &Vec<u32>| u32::try_from(coords.len()).expect("fewer than 2^32");
        places(&self.coords.iter().map(count).collect::<Vec<_>>())
    }

    /// Returns the coordinates for the partner numbers `which`.
    pub fn place(&self, which: &[u32]) -> Vec<u32> {
        self.coords.iter().zip(which).map(|(coords, &k)| coords[k as usize]).collect()
    }

    /// Returns the indices shared with the partner numbers `which`, per dimension.
    pub fn shared(&self, which: &[u32]) -> impl Iterator<Item = &Share<1>> + Clone {
        self.shares.iter().zip(which).map(|(shares, &k)| &shares[k as usize])
    }

    /// Builds a side of a phase from its messages, sorted by step and, within a step, by the distance `ahead`.
    pub fn side(self, which: Vec<u32>, mut messages: Vec<Message>, ahead: impl Fn(Rank) -> u32) -> PhaseSide {
        // A schedule may put several messages of a rank into one step. Sorting by distance orders them alike on all
        // ranks.
        messages.sort_by_key(|m| (m.step, ahead(m.peer)));
        PhaseSide { shares: self.shares, which, messages, ..PhaseSide::default() }
    }
}
