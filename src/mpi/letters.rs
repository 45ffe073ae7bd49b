//! Messages of any length that no rank waits for: sent without waiting, received in any order. Ranks of MPI_COMM_WORLD send them
//! when the program ends, and ranks of reblock's own communicators when they cannot go on; ranks that have waited for long for others to come, too.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::pending::Pending;
use mpi_sys::*;
use std::ffi::c_int;

/// The host's own messages are over when the program ends; still it is a tag that few would use.
const LAST: c_int = 31_741;
/// No other message on a communicator of reblock's own has it.
const FAULT: c_int = 3;

/// A tag that the program's own messages on a context's communicator, BLACS's, do not have: BLACS takes low numbers.
const ARRIVAL: c_int = 31_742;

/// Messages on one communicator with one tag.
pub struct Letters<'c> {
    comm: Comm<'c>,
    tag: c_int,
    under_way: Vec<Pending<Vec<u8>>>,
}

impl<'c> Letters<'c> {
    /// Between ranks of MPI_COMM_WORLD, when the program ends.
    pub fn last() -> Self {
        Self { comm: Comm::world(), tag: LAST, under_way: Vec::new() }
    }

    /// Between ranks of `comm`, which is reblock's own, about those that cannot go on.
    pub fn of_faults(comm: Comm<'c>) -> Self {
        Self { comm, tag: FAULT, under_way: Vec::new() }
    }

    /// Between ranks of `comm`, which may be the program's, that wait for others to come.
    pub fn of_arrivals(comm: Comm<'c>) -> Self {
        Self { comm, tag: ARRIVAL, under_way: Vec::new() }
    }

    /// Begins to send `bytes` to rank `to`.
    pub fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError> {
        let (to, tag, comm) = (int(to as usize), self.tag, self.comm.0);
        // SAFETY: the bytes are kept, where they are, until the message is sent.
        let begin = |bytes: &mut Vec<u8>, request: &mut MPI_Request| unsafe {
            let (start, count) = (bytes.as_ptr().cast(), int(bytes.len()));
            MPI_Isend(start, count, RSMPI_UINT8_T, to, tag, comm, request)
        };
        self.under_way.push(Pending::start("MPI_Isend", bytes, begin)?);
        Ok(())
    }

    /// Whether all messages are sent.
    pub fn all_sent(&mut self) -> Result<bool, MpiError> {
        while let Some(last) = self.under_way.last_mut() {
            if last.test()?.is_none() {
                return Ok(false);
            }
            self.under_way.pop();
        }
        Ok(true)
    }

    /// A message that has come, and the rank that sent it. MPI goes on meanwhile with whatever is under way in this process.
    pub fn receive(&self) -> Result<Option<(u32, Vec<u8>)>, MpiError> {
        let mut found = 0;
        // SAFETY: a status is plain integers that MPI overwrites.
        let mut status: MPI_Status = unsafe { std::mem::zeroed() };
        // SAFETY: `found` and `status` outlive the call.
        check("MPI_Iprobe", unsafe {
            MPI_Iprobe(RSMPI_ANY_SOURCE, self.tag, self.comm.0, &mut found, &mut status)
        })?;
        if found == 0 {
            return Ok(None);
        }
        let mut count = 0;
        // SAFETY: MPI filled this status.
        check("MPI_Get_count", unsafe { MPI_Get_count(&status, RSMPI_UINT8_T, &mut count) })?;
        let mut bytes = vec![0u8; usize::try_from(count).unwrap_or(0)];
        let from = status.MPI_SOURCE;
        // SAFETY: the buffer has as many bytes as the message that was found; only this thread receives such messages.
        check("MPI_Recv", unsafe {
            let buffer = bytes.as_mut_ptr().cast();
            MPI_Recv(buffer, count, RSMPI_UINT8_T, from, self.tag, self.comm.0, RSMPI_STATUS_IGNORE)
        })?;
        Ok(Some((u32::try_from(from).expect("ranks are not negative"), bytes)))
    }
}

impl Drop for Letters<'_> {
    /// What is not sent by now is leaked.
    fn drop(&mut self) {
        let _ = self.all_sent();
    }
}
