//! WHICH indices of a dimension does a rank write first? If all ranks began with the lowest and each process of the source had
//! its indices together, they would all wait for one sender, and then all for the next. So each begins behind what it has
//! itself, as in a caterpillar.
//!
//! What comes from one sender still comes in ascending order: a rank begins only where no sender has indices on both sides.

use crate::layout::Rank;
use crate::plan::{Merged, Stretch};

/// Of each dimension, the stretch to begin with. `own` is the combination of source processes that this rank has itself, that
/// of the first dimension varying fastest, if there is one.
pub(super) fn begins(dims: &[Merged], own: Option<usize>, rank: Rank) -> Vec<usize> {
    let mut own = own;
    let begin = |dim: &Merged| {
        let sources = dim.counts().len();
        let mine = own.map(|own| own % sources);
        own = own.map(|own| own / sources);
        if sources > 1 { begin(dim.stretches(), sources, mine, rank.0 as usize) } else { 0 }
    };
    dims.iter().map(begin).collect()
}

/// Behind the stretches of source `mine`; without one, ranks begin at different places.
fn begin(stretches: &[Stretch], sources: usize, mine: Option<usize>, rank: usize) -> usize {
    let mut last = vec![0; sources];
    stretches.iter().enumerate().for_each(|(k, stretch)| last[stretch.source] = k);
    let mut reach = 0;
    let mut starts = Vec::new();
    for (k, stretch) in stretches.iter().enumerate() {
        if k >= reach {
            starts.push(k);
        }
        reach = reach.max(last[stretch.source] + 1);
    }
    let behind = |mine: usize| starts.iter().position(|&start| start > last[mine]).unwrap_or(0);
    let which = mine.map_or_else(|| rank % starts.len().max(1), behind);
    starts.get(which).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Stretches of one index from these sources.
    fn of(sources: &[usize]) -> Vec<Stretch> {
        let stretch = |(k, &source)| Stretch { source, from: 0, to: k, position: 0, len: 1 };
        (0u64..).zip(sources).map(stretch).collect()
    }

    #[test]
    fn ranks_begin_behind_their_own_and_no_sender_is_cut_in_two() {
        let blocks = of(&[0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|own| begin(&blocks, 4, Some(own), 9)), [1, 2, 3, 0]);
        assert_eq!([0, 1, 2, 3, 4].map(|rank| begin(&blocks, 4, None, rank)), [0, 1, 2, 3, 0]);
        let turned = of(&[3, 2, 1, 0]);
        assert_eq!([0, 1, 2, 3].map(|own| begin(&turned, 4, Some(own), 9)), [0, 3, 2, 1]);
        assert_eq!(
            [0, 1, 2].map(|own| begin(&of(&[0, 1, 2, 0, 1, 2]), 3, Some(own), 1)),
            [0, 0, 0],
            "cyclic"
        );
        assert_eq!([0, 1, 2].map(|own| begin(&of(&[0, 1, 0, 2]), 3, Some(own), 1)), [3, 3, 0]);
        assert_eq!(begin(&[], 2, None, 1), 0, "nothing comes");
    }
}
