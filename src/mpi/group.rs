//! Translation of ranks between groups.
//!
//! Open MPI searches the other group for each process, in quadratic time; MPICH searches a list. Processes can only be
//! compared for equality, so MPI offers nothing faster without messages. But nearly always the ranks in the other
//! communicator have a regular order. So the next few ranks are predicted, and a small group of these is searched; the
//! whole group is searched only after a wrong prediction. Regular orders take linear time, random ones quadratic time.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::finalized::finalized;
use super::int;
use super::prediction::Prediction;
use mpi_sys::*;
use std::ffi::c_int;

/// Number of processes whose ranks are predicted together.
const BATCH_SIZE: usize = 8;
/// Largest group that is searched as a whole, without predictions.
const SMALL_GROUP_THRESHOLD: usize = 4;
/// Maximum number of processes that are searched together in the whole group, as a power of 2.
const MAX_SEARCHED_BITS: u32 = 6;

/// Processes of a communicator. The group may outlive the communicator.
pub struct Group {
    group: MPI_Group,
    size: usize,
}

// SAFETY: as for `Comm`.
unsafe impl Send for Group {}
// SAFETY: as for `Comm`.
unsafe impl Sync for Group {}

impl Group {
    pub fn of(comm: &Comm) -> Result<Self, MpiError> {
        let size = comm.size()? as usize;
        // SAFETY: a constant of mpi-sys.
        let mut group = unsafe { RSMPI_GROUP_NULL };
        // SAFETY: `group` outlives the call.
        check("MPI_Comm_group", unsafe { MPI_Comm_group(comm.0, &mut group) })?;
        Ok(Self { group, size })
    }

    /// Returns the rank in `comm` of each process; `None` if it is not in `comm`. Local.
    pub fn ranks_in(&self, comm: &Comm) -> Result<Vec<Option<u32>>, MpiError> {
        Ok(self.search(&Self::of(comm)?, usize::MAX, false)?.expect("no limit"))
    }

    /// Returns the rank in `comm` of each process; `None` if one of them is not in `comm`. Local.
    pub fn all_ranks_in(&self, comm: &Comm) -> Result<Option<Vec<u32>>, MpiError> {
        Ok(self.search(&Self::of(comm)?, usize::MAX, true)?.expect("no limit").into_iter().collect())
    }

    /// Returns whether all processes are in `other`, in about linear time; `None` if their ranks there have no regular
    /// order. Local; equal on all processes in both groups.
    pub fn is_within_if_regular(&self, other: &Self) -> Result<Option<bool>, MpiError> {
        let max_searched = 2 * self.size.max(2).ilog2() as usize;
        Ok(self.search(other, max_searched, true)?.map(|ranks| ranks.iter().all(Option::is_some)))
    }

    /// Returns whether the process with rank `rank` is in `other`. Local.
    pub fn is_in(&self, rank: u32, other: &Self) -> Result<bool, MpiError> {
        Ok(self.translate(rank as usize, 1, other)?[0].is_some())
    }

