//! Owners of an `INDIRECT` axis, from the ranges that the ranks give.
//!
//! If the axis has few runs of indices with one owner, all ranks receive all of them. Otherwise each rank receives only
//! its own indices, so messages and memory are in proportion to the runs that the rank gives and owns.

use super::procs::Procs;
use crate::collective::exchange::exchange_lists;
use crate::collective::failure::Failure;
use crate::layout::distribution::{Indirect, OwnIndices, PartialOwners, checksum_term};
use crate::runtime::session::Session;
use std::ops::Range;

const MAX_RUNS_PER_EXCHANGE: usize = 1 << 17;

#[derive(Debug)]
pub struct OwnerRange {
    lower: i64,
    owners: Vec<u32>,
    /// End of each run, counted from the start of the range.
    ends: Vec<u64>,
}

#[derive(Clone, Copy, Debug)]
struct RangeSummary {
    rank: u32,
    lower: i64,
    len: u64,
    runs: u64,
    last: u64,
}

pub struct IndirectAxis<'a> {
    pub lower: i64,
    pub extent: u64,
    /// Ranks with a part, by their coordinate along the axis of the arrangement.
    pub holders: &'a [Vec<u32>],
}

impl OwnerRange {
    /// Compresses the owners of the indices from `lower` on into runs.
    pub fn new(lower: i64, owners: &[u32]) -> Self {
        let (mut runs, mut ends, mut end) = (Vec::new(), Vec::new(), 0);
        for run in owners.chunk_by(|a, b| a == b) {
            end += run.len() as u64;
            runs.push(run[0]);
            ends.push(end);
        }
        Self { lower, owners: runs, ends }
    }

    fn len(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn summary(&self) -> [u64; 4] {
        let last = self.owners.last().copied().unwrap_or(0);
        [u64::from_ne_bytes(self.lower.to_ne_bytes()), self.len(), self.owners.len() as u64, last.into()]
    }

    /// Returns some runs with their indices, counted from index `lower` of the axis.
    fn runs(&self, which: Range<usize>, lower: i64) -> impl Iterator<Item = (u32, Range<u64>)> + '_ {
        let first = self.lower.abs_diff(lower);
        let start = |k: usize| if k == 0 { 0 } else { self.ends[k - 1] };
        which.map(move |k| (self.owners[k], first + start(k)..first + self.ends[k]))
    }
}

/// Collects the owners of an axis from the ranges of all ranks. Every rank receives all of them if they take at most
/// `max_bytes` bytes, a limit equal on all ranks. Otherwise each process receives its own indices. Collective over the
/// communicator of `session`.
pub fn gather_owners(
    session: &Session,
    mine: &OwnerRange,
    axis: &IndirectAxis<'_>,
    max_bytes: u64,
) -> Result<Indirect, Failure> {
    let all = gather_numbers(session, &mine.summary())?;
    let summaries = (0..).zip(all.chunks_exact(4)).map(|(rank, summary)| RangeSummary {
        rank,
        lower: i64::from_ne_bytes(summary[0].to_ne_bytes()),
        len: summary[1],
        runs: summary[2],
        last: summary[3],
    });
    let summaries = sort_ranges(summaries.collect(), axis.lower, axis.extent)?;
    let runs = summaries.iter().map(|summary| summary.runs).fold(0, u64::saturating_add);
    if Indirect::bytes(runs) > max_bytes {
        return distribute_owners(session, mine, axis, &summaries).map(Indirect::from);
    }
    let run = |(owner, run): (u32, Range<u64>)| [owner.into(), run.end - run.start];
    let words: Vec<u64> = mine.runs(0..mine.owners.len(), axis.lower).flat_map(run).collect();
    let all = session.collectives().gather_all(&words)?;
    let run = |pair: &[u64]| (small(pair[0]), pair[1]);
    let runs = summaries.iter().flat_map(|summary| all[summary.rank as usize].chunks_exact(2).map(run));
    Indirect::new(processes(axis), runs)
        .ok_or_else(|| Failure::argument("INDIRECT has more than 2^32 runs of owners"))
}

/// Returns the ranks of an arrangement by their coordinate along axis `onto`.
pub fn holders(procs: &Procs, onto: Option<usize>) -> Vec<Vec<u32>> {
    let grid = procs.arrangement().grid();
    let mut holders = vec![Vec::new(); onto.map_or(1, |onto| procs.shape()[onto] as usize)];
    for at in grid.places() {
        holders[onto.map_or(0, |onto| at[onto] as usize)].push(grid.rank(&at).0);
    }
    holders
}

fn gather_numbers(session: &Session, mine: &[u64]) -> Result<Vec<u64>, Failure> {
    Ok(session.collectives().gather(mine)?)
}

fn small(n: u64) -> u32 {
    u32::try_from(n).expect("the coordinate of a process")
}

fn processes(axis: &IndirectAxis<'_>) -> u32 {
    small(axis.holders.len() as u64)
}

