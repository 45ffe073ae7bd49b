//! Lengths of the messages of one dimension, without a list of the messages. Each process of one side (the *near* side)
//! has stretches of processes of the other side (the *far* side). It shares equally many elements with each process of
//! a stretch.
//!
//! A block that is longer than the blocks of the far side intersects consecutive ones: whole blocks, and a part of one
//! block at each end. So BLOCK to CYCLIC(k) has at most five stretches for each process, although each process may send
//! to all.

use super::super::blocks::{EqualBlocks, UnequalBlocks};
use super::super::dimension::Dimension;
use num_integer::Integer;
use std::collections::BTreeMap;
use std::ops::Range;

/// Maximum number of blocks of the near side that are walked along, in a period of both sides.
const MAX_BLOCKS: u64 = 1 << 22;

/// Consecutive processes of the far side. Each shares `elements` elements with the near process of the stretch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Stretch {
    /// First coordinate of the stretch.
    pub start: u32,
    /// Coordinate behind the last one.
    pub end: u32,
    /// Elements of each message; at least 1.
    pub elements: u64,
}

/// Numbers of messages by length in elements, the shortest first.
pub type Histogram = Vec<(u64, u64)>;

/// Lengths of all messages of a dimension.
#[derive(PartialEq, Eq, Debug)]
pub struct Lengths {
    /// Stretches of each near process, ascending and disjoint.
    near: Vec<Vec<Stretch>>,
    /// Number of processes of the far side.
    far: u32,
}

impl Lengths {
    /// Returns the lengths of the messages of `dim`. The senders are the near side if `sending`, otherwise the
    /// receivers. `None` if the messages can neither be listed nor be found along long blocks of the near side.
    pub fn new(dim: &Dimension, sending: bool) -> Option<Self> {
        Self::listed(dim, sending).or_else(|| Self::along_blocks(dim, sending))
    }

    pub(super) fn listed(dim: &Dimension, sending: bool) -> Option<Self> {
        let graph = dim.graph()?;
        let (near, far) = match sending {
            true => (graph.senders(), graph.receivers()),
            false => (graph.receivers(), graph.senders()),
        };
        let mut edges: Vec<(u32, u32, u64)> = (graph.edges().iter())
            .map(|e| if sending { (e.sender, e.receiver, e.bytes) } else { (e.receiver, e.sender, e.bytes) })
            .collect();
        edges.sort_unstable();
        let mut of = vec![Vec::new(); near as usize];
        for (near, far, elements) in edges {
            append(&mut of[near as usize], Stretch { start: far, end: far + 1, elements });
        }
        Some(Self { near: of, far })
    }

    /// Walks along the blocks of the near side. `None` unless it is GEN_BLOCK, or has blocks of one size, no shorter
    /// than those of the far side, which has blocks of one size.
    pub(super) fn along_blocks(dim: &Dimension, sending: bool) -> Option<Self> {
        let overlap = &dim.overlap;
        let (near, far) = match sending {
            true => (&overlap.from, &overlap.to),
            false => (&overlap.to, &overlap.from),
        };
        if overlap.is_partial() {
            return None;
        }
        let len = overlap.len;
        let far = EqualBlocks::new(far, len)?;
        let mut of = vec![Vec::new(); near.dist.procs() as usize];
        if let Some(near) = EqualBlocks::new(near, len).filter(|near| near.block >= far.block) {
            for (window, times) in windows(&near, &far, len)? {
                for block in near.block_of(window.start)..=near.block_of(window.end - 1) {
                    let span = near.start(block).max(window.start)..near.start(block + 1).min(window.end);
                    intersect(&far, &span, times, &mut of[near.coord(block % near.procs) as usize]);
                }
            }
        } else {
            UnequalBlocks::new(near, len)?
                .spans()
                .for_each(|(coord, span)| intersect(&far, &span, 1, &mut of[coord as usize]));
        }
        of.iter_mut().for_each(|stretches| *stretches = sums(stretches));
        Some(Self { near: of, far: u32::try_from(far.procs).ok()? })
    }

    /// Returns the number of elements that two processes share.
    pub fn between(&self, near: u32, far: u32) -> u64 {
        let stretches = &self.near[near as usize];
        let next = stretches.partition_point(|stretch| stretch.end <= far);
        stretches.get(next).filter(|stretch| stretch.start <= far).map_or(0, |stretch| stretch.elements)
    }

    /// Returns the lengths of the messages of each near process.
    pub fn of_near(&self) -> Vec<Histogram> {
        let histogram = |stretches: &Vec<Stretch>| {
            let mut counts = BTreeMap::new();
            for stretch in stretches {
                *counts.entry(stretch.elements).or_default() += u64::from(stretch.end - stretch.start);
            }
            counts.into_iter().collect()
        };
        self.near.iter().map(histogram).collect()
    }

    /// Returns the lengths of the messages of each far process.
    pub fn of_far(&self) -> Vec<Histogram> {
        let mut of = vec![Histogram::new(); self.far as usize];
        sweep(self.near.iter().flatten(), |range, counts| {
            let histogram: Histogram = counts.iter().map(|(&elements, &count)| (elements, count)).collect();
            range.for_each(|far| of[far as usize].clone_from(&histogram));
        });
        of
    }