    /// Returns whether both groups are the same processes in the same order. Local, in linear time.
    pub fn has_same_ranks(&self, other: &Self) -> Result<bool, MpiError> {
        if self.size != other.size {
            return Ok(false);
        }
        let in_order = |found: Vec<Option<u32>>| found.into_iter().zip(0..).all(|(rank, k)| rank == Some(k));
        if self.size <= SMALL_GROUP_THRESHOLD {
            return Ok(in_order(self.translate(0, self.size, other)?));
        }
        for first in (0..self.size).step_by(BATCH_SIZE) {
            let count = BATCH_SIZE.min(self.size - first);
            let expected: Vec<c_int> = (int(first)..int(first + count)).collect();
            if !in_order(self.translate(first, count, &other.subset(&expected)?)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Returns the rank among `theirs` of each process. If `all`, stops after a process that is not there. `None` if
    /// more than `max_searched` processes would be searched among all of `theirs`.
    fn search(
        &self,
        theirs: &Self,
        max_searched: usize,
        all: bool,
    ) -> Result<Option<Vec<Option<u32>>>, MpiError> {
        if theirs.size <= SMALL_GROUP_THRESHOLD {
            return self.translate(0, self.size, theirs).map(Some);
        }
        let mut ranks: Vec<Option<u32>> = Vec::with_capacity(self.size);
        let mut prediction = Prediction::new();
        // Number of searched processes, and of searches since the last right prediction.
        let (mut searched, mut in_succession) = (0, 0);
        while ranks.len() < self.size {
            let expected = theirs.valid_prefix(&prediction.ranks(BATCH_SIZE.min(self.size - ranks.len())));
            if !expected.is_empty() {
                let found = self.translate(ranks.len(), expected.len(), &theirs.subset(&expected)?)?;
                let matched = found.into_iter().zip(0..).take_while(|&(rank, k)| rank == Some(k)).count();
                ranks.extend(expected[..matched].iter().map(|&rank| u32::try_from(rank).ok()));
                prediction.confirm(matched);
                if matched > 0 {
                    in_succession = 0;
                }
                if matched == expected.len() {
                    continue;
                }
            }
            // The more predictions fail, the more processes are searched before the next one.
            let count = (1 << in_succession.min(MAX_SEARCHED_BITS)).min(self.size - ranks.len());
            (searched, in_succession) = (searched + count, in_succession + 1);
            if searched > max_searched {
                return Ok(None);
            }
            let known = ranks.len();
            let found = self.translate(known, count, theirs)?;
            found.iter().flatten().for_each(|&rank| prediction.correct(rank.into()));
            ranks.extend(found);
            if all && ranks[known..].contains(&None) {
                break;
            }
        }
        Ok(Some(ranks))
    }

    /// Returns the first of the predicted ranks: those up to a rank that is not in the group, or that repeats.
    fn valid_prefix(&self, predicted: &[i64]) -> Vec<c_int> {
        let mut valid = Vec::with_capacity(predicted.len());
        for &rank in predicted {
            match c_int::try_from(rank) {
                Ok(rank) if (0..int(self.size)).contains(&rank) && !valid.contains(&rank) => valid.push(rank),
                _ => break,
            }
        }
        valid
    }

    /// Returns the rank among `theirs` of each of `count` processes from rank `first` on.
    fn translate(&self, first: usize, count: usize, theirs: &Self) -> Result<Vec<Option<u32>>, MpiError> {
        let ranks: Vec<c_int> = (int(first)..int(first + count)).collect();
        let mut found = vec![0; count];
        // SAFETY: both arrays have `count` entries; both groups are valid.
        check("MPI_Group_translate_ranks", unsafe {
            let (count, from, to) = (int(count), ranks.as_ptr(), found.as_mut_ptr());
            MPI_Group_translate_ranks(self.group, count, from, theirs.group, to)
        })?;
        Ok(found.into_iter().map(|rank| u32::try_from(rank).ok()).collect())
    }

    /// Returns the group of the processes with these ranks, which must be valid.
    fn subset(&self, ranks: &[c_int]) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut group = unsafe { RSMPI_GROUP_NULL };
        // SAFETY: the list has this number of entries, each a rank of the group, all different; `group` outlives the
        // call.
        check("MPI_Group_incl", unsafe {
            MPI_Group_incl(self.group, int(ranks.len()), ranks.as_ptr(), &mut group)
        })?;
        Ok(Self { group, size: ranks.len() })
    }
}

impl Comm<'_> {
    /// Returns whether `other` has the same processes in the same order. Local.
    pub fn is_congruent(&self, other: &Comm) -> Result<bool, MpiError> {
        Group::of(self)?.has_same_ranks(&Group::of(other)?)
    }

    /// Returns the rank in `other` of each rank; `None` if it is not in `other`. Local.
    pub fn ranks_in(&self, other: &Comm) -> Result<Vec<Option<u32>>, MpiError> {
        Group::of(self)?.ranks_in(other)
    }

    /// Returns the rank in `other` of each rank; `None` if one of them is not in `other`. Local.
    pub(crate) fn all_ranks_in(&self, other: &Comm) -> Result<Option<Vec<u32>>, MpiError> {
        Group::of(self)?.all_ranks_in(other)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if finalized() {
            return;
        }
        // SAFETY: the group came from MPI_Comm_group or MPI_Group_incl and is freed once. A failure only leaks it.
        unsafe { MPI_Group_free(&mut self.group) };
    }
}
