//! Greedy assignment: takes pairs in descending order of the bytes that they keep.
//!
//! It keeps at least half of the optimum's bytes. If a pair of the optimal assignment is not taken, its place or its
//! rank is in a pair that was taken before and keeps at least as many bytes. A taken pair displaces at most two pairs
//! of the optimal assignment, one at each end. So the optimum is at most twice the bytes of the pairs that are taken.

use super::pairs::PlacePair;
use std::cmp::Reverse;

/// Value of an assignment: bytes kept, then the number of places that stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Worth {
    bytes: u128,
    stay: u64,
}

impl Worth {
    fn from_pair(pair: &PlacePair) -> Self {
        Self { bytes: pair.bytes.into(), stay: pair.stays().into() }
    }

    /// Returns the total value of `pairs`.
    pub fn sum<'a>(pairs: impl IntoIterator<Item = &'a PlacePair>) -> Self {
        pairs.into_iter().map(Self::from_pair).fold(Self::default(), Self::and)
    }

    fn and(self, other: Self) -> Self {
        Self { bytes: self.bytes + other.bytes, stay: self.stay + other.stay }
    }
}

/// States of all places and holders (the ranks that may get a place). Components are disjoint, so one instance serves
/// all of them.
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
    pub fn new(places: usize, holders: usize) -> Self {
        Self { places: vec![EndState::New; places], holders: vec![EndState::New; holders] }
    }
}

/// Returns the greedy assignment of a component, and whether it is provably optimal. It is if its value equals an upper
/// bound: the sum of the best pairs of all places, or of all holders, whichever is smaller. Sorts the pairs.
pub fn solve_greedily(pairs: &mut [PlacePair], ends: &mut EndStates) -> (Vec<PlacePair>, bool) {
    pairs.sort_unstable_by_key(|pair| (Reverse(Worth::from_pair(pair)), pair.place, pair.holder));
    let (mut taken, mut best_of_places, mut best_of_holders) =
        (Vec::new(), Worth::default(), Worth::default());
    for pair in pairs.iter() {
        let place = &mut ends.places[pair.place as usize];
        let holder = &mut ends.holders[pair.holder as usize];
        // The first pair of a place is its best one.
        if *place == EndState::New {
            best_of_places = best_of_places.and(Worth::from_pair(pair));
        }
        if *holder == EndState::New {
            best_of_holders = best_of_holders.and(Worth::from_pair(pair));
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
    let best = Worth::sum(&taken) == best_of_places.min(best_of_holders);
    (taken, best)
}
