//! Which pairs, if each in turn is taken that keeps most bytes?
//!
//! Half of the best: a pair of the best assignment that is not taken has lost its place or its rank to a pair that was taken
//! before, which keeps as many bytes or more. A pair that is taken stands in the way of at most two pairs of the best
//! assignment, one at each end. So the best keeps at most twice as many bytes as the pairs that are taken.

use super::PlacePair;
use std::cmp::Reverse;

/// What an assignment is worth: bytes first, then how many places stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Worth {
    bytes: u128,
    stay: u64,
}

impl Worth {
    /// What a pair is worth.
    fn of(pair: &PlacePair) -> Self {
        Self { bytes: pair.bytes.into(), stay: pair.stays().into() }
    }

    /// What all of them are worth together.
    pub fn sum<'a>(pairs: impl IntoIterator<Item = &'a PlacePair>) -> Self {
        pairs.into_iter().map(Self::of).fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, stay: self.stay + other.stay }
    }
}

/// Places and holders that were met, and those that have got each other. Components have none in common, so it serves all of
/// them.
pub struct EndStates {
    places: Vec<EndState>,
    holders: Vec<EndState>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum EndState {
    New,
    Seen,
    Taken,
}

impl EndStates {
    /// Nobody so far.
    pub fn new(places: usize, holders: usize) -> Self {
        Self { places: vec![EndState::New; places], holders: vec![EndState::New; holders] }
    }
}

/// The greedy assignment of a component, and whether it is a best one: whether its worth is what all places, or all holders,
/// would have if each got the pair that is best for it. Sorts the pairs.
pub fn greedy(pairs: &mut [PlacePair], ends: &mut EndStates) -> (Vec<PlacePair>, bool) {
    pairs.sort_unstable_by_key(|pair| (Reverse(Worth::of(pair)), pair.place, pair.holder));
    let (mut taken, mut of_places, mut of_holders) = (Vec::new(), Worth::default(), Worth::default());
    for pair in pairs.iter() {
        let place = &mut ends.places[pair.place as usize];
        let holder = &mut ends.holders[pair.holder as usize];
        // The first pair of a place is the best one for it.
        if *place == EndState::New {
            of_places = of_places.and(Worth::of(pair));
        }
        if *holder == EndState::New {
            of_holders = of_holders.and(Worth::of(pair));
        }
        if *place != EndState::Taken && *holder != EndState::Taken {
            (*place, *holder) = (EndState::Taken, EndState::Taken);
            taken.push(*pair);
        }
        for end in [place, holder] {
            if *end == EndState::New {
                *end = EndState::Seen;
            }
        }
    }
    let best = Worth::sum(&taken) == of_places.min(of_holders);
    (taken, best)
}
