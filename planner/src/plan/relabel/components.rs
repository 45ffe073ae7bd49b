//! Connected components of the graph of places and ranks, which can be assigned separately.

use super::pairs::PlacePair;

/// Splits the pairs into components, and sorts these by their number of pairs. `places` and `holders` are the numbers
/// of places and of candidate ranks.
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

/// Union-find: for each number, a number of its set that is at most as large.
struct Sets(Vec<usize>);

impl Sets {
    /// Returns the smallest number of the set of `n`.
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
    fn connected_pairs_form_one_component() {
        let pair = |(place, holder)| PlacePair { place, holder, bytes: 1 };
        let mut pairs = [(0, 3), (1, 1), (4, 0), (2, 3), (2, 2), (3, 1)].map(pair);
        let all: Vec<Vec<(u32, u32)>> = components(&mut pairs, 5, 4)
            .into_iter()
            .map(|pairs| pairs.iter().map(|pair| (pair.place, pair.holder)).collect())
            .collect();
        assert_eq!(all, [vec![(4, 0)], vec![(1, 1), (3, 1)], vec![(0, 3), (2, 3), (2, 2)]]);
    }
}
