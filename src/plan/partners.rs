//! WITH whom does a rank share indices along each dimension, and which?

use super::{LegSide, Message, Share};
use crate::layout::distribution::{Rank, places};
use crate::layout::problem::{Part, Problem};

/// Of each dimension, the partner coordinates of a rank, and what is shared with each of them.
pub(super) struct Partners {
    coords: Vec<Vec<u32>>,
    shares: Vec<Vec<Share<1>>>,
}

impl Partners {
    /// Those of the rank at `at` of the source, or (not `source`) of the destination. `known` says what is shared with a coordinate in a
    /// dimension, if it was found before.
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

    /// What is shared with `coord` in dimension `d`, if anything is.
    pub fn share(&self, d: usize, coord: u32) -> Option<&Share<1>> {
        self.coords[d].binary_search(&coord).ok().map(|k| &self.shares[d][k])
    }

    /// All combinations: which partner in each dimension.
    pub fn combinations(&self) -> impl Iterator<Item = Vec<u32>> + use<> {
        let count = |coords: &Vec<u32>| u32::try_from(coords.len()).expect("fewer than 2^32");
        places(&self.coords.iter().map(count).collect::<Vec<_>>())
    }

    /// The partners' coordinates.
    pub fn place(&self, which: &[u32]) -> Vec<u32> {
        self.coords.iter().zip(which).map(|(coords, &k)| coords[k as usize]).collect()
    }

    /// What is shared with them.
    pub fn shared(&self, which: &[u32]) -> impl Iterator<Item = &Share<1>> + Clone {
        self.shares.iter().zip(which).map(|(shares, &k)| &shares[k as usize])
    }

    /// The messages with all of them, in the order of their steps, and `ahead` within a step.
    pub fn side(self, which: Vec<u32>, mut messages: Vec<Message>, ahead: impl Fn(Rank) -> u32) -> LegSide {
        // Within a step, where an order has no more to say, messages go by distance: the same order on all ranks.
        messages.sort_by_key(|m| (m.step, ahead(m.peer)));
        LegSide { shares: self.shares, which, messages, ..LegSide::default() }
    }
}
