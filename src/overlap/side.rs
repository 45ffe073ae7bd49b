//! WHICH section indices does a process have, on one side of a dimension? As combs or as runs, whatever the distribution.

use super::blocks::Blocks;
use super::comb::{self, Comb};
use super::family::{Family, in_order};
use super::runs::Runs;
use crate::layout::{Axis, Cyclic, Dist, GenBlock, Indirect};
use num_integer::Integer;
use std::ops::Range;

/// One side, as a section of `len` indices sees it.
pub(super) struct Side<'a> {
    axis: &'a Axis,
    len: u64,
    pub dealt: Dealt<'a>,
}

/// How a section is dealt out.
pub(super) enum Dealt<'a> {
    /// Blocks of one size, round robin.
    Blocks(Blocks),
    /// One run a process.
    Spans(&'a GenBlock),
    /// A list of runs.
    Listed(&'a Indirect),
    /// Parts of blocks of one size: template indices `first`, `first + pace`, ...
    Strided { dist: &'a Cyclic, first: u64, pace: u64 },
}

/// The section indices of one process.
pub(super) enum Set {
    /// The union of combs that have the same period.
    Combs(Vec<Comb>),
    /// Runs, ascending.
    Runs(Vec<Range<u64>>),
}

impl<'a> Side<'a> {
    pub fn new(axis: &'a Axis, len: u64) -> Self {
        let dealt = match (axis.round_robin(), axis.strided(), &axis.dist) {
            (Some(dealt), ..) => Dealt::Blocks(Blocks::new(&dealt, len)),
            (None, Some((dist, first, pace)), _) => Dealt::Strided { dist, first, pace },
            (None, None, Dist::Indirect(dist)) => Dealt::Listed(dist),
            (None, None, Dist::GenBlock(dist)) => Dealt::Spans(dist),
            (None, None, Dist::Cyclic(_)) => unreachable!("blocks of one size are round robin or strided"),
        };
        Self { axis, len, dealt }
    }

    pub fn procs(&self) -> u32 {
        self.axis.dist.procs()
    }

    /// Section indices after which it is the same processes' turn again, if it ever is.
    pub fn period(&self) -> Option<u64> {
        match self.dealt {
            Dealt::Blocks(blocks) => blocks.cycle(),
            Dealt::Strided { dist, pace, .. } => round(dist, pace),
            Dealt::Spans(_) | Dealt::Listed(_) => None,
        }
    }

    /// All runs of the section, in order, with their owners: where they are listed.
    pub fn runs(&self) -> Option<Vec<(u32, Range<u64>)>> {
        let inside = |(owner, run): (u32, Range<u64>)| (owner, self.axis.inside(&run, self.len));
        let some = |(_, run): &(u32, Range<u64>)| run.start < run.end;
        match self.dealt {
            Dealt::Spans(dist) => {
                let all = (0..dist.procs()).map(|coord| (coord, dist.span(coord)));
                Some(all.map(inside).filter(some).collect())
            }
            Dealt::Listed(dist) => Some(dist.runs().map(inside).filter(some).collect()),
            _ => None,
        }
    }

    /// What process `coord` has.
    pub fn set(&self, coord: u32) -> Set {
        let inside = |run: Range<u64>| self.axis.inside(&run, self.len);
        let some = |run: &Range<u64>| run.start < run.end;
        let combs = match self.dealt {
            Dealt::Spans(dist) => {
                return Set::Runs(Some(inside(dist.span(coord))).into_iter().filter(some).collect());
            }
            Dealt::Listed(dist) => return Set::Runs(dist.runs_of(coord).map(inside).filter(some).collect()),
            Dealt::Blocks(blocks) => vec![blocks.comb(blocks.place(coord))],
            Dealt::Strided { dist, first, pace } => strided(dist, first, pace, self.len, coord),
        };
        // Runs that do not come again within the section are just runs.
        let again = |comb: &Comb| comb.runs(self.len).nth(1).is_some();
        if combs.iter().any(again) {
            return Set::Combs(combs);
        }
        let mut runs: Vec<_> = combs.iter().flat_map(|comb| comb.runs(self.len)).collect();
        runs.sort_unstable_by_key(|run| run.start);
        Set::Runs(runs)
    }

    /// Calls `body` with (owner of the run, process of this side, indices) of what the runs of another side share with it.
    pub fn meet(&self, runs: &[(u32, Range<u64>)], mut body: impl FnMut(u32, u32, u64)) {
        let sets: Vec<Set> = (0..self.procs()).map(|coord| self.set(coord)).collect();
        let mut met = Vec::new();
        for (owner, run) in runs {
            met.clear();
            self.owners(run, |coord| {
                met.push(coord);
                false
            });
            met.sort_unstable();
            met.dedup();
            met.iter().for_each(|&coord| body(*owner, coord, sets[coord as usize].count(run)));
        }
    }

    /// Calls `met` with the owners of indices in `span`, some perhaps more than once, until it says that it had enough.
    pub fn owners(&self, span: &Range<u64>, mut met: impl FnMut(u32) -> bool) {
        let end = self.period().map_or(span.end, |period| span.end.min(span.start.saturating_add(period)));
        let mut i = span.start;
        while i < end && !met(self.axis.owner(i)) {
            i = i.saturating_add(self.axis.stretch(i));
        }
    }
}

impl Set {
    /// Elements after which its combs repeat.
    fn period(&self) -> Option<u64> {
        match self {
            Self::Combs(combs) => combs.first().and_then(|comb| comb.period),
            Self::Runs(_) => None,
        }
    }

    /// Whether any of it lies in `span`.
    pub fn meets(&self, span: &Range<u64>) -> bool {
        match self {
            Self::Combs(combs) => combs.iter().any(|comb| comb.meets(span)),
            Self::Runs(runs) => {
                let next = runs.partition_point(|run| run.end <= span.start);
                runs.get(next).is_some_and(|run| run.start.max(span.start) < run.end.min(span.end))
            }
        }
    }

    /// How many of its indices lie in `span`.
    pub fn count(&self, span: &Range<u64>) -> u64 {
        let mut cut = Vec::new();
        match self {
            Self::Combs(combs) => combs.iter().for_each(|comb| comb.cut(span, &mut cut)),
            Self::Runs(runs) => cut = both(runs, std::slice::from_ref(span)),
        }
        cut.iter().map(Family::total).sum()
    }

    /// Calls `body` with its runs below `window`, in any order, until it says that it had enough.
    pub fn each_run(&self, window: u64, mut body: impl FnMut(Range<u64>) -> bool) {
        match self {
            Self::Combs(combs) => {
                combs.iter().flat_map(|comb| comb.runs(window)).any(body);
            }
            Self::Runs(runs) => {
                runs.iter()
                    .take_while(|run| run.start < window)
                    .any(|run| body(run.start..run.end.min(window)));
            }
        }
    }

    /// Elements, at most `len`, after which what this shares with something of another period repeats.
    pub fn window(&self, other: Option<u64>, len: u64) -> u64 {
        comb::period(self.period(), other).map_or(len, |period| period.min(len))
    }

    /// What both have, of a section of `len` indices.
    pub fn shared(&self, other: &Self, len: u64) -> Runs<1> {
        match (self, other) {
            (Self::Runs(a), Self::Runs(b)) => Runs::periodic(both(a, b), None, len),
            (Self::Runs(runs), Self::Combs(combs)) | (Self::Combs(combs), Self::Runs(runs)) => {
                in_runs(combs, runs, len)
            }
            (Self::Combs(a), Self::Combs(b)) => {
                let window = self.window(other.period(), len);
                let mut pattern = Vec::new();
                for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                    comb::shared(a, b, window, &mut pattern);
                }
                Runs::periodic(in_order(pattern), (window < len).then_some(window), len)
            }
        }
    }
}

/// What lies in both lists of runs.
fn both(a: &[Range<u64>], b: &[Range<u64>]) -> Vec<Family<1>> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut shared = Vec::new();
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        let (start, end) = (x.start.max(y.start), x.end.min(y.end));
        if start < end {
            shared.push(Family::run([start], end - start));
        }
        if x.end == end {
            a.next()
        } else {
            b.next()
        };
    }
    shared
}

