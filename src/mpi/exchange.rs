//! What each rank has to say to each other one, in a collective that does not wait.
//!
//! Each rank also tells the next one a number that means nothing: in Open MPI 4.1 a rank that has nothing to send and nothing
//! to receive does not count the collective, and takes messages of later ones for those of others.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use mpi_sys::*;
use std::ffi::c_int;

/// Numbers on their way from each rank to each other one.
pub struct Exchange {
    /// What this rank sends, and what it receives, rank by rank.
    numbers: [Vec<u64>; 2],
    counts: [Vec<c_int>; 2],
    starts: [Vec<c_int>; 2],
    /// Where the number that means nothing is among those that come.
    idle: usize,
    request: MPI_Request,
}

impl Exchange {
    /// Collective over `comm`: the numbers in `lists` go to each rank, and `expected` numbers come from each. Neither has more
    /// than an `int` counts.
    pub fn start(comm: Comm, lists: &[&[u64]], expected: &[usize]) -> Result<Self, MpiError> {
        let (rank, ranks) = (comm.rank()? as usize, lists.len());
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
        // SAFETY: a constant of mpi-sys.
        let mut this = Self { numbers, counts, starts, idle, request: unsafe { RSMPI_REQUEST_NULL } };
        let Self { numbers: [sent, received], counts, starts, request, .. } = &mut this;
        // SAFETY: no list is touched or freed before the request completes; the buffers are as long as the counts add up to.
        check("MPI_Ialltoallv", unsafe {
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
        })?;
        Ok(this)
    }

    /// What came, rank by rank, once all of it is there; asked for until then.
    pub fn test(&mut self) -> Result<Option<Vec<u64>>, MpiError> {
        let mut done = 0;
        // SAFETY: the request is this struct's own; no status is asked for.
        check("MPI_Test", unsafe { MPI_Test(&mut self.request, &mut done, RSMPI_STATUS_IGNORE) })?;
        Ok((done != 0).then(|| {
            let mut came = std::mem::take(&mut self.numbers[1]);
            came.remove(self.idle);
            came
        }))
    }
}

impl Drop for Exchange {
    /// What MPI still uses is leaked: that happens only where MPI failed.
    fn drop(&mut self) {
        // SAFETY: a constant of mpi-sys.
        if self.request != unsafe { RSMPI_REQUEST_NULL } {
            std::mem::forget(std::mem::take(&mut self.numbers));
            std::mem::forget((std::mem::take(&mut self.counts), std::mem::take(&mut self.starts)));
        }
    }
}
