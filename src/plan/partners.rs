//! WITH whom does a rank share indices along each dimension, and which?

use super::{LegSide, Message, Share};
use crate::layout::{Axis, Rank, places};
use crate::overlap::{Overlap, Runs};

/// A rank's place on the other side, and of each dimension what its places on both sides share.
pub(super) type Own<'a> = (&'a [u32], &'a [Runs<1>]);

/// Of each dimension, the partner coordinates of a rank, and what is shared with each of them.
pub(super) struct Partners {
    coords: Vec<Vec<u32>>,
    shares: Vec<Vec<Share<1>>>,
}

impl Partners {
    /// Those of the rank at `at`, whose array lies along `axis`. `own` is its place on the other side, and what it shares with
    /// itself, if it has one.
    pub fn new(
        dims: &[Overlap],
        (at, own): (&[u32], Option<Own<'_>>),
        axis: impl Fn(&Overlap) -> &Axis,
        coords: impl Fn(&Overlap, u32) -> Vec<u32>,
        shared: impl Fn(&Overlap, u32, u32) -> Runs<1>,
    ) -> Self {
        let (mut all, mut shares) = (Vec::with_capacity(dims.len()), Vec::with_capacity(dims.len()));
        for (d, (dim, &c)) in dims.iter().zip(at).enumerate() {
            let coords = coords(dim, c);
            let known = own.map(|(there, shared)| (there[d], &shared[d]));
            let shared = |coord| match known {
                Some((there, own)) if there == coord => own.clone(),
                _ => shared(dim, c, coord),
            };
            let share = |&coord: &u32| Share::new(shared(coord), [axis(dim)]);
            shares.push(coords.iter().map(share).collect());
            all.push(coords);
        }
        Self { coords: all, shares }
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
    pub fn shared(&self, which: &[u32]) -> impl Iterator<Item = &Runs<1>> + Clone {
        self.shares.iter().zip(which).map(|(shares, &k)| &shares[k as usize].indices)
    }

    /// The messages with all of them, in the order of their steps, and `ahead` within a step.
    pub fn side(self, which: Vec<u32>, mut messages: Vec<Message>, ahead: impl Fn(Rank) -> u32) -> LegSide {
        // Within a step, where an order has no more to say, messages go by distance: the same order on all ranks.
        messages.sort_by_key(|m| (m.step, ahead(m.peer)));
        LegSide { shares: self.shares, which, messages, ..LegSide::default() }
    }
}
