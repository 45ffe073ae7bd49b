//! Exchange of numbers between all ranks, as a nonblocking collective.
//!
//! Each rank also sends an idle number to the next rank: in Open MPI 4.1, a rank with nothing to send or receive does
//! not count the collective, and then matches messages of later collectives wrongly.

use super::comm::Comm;
use super::error::MpiError;
use super::int;
use super::pending::Pending;
use mpi_sys::*;
use std::ffi::c_int;

/// An exchange of numbers under way.
pub struct AllToAll {
    under_way: Pending<Numbers>,
    /// Position of the idle number among the received ones.
    idle: usize,
}

/// Numbers, counts and displacements of the send side and the receive side, rank by rank.
struct Numbers {
    numbers: [Vec<u64>; 2],
    counts: [Vec<c_int>; 2],
    starts: [Vec<c_int>; 2],
}

impl AllToAll {
    /// Starts the exchange: sends `lists[r]` to rank r, and receives `expected[r]` numbers from it. `rank` is this
    /// process's rank in `comm`. The totals must fit in an `int`. Collective over `comm`.
    pub fn start(comm: Comm, rank: usize, lists: &[&[u64]], expected: &[usize]) -> Result<Self, MpiError> {
        let ranks = lists.len();
        let (next, before) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let more = |r: usize, other: usize| usize::from(r == other);
        let counts = [
            lists.iter().enumerate().map(|(r, list)| list.len() + more(r, next)).collect::<Vec<_>>(),
            expected.iter().enumerate().map(|(r, count)| count + more(r, before)).collect(),
        ];
        let mut sent = Vec::with_capacity(counts[0].iter().sum());
        for (r, list) in lists.iter().enumerate() {
            sent.extend_from_slice(list);
            sent.resize(sent.len() + more(r, next), 0);
        }
        let numbers = [sent, vec![0; counts[1].iter().sum()]];
        let idle = counts[1][..=before].iter().sum::<usize>() - 1;
        let starts = counts.each_ref().map(|counts| {
            let next =
                |start: &mut usize, &count: &usize| Some(int(std::mem::replace(start, *start + count)));
            counts.iter().scan(0, next).collect()
        });
        let counts = counts.map(|counts| counts.into_iter().map(int).collect());
        // SAFETY: the lists are kept unchanged until the call is complete; their lengths are the sums of the counts.
        let begin = |lists: &mut Numbers, request: &mut MPI_Request| unsafe {
            let Numbers { numbers: [sent, received], counts, starts } = lists;
            MPI_Ialltoallv(
                sent.as_ptr().cast(),
                counts[0].as_ptr(),
                starts[0].as_ptr(),
                RSMPI_UINT64_T,
                received.as_mut_ptr().cast(),
                counts[1].as_ptr(),
                starts[1].as_ptr(),
                RSMPI_UINT64_T,
                comm.0,
                request,
            )
        };
        let under_way = Pending::start("MPI_Ialltoallv", Numbers { numbers, counts, starts }, begin)?;
        Ok(Self { under_way, idle })
    }

    /// Returns the received numbers, rank by rank, once all have arrived. Not to be called after that.
    pub fn test(&mut self) -> Result<Option<Vec<u64>>, MpiError> {
        Ok(self.under_way.test()?.map(|Numbers { numbers: [_, mut came], .. }| {
            came.remove(self.idle);
            came
        }))
    }
}