    /// Returns the lengths of the messages between two sets of processes. Both must ascend and not be empty.
    pub fn among(&self, near: &[u32], far: &[u32]) -> Histogram {
        let (Some(&first), Some(&last)) = (far.first(), far.last()) else { return Histogram::new() };
        let mut counts = BTreeMap::new();
        for &coord in near {
            let stretches = &self.near[coord as usize];
            let begin = stretches.partition_point(|stretch| stretch.end <= first);
            for stretch in stretches[begin..].iter().take_while(|stretch| stretch.start <= last) {
                let below = |coord| far.partition_point(|&other| other < coord);
                let count = below(stretch.end) - below(stretch.start);
                if count > 0 {
                    *counts.entry(stretch.elements).or_default() += count as u64;
                }
            }
        }
        counts.into_iter().collect()
    }

    /// Returns the far processes that exchange messages with the processes `near`, as stretches with the length of the
    /// shortest such message of each process.
    pub fn shortest(&self, near: &[u32]) -> Vec<Stretch> {
        if let [one] = near {
            return self.near[*one as usize].clone();
        }
        let mut found = Vec::new();
        sweep(near.iter().flat_map(|&coord| &self.near[coord as usize]), |range, counts| {
            if let Some((&elements, _)) = counts.first_key_value() {
                append(&mut found, Stretch { start: range.start, end: range.end, elements });
            }
        });
        found
    }
}

/// Returns ranges of a section of `len` elements, each with the number of its repetitions: the first common period, and
/// the rest of the section. `None` if they have more than [`MAX_BLOCKS`] blocks of the near side.
fn windows(near: &EqualBlocks, far: &EqualBlocks, len: u64) -> Option<Vec<(Range<u64>, u64)>> {
    let period = u128::from(near.cycle()).lcm(&far.cycle().into());
    let windows = match u64::try_from(period).ok().filter(|&period| period < len) {
        Some(period) => vec![(0..period, len / period), (len - len % period..len, 1)],
        None => vec![(0..len, 1)],
    };
    let windows: Vec<_> = windows.into_iter().filter(|(window, _)| !window.is_empty()).collect();
    let blocks: u64 = windows
        .iter()
        .map(|(window, _)| near.block_of(window.end - 1) - near.block_of(window.start) + 1)
        .sum();
    (blocks <= MAX_BLOCKS).then_some(windows)
}

/// Appends the stretches of far processes that have elements in `span`, which occurs `times` times. They may intersect
/// earlier ones.
fn intersect(far: &EqualBlocks, span: &Range<u64>, times: u64, stretches: &mut Vec<Stretch>) {
    if span.is_empty() {
        return;
    }
    let (first, last) = (far.block_of(span.start), far.block_of(span.end - 1));
    let mut add = |blocks: Range<u64>, elements: u64| {
        // Consecutive blocks, at most one per process; their coordinates may wrap around to 0.
        let (start, count) = (u64::from(far.coord(blocks.start % far.procs)), blocks.end - blocks.start);
        let end = (start + count).min(far.procs);
        for (start, end) in [(start, end), (0, start + count - end)] {
            if start < end {
                let small = |coord| u32::try_from(coord).expect("fewer than 2^32 processes");
                stretches.push(Stretch { start: small(start), end: small(end), elements: elements * times });
            }
        }
    };
    if first == last {
        return add(first..first + 1, span.end - span.start);
    }
    add(first..first + 1, far.start(first + 1) - span.start);
    add(last..last + 1, span.end - far.start(last));
    let (rounds, rest) = ((last - first - 1) / far.procs, (last - first - 1) % far.procs);
    if rounds > 0 {
        add(0..far.procs, rounds * far.block);
    }
    add(first + 1..first + 1 + rest, far.block);
}

/// Returns disjoint stretches, ascending. The elements of each are the sum over the `stretches` that contain it.
fn sums(stretches: &[Stretch]) -> Vec<Stretch> {
    let mut sums = Vec::new();
    sweep(stretches.iter(), |range, counts| {
        let elements = counts.iter().map(|(&elements, &count)| elements * count).sum();
        if elements > 0 {
            append(&mut sums, Stretch { start: range.start, end: range.end, elements });
        }
    });
    sums
}

/// Calls `each`, in ascending order, with each range between neighbouring ends of `stretches` that a stretch covers,
/// and with the numbers of covering stretches by their `elements`.
fn sweep<'a>(
    stretches: impl Iterator<Item = &'a Stretch>,
    mut each: impl FnMut(Range<u32>, &BTreeMap<u64, u64>),
) {
    let mut ends: Vec<(u32, bool, u64)> = Vec::new();
    for stretch in stretches {
        ends.push((stretch.start, true, stretch.elements));
        ends.push((stretch.end, false, stretch.elements));
    }
    ends.sort_unstable();
    let (mut counts, mut at): (BTreeMap<u64, u64>, u32) = (BTreeMap::new(), 0);
    for (coord, begins, elements) in ends {
        if coord > at && !counts.is_empty() {
            each(at..coord, &counts);
        }
        at = coord;
        if begins {
            *counts.entry(elements).or_default() += 1;
        } else if let Some(count) = counts.get_mut(&elements) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&elements);
            }
        }
    }
}

/// Appends a stretch behind the others; merges it with the last one if they adjoin and have equal lengths.
fn append(stretches: &mut Vec<Stretch>, next: Stretch) {
    match stretches.last_mut() {
        Some(last) if last.end == next.start && last.elements == next.elements => last.end = next.end,
        _ => stretches.push(next),
    }
}
