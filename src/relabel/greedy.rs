//! Which pairs, if each in turn is taken that keeps most bytes?
//!
//! Half of the best: a pair of the best assignment that is not taken has lost its place or its rank to a pair that was taken
//! before, which keeps as many bytes or more. A pair that is taken stands in the way of at most two pairs of the best
//! assignment, one at each end. So the best keeps at most twice as many bytes as the pairs that are taken.

use super::Pair;
use std::cmp::Reverse;

/// What an assignment is worth: bytes first, then how many places stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Worth {
    bytes: u128,
    stay: u64,
}

impl Worth {
    /// What a pair is worth.
    fn of(pair: &Pair) -> Self {
        Self { bytes: pair.bytes.into(), stay: pair.stays().into() }
    }

    /// What all of them are worth together.
    pub fn sum<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Self {
        pairs.into_iter().map(Self::of).fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, stay: self.stay + other.stay }
    }
}

/// Places and holders that were met, and those that have got each other. Components have none in common, so it serves all of
/// them.
pub struct Met {
    places: Vec<Fate>,
    holders: Vec<Fate>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    New,
    Seen,
    Taken,
}

impl Met {
    /// Nobody so far.
    pub fn new(places: usize, holders: usize) -> Self {
        Self { places: vec![Fate::New; places], holders: vec![Fate::New; holders] }
    }
}

/// The greedy assignment of a component, and whether it is a best one: whether its worth is what all places, or all holders,
/// would have if each got the pair that is best for it. Sorts the pairs.
pub fn greedy(pairs: &mut [Pair], met: &mut Met) -> (Vec<Pair>, bool) {
    pairs.sort_unstable_by_key(|pair| (Reverse(Worth::of(pair)), pair.place, pair.holder));
    let (mut taken, mut of_places, mut of_holders) = (Vec::new(), Worth::default(), Worth::default());
    for pair in pairs.iter() {
        let place = &mut met.places[pair.place as usize];
        let holder = &mut met.holders[pair.holder as usize];
        // The first pair of a place is the best one for it.
        if *place == Fate::New {
            of_places = of_places.and(Worth::of(pair));
        }
        if *holder == Fate::New {
            of_holders = of_holders.and(Worth::of(pair));
        }
        if *place != Fate::Taken && *holder != Fate::Taken {
            (*place, *holder) = (Fate::Taken, Fate::Taken);
            taken.push(*pair);
        }
        for end in [place, holder] {
            if *end == Fate::New {
                *end = Fate::Seen;
            }
        }
    }
    let best = Worth::sum(&taken) == of_places.min(of_holders);
    (taken, best)
}
