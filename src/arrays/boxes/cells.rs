//! Finds the boxes of different ranks that intersect, if each rank has only its own boxes.
//!
//! The index space is divided into about as many cells as there are ranks. Each cell has a responsible rank, which
//! receives all boxes that intersect the cell, and pairs them. If two boxes share several cells, the rank of the cell
//! with their first common index reports the pair to both owners.
//!
//! Messages and memory are in proportion to a rank's own boxes, the boxes in its cells, and the pairs.

use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::layout::distribution::Rank;
use crate::layout::intersect::{Boxes, each_pair, intersect_boxes};
use crate::layout::mapping::{LocalBoxes, first_common};
use crate::runtime::session::Session;
use std::ops::{ControlFlow, Range};

struct Cells {
    /// Length of a cell and number of cells, per dimension.
    dims: Vec<(u64, u64)>,
    ranks: u64,
}

/// Boxes received for this rank's cells.
struct ReceivedBoxes {
    boxes: Boxes,
    /// Owner of each box, and the box's number there.
    owners: Vec<(u32, u64)>,
}

/// A box of this rank, and its intersection with a box of any rank on the other side.
pub struct BoxPair {
    pub own: usize,
    pub peer: Rank,
    pub other: usize,
    pub span: Vec<Range<u64>>,
}

impl Cells {
    /// Doubles the number of cells along the dimension with the longest cells until there are at least as many cells as
    /// ranks. Cell lengths are rounded up, which may leave fewer cells.
    fn new(extents: &[u64], ranks: u32) -> Self {
        let mut counts = vec![1u64; extents.len()];
        while counts.iter().product::<u64>() < u64::from(ranks) {
            let longest = (0..counts.len()).max_by_key(|&d| extents[d] / counts[d]);
            match longest.filter(|&d| extents[d] / counts[d] > 1) {
                Some(d) => counts[d] *= 2,
                None => break,
            }
        }
        let dim = |(&extent, count): (&u64, u64)| {
            let len = extent.div_ceil(count).max(1);
            (len, extent.div_ceil(len).max(1))
        };
        Self { dims: extents.iter().zip(counts).map(dim).collect(), ranks: ranks.into() }
    }

    fn rank(&self, cell: u64) -> usize {
        usize::try_from(cell % self.ranks).expect("one of the ranks")
    }

    fn rank_at(&self, index: impl Iterator<Item = u64>) -> usize {
        let number = |number: u64, (&(len, count), i): (&(u64, u64), u64)| number * count + i / len;
        self.rank(self.dims.iter().zip(index).fold(0, number))
    }

    fn ranks_of(&self, ranges: &[Range<u64>]) -> Vec<usize> {
        let within =
            |(&(len, _), range): (&(u64, u64), &Range<u64>)| range.start / len == (range.end - 1) / len;
        if self.dims.iter().zip(ranges).all(within) {
            return vec![self.rank_at(ranges.iter().map(|range| range.start))];
        }
        let mut cells = vec![0u64];
        for (&(len, count), range) in self.dims.iter().zip(ranges) {
            let along = range.start / len..=(range.end - 1) / len;
            cells = cells.iter().flat_map(|cell| along.clone().map(move |at| cell * count + at)).collect();
        }
        let mut ranks: Vec<usize> = cells.into_iter().map(|cell| self.rank(cell)).collect();
        ranks.sort_unstable();
        ranks.dedup();
        ranks
    }

    /// Sends the own boxes, each with its number, to the ranks of their cells; returns the boxes received.
    /// Collective.
    fn exchange_boxes<'b>(
        &self,
        session: &Session,
        own: impl Iterator<Item = (usize, &'b [Range<u64>])>,
    ) -> Result<ReceivedBoxes, Failure> {
        let mut lists = vec![Vec::new(); session.ranks as usize];
        for (number, ranges) in own {
            for rank in self.ranks_of(ranges) {
                lists[rank].push(number as u64);
                lists[rank].extend(words(ranges));
            }
        }
        let mut received = ReceivedBoxes { boxes: Boxes::new(self.dims.len()), owners: Vec::new() };
        for (rank, list) in (0u32..).zip(exchange_lists(session, lists)?) {
            for words in list.chunks_exact(1 + 2 * self.dims.len()) {
                received.owners.push((rank, words[0]));
                received.boxes.push(ranges(&words[1..]));
            }
        }
        Ok(received)
    }
}

fn words(ranges: &[Range<u64>]) -> impl Iterator<Item = u64> + '_ {
    ranges.iter().flat_map(|range| [range.start, range.end])
}

/// Decodes ranges from the result of [`words`].
pub fn ranges(words: &[u64]) -> impl Iterator<Item = Range<u64>> + '_ {
    words.chunks_exact(2).map(|pair| pair[0]..pair[1])
}

