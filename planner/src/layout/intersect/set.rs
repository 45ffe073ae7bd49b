//! Section indices of one process, and their intersection with the indices of another process.

use super::builder::Builder;
use super::comb::{self, Comb};
use super::families::in_order;
use super::family::Family;
use super::merge::{each_in_both, intersect_runs};
use super::runs::Runs;
use std::ops::Range;

pub(super) enum IndexSet {
    /// A union of combs with equal periods; at least one comb.
    Combs(Vec<Comb>),
    Runs(Vec<Range<u64>>),
}

impl IndexSet {
    fn period(&self) -> Option<u64> {
        match self {
            Self::Combs(combs) => combs.first().and_then(|comb| comb.period),
            Self::Runs(_) => None,
        }
    }

    pub fn intersects(&self, span: &Range<u64>) -> bool {
        match self {
            Self::Combs(combs) => combs.iter().any(|comb| comb.intersects(span)),
            Self::Runs(runs) => {
                let next = runs.partition_point(|run| run.end <= span.start);
                runs.get(next).is_some_and(|run| run.start.max(span.start) < run.end.min(span.end))
            }
        }
    }

    pub fn count(&self, span: &Range<u64>) -> u64 {
        match self {
            Self::Combs(combs) => {
                let mut cut = Vec::new();
                combs.iter().for_each(|comb| comb.append_part(span, &mut cut));
                cut.iter().map(Family::total).sum()
            }
            Self::Runs(runs) => {
                let mut sum = 0;
                each_in_both(runs.iter().cloned(), std::iter::once(span.clone()), |_, len| sum += len);
                sum
            }
        }
    }

    /// Returns the number of combs that [`IndexSet::intersects`] examines.
    pub fn combs(&self) -> u64 {
        match self {
            Self::Combs(combs) => combs.len() as u64,
            Self::Runs(_) => 1,
        }
    }

    /// Returns the number of runs below `window`, which [`IndexSet::each_run`] visits.
    pub fn runs_below(&self, window: u64) -> u64 {
        match self {
            Self::Combs(combs) => combs.iter().map(|comb| comb.below(window)).sum(),
            Self::Runs(runs) => runs.partition_point(|run| run.start < window) as u64,
        }
    }

    /// Calls `body` with each run below `window`, in any order, until `body` returns true.
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

    /// Returns the period of the intersection with a set of period `other`, in a section of `len` indices. Returns
    /// `len` if the intersection does not repeat within the section.
    pub fn window(&self, other: Option<u64>, len: u64) -> u64 {
        comb::period(self.period(), other).map_or(len, |period| period.min(len))
    }

    /// Returns the intersection of two sets in a section of `len` indices.
    pub fn shared(&self, other: &Self, len: u64) -> Runs<1> {
        match (self, other) {
            (Self::Runs(a), Self::Runs(b)) => intersect_runs(a.iter().cloned(), b.iter().cloned()),
            (Self::Runs(runs), Self::Combs(combs)) | (Self::Combs(combs), Self::Runs(runs)) => {
                intersect_combs_with_runs(combs, runs)
            }
            (Self::Combs(a), Self::Combs(b)) => {
                let window = self.window(other.period(), len);
                let mut pattern = Vec::new();
                for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
                    comb::append_intersection(a, b, window, &mut pattern);
                }
                Runs::periodic(in_order(pattern), (window < len).then_some(window), len)
            }
        }
    }
}

fn intersect_combs_with_runs(combs: &[Comb], runs: &[Range<u64>]) -> Runs<1> {
    if let ([run], [_, _, ..], Some(period)) = (runs, combs, combs[0].period) {
        // The pattern is the first period from the start of the run on.
        let once = run.start..run.end.min(run.start.saturating_add(period));
        let mut pattern = Vec::new();
        combs.iter().for_each(|comb| comb.append_part(&once, &mut pattern));
        let back = |f: Family<1>| Family { start: [f.start[0] - run.start], ..f };
        let pattern = in_order(pattern).into_iter().map(back).collect();
        let again = run.end - run.start > period;
        return Runs::periodic_in(run.clone(), pattern, again.then_some(period));
    }
    let mut shared = Builder::new();
    for run in runs {
        let mut pattern = Vec::new();
        combs.iter().for_each(|comb| comb.append_part(run, &mut pattern));
        in_order(pattern).into_iter().for_each(|family| shared.push(family));
    }
    Runs::from_builder(shared)
}
