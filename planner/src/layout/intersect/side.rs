//! Section indices that each process has along one dimension, in the source or in the target, as combs or runs.

use super::blocks::Blocks;
use super::builder::Builder;
use super::comb::Comb;
use super::family::Family;
use super::merge::{All, OwnRuns, SingleBlocks};
use super::runs::Runs;
use super::set::IndexSet;
use crate::layout::distribution::{Axis, Cyclic, Dist, GenBlock, Indirect};
use num_integer::Integer;
use std::ops::Range;

/// One side of a redistribution (source or target) along one dimension: a section of `len` indices along `axis`.
pub(super) struct SectionSide<'a> {
    axis: &'a Axis,
    len: u64,
    pub dealt: SectionDist<'a>,
}

pub(super) enum SectionDist<'a> {
    /// Blocks of one size, round robin.
    Blocks(Blocks),
    /// A single block on each process (GEN_BLOCK).
    Spans(&'a GenBlock),
    /// A list of runs with their owners (INDIRECT).
    Listed(&'a Indirect),
    /// Blocks of one size in the template; the section has indices `first`, `first + stride`, ...
    Strided { dist: &'a Cyclic, first: u64, stride: u64 },
}

impl<'a> SectionSide<'a> {
    pub fn new(axis: &'a Axis, len: u64) -> Self {
        let dealt = match (axis.round_robin(), axis.strided(), &axis.dist) {
            (Some(dealt), ..) => SectionDist::Blocks(Blocks::new(&dealt, len)),
            (None, Some((dist, first, stride)), _) => SectionDist::Strided { dist, first, stride },
            (None, None, Dist::Indirect(dist)) => SectionDist::Listed(dist),
            (None, None, Dist::GenBlock(dist)) => SectionDist::Spans(dist),
            (None, None, Dist::Cyclic(_)) => unreachable!("blocks of one size are round robin or strided"),
        };
        Self { axis, len, dealt }
    }

    pub fn procs(&self) -> u32 {
        self.axis.dist.procs()
    }

    /// Returns the number of runs in the list of owners, if there is a complete list.
    pub fn listed(&self) -> Option<u64> {
        if let SectionDist::Listed(dist) = self.dealt { dist.count() } else { None }
    }

    /// Returns the number of runs or blocks; `None` for strided blocks and for a partial list.
    pub fn blocks(&self) -> Option<u64> {
        match self.dealt {
            SectionDist::Blocks(blocks) => Some(blocks.count(self.len)),
            SectionDist::Spans(dist) => Some(dist.procs().into()),
            SectionDist::Listed(dist) => dist.count(),
            SectionDist::Strided { .. } => None,
        }
    }

    /// Returns the period of the owners in section indices, if they repeat.
    pub fn period(&self) -> Option<u64> {
        match self.dealt {
            SectionDist::Blocks(blocks) => blocks.cycle(),
            SectionDist::Strided { dist, stride, .. } => round(dist, stride),
            SectionDist::Spans(_) | SectionDist::Listed(_) => None,
        }
    }

    /// Returns all runs of the section with their owners, in order; `None` for blocks of one size.
    pub fn runs(&self) -> Option<impl Iterator<Item = (u32, Range<u64>)> + use<'a>> {
        let all = match self.dealt {
            SectionDist::Spans(dist) => All::Spans(dist, 0..dist.procs()),
            SectionDist::Listed(dist) => All::Listed(dist.runs()),
            _ => return None,
        };
        let (axis, len) = (self.axis, self.len);
        let inside = move |(owner, run): (u32, Range<u64>)| (owner, axis.inside(&run, len));
        Some(all.map(inside).filter(|(_, run)| run.start < run.end))
    }

    /// Returns the block of each process that has one, in the order of the indices; `None` if some process may have
    /// several.
    pub fn single_blocks(&self) -> Option<SingleBlocks<'a, impl Fn(u64) -> u64 + use<>>> {
        let (len, below) = (self.len, self.axis.count_below(self.len));
        match self.dealt {
            SectionDist::Spans(dist) => {
                Some(SingleBlocks::Unequal { ends: dist.ends().iter(), start: below(0), below, coord: 0 })
            }
            SectionDist::Blocks(blocks) => {
                let numbers = 0..blocks.count(len);
                (numbers.end <= blocks.procs).then_some(SingleBlocks::Equal { blocks, numbers, len })
            }
            SectionDist::Listed(_) | SectionDist::Strided { .. } => None,
        }
    }

    /// Returns the runs of process `coord` in the section, in order; `None` for blocks of one size.
    pub fn runs_of(&self, coord: u32) -> Option<impl Iterator<Item = Range<u64>> + use<'a>> {
        let own = match self.dealt {
            SectionDist::Spans(dist) => OwnRuns::Span(Some(dist.span(coord))),
            SectionDist::Listed(dist) => OwnRuns::Listed(dist.runs_of(coord)),
            _ => return None,
        };
        let (axis, len) = (self.axis, self.len);
        Some(own.map(move |run| axis.inside(&run, len)).filter(|run| run.start < run.end))
    }

    /// Returns the section indices of process `coord`.
    pub fn set(&self, coord: u32) -> IndexSet {
        if let Some(runs) = self.runs_of(coord) {
            return IndexSet::Runs(runs.collect());
        }
        let combs = match self.dealt {
            SectionDist::Blocks(blocks) => vec![blocks.comb(blocks.position_in_round(coord))],
            SectionDist::Strided { dist, first, stride } => {
                strided_combs(dist, first, stride, self.len, coord)
            }
            SectionDist::Spans(_) | SectionDist::Listed(_) => unreachable!("they have runs"),
        };
        // If no comb has a second run in the section, the set is stored as runs.
        let again = |comb: &Comb| comb.runs(self.len).nth(1).is_some();
        if combs.iter().any(again) {
            return IndexSet::Combs(combs);
        }
        let mut runs: Vec<_> = combs.iter().flat_map(|comb| comb.runs(self.len)).collect();
        runs.sort_unstable_by_key(|run| run.start);
        IndexSet::Runs(runs)
    }

    /// Intersects the (owner, run) pairs of the other side with this side. Calls `body` with (owner of the run, process
    /// of this side, number of shared indices) for each run and each process that shares indices with it.
    pub fn intersect(
        &self,
        runs: impl Iterator<Item = (u32, Range<u64>)>,
        mut body: impl FnMut(u32, u32, u64),
    ) {
        let sets: Vec<IndexSet> = (0..self.procs()).map(|coord| self.set(coord)).collect();
        let mut coords = Vec::new();
        for (owner, run) in runs {
            coords.clear();
            self.owners(&run, |coord| {
                coords.push(coord);
                false
            });
            coords.sort_unstable();
            coords.dedup();
            coords.iter().for_each(|&coord| body(owner, coord, sets[coord as usize].count(&run)));
        }
    }

    /// Returns true if each process has a single block (GEN_BLOCK).
    pub fn is_spans(&self) -> bool {
        matches!(self.dealt, SectionDist::Spans(_))
    }

    /// Returns true if process `coord` has at most `few` runs.
    pub fn has_few_runs(&self, coord: u32, few: u32) -> bool {
        if few == 0 {
            return false;
        }
        if let Some(mut runs) = self.runs_of(coord) {
            return runs.nth(few as usize).is_none();
        }
        self.set(coord).runs_below(self.len) <= few.into()
    }

    /// Calls `visit` with the owners of the indices in `span`, perhaps several times with one owner, until `visit`
    /// returns true.
    pub fn owners(&self, span: &Range<u64>, mut visit: impl FnMut(u32) -> bool) {
        if let SectionDist::Spans(dist) = self.dealt {
            let spans = (self.axis.owner(span.start)..dist.procs())
                .map(|coord| (coord, self.axis.inside(&dist.span(coord), self.len)))
                .take_while(|(_, own)| own.start < span.end);
            spans.filter(|(_, own)| own.start < own.end).any(|(coord, _)| visit(coord));
            return;
        }
        let end = self.period().map_or(span.end, |period| span.end.min(span.start.saturating_add(period)));
        self.stretches(span.start..end).any(|(owner, _)| visit(owner));
    }

    /// Iterates over the stretches ([`Axis::run_length_from`]) of `span` with their owners, in order.
    pub fn stretches(&self, span: Range<u64>) -> impl Iterator<Item = (u32, Range<u64>)> + use<'a> {
        stretches(self.axis, span)
    }

    /// Returns an upper bound of the number of stretches in the first `len` indices.
    pub fn stretches_at_most(&self, len: u64) -> u64 {
        let blocks = match self.dealt {
            SectionDist::Blocks(blocks) => blocks.count(len),
            SectionDist::Strided { dist, stride, .. } => {
                (len / dist.block()).saturating_mul(stride).saturating_add(stride + 1)
            }
            SectionDist::Spans(_) | SectionDist::Listed(_) => len,
        };
        blocks.min(len)
    }
}

