//! Iterators over the runs of an `INDIRECT` distribution: the runs of all processes, or of one process.

use crate::layout::distribution::OwnIndices;
use std::ops::Range;

/// Iterates over the runs that the calling process has stored, in order, with their owners: all runs, or only its own.
#[derive(Clone, Debug)]
pub enum AllRuns<'a> {
    /// Remaining runs of a complete list.
    Whole {
        /// Starts of the runs and the end of the last run; one more than `owners`.
        starts: &'a [u64],
        /// Owner of each remaining run.
        owners: &'a [u32],
    },
    /// Own runs of the calling process (`None` if it has none), from the given number on.
    Part(Option<&'a OwnIndices>, usize),
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

/// Iterates over the runs of one process, in order.
#[derive(Clone, Debug)]
pub enum RunsOf<'a> {
    /// Remaining runs of a complete list.
    Whole {
        /// Starts of all runs and the end of the last run.
        starts: &'a [u64],
        /// Numbers of the remaining runs, ascending.
        runs: &'a [u32],
    },
    /// Runs of a process's own list, from the given number on.
    Part(&'a OwnIndices, usize),
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