/// Returns the non-empty ranges in order. Checks that they contain each of the `extent` indices from `lower` on once.
fn sort_ranges(
    mut summaries: Vec<RangeSummary>,
    lower: i64,
    extent: u64,
) -> Result<Vec<RangeSummary>, Failure> {
    let upper = i128::from(lower) + i128::from(extent) - 1;
    let mut next = i128::from(lower);
    summaries.retain(|summary| summary.len > 0);
    summaries.sort_by_key(|summary| (summary.lower, summary.rank));
    for summary in &summaries {
        let last = i128::from(summary.lower) + i128::from(summary.len) - 1;
        if i128::from(summary.lower) != next || last > upper {
            return Err(Failure::argument(format!(
                "rank {} gives the owners of indices {} to {last}, expected {next} to at most {upper}: the \
                 ranges of all ranks must contain each index once",
                summary.rank, summary.lower
            )));
        }
        next = last + 1;
    }
    if next <= upper {
        return Err(Failure::argument(format!("no rank gives the owners of indices {next} to {upper}")));
    }
    Ok(summaries)
}

/// Sends each process the runs that it owns, from the ranges of all ranks. Collective.
fn distribute_owners(
    session: &Session,
    mine: &OwnerRange,
    axis: &IndirectAxis<'_>,
    summaries: &[RangeSummary],
) -> Result<PartialOwners, Failure> {
    let ranks = session.ranks as usize;
    let most = summaries.iter().map(|summary| summary.runs).max().unwrap_or(0);
    let most = usize::try_from(most).expect("runs in memory");
    let mut received: Vec<Vec<u64>> = vec![Vec::new(); ranks];
    for start in (0..most).step_by(MAX_RUNS_PER_EXCHANGE) {
        let mut lists = vec![Vec::new(); ranks];
        let runs = start.min(mine.owners.len())..(start + MAX_RUNS_PER_EXCHANGE).min(mine.owners.len());
        for (owner, run) in mine.runs(runs, axis.lower) {
            for &holder in &axis.holders[owner as usize] {
                lists[holder as usize].extend([run.start, run.end]);
            }
        }
        for (all, list) in received.iter_mut().zip(exchange_lists(session, lists)?) {
            all.extend(list);
        }
    }
    let own = axis.holders.iter().position(|holders| holders.contains(&session.rank)).map(|coord| {
        let runs = summaries.iter().flat_map(|summary| received[summary.rank as usize].chunks_exact(2));
        OwnIndices::new(small(coord as u64), runs.map(|run| run[0]..run[1]))
    });
    Ok(PartialOwners::new(processes(axis), axis.extent, checksum(session, mine, axis.lower, summaries)?, own))
}

/// Returns a checksum of the owners, which does not depend on the division into ranges. Collective.
fn checksum(
    session: &Session,
    mine: &OwnerRange,
    lower: i64,
    summaries: &[RangeSummary],
) -> Result<[u64; 2], Failure> {
    let before =
        summaries.iter().position(|summary| summary.rank == session.rank).and_then(|k| k.checked_sub(1));
    let before = before.map(|k| summaries[k].last);
    let sum = |a: [u64; 2], b: [u64; 2]| [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])];
    // A run that continues from the previous range counts only there.
    let begins = |(k, (owner, _)): &(usize, (u32, _))| *k > 0 || before != Some(u64::from(*owner));
    let runs = mine.runs(0..mine.owners.len(), lower).enumerate().filter(begins);
    let own = runs.map(|(_, (owner, run))| checksum_term(run.start, owner)).fold([0; 2], sum);
    Ok(gather_numbers(session, &own)?.chunks_exact(2).map(|each| [each[0], each[1]]).fold([0; 2], sum))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sorted_by_their_indices() {
        let summary = |rank, lower, len| RangeSummary { rank, lower, len, runs: 1, last: 0 };
        let sort_ranges = |summaries: &[RangeSummary]| sort_ranges(summaries.to_vec(), -2, 6);
        let good = sort_ranges(&[summary(1, -2, 3), summary(2, 7, 0), summary(0, 1, 3)]).unwrap();
        assert_eq!(good.iter().map(|summary| summary.rank).collect::<Vec<_>>(), [1, 0]);
        let why = |summaries: &[RangeSummary]| sort_ranges(summaries).unwrap_err().text;
        assert_eq!(why(&[summary(0, -2, 5)]), "no rank gives the owners of indices 3 to 3");
        assert!(
            why(&[summary(0, -2, 7)]).starts_with("rank 0 gives the owners of indices -2 to 4, expected -2")
        );
        assert!(why(&[summary(0, -2, 3), summary(4, 0, 4)]).starts_with("rank 4 gives"));
    }

    #[test]
    fn ranges_are_stored_as_runs() {
        let stretch = OwnerRange::new(3, &[0, 0, 2, 1, 1]);
        assert_eq!(stretch.summary(), [3, 5, 3, 1]);
        let runs: Vec<_> = stretch.runs(0..3, -1).collect();
        assert_eq!(runs, [(0, 4..6), (2, 6..7), (1, 7..9)]);
        assert_eq!(OwnerRange::new(5, &[]).summary()[1], 0);
    }
}
