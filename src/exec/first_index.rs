//! Choice of the index of a dimension that a rank writes first.
//!
//! If each source process has contiguous indices, ranks that all began at the lowest index would wait for the same
//! sender, and then for the next. So each rank begins behind its own indices, as in the caterpillar schedule.
//!
//! Each sender's data arrives in ascending order, so a rank begins only at an index that cuts no sender's indices in
//! two.

use crate::layout::distribution::Rank;
use crate::plan::{Merged, Stretch};

/// Returns the first stretch of each dimension. `own` is this rank's own combination of source processes, the first
/// dimension varying fastest, if it has one.
pub(super) fn start_stretches(dims: &[Merged], own: Option<usize>, rank: Rank) -> Vec<usize> {
    // Both are divided by the number of sources of each dimension in turn; the remainder belongs to that dimension.
    let (mut own, mut number) = (own, rank.0 as usize);
    let of = |dim: &Merged| {
        let sources = dim.counts().len().max(1);
        let (mine, turn) = (own.map(|own| own % sources), number % sources);
        (own, number) = (own.map(|own| own / sources), number / sources);
        if sources > 1 { start_stretch(dim.stretches(), sources, mine, turn) } else { 0 }
    };
    dims.iter().map(of).collect()
}

/// Returns the first allowed stretch behind those of source `mine`; without `mine`, allowed stretch number `turn`,
/// cyclically.
fn start_stretch(stretches: &[Stretch], sources: usize, mine: Option<usize>, turn: usize) -> usize {
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
    let which = mine.map_or_else(|| turn % starts.len().max(1), behind);
    starts.get(which).copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::distribution::{Axis, GenBlock};
    use crate::layout::intersect::Overlap;

    fn of(sources: &[usize]) -> Vec<Stretch> {
        let stretch = |(k, &source)| Stretch { source, from: 0, to: k, position: 0, len: 1 };
        (0u64..).zip(sources).map(stretch).collect()
    }

    #[test]
    fn rounds_begin_after_the_own_rank_and_keep_senders_whole() {
        let blocks = of(&[0, 1, 2, 3]);
        assert_eq!([0, 1, 2, 3].map(|own| start_stretch(&blocks, 4, Some(own), 9)), [1, 2, 3, 0]);
        assert_eq!([0, 1, 2, 3, 4].map(|rank| start_stretch(&blocks, 4, None, rank)), [0, 1, 2, 3, 0]);
        let reversed = of(&[3, 2, 1, 0]);
        assert_eq!([0, 1, 2, 3].map(|own| start_stretch(&reversed, 4, Some(own), 9)), [0, 3, 2, 1]);
        assert_eq!(
            [0, 1, 2].map(|own| start_stretch(&of(&[0, 1, 2, 0, 1, 2]), 3, Some(own), 1)),
            [0, 0, 0],
            "cyclic"
        );
        assert_eq!([0, 1, 2].map(|own| start_stretch(&of(&[0, 1, 0, 2]), 3, Some(own), 1)), [3, 3, 0]);
        assert_eq!(start_stretch(&[], 2, None, 1), 0, "nothing comes");
    }
    #[test]
    fn each_dimension_has_its_own_part_of_the_combination() {
        let block = |procs| Axis::new(GenBlock::new(&vec![4; procs]).unwrap(), 0);
        let whole = Axis::new(GenBlock::new(&[12]).unwrap(), 0);
        let one = |procs: usize| Overlap { from: block(procs), to: whole.clone(), len: 4 * procs as u64 };
        let dims = [3, 2].map(|procs| Merged::new(&one(procs), 0, u64::MAX).unwrap());
        let with = |own| start_stretches(&dims, Some(own), Rank(0));
        assert_eq!([with(0), with(2), with(3), with(5)], [[1, 1], [0, 1], [1, 0], [0, 0]]);
        let without = |rank| start_stretches(&dims, None, Rank(rank));
        assert_eq!([without(0), without(1), without(3), without(5)], [[0, 0], [1, 0], [0, 1], [2, 1]]);
    }
}
