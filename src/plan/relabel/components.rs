//! WHICH places and ranks have to be assigned together? Those that are connected by pairs; components that are not connected
//! are assigned separately.

use super::PlacePair;

/// The pairs of each component, the ones with few pairs first. `places` and `holders` say how many there are.
pub fn components(pairs: &mut [PlacePair], places: usize, holders: usize) -> Vec<&mut [PlacePair]> {
    let mut sets = Sets((0..places + holders).collect());
    for pair in pairs.iter() {
        sets.join(pair.place as usize, places + pair.holder as usize);
    }
    let first: Vec<usize> = (0..places).map(|place| sets.first(place)).collect();
    let component = |pair: &PlacePair| first[pair.place as usize];
    pairs.sort_by_key(component);
    let mut all: Vec<&mut [PlacePair]> = pairs.chunk_by_mut(|a, b| component(a) == component(b)).collect();
    all.sort_by_key(|pairs| pairs.len());
    all
}

/// Disjoint sets of numbers: for each number one that is not larger and is in the same set.
struct Sets(Vec<usize>);

impl Sets {
    /// The smallest number of the set of `n`.
    fn first(&mut self, mut n: usize) -> usize {
        while self.0[n] != n {
            self.0[n] = self.0[self.0[n]];
            n = self.0[n];
        }
        n
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pairs_connect_is_together() {
        let pair = |(place, holder)| PlacePair { place, holder, bytes: 1 };
        let mut pairs = [(0, 3), (1, 1), (4, 0), (2, 3), (2, 2), (3, 1)].map(pair);
        let all: Vec<Vec<(u32, u32)>> = components(&mut pairs, 5, 4)
            .into_iter()
            .map(|pairs| pairs.iter().map(|pair| (pair.place, pair.holder)).collect())
            .collect();
        assert_eq!(all, [vec![(4, 0)], vec![(1, 1), (3, 1)], vec![(0, 3), (2, 3), (2, 2)]]);
    }
}
