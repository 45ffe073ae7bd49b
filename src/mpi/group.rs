//! WHERE is each process of one group in another one? MPIs look for each among all, which takes time in proportion to the square of
//! the ranks. In nearly all communicators, neighbours are at equal distances in others as well. So a few at a time are looked for where
//! they are if that is so, and only others among all.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::over::finalized;
use mpi_sys::*;
use std::ffi::c_int;

/// Processes that are looked for together.
const TOGETHER: usize = 8;
/// Processes of a group in which each is looked for among all.
const FEW: usize = 4;

/// The processes of a communicator, also when that is freed.
pub struct Group {
    group: MPI_Group,
    size: usize,
}

// SAFETY: as for `Comm`.
unsafe impl Send for Group {}
// SAFETY: as for `Comm`.
unsafe impl Sync for Group {}

impl Group {
    /// Those of `comm`.
    pub fn of(comm: &Comm) -> Result<Self, MpiError> {
        let size = comm.size()? as usize;
        // SAFETY: a constant of mpi-sys.
        let mut group = unsafe { RSMPI_GROUP_NULL };
        // SAFETY: `group` outlives the call.
        check("MPI_Comm_group", unsafe { MPI_Comm_group(comm.0, &mut group) })?;
        Ok(Self { group, size })
    }

    /// The rank in `comm` of each process; `None` where it has none. A local operation.
    pub fn ranks_in(&self, comm: &Comm) -> Result<Vec<Option<u32>>, MpiError> {
        self.ranks_among(&Self::of(comm)?)
    }

    /// Whether both are the same processes in the same order. A local operation.
    pub fn is_like(&self, other: &Self) -> Result<bool, MpiError> {
        let same = |ranks: Vec<Option<u32>>| ranks.into_iter().eq((0..).take(self.size).map(Some));
        Ok(self.size == other.size && same(self.ranks_among(other)?))
    }

    fn ranks_among(&self, theirs: &Self) -> Result<Vec<Option<u32>>, MpiError> {
        let mut ranks: Vec<Option<u32>> = Vec::with_capacity(self.size);
        // Where the next one is expected, and how far from there the one behind it.
        let (mut next, mut apart) = (0, 1);
        while ranks.len() < self.size {
            let left = self.size - ranks.len();
            if theirs.size <= FEW {
                ranks.extend(self.found(ranks.len(), left, theirs)?);
                continue;
            }
            let expected = (0..int(left.min(TOGETHER))).map(|k| next + k * apart);
            let is_there = |rank: &c_int| (0..int(theirs.size)).contains(rank);
            let expected: Vec<c_int> = expected.take_while(is_there).collect();
            if !expected.is_empty() {
                let found = self.found(ranks.len(), expected.len(), &theirs.taking(&expected)?)?;
                let there = found.into_iter().zip(0..).take_while(|&(rank, k)| rank == Some(k)).count();
                ranks.extend(expected[..there].iter().map(|&rank| u32::try_from(rank).ok()));
                next += int(there) * apart;
                if there == expected.len() {
                    continue;
                }
            }
            // Two that are not where they were expected say where others may be.
            let two = self.found(ranks.len(), 2.min(self.size - ranks.len()), theirs)?;
            if let [Some(one), Some(other)] = two[..] {
                let [one, other] = [one, other].map(|rank| int(rank as usize));
                (next, apart) = (2 * other - one, other - one);
            }
            ranks.extend(two);
        }
        Ok(ranks)
    }

    /// The rank among `theirs` of each of `count` processes from rank `first` on.
    fn found(&self, first: usize, count: usize, theirs: &Self) -> Result<Vec<Option<u32>>, MpiError> {
        let ranks: Vec<c_int> = (int(first)..int(first + count)).collect();
        let mut found = vec![0; count];
        // SAFETY: both arrays have `count` entries; both groups are valid.
        check("MPI_Group_translate_ranks", unsafe {
            let (count, from, to) = (int(count), ranks.as_ptr(), found.as_mut_ptr());
            MPI_Group_translate_ranks(self.group, count, from, theirs.group, to)
        })?;
        Ok(found.into_iter().map(|rank| u32::try_from(rank).ok()).collect())
    }

    /// The processes of these ranks, which are there.
    fn taking(&self, ranks: &[c_int]) -> Result<Self, MpiError> {
        // SAFETY: a constant of mpi-sys.
        let mut group = unsafe { RSMPI_GROUP_NULL };
        // SAFETY: the list has so many entries, each a rank of the group, all different; `group` outlives the call.
        check("MPI_Group_incl", unsafe {
            MPI_Group_incl(self.group, int(ranks.len()), ranks.as_ptr(), &mut group)
        })?;
        Ok(Self { group, size: ranks.len() })
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if finalized() {
            return;
        }
        // SAFETY: the group came from MPI_Comm_group or MPI_Group_incl and is freed once. A failure leaves a group behind, no more.
        unsafe { MPI_Group_free(&mut self.group) };
    }
}