/// Returns the runs of process `coord` in a section of `len` indices along `axis`. If this process has only its own
/// indices of the axis, `coord` must be its own coordinate.
pub fn runs_of(axis: &Axis, len: u64, coord: u32) -> Vec<Range<u64>> {
    match SectionSide::new(axis, len).set(coord) {
        IndexSet::Runs(runs) => runs,
        IndexSet::Combs(combs) => {
            let mut runs: Vec<_> = combs.iter().flat_map(|comb| comb.runs(len)).collect();
            runs.sort_unstable_by_key(|run| run.start);
            runs
        }
    }
}

/// Splits the section indices in `span` along `axis` into stretches ([`Axis::run_length_from`]). Yields the stretches
/// with their owners, in order.
pub fn stretches(axis: &Axis, span: Range<u64>) -> impl Iterator<Item = (u32, Range<u64>)> {
    let mut i = span.start;
    std::iter::from_fn(move || {
        let start = i;
        (start < span.end).then(|| {
            i = start.saturating_add(axis.run_length_from(start)).min(span.end);
            (axis.owner(start), start..i)
        })
    })
}

/// Creates a set from ascending runs.
pub(super) fn listed(runs: &[Range<u64>]) -> Runs<1> {
    let mut listed = Builder::new();
    runs.iter().for_each(|run| listed.push(Family::run([run.start], run.end - run.start)));
    Runs::from_builder(listed)
}

