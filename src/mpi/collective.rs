//! The collectives that reblock needs: nonblocking ones within calls, so that the caller decides how to wait, and those by
//! which ranks learn of each other, once for each communicator.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::pending::Pending;
use mpi_sys::*;

/// Numbers of one rank, told to all.
pub struct Broadcast(Pending<Vec<i64>>);

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

/// What each rank of `comm` gives, in the order of the ranks: collective, all give as many numbers.
pub fn gather(comm: Comm, mine: &[u64]) -> Result<Vec<u64>, MpiError> {
    let mut all = vec![0; mine.len() * comm.size()? as usize];
    let count = int(mine.len());
    // SAFETY: both buffers are as long as MPI is told, for as many ranks as there are.
    check("MPI_Allgather", unsafe {
        let (from, to) = (mine.as_ptr().cast(), all.as_mut_ptr().cast());
        MPI_Allgather(from, count, RSMPI_UINT64_T, to, count, RSMPI_UINT64_T, comm.0)
    })?;
    Ok(all)
}

/// What each rank of `comm` gives, in the order of the ranks: collective, each gives as many numbers as it has.
pub fn gather_all(comm: Comm, mine: &[u64]) -> Result<Vec<Vec<u64>>, MpiError> {
    let counts = gather(comm, &[mine.len() as u64])?;
    let most = usize::try_from(counts.iter().copied().max().unwrap_or(0)).expect("a count in memory");
    let mut all: Vec<Vec<u64>> = vec![Vec::new(); counts.len()];
    // In rounds of a few numbers a rank, so that the counts of MPI hold them and all of it is not there twice.
    for start in (0..most).step_by(ROUND) {
        let mut round = [0; ROUND];
        let rest = mine.get(start..).unwrap_or(&[]);
        let part = &rest[..rest.len().min(ROUND)];
        round[..part.len()].copy_from_slice(part);
        let len = ROUND.min(most - start);
        let told = gather(comm, &round[..len])?;
        for (rank, (numbers, told)) in all.iter_mut().zip(told.chunks_exact(len)).enumerate() {
            let left = usize::try_from(counts[rank]).expect("a count in memory").saturating_sub(start);
            numbers.extend(&told[..left.min(told.len())]);
        }
    }
    Ok(all)
}

/// Numbers that a rank tells in one round of [`gather_all`].
const ROUND: usize = 1 << 10;

/// Whether all ranks of `comm` say yes: collective.
pub fn all(comm: Comm, mine: bool) -> Result<bool, MpiError> {
    Ok(least(comm, u64::from(mine))? == 1)
}

/// The least number that a rank of `comm` gives: collective.
pub fn least(comm: Comm, mine: u64) -> Result<u64, MpiError> {
    let (mine, mut least) = (signed(mine), 0);
    // SAFETY: both buffers are one number.
    check("MPI_Allreduce", unsafe {
        let (from, to) = ((&raw const mine).cast(), (&raw mut least).cast());
        MPI_Allreduce(from, to, 1, RSMPI_INT64_T, RSMPI_MIN, comm.0)
    })?;
    Ok(unsigned(least))
}

/// What each rank of `comm` says, in the order of the ranks: collective.
pub fn gather_texts(comm: Comm, mine: &str) -> Result<Vec<String>, MpiError> {
    let numbers: Vec<u64> = mine.bytes().map(u64::from).collect();
    let text = |numbers: &Vec<u64>| {
        let bytes: Vec<u8> = numbers.iter().filter_map(|&n| u8::try_from(n).ok()).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Ok(gather_all(comm, &numbers)?.iter().map(text).collect())
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
