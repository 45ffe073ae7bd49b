//! Which process owns an index whose owner is given one by one (HPF `INDIRECT`)? The list of owners is held as runs of
//! neighbours with the same owner, or else as the [`Part`] of it that one process has; a process keeps its indices in
//! ascending order.

use super::{Global, Local, Own, Part};
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Runs that are written out, at the most.
const MOST_WRITTEN: usize = 16;

/// The owner of each index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Indirect(Known);

/// Of which indices the owners are known.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Known {
    /// Of all of them.
    Whole(Arc<Table>),
    /// Of the process's own.
    Part(Arc<Part>),
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct Table {
    procs: u32,
    /// Where each run starts, ascending from 0; the last entry is where the last run ends.
    starts: Vec<u64>,
    /// The owner of each run; neighbours differ.
    owners: Vec<u32>,
    /// The local index of each run's first index.
    local: Vec<u64>,
    /// The runs of all processes, process by process.
    runs: Vec<u32>,
    /// Where the runs of each process begin in `runs`; the last entry is where they end.
    first: Vec<u32>,
}

/// All runs that are known, in order.
#[derive(Clone, Debug)]
pub enum AllRuns<'a> {
    /// Where the runs start that are left and where the last one ends, and their owners.
    Whole {
        /// One more than there are owners.
        starts: &'a [u64],
        /// One a run.
        owners: &'a [u32],
    },
    /// Those of one process, from this one on.
    Part(Option<&'a Own>, usize),
}

impl Iterator for AllRuns<'_> {
    type Item = (u32, Range<u64>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Whole { starts, owners } => {
                let (&owner, rest) = owners.split_first()?;
                let run = starts[0]..starts[1];
                (*owners, *starts) = (rest, &starts[1..]);
                Some((owner, run))
            }
            Self::Part(own, next) => {
                let own = (*own)?;
                let run = own.get(*next)?;
                *next += 1;
                Some((own.coord(), run))
            }
        }
    }
}

/// The runs of one process, in order.
#[derive(Clone, Debug)]
pub enum RunsOf<'a> {
    /// Where all runs start, and the numbers of those that are left.
    Whole {
        /// One more than there are runs.
        starts: &'a [u64],
        /// Ascending.
        runs: &'a [u32],
    },
    /// Of a list of its own, from this one on.
    Part(&'a Own, usize),
}

impl Iterator for RunsOf<'_> {
    type Item = Range<u64>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Whole { starts, runs } => {
                let (&run, rest) = runs.split_first()?;
                *runs = rest;
                Some(starts[run as usize]..starts[run as usize + 1])
            }
            Self::Part(own, next) => {
                let run = own.get(*next)?;
                *next += 1;
                Some(run)
            }
        }
    }
}

impl Indirect {
    /// Indices owned in runs of (owner, indices), in order; `None` if there is no process, if an owner is none of the
    /// `procs` processes, or if there are more than 2^32 runs or 2^64 indices.
    pub fn new(procs: u32, runs: impl IntoIterator<Item = (u32, u64)>) -> Option<Self> {
        let (mut starts, mut owners) = (Vec::new(), Vec::new());
        let mut end = 0u64;
        for (owner, len) in runs.into_iter().filter(|&(_, len)| len > 0) {
            if owners.last() != Some(&owner) {
                starts.push(end);
                owners.push(owner);
            }
            end = end.checked_add(len)?;
        }
        starts.push(end);
        let fits = u32::try_from(owners.len()).is_ok() && owners.iter().all(|&owner| owner < procs);
        (procs > 0 && fits).then(|| Self(Known::Whole(Arc::new(Table::new(procs, starts, owners)))))
    }

    /// Bytes that a process needs to know the owners of all indices, in so many runs; no more than a u64 holds.
    pub fn bytes(runs: u64) -> u64 {
        let one = size_of::<u64>() * 2 + size_of::<u32>() * 2;
        runs.saturating_mul(one as u64)
    }

    /// What one process knows of the owners, if it does not know them all. Only of its own indices it can be asked then who
    /// owns them and where, and only for its own runs and numbers.
    pub fn part(&self) -> Option<&Part> {
        match &self.0 {
            Known::Whole(_) => None,
            Known::Part(part) => Some(part),
        }
    }

    /// The owners of an array whose element i is aligned with index `origin + stride * i`, which has these owners.
    pub fn aligned(&self, origin: u64, stride: u64) -> Self {
        if (origin, stride) == (0, 1) {
            return self.clone();
        }
        if let Known::Part(part) = &self.0 {
            return part.aligned(origin, stride).into();
        }
        let at = |bound: u64| bound.saturating_sub(origin).div_ceil(stride);
        let runs = self.runs().map(|(owner, run)| (owner, at(run.end) - at(run.start)));
        Self::new(self.procs(), runs).expect("runs of a valid table")
    }

    /// The same owners in the opposite order, where process c is P - 1 - c.
    pub fn reversed(&self) -> Self {
        if let Known::Part(part) = &self.0 {
            return part.reversed().into();
        }
        let runs = self.runs().map(|(owner, run)| (self.procs() - 1 - owner, run.end - run.start));
        let runs: Vec<_> = runs.collect();
        Self::new(self.procs(), runs.into_iter().rev()).expect("runs of a valid table")
    }