/// What lies in combs of one period and in runs.
fn in_runs(combs: &[Comb], runs: &[Range<u64>], len: u64) -> Runs<1> {
    if let ([run], [_, _, ..], Some(period)) = (runs, combs, combs[0].period) {
        // One period, from the start of the run on, comes again.
        let once = run.start..run.end.min(run.start.saturating_add(period));
        let mut pattern = Vec::new();
        combs.iter().for_each(|comb| comb.cut(&once, &mut pattern));
        let back = |f: Family<1>| Family { start: [f.start[0] - run.start], ..f };
        let pattern = in_order(pattern).into_iter().map(back).collect();
        let again = run.end - run.start > period;
        return Runs::periodic_in(run.clone(), pattern, again.then_some(period));
    }
    let mut shared = Vec::new();
    for run in runs {
        let mut pattern = Vec::new();
        combs.iter().for_each(|comb| comb.cut(run, &mut pattern));
        shared.extend(in_order(pattern));
    }
    Runs::periodic(shared, None, len)
}

/// What process `coord` has of template indices `first`, `first + pace`, ...: as many combs as there are rounds of blocks
/// until the pattern repeats.
fn strided(dist: &Cyclic, first: u64, pace: u64, len: u64, coord: u32) -> Vec<Comb> {
    let period = round(dist, pace).filter(|&period| period < len);
    let block = u128::from(dist.block());
    let cycle = block * u128::from(dist.procs());
    let (pace, phase) = (u128::from(pace), u128::from(first) % cycle);
    let end = u128::from(period.unwrap_or(len));
    let at = |bound: u128| bound.saturating_sub(phase).div_ceil(pace).min(end);
    let narrow = |n: u128| u64::try_from(n).expect("an index of the section");
    let mut combs = Vec::new();
    for round in 0.. {
        let from = round * cycle + u128::from(dist.place(coord)) * block;
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

/// Steps of `pace` template indices after which the blocks of `dist` are where they were.
fn round(dist: &Cyclic, pace: u64) -> Option<u64> {
    let cycle = u128::from(dist.block()) * u128::from(dist.procs());
    u64::try_from(cycle / cycle.gcd(&u128::from(pace))).ok()
}
