//! Intersects two lists of runs in one walk along both.

use super::blocks::Blocks;
use super::builder::Builder;
use super::family::Family;
use super::runs::Runs;
use crate::layout::distribution::{AllRuns, GenBlock, RunsOf};
use std::ops::Range;

/// Iterates over all runs of a distribution, with their owners.
pub(super) enum All<'a> {
    Spans(&'a GenBlock, Range<u32>),
    Listed(AllRuns<'a>),
}

impl Iterator for All<'_> {
    type Item = (u32, Range<u64>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Spans(dist, coords) => coords.next().map(|coord| (coord, dist.span(coord))),
            Self::Listed(runs) => runs.next(),
        }
    }
}

/// Iterator over the blocks of a section, at most one for each process: (process, range of section indices).
pub(super) enum SingleBlocks<'a, F> {
    /// Blocks of any size. `ends` has their ends in the template, from process `coord` on, whose block begins at
    /// section index `start`; `below` returns the section index of an end.
    Unequal { ends: std::slice::Iter<'a, u64>, below: F, coord: u32, start: u64 },
    /// The blocks with these numbers, in a section of `len` elements.
    Equal { blocks: Blocks, numbers: Range<u64>, len: u64 },
}

impl<F: Fn(u64) -> u64> Iterator for SingleBlocks<'_, F> {
    type Item = (u32, Range<u64>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Unequal { ends, below, coord, start } => loop {
                let block = *start..below(*ends.next()?);
                let owner = *coord;
                (*coord, *start) = (owner + 1, block.end);
                if block.start < block.end {
                    return Some((owner, block));
                }
            },
            Self::Equal { blocks, numbers, len } => {
                numbers.next().map(|b| (blocks.coord(b), blocks.span(b, *len)))
            }
        }
    }
}

pub(super) enum OwnRuns<'a> {
    Span(Option<Range<u64>>),
    Listed(RunsOf<'a>),
}

impl Iterator for OwnRuns<'_> {
    type Item = Range<u64>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Span(span) => span.take(),
            Self::Listed(runs) => runs.next(),
        }
    }
}

pub(super) fn intersect_runs(
    a: impl Iterator<Item = Range<u64>>,
    b: impl Iterator<Item = Range<u64>>,
) -> Runs<1> {
    let mut shared = Builder::new();
    each_in_both(a, b, |start, len| shared.push(Family::run([start], len)));
    Runs::from_builder(shared)
}

/// Calls `body` with (first index, number of indices) of each run of the intersection.
#[inline]
pub(super) fn each_in_both(
    mut a: impl Iterator<Item = Range<u64>>,
    mut b: impl Iterator<Item = Range<u64>>,
    mut body: impl FnMut(u64, u64),
) {
    let (mut next_a, mut next_b) = (a.next(), b.next());
    while let (Some(x), Some(y)) = (&next_a, &next_b) {
        let (start, end) = (x.start.max(y.start), x.end.min(y.end));
        if start < end {
            body(start, end - start);
        }
        if x.end == end {
            next_a = a.next();
        } else {
            next_b = b.next();
        }
    }
}

/// Calls `body` with (source, destination, number of indices) of each run of the intersection.
pub(super) fn merge(
    mut from: impl Iterator<Item = (u32, Range<u64>)>,
    mut to: impl Iterator<Item = (u32, Range<u64>)>,
    mut body: impl FnMut(u32, u32, u64),
) {
    let (mut next_from, mut next_to) = (from.next(), to.next());
    while let (Some((p, x)), Some((q, y))) = (&next_from, &next_to) {
        let end = x.end.min(y.end);
        let shared = end.saturating_sub(x.start.max(y.start));
        if shared > 0 {
            body(*p, *q, shared);
        }
        let (from_ends, to_ends) = (x.end == end, y.end == end);
        if from_ends {
            next_from = from.next();
        }
        if to_ends {
            next_to = to.next();
        }
    }
}
