//! WHICH runs of neighbours have one owner? One after the other, of all processes or of one.

use crate::layout::distribution::OwnIndices;
use std::ops::Range;

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