    /// Processes.
    pub fn procs(&self) -> u32 {
        match &self.0 {
            Known::Whole(table) => table.procs,
            Known::Part(part) => part.procs(),
        }
    }

    /// Indices.
    pub fn total(&self) -> u64 {
        match &self.0 {
            Known::Whole(table) => table.starts[table.owners.len()],
            Known::Part(part) => part.total(),
        }
    }

    /// All runs in order that are known: (owner, indices).
    pub fn runs(&self) -> AllRuns<'_> {
        match &self.0 {
            Known::Whole(table) => AllRuns::Whole { starts: &table.starts, owners: &table.owners },
            Known::Part(part) => AllRuns::Part(part.own(), 0),
        }
    }

    /// The number of runs, if all are known.
    pub fn count(&self) -> Option<u64> {
        match &self.0 {
            Known::Whole(table) => Some(table.owners.len() as u64),
            Known::Part(_) => None,
        }
    }

    /// The runs of process `coord`, in order.
    pub fn runs_of(&self, coord: u32) -> RunsOf<'_> {
        match &self.0 {
            Known::Whole(table) => RunsOf::Whole { starts: &table.starts, runs: table.of(coord) },
            Known::Part(part) => RunsOf::Part(part.list(coord), 0),
        }
    }

    /// The run that index `i`, which is below [`Indirect::total`], lies in.
    pub fn run_at(&self, i: u64) -> (u32, Range<u64>) {
        match &self.0 {
            Known::Whole(table) => {
                let run = table.find(i);
                (table.owners[run as usize], table.span(run))
            }
            Known::Part(part) => {
                let own = part.own().and_then(|own| Some((own.coord(), own.run_at(i)?.0)));
                own.expect("a process asks for its own indices only")
            }
        }
    }

    /// The process that owns index `i`, which is below [`Indirect::total`], if that is known.
    pub fn owner_if_known(&self, i: Global) -> Option<u32> {
        match &self.0 {
            Known::Whole(table) => Some(table.owners[table.find(i.0) as usize]),
            Known::Part(part) => part.own().and_then(|own| own.run_at(i.0).map(|_| own.coord())),
        }
    }

    /// The process that owns index `i`, which is below [`Indirect::total`].
    pub fn owner(&self, i: Global) -> u32 {
        self.owner_if_known(i).expect("a process asks for its own indices only")
    }

    /// Where the owner of index `i` keeps it.
    pub fn local(&self, i: Global) -> Local {
        let (start, before) = match &self.0 {
            Known::Whole(table) => {
                let run = table.find(i.0) as usize;
                (table.starts[run], table.local[run])
            }
            Known::Part(part) => {
                let (run, before) = part.run_of(i.0);
                (run.start, before)
            }
        };
        Local(before + (i.0 - start))
    }

    /// Where the run ends that index `i` lies in, and where its owner keeps `i`; `run` is a run that does not lie behind `i`, and
    /// becomes that one. Costs less the nearer they are.
    #[inline]
    pub fn follow(&self, run: &mut u32, i: Global) -> (u64, Local) {
        match &self.0 {
            Known::Whole(table) => {
                *run = table.find_from(*run, i.0);
                let (k, start) = (*run as usize, table.starts[*run as usize]);
                (table.starts[k + 1], Local(table.local[k] + (i.0 - start)))
            }
            Known::Part(part) => {
                let (own, before) = part.run_of(i.0);
                (own.end, Local(before + (i.0 - own.start)))
            }
        }
    }

    /// How many of the indices `0..n` process `coord` owns.
    pub fn local_len(&self, n: u64, coord: u32) -> u64 {
        let table = match &self.0 {
            Known::Whole(table) => table,
            Known::Part(part) => return part.list(coord).local_len(n),
        };
        let runs = table.of(coord);
        let below = runs.partition_point(|&run| table.starts[run as usize] < n);
        let Some(&last) = below.checked_sub(1).and_then(|k| runs.get(k)) else { return 0 };
        let span = table.span(last);
        table.local[last as usize] + (span.end.min(n) - span.start)
    }
}

impl From<Part> for Indirect {
    fn from(part: Part) -> Self {
        Self(Known::Part(Arc::new(part)))
    }
}

impl fmt::Display for Indirect {
    /// In HPF's notation: `INDIRECT(/0,3*1/)` is owner 0 once and then owner 1 three times. A long list is left out, and one
    /// that is not known.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part().is_some() || self.runs().nth(MOST_WRITTEN).is_some() {
            return f.write_str("INDIRECT");
        }
        let run = |(owner, run): (u32, Range<u64>)| match run.end - run.start {
            1 => owner.to_string(),
            times => format!("{times}*{owner}"),
        };
        write!(f, "INDIRECT(/{}/)", self.runs().map(run).collect::<Vec<_>>().join(","))
    }
}