/// Checks that no two boxes of any ranks have a common index. `own` has this rank's boxes; `extents` are the array's.
/// Collective. The inner result is an error if this rank found such boxes in its cells; the outer one is MPI's.
pub fn check_disjoint(
    session: &Session,
    extents: &[u64],
    own: &LocalBoxes,
) -> Result<Result<(), Failure>, Failure> {
    let scalar = [1];
    let whole = if extents.is_empty() { &scalar[..] } else { extents };
    let indices = own.indices(extents.len());
    let numbers = own.boxes().iter().map(|own| own.number);
    let received = Cells::new(whole, session.ranks).exchange_boxes(session, numbers.zip(indices.iter()))?;
    let mut found = None;
    each_pair(&received.boxes, &received.boxes, |i, j| {
        if i == j {
            return ControlFlow::Continue(());
        }
        found = Some((i.min(j), i.max(j)));
        ControlFlow::Break(())
    });
    let Some((i, j)) = found else { return Ok(Ok(())) };
    let index = first_common(received.boxes.get(i), received.boxes.get(j));
    let index: Vec<String> = index[..extents.len()].iter().map(u64::to_string).collect();
    let [(p, a), (q, b)] = [i, j].map(|met_at| received.owners[met_at]);
    Ok(Err(Failure::argument(format!(
        "element ({}) has two owners: box {a} of rank {p} and box {b} of rank {q}",
        index.join(",")
    ))))
}

/// Pairs each box of side 0 with the boxes of side 1 that intersect it, on any ranks. `own` has this rank's boxes of
/// both sides. Returns, for each side, the pairs that have a box of this rank on that side. Collective.
pub fn find_pairs(
    session: &Session,
    extents: &[u64],
    own: [&Boxes; 2],
) -> Result<[Vec<BoxPair>; 2], Failure> {
    let cells = Cells::new(extents, session.ranks);
    let [a, b] = own.map(|own| cells.exchange_boxes(session, own.iter().enumerate()));
    let [a, b] = [a?, b?];
    let mut lists = vec![Vec::new(); session.ranks as usize];
    each_pair(&a.boxes, &b.boxes, |i, j| {
        let [x, y] = [a.boxes.get(i), b.boxes.get(j)];
        if cells.rank_at(intersect_boxes(x, y).map(|range| range.start)) == session.rank as usize {
            let [(p, from), (q, to)] = [a.owners[i], b.owners[j]];
            for (of, list) in [(p, [0, from, q.into(), to]), (q, [1, to, p.into(), from])] {
                lists[of as usize].extend(list);
                lists[of as usize].extend(intersect_boxes(x, y).flat_map(|range| [range.start, range.end]));
            }
        }
        ControlFlow::Continue(())
    });
    drop([a, b]);
    let mut found = [Vec::new(), Vec::new()];
    let number = |word: u64| usize::try_from(word).expect("a number from another rank");
    for list in exchange_lists(session, lists)? {
        for words in list.chunks_exact(4 + 2 * extents.len()) {
            found[number(words[0])].push(BoxPair {
                own: number(words[1]),
                peer: Rank(u32::try_from(words[2]).expect("a rank in a message")),
                other: number(words[3]),
                span: ranges(&words[4..]).collect(),
            });
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_in_one_cell_and_its_rank_receives_it() {
        let seed = 41;
        let mut rng = fastrand::Rng::with_seed(seed);
        for case in 0..500 {
            let extents: Vec<u64> = (0..rng.usize(1..4)).map(|_| rng.u64(0..30)).collect();
            let ranks = rng.u32(1..40);
            let cells = Cells::new(&extents, ranks);
            let count = cells.dims.iter().map(|(_, count)| count).product::<u64>();
            assert!(count < 2 * u64::from(ranks), "seed {seed}, case {case}");
            if extents.contains(&0) {
                continue;
            }
            let span: Vec<Range<u64>> = extents
                .iter()
                .map(|&extent| {
                    let start = rng.u64(0..extent);
                    start..rng.u64(start + 1..=extent)
                })
                .collect();
            let responsible = cells.ranks_of(&span);
            for _ in 0..20 {
                let index: Vec<u64> = span.iter().map(|range| rng.u64(range.clone())).collect();
                assert!(responsible.contains(&cells.rank_at(index.into_iter())), "seed {seed}, case {case}");
            }
        }
    }

    #[test]
    fn huge_spaces_have_few_cells() {
        let cells = Cells::new(&[1 << 62, 1 << 62, 3], 1000);
        assert!(cells.ranks_of(&[0..1 << 62, 0..1 << 62, 0..3]).len() <= 1000);
        assert_eq!(cells.ranks_of(&[0..1, 0..1, 0..1]).len(), 1);
    }
}
