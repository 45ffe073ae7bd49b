//! The collectives that reblock needs: nonblocking ones, so that the caller decides how to wait, and can stop where another rank
//! says that it cannot go on.

use super::comm::Comm;
use super::error::MpiError;
use super::int;
use super::pending::Pending;
use mpi_sys::*;

/// Numbers of one rank, told to all.
pub struct Broadcast(Pending<Vec<i64>>);

// SAFETY: as for `Comm`; the buffer is this value's own.
unsafe impl Send for Broadcast {}

impl Broadcast {
    /// Collective over `comm`: all ranks give as many numbers; those of `root` count.
    pub fn start(comm: Comm, root: u32, numbers: Vec<i64>) -> Result<Self, MpiError> {
        let root = int(root as usize);
        // SAFETY: the buffer has as many numbers as MPI is told, and is kept untouched until the call is complete.
        let begin = |numbers: &mut Vec<i64>, request: &mut MPI_Request| unsafe {
            let (buffer, count) = (numbers.as_mut_ptr().cast(), int(numbers.len()));
            MPI_Ibcast(buffer, count, RSMPI_INT64_T, root, comm.0, request)
        };
        Pending::start("MPI_Ibcast", numbers, begin).map(Self)
    }

    /// The numbers, once they are there; asked for until then.
    pub fn test(&mut self) -> Result<Option<Vec<i64>>, MpiError> {
        self.0.test()
    }
}

/// Numbers of each rank, told to all.
pub struct Gathering(
    /// Those of this rank, and those of all in the order of the ranks.
    Pending<Box<[Vec<u64>; 2]>>,
);

impl Gathering {
    /// Collective over `comm`, of `ranks` ranks: all give as many numbers.
    pub fn start(comm: Comm, ranks: usize, mine: &[u64]) -> Result<Self, MpiError> {
        let count = int(mine.len());
        // SAFETY: both buffers are as long as MPI is told, and are kept untouched until the call is complete.
        let begin = |numbers: &mut Box<[Vec<u64>; 2]>, request: &mut MPI_Request| unsafe {
            let [mine, all] = &mut **numbers;
            let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
            MPI_Iallgather(from, count, RSMPI_UINT64_T, to, count, RSMPI_UINT64_T, comm.0, request)
        };
        let numbers = Box::new([mine.to_vec(), vec![0; mine.len() * ranks]]);
        Pending::start("MPI_Iallgather", numbers, begin).map(Self)
    }

    /// The numbers of all, told once: when they are there.
    pub fn test(&mut self) -> Result<Option<Vec<u64>>, MpiError> {
        Ok(self.0.test()?.map(|numbers| {
            let [_, all] = *numbers;
            all
        }))
    }
}

/// Numbers are compared with a sign, as MPICH 4.0 takes those without one for such: in the same order.
fn signed(n: u64) -> i64 {
    i64::from_ne_bytes((n ^ 1 << 63).to_ne_bytes())
}

/// What `signed` made a number of.
fn unsigned(n: i64) -> u64 {
    u64::from_ne_bytes(n.to_ne_bytes()) ^ 1 << 63
}

/// Whether all ranks of a communicator have come, and the least of the numbers that they brought: asked for without waiting.
pub struct Arrival<const N: usize>(
    /// What this rank brought, and what is the least.
    Pending<Box<[[i64; N]; 2]>>,
);

impl<const N: usize> Arrival<N> {
    /// Collective over `comm`.
    pub fn start(comm: Comm, mine: [u64; N]) -> Result<Self, MpiError> {
        // SAFETY: both buffers have N numbers, and are kept untouched until the call is complete.
        let begin = |numbers: &mut Box<[[i64; N]; 2]>, request: &mut MPI_Request| unsafe {
            let [from, to] = &mut **numbers;
            let (from, to) = (from.as_ptr().cast(), to.as_mut_ptr().cast());
            MPI_Iallreduce(from, to, int(N), RSMPI_INT64_T, RSMPI_MIN, comm.0, request)
        };
        Pending::start("MPI_Iallreduce", Box::new([mine.map(signed), [0; N]]), begin).map(Self)
    }

    /// The least of each number, told once: when all have come.
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