impl Table {
    fn new(procs: u32, starts: Vec<u64>, owners: Vec<u32>) -> Self {
        let mut first = vec![0u32; procs as usize + 1];
        for &owner in &owners {
            first[owner as usize + 1] += 1;
        }
        for c in 0..procs as usize {
            first[c + 1] += first[c];
        }
        let (mut runs, mut local) = (vec![0; owners.len()], vec![0; owners.len()]);
        let (mut next, mut held) = (first.clone(), vec![0u64; procs as usize]);
        for (run, &owner) in (0u32..).zip(&owners) {
            let (place, held) = (&mut next[owner as usize], &mut held[owner as usize]);
            runs[*place as usize] = run;
            *place += 1;
            local[run as usize] = *held;
            *held += starts[run as usize + 1] - starts[run as usize];
        }
        Self { procs, starts, owners, local, runs, first }
    }

    /// Numbers of the runs of process `coord`.
    fn of(&self, coord: u32) -> &[u32] {
        let coord = coord as usize;
        &self.runs[self.first[coord] as usize..self.first[coord + 1] as usize]
    }

    fn span(&self, run: u32) -> Range<u64> {
        self.starts[run as usize]..self.starts[run as usize + 1]
    }

    /// As `find`, where `run` is that run or one before it: by steps that double.
    #[inline]
    fn find_from(&self, run: u32, i: u64) -> u32 {
        let runs = self.owners.len();
        let (mut low, mut step) = (run as usize, 1);
        // `low` starts at `i` or before it.
        while low + step < runs && self.starts[low + step] <= i {
            low += step;
            step *= 2;
        }
        let behind = (low + step).min(runs);
        low += self.starts[low + 1..behind].partition_point(|&start| start <= i);
        u32::try_from(low).expect("fewer than 2^32 runs")
    }

    fn find(&self, i: u64) -> u32 {
        let run = self.starts.partition_point(|&start| start <= i) - 1;
        u32::try_from(run).expect("fewer than 2^32 runs")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_where_the_list_says() {
        let mut rng = fastrand::Rng::with_seed(5);
        for _ in 0..200 {
            let procs = rng.u32(1..6);
            let owners: Vec<u32> = (0..rng.usize(0..60)).map(|_| rng.u32(0..procs)).collect();
            let dist = Indirect::new(procs, owners.iter().map(|&owner| (owner, 1))).unwrap();
            assert_eq!((dist.procs(), dist.total()), (procs, owners.len() as u64));
            let mut held = vec![0; procs as usize];
            for (i, &owner) in (0..).zip(&owners) {
                assert_eq!((dist.owner(Global(i)), dist.local(Global(i)).0), (owner, held[owner as usize]));
                assert!(dist.run_at(i).0 == owner && dist.run_at(i).1.contains(&i));
                held[owner as usize] += 1;
                let lens: Vec<u64> = (0..procs).map(|c| dist.local_len(i + 1, c)).collect();
                assert_eq!(lens, held);
            }
            let mut run = 0;
            for i in (0..owners.len() as u64).filter(|_| rng.u8(0..3) > 0).collect::<Vec<_>>() {
                let (end, local) = dist.follow(&mut run, Global(i));
                assert_eq!((end, local), (dist.run_at(i).1.end, dist.local(Global(i))), "{owners:?} at {i}");
            }
            for c in 0..procs {
                let of: Vec<u64> = dist.runs_of(c).flatten().collect();
                assert!(of.iter().all(|&i| owners[i as usize] == c) && of.len() as u64 == held[c as usize]);
            }
            let (origin, stride) = (rng.u64(0..5), rng.u64(1..4));
            let aligned: Vec<u32> =
                owners.iter().skip(origin as usize).step_by(stride as usize).copied().collect();
            assert_eq!(
                dist.aligned(origin, stride),
                Indirect::new(procs, aligned.into_iter().map(|o| (o, 1))).unwrap()
            );
            let back = owners.iter().rev().map(|owner| (procs - 1 - owner, 1));
            assert_eq!(dist.reversed(), Indirect::new(procs, back).unwrap());
        }
    }

    #[test]
    fn short_lists_are_written_out() {
        let text = |runs: &[(u32, u64)]| Indirect::new(9, runs.iter().copied()).unwrap().to_string();
        assert_eq!(text(&[(0, 1), (1, 2), (1, 1), (8, 1)]), "INDIRECT(/0,3*1,8/)");
        assert_eq!(text(&[]), "INDIRECT(//)");
        let runs: Vec<(u32, u64)> = (0..17).map(|k| (k % 2, 5)).collect();
        assert!(text(&runs[..16]).ends_with(",5*1/)"));
        assert_eq!(text(&runs), "INDIRECT");
    }

    #[test]
    fn owners_are_processes() {
        assert_eq!(Indirect::new(2, [(0, 3), (2, 1)]), None);
        assert_eq!(Indirect::new(0, []), None);
        assert_eq!(Indirect::new(1, [(0, u64::MAX), (0, 1)]), None);
        assert_eq!(Indirect::new(3, []).unwrap().total(), 0);
    }
}
