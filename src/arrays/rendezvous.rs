//! Pairs the senders and receivers of indices along a dimension, if each process has only its own indices.
//!
//! Each block of indices has a responsible process. The sender and the receiver of an index both report their runs in
//! the block to this process, and it sends each of them the other's coordinate. This is the distributed translation
//! table of CHAOS (Das, Uysal, Saltz and Hwang 1994), but only during planning.
//!
//! Each process handles one block at a time. Messages and memory are in proportion to the process's own runs, not to
//! the size of the axis.

use crate::collective::exchange::exchange_lists;
use crate::collective::failure::{Code, Failure};
use crate::layout::distribution::{Axis, Grid, PartnerRuns, Rank, ReceivedSection, SharedCount};
use crate::layout::intersect::{Overlap, runs_of, stretches};
use crate::layout::problem::Problem;
use crate::runtime::session::Session;
use std::ops::Range;
use std::sync::Arc;

const MAX_BLOCK_INDICES: u64 = 1 << 16;

/// Maximum number of pairs of source and target processes along a dimension whose elements are counted, for schedulers
/// and relabelling.
const MAX_COUNTED_PAIRS: u64 = 1 << 18;

/// A run of indices and the coordinate of its owner.
pub type OwnedRun = (u32, Range<u64>);

/// Attaches to `problem` the runs that the calling process shares with others, in each dimension whose processes have
/// only their own indices. The problem must be equal on all ranks. Collective over the communicator of `session`.
pub fn pair_owners(session: &Session, problem: &mut Problem) -> Result<(), Failure> {
    let mut good = Ok(());
    for d in 0..problem.dims.len() {
        if problem.dims[d].is_partial() {
            let (section, complete) = Rendezvous::new(session, problem, d).exchange_runs()?;
            problem.dims[d] = problem.dims[d].with_received(&Arc::new(section));
            if !complete {
                good = Err(Failure::new(
                    Code::Internal,
                    "internal error: an index of an INDIRECT axis has no owner",
                ));
            }
        }
    }
    good
}

/// Returns the ranks of a grid, grouped by their coordinate in dimension `d`. The first rank of each group has
/// coordinate 0 in all other dimensions.
pub fn ranks_by_coordinate(grid: &Grid, d: usize) -> Vec<Vec<u32>> {
    let mut ranks = vec![Vec::new(); grid.extents()[d] as usize];
    for at in grid.places() {
        ranks[at[d] as usize].push(grid.rank(&at).0);
    }
    ranks
}

struct AxisRanks<'a> {
    axis: &'a Axis,
    /// Ranks, grouped by coordinate. All ranks of a group have the same indices; the first one, the speaker, reports
    /// them.
    ranks: Vec<Vec<u32>>,
    coord: Option<u32>,
    /// True if processes have only their own indices.
    partial: bool,
}

impl<'a> AxisRanks<'a> {
    fn new(axis: &'a Axis, grid: &Grid, d: usize, rank: u32) -> Self {
        let coord = grid.find(Rank(rank)).map(|at| at[d]);
        Self { axis, ranks: ranks_by_coordinate(grid, d), coord, partial: axis.dist.part().is_some() }
    }

    /// Returns the coordinate of `rank`, the calling process, if it is the speaker of its group.
    fn speaker_coordinate(&self, rank: u32) -> Option<u32> {
        self.coord.filter(|&coord| self.ranks[coord as usize][0] == rank)
    }

    fn copies(&self) -> u64 {
        self.ranks.iter().map(Vec::len).max().unwrap_or(1) as u64
    }
}

struct Rendezvous<'a> {
    session: &'a Session,
    dim: &'a Overlap,
    axes: [AxisRanks<'a>; 2],
    block: u64,
}

impl<'a> Rendezvous<'a> {
    fn new(session: &'a Session, problem: &'a Problem, d: usize) -> Self {
        let dim = &problem.dims[d];
        let axes = [(&dim.from, &problem.from), (&dim.to, &problem.to)]
            .map(|(axis, grid)| AxisRanks::new(axis, grid, d, session.rank));
        // Replies go to all ranks of a group, so blocks are smaller if groups are large.
        let block = (MAX_BLOCK_INDICES / axes[0].copies().max(axes[1].copies())).max(1);
        Self { session, dim, axes, block }
    }

    /// Returns the runs that the calling process shares with others, and true if every index of its blocks has an owner
    /// on both sides.
    fn exchange_runs(&self) -> Result<(ReceivedSection, bool), Failure> {
        let Self { axes: [from, to], dim, session, .. } = self;
        let partners =
            |asks: bool, coord: Option<u32>| coord.filter(|_| asks).map(|c| (c, PartnerRuns::default()));
        let mut section = ReceivedSection {
            sends: partners(to.partial, from.coord),
            receives: partners(from.partial, to.coord),
            messages: None,
        };
        let own = self.axes.each_ref().map(|axis| match axis.speaker_coordinate(session.rank) {
            Some(coord) if axis.partial => runs_of(axis.axis, dim.len, coord),
            _ => Vec::new(),
        });
        let (mut next, mut complete) = ([0, 0], true);
        let window = self.block.saturating_mul(session.ranks.into());
        let mut start = 0;
        while start < dim.len {
            let end = start.saturating_add(window).min(dim.len);
            let lists = [0, 1].map(|k| self.cut(&own[k], &mut next[k], start..end));
            let reports = exchange_lists(session, join_lists(lists))?;
            let mine = start + self.block * u64::from(session.rank);
            let mine = mine.min(end)..mine.saturating_add(self.block).min(end);
            let owners = [0, 1].map(|k| self.owners(k, &reports, mine.clone()));
            complete &= owners.iter().all(|owners| covers(owners, &mine));
            for words in exchange_lists(session, self.replies(&owners))? {
                let [sends, receives] = split_list(&words);
                record_runs(&mut section.sends, sends);
                record_runs(&mut section.receives, receives);
            }
            start = end;
        }
        section.messages = self.messages(&section)?;
        Ok((section, complete))
    }

