//! Messages of any length, sent without waiting and received in any order: between ranks of MPI_COMM_WORLD when the
//! program ends, to report failures, and by ranks that have waited long or look for processes of other worlds.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::pending::Pending;
use mpi_sys::*;
use std::ffi::c_int;

/// Tag at the end of the program; few programs would use it.
const LAST: c_int = 31_741;
/// Tag of failures, unique on reblock's own communicators.
const FAULT: c_int = 3;

/// Tag on a context's communicator. The program's own messages do not have it, because BLACS uses low numbers.
const ARRIVAL: c_int = 31_742;
/// Tag of ranks that look for processes of other worlds, also on a context's communicator.
const WORLDS: c_int = 31_743;

/// Messages on one communicator with one tag.
pub struct TaggedMessages<'c> {
    comm: Comm<'c>,
    tag: c_int,
    under_way: Vec<Pending<Vec<u8>>>,
}

impl<'c> TaggedMessages<'c> {
    /// Creates the channel between ranks of MPI_COMM_WORLD for the end of the program.
    pub fn last() -> Self {
        Self { comm: Comm::world(), tag: LAST, under_way: Vec::new() }
    }

    /// Creates the channel for failures between ranks of `comm`, which is reblock's own.
    pub fn of_faults(comm: Comm<'c>) -> Self {
        Self { comm, tag: FAULT, under_way: Vec::new() }
    }

    /// Creates the channel for ranks that wait for others of `comm`, perhaps the program's communicator.
    pub fn of_arrivals(comm: Comm<'c>) -> Self {
        Self { comm, tag: ARRIVAL, under_way: Vec::new() }
    }

    /// Creates the channel for ranks of `comm` that look for processes of other worlds.
    pub fn of_worlds(comm: Comm<'c>) -> Self {
        Self { comm, tag: WORLDS, under_way: Vec::new() }
    }

    pub fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError> {
        let (to, tag, comm) = (int(to as usize), self.tag, self.comm.0);
        // SAFETY: the bytes are neither moved nor freed until the message is sent.
        let begin = |bytes: &mut Vec<u8>, request: &mut MPI_Request| unsafe {
            let (start, count) = (bytes.as_ptr().cast(), int(bytes.len()));
            MPI_Isend(start, count, RSMPI_UINT8_T, to, tag, comm, request)
        };
        self.under_way.push(Pending::start("MPI_Isend", bytes, begin)?);
        Ok(())
    }

    pub fn all_sent(&mut self) -> Result<bool, MpiError> {
        while let Some(last) = self.under_way.last_mut() {
            if last.test()?.is_none() {
                return Ok(false);
            }
            self.under_way.pop();
        }
        Ok(true)
    }

    /// Receives a message that has arrived, with its sender's rank. Also lets MPI progress other operations.
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

impl Drop for TaggedMessages<'_> {
    /// Leaks messages that have not been sent.
    fn drop(&mut self) {
        let _ = self.all_sent();
    }
}
