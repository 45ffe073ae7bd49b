//! Translation of ranks between groups.
//!
//! MPI libraries compare each process of one group with all processes of the other, which takes quadratic time. In
//! nearly all communicators, processes with consecutive ranks have equidistant ranks in the other communicator. So two
//! ranks predict those of the next few processes. A small group of the predicted ranks is searched for these processes;
//! if a prediction was wrong, the whole group is searched for two processes, which give the next prediction.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::over::finalized;
use mpi_sys::*;
use std::ffi::c_int;

/// Number of processes whose ranks are predicted together.
const BATCH_SIZE: usize = 8;
/// Largest group that is searched as a whole, without predictions.
const SMALL_GROUP_THRESHOLD: usize = 4;

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

    /// Returns the rank in `comm` of each process, or `None` if it is not in `comm`. A local operation.
    pub fn ranks_in(&self, comm: &Comm) -> Result<Vec<Option<u32>>, MpiError> {
        self.ranks_among(&Self::of(comm)?)
    }

    /// Returns whether both groups are the same processes in the same order. A local operation.
    pub fn is_like(&self, other: &Self) -> Result<bool, MpiError> {
        let same = |ranks: Vec<Option<u32>>| ranks.into_iter().eq((0..).take(self.size).map(Some));
        Ok(self.size == other.size && same(self.ranks_among(other)?))
    }

    fn ranks_among(&self, theirs: &Self) -> Result<Vec<Option<u32>>, MpiError> {
        let mut ranks: Vec<Option<u32>> = Vec::with_capacity(self.size);
        // Predicted rank of the next process, and the distance from one predicted rank to the next.
        let (mut next, mut distance) = (0, 1);
        while ranks.len() < self.size {
            let left = self.size - ranks.len();
            if theirs.size <= SMALL_GROUP_THRESHOLD {
                ranks.extend(self.translate(ranks.len(), left, theirs)?);
                continue;
            }
            let expected = (0..int(left.min(BATCH_SIZE))).map(|k| next + k * distance);
            let is_rank = |rank: &c_int| (0..int(theirs.size)).contains(rank);
            let expected: Vec<c_int> = expected.take_while(is_rank).collect();
            if !expected.is_empty() {
                let found = self.translate(ranks.len(), expected.len(), &theirs.subset(&expected)?)?;
                let matched = found.into_iter().zip(0..).take_while(|&(rank, k)| rank == Some(k)).count();
                ranks.extend(expected[..matched].iter().map(|&rank| u32::try_from(rank).ok()));
                next += int(matched) * distance;
                if matched == expected.len() {
                    continue;
                }
            }
            // After a wrong prediction, two processes are searched in the whole group. Their ranks give the next one.
            let two = self.translate(ranks.len(), 2.min(self.size - ranks.len()), theirs)?;
            if let [Some(one), Some(other)] = two[..] {
                let [one, other] = [one, other].map(|rank| int(rank as usize));
                (next, distance) = (2 * other - one, other - one);
            }
            ranks.extend(two);
        }
        Ok(ranks)
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
    /// Returns whether `other` has the same processes in the same order. A local operation.
    pub fn is_congruent(&self, other: &Comm) -> Result<bool, MpiError> {
        Group::of(self)?.is_like(&Group::of(other)?)
    }

    /// Returns the rank in `other` of each rank, or `None` if it is not in `other`. A local operation.
    pub fn ranks_in(&self, other: &Comm) -> Result<Vec<Option<u32>>, MpiError> {
        Group::of(self)?.ranks_in(other)
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
