//! Nonblocking collectives. The caller decides how to wait, and can stop when another rank reports that it cannot go
//! on.

use super::comm::Comm;
use super::error::MpiError;
use super::int;
use super::pending::Pending;
use mpi_sys::*;

/// A broadcast of numbers from one rank to all.
pub struct Broadcast(Pending<Vec<i64>>);

// SAFETY: as for `Comm`; the buffer is this value's own.
unsafe impl Send for Broadcast {}

impl Broadcast {
    /// Starts a broadcast from rank `root`; collective over `comm`. All ranks pass equally many numbers; those of
    /// `root` count.
    pub fn start(comm: Comm, root: u32, numbers: Vec<i64>) -> Result<Self, MpiError> {
        let root = int(root as usize);
        // SAFETY: the buffer has the number of elements passed to MPI, and is kept untouched until the call is
        // complete.
        let begin = |numbers: &mut Vec<i64>, request: &mut MPI_Request| unsafe {
            let (buffer, count) = (numbers.as_mut_ptr().cast(), int(numbers.len()));
            MPI_Ibcast(buffer, count, RSMPI_INT64_T, root, comm.0, request)
        };
        Pending::start("MPI_Ibcast", numbers, begin).map(Self)
    }

    /// Returns the numbers, once they have arrived. Not to be called again afterwards.
    pub fn test(&mut self) -> Result<Option<Vec<i64>>, MpiError> {
        self.0.test()
    }
}

pub struct Gathering(
    /// Numbers of this rank, and of all ranks in their order.
    Pending<Box<[Vec<u64>; 2]>>,
);

impl Gathering {
    /// Starts an allgather; collective over `comm`, which has `ranks` ranks. All pass equally many numbers.
    pub fn start(comm: Comm, ranks: usize, mine: &[u64]) -> Result<Self, MpiError> {
        let count = int(mine.len());
        // SAFETY: both buffers have the lengths passed to MPI, and are kept untouched until the call is complete.
        let begin = |numbers: &mut Box<[Vec<u64>; 2]>, request: &mut MPI_Request| unsafe {
            let [mine, all] = &mut **numbers;
            let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
            MPI_Iallgather(from, count, RSMPI_UINT64_T, to, count, RSMPI_UINT64_T, comm.0, request)
        };
        let numbers = Box::new([mine.to_vec(), vec![0; mine.len() * ranks]]);
        Pending::start("MPI_Iallgather", numbers, begin).map(Self)
    }

    /// Returns the numbers of all ranks, once they have arrived.
    pub fn test(&mut self) -> Result<Option<Vec<u64>>, MpiError> {
        Ok(self.0.test()?.map(|numbers| {
            let [_, all] = *numbers;
            all
        }))
    }
}

/// Maps unsigned to signed numbers in equal order, because MPICH 4.0 compares unsigned numbers as signed ones.
fn signed(n: u64) -> i64 {
    i64::from_ne_bytes((n ^ 1 << 63).to_ne_bytes())
}

fn unsigned(n: i64) -> u64 {
    u64::from_ne_bytes(n.to_ne_bytes()) ^ 1 << 63
}

/// A nonblocking barrier that also computes the minimum of each of `N` numbers over all ranks.
pub struct Arrival<const N: usize>(
    /// Numbers of this rank, and the minima.
    Pending<Box<[[i64; N]; 2]>>,
);

impl<const N: usize> Arrival<N> {
    /// Starts the reduction; collective over `comm`.
    pub fn start(comm: Comm, mine: [u64; N]) -> Result<Self, MpiError> {
        // SAFETY: both buffers have N numbers, and are kept untouched until the call is complete.
        let begin = |numbers: &mut Box<[[i64; N]; 2]>, request: &mut MPI_Request| unsafe {
            let [from, to] = &mut **numbers;
            let (from, to) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
            MPI_Iallreduce(from, to, int(N), RSMPI_INT64_T, RSMPI_MIN, comm.0, request)
        };
        Pending::start("MPI_Iallreduce", Box::new([mine.map(signed), [0; N]]), begin).map(Self)
    }

    /// Returns the minima, once all ranks have arrived.
    pub fn test(&mut self) -> Result<Option<[u64; N]>, MpiError> {
        Ok(self.0.test()?.map(|numbers| numbers[1].map(unsigned)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_with_a_sign_are_in_the_same_order() {
        let numbers = [0, 1, 3, (1 << 63) - 1, 1 << 63, u64::MAX - 1, u64::MAX];
        assert!(numbers.map(signed).is_sorted());
        assert_eq!(numbers.map(|n| unsigned(signed(n))), numbers);
    }
}