    /// Returns, for each rank, the parts of this process's runs that lie in the rank's block of `window`. Begins with
    /// run number `next`, and advances `next` past the runs that end in the window.
    fn cut(&self, runs: &[Range<u64>], next: &mut usize, window: Range<u64>) -> Vec<Vec<u64>> {
        let mut lists = vec![Vec::new(); self.session.ranks as usize];
        while let Some(run) = runs.get(*next).filter(|run| run.start < window.end) {
            let mut at = run.start.max(window.start);
            let end = run.end.min(window.end);
            while at < end {
                let place = (at - window.start) / self.block;
                let until = window.start.saturating_add((place + 1).saturating_mul(self.block)).min(end);
                lists[usize::try_from(place).expect("one of the ranks")].extend([at, until]);
                at = until;
            }
            if run.end > window.end {
                break;
            }
            *next += 1;
        }
        lists
    }

    /// Returns the owners of the indices `mine` on the source (`k` is 0) or the target (`k` is 1), in order.
    fn owners(&self, k: usize, reports: &[Vec<u64>], mine: Range<u64>) -> Vec<OwnedRun> {
        let axis = &self.axes[k];
        if !axis.partial {
            return stretches(axis.axis, mine).collect();
        }
        let mut owners: Vec<OwnedRun> = Vec::new();
        for (coord, ranks) in (0u32..).zip(&axis.ranks) {
            let words = split_list(&reports[ranks[0] as usize])[k];
            owners.extend(words.chunks_exact(2).map(|run| (coord, run[0]..run[1])));
        }
        owners.sort_unstable_by_key(|(_, run)| run.start);
        owners
    }

    /// Returns, for each rank, the runs of this process's block that the rank shares, each with the partner's
    /// coordinate.
    fn replies(&self, [from, to]: &[Vec<OwnedRun>; 2]) -> Vec<Vec<u64>> {
        let none = || vec![Vec::new(); self.session.ranks as usize];
        let mut lists = [none(), none()];
        let (mut a, mut b) = (from.iter().peekable(), to.iter().peekable());
        while let (Some((p, x)), Some((q, y))) = (a.peek(), b.peek()) {
            let (start, end) = (x.start.max(y.start), x.end.min(y.end));
            // A process that can compute the owners of the other side gets no reply.
            for (k, own, other) in [(0, *p, *q), (1, *q, *p)] {
                if start < end && self.axes[1 - k].partial {
                    for &rank in &self.axes[k].ranks[own as usize] {
                        lists[k][rank as usize].extend([other.into(), start, end]);
                    }
                }
            }
            let (x_ends, y_ends) = (x.end == end, y.end == end);
            if x_ends {
                a.next();
            }
            if y_ends {
                b.next();
            }
        }
        join_lists(lists)
    }

    /// Returns the number of elements that each pair shares, on all ranks; `None` if there are too many pairs.
    /// Collective.
    fn messages(&self, section: &ReceivedSection) -> Result<Option<Vec<SharedCount>>, Failure> {
        let [from, to] = &self.axes;
        if from.ranks.len() as u64 * to.ranks.len() as u64 > MAX_COUNTED_PAIRS {
            return Ok(None);
        }
        // The speakers of a side whose processes have all received their partners report these.
        let axis = if to.partial { from } else { to };
        let known = if to.partial { &section.sends } else { &section.receives };
        let known = known.iter().filter(|_| axis.speaker_coordinate(self.session.rank).is_some());
        let word = |(own, (other, shared)): (u32, (u32, u64))| {
            let (p, q) = if to.partial { (own, other) } else { (other, own) };
            [p.into(), q.into(), shared]
        };
        let words: Vec<u64> = known
            .flat_map(|(own, partners)| partners.volumes().map(move |each| (*own, each)))
            .flat_map(word)
            .collect();
        let all = self.session.collectives().gather_all(&words)?;
        let message = |words: &[u64]| (coordinate(words[0]), coordinate(words[1]), words[2]);
        let mut messages: Vec<_> = all.iter().flat_map(|words| words.chunks_exact(3).map(message)).collect();
        messages.sort_unstable();
        Ok(Some(messages))
    }
}

fn join_lists([first, second]: [Vec<Vec<u64>>; 2]) -> Vec<Vec<u64>> {
    let join = |(first, second): (Vec<u64>, Vec<u64>)| match first.is_empty() && second.is_empty() {
        true => Vec::new(),
        false => [&[first.len() as u64], &first[..], &second].concat(),
    };
    first.into_iter().zip(second).map(join).collect()
}

fn split_list(words: &[u64]) -> [&[u64]; 2] {
    let Some((&first, rest)) = words.split_first() else { return [&[], &[]] };
    let (first, second) = rest.split_at(usize::try_from(first).expect("a count in memory"));
    [first, second]
}

fn record_runs(side: &mut Option<(u32, PartnerRuns)>, words: &[u64]) {
    if let Some((_, partners)) = side {
        for run in words.chunks_exact(3) {
            partners.push(coordinate(run[0]), run[1]..run[2]);
        }
    }
}

fn covers(owners: &[OwnedRun], span: &Range<u64>) -> bool {
    let end = owners.iter().try_fold(span.start, |at, (_, run)| (run.start == at).then_some(run.end));
    end == Some(span.end)
}

pub fn coordinate(word: u64) -> u32 {
    u32::try_from(word).expect("the coordinate of a process")
}
