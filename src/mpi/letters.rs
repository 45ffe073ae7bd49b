//! Messages of any length between ranks of MPI_COMM_WORLD, used when the program ends: sent without waiting, received in any
//! order.

use super::comm::Comm;
use super::error::{MpiError, check};
use super::int;
use super::pending::Pending;
use mpi_sys::*;

/// The host's own messages are over when these travel; still it is a tag that few would use.
const TAG: std::ffi::c_int = 31_741;

/// Messages that were sent.
#[derive(Default)]
pub struct Letters {
    under_way: Vec<Pending<Vec<u8>>>,
}

impl Letters {
    /// Begins to send `bytes` to rank `to` of MPI_COMM_WORLD.
    pub fn send(&mut self, to: u32, bytes: Vec<u8>) -> Result<(), MpiError> {
        let to = int(to as usize);
        // SAFETY: the bytes are kept, where they are, until the message is sent.
        let begin = |bytes: &mut Vec<u8>, request: &mut MPI_Request| unsafe {
            let (start, count) = (bytes.as_ptr().cast(), int(bytes.len()));
            MPI_Isend(start, count, RSMPI_UINT8_T, to, TAG, Comm::world().0, request)
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

    /// A message that has come, and the rank that sent it.
    pub fn receive(&mut self) -> Result<Option<(u32, Vec<u8>)>, MpiError> {
        let mut found = 0;
        // SAFETY: a status is plain integers that MPI overwrites.
        let mut status: MPI_Status = unsafe { std::mem::zeroed() };
        // SAFETY: `found` and `status` outlive the call.
        check("MPI_Iprobe", unsafe {
            MPI_Iprobe(RSMPI_ANY_SOURCE, TAG, Comm::world().0, &mut found, &mut status)
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
            MPI_Recv(buffer, count, RSMPI_UINT8_T, from, TAG, Comm::world().0, RSMPI_STATUS_IGNORE)
        })?;
        Ok(Some((u32::try_from(from).expect("ranks are not negative"), bytes)))
    }
}

impl Drop for Letters {
    /// What is not sent by now is leaked.
    fn drop(&mut self) {
        let _ = self.all_sent();
    }
}