/// Returns the combs of process `coord`, if section index i is template index `first + i * stride`: one comb for each
/// block of the process until the pattern repeats.
fn strided_combs(dist: &Cyclic, first: u64, stride: u64, len: u64, coord: u32) -> Vec<Comb> {
    let period = round(dist, stride).filter(|&period| period < len);
    let block = u128::from(dist.block());
    let cycle = block * u128::from(dist.procs());
    let (stride, phase) = (u128::from(stride), u128::from(first) % cycle);
    let end = u128::from(period.unwrap_or(len));
    let at = |bound: u128| bound.saturating_sub(phase).div_ceil(stride).min(end);
    let narrow = |n: u128| u64::try_from(n).expect("an index of the section");
    let mut combs = Vec::new();
    for round in 0.. {
        let from = round * cycle + u128::from(dist.position_in_round(coord)) * block;
        let run = at(from)..at(from + block);
        if at(round * cycle) >= end {
            break;
        }
        if run.start < run.end {
            combs.push(Comb { start: narrow(run.start), lead: 0, len: narrow(run.end - run.start), period });
        }
    }
    combs
}

/// Returns the period of `dist` in steps of `stride` template indices, if it fits in 64 bits.
fn round(dist: &Cyclic, stride: u64) -> Option<u64> {
    let cycle = u128::from(dist.block()) * u128::from(dist.procs());
    u64::try_from(cycle / cycle.gcd(&u128::from(stride))).ok()
}
