//! Nonblocking collectives, so that a rank can stop waiting when another one reports a failure.

use super::comm::Comm;
use super::error::MpiError;
use super::int;
use super::pending::Pending;
use mpi_sys::*;
use std::ffi::c_int;

/// A broadcast of numbers from one rank to all.
pub struct Broadcast(Pending<Vec<i64>>);

// SAFETY: as for `Comm`; the buffer is this value's own.
unsafe impl Send for Broadcast {}

impl Broadcast {
    /// Starts a broadcast from rank `root`, whose numbers count. All ranks pass equally many. Collective over `comm`.
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

    /// Returns the numbers once they have arrived. Must not be called again afterwards.
    pub fn test(&mut self) -> Result<Option<Vec<i64>>, MpiError> {
        self.0.test()
    }
}

/// An allgather of numbers among all ranks of a communicator.
pub struct Gathering(
    /// Numbers of this rank, and of all ranks in their order.
    Pending<Box<[Vec<u64>; 2]>>,
);

impl Gathering {
    /// Starts an allgather over the `ranks` ranks of `comm`. All pass equally many numbers. Collective.
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

/// Tag of messages between the `members` of a [`MemberGathering`], unique on reblock's own communicators.
const MEMBERS: c_int = 4;

/// An allgather of numbers among some ranks of a communicator, without a communicator of their own, whose creation
/// would wait inside MPI. Each round but the last doubles the numbers that a rank has (Bruck et al., IEEE TPDS 8(11),
/// 1997). The members must start their allgathers in the same order, each after the one before.
pub struct MemberGathering<'c> {
    comm: Comm<'c>,
    members: &'c [u32],
    /// Index of this rank among the members.
    me: usize,
    count: usize,
    /// Numbers of this member and of those that follow it.
    numbers: Vec<u64>,
    /// Messages under way; `None` once all numbers are here.
    round: Option<Round>,
}

struct Round {
    sending: Pending<Vec<u64>>,
    is_sent: bool,
    receiving: Pending<Vec<u64>>,
    received: Option<Vec<u64>>,
}

impl<'c> MemberGathering<'c> {
    /// Starts an allgather; this rank is number `me` of the `members`. All pass equally many numbers, at least one.
    /// Collective.
    pub fn start(comm: Comm<'c>, members: &'c [u32], me: usize, mine: &[u64]) -> Result<Self, MpiError> {
        let mut this = Self { comm, members, me, count: mine.len(), numbers: mine.to_vec(), round: None };
        this.round = this.next_round()?;
        Ok(this)
    }

    fn next_round(&self) -> Result<Option<Round>, MpiError> {
        let (members, have) = (self.members.len(), self.numbers.len() / self.count);
        let numbers = have.min(members - have) * self.count;
        if numbers == 0 {
            return Ok(None);
        }
        let [to, from] =
            [members - have, have].map(|distance| int(self.members[(self.me + distance) % members] as usize));
        // SAFETY: the numbers are neither touched nor freed until the message has arrived.
        let receive = |into: &mut Vec<u64>, request: &mut MPI_Request| unsafe {
            MPI_Irecv(
                into.as_mut_ptr().cast(),
                int(numbers),
                RSMPI_UINT64_T,
                from,
                MEMBERS,
                self.comm.0,
                request,
            )
        };
        // SAFETY: the numbers are neither changed nor freed until the message is sent.
        let send = |from: &mut Vec<u64>, request: &mut MPI_Request| unsafe {
            MPI_Isend(from.as_ptr().cast(), int(numbers), RSMPI_UINT64_T, to, MEMBERS, self.comm.0, request)
        };
        let receiving = Pending::start("MPI_Irecv", vec![0; numbers], receive)?;
        let sending = Pending::start("MPI_Isend", self.numbers[..numbers].to_vec(), send)?;
        Ok(Some(Round { sending, is_sent: false, receiving, received: None }))
    }

    /// Returns the numbers of all members once they have arrived. Must not be called again afterwards.
    pub fn test(&mut self) -> Result<Option<Vec<u64>>, MpiError> {
        while let Some(round) = &mut self.round {
            round.is_sent = round.is_sent || round.sending.test()?.is_some();
            if round.received.is_none() {
                round.received = round.receiving.test()?;
            }
            let Some(received) = round.received.take_if(|_| round.is_sent) else { return Ok(None) };
            self.numbers.extend(received);
            self.round = self.next_round()?;
        }
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.rotate_right(self.me * self.count);
        Ok(Some(numbers))
    }
}

/// Maps unsigned to signed numbers in their order: MPICH 4.0 compares unsigned numbers as signed ones.
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
