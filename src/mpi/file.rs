//! Files, each opened by one rank: through MPI, or through the system if MPI cannot open it.

use super::error::{MpiError, check};
use super::int;
use crate::system::room::Room;
use mpi_sys::*;
use std::ffi::{CString, c_int};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Maximum bytes of one MPI read or write.
const MAX_TRANSFER_BYTES: usize = 1 << 30;

/// Purpose of opening a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    Read,
    /// Writing; the file must exist.
    Write,
}

/// An open file, closed when dropped.
#[derive(Debug)]
pub struct OpenFile(FileHandle);

#[derive(Debug)]
enum FileHandle {
    Mpi(MPI_File),
    System(std::fs::File),
}

impl OpenFile {
    /// Opens the file at `path`; an error has the system's text.
    pub fn open(path: &Path, access: Access) -> Result<Self, String> {
        // MPI writes files of its own when it opens one, which may end the process under a file size limit.
        if Room::largest_file() == u64::MAX {
            if let Ok(handle) = by_mpi(path, access) {
                return Ok(Self(FileHandle::Mpi(handle)));
            }
        }
        let (reads, writes) = (access == Access::Read, access == Access::Write);
        let opened = std::fs::OpenOptions::new().read(reads).write(writes).open(path);
        opened.map(|file| Self(FileHandle::System(file))).map_err(|e| e.to_string())
    }

    /// Returns the size of the file in bytes.
    pub fn size(&self) -> Result<u64, String> {
        match &self.0 {
            FileHandle::System(file) => file.metadata().map(|data| data.len()).map_err(|e| e.to_string()),
            FileHandle::Mpi(handle) => {
                let mut size = 0;
                // SAFETY: the handle is open, and `size` outlives the call.
                text(check("MPI_File_get_size", unsafe { MPI_File_get_size(*handle, &mut size) }))?;
                u64::try_from(size).map_err(|_| format!("MPI reports a size of {size} bytes"))
            }
        }
    }

    /// Fills `bytes` from offset `at` of the file.
    pub fn read(&self, at: u64, bytes: &mut [u8]) -> Result<(), String> {
        let handle = match &self.0 {
            FileHandle::System(file) => return file.read_exact_at(bytes, at).map_err(|e| e.to_string()),
            FileHandle::Mpi(handle) => *handle,
        };
        for (start, chunk) in (at..).step_by(MAX_TRANSFER_BYTES).zip(bytes.chunks_mut(MAX_TRANSFER_BYTES)) {
            let (start, count) = (offset(start)?, int(chunk.len()));
            // SAFETY: the handle is open; the buffer has `count` bytes.
            transfer("MPI_File_read_at", count, |status| unsafe {
                MPI_File_read_at(handle, start, chunk.as_mut_ptr().cast(), count, RSMPI_UINT8_T, status)
            })?;
        }
        Ok(())
    }

    /// Writes `bytes` at offset `at` of the file.
    pub fn write(&self, at: u64, bytes: &[u8]) -> Result<(), String> {
        // Beyond this size the system would end the process.
        let (end, most) = (at.saturating_add(bytes.len() as u64), Room::largest_file());
        if end > most {
            return Err(format!(
                "it would have at least {end} bytes, but this process may write at most {most}"
            ));
        }
        let handle = match &self.0 {
            FileHandle::System(file) => return file.write_all_at(bytes, at).map_err(|e| e.to_string()),
            FileHandle::Mpi(handle) => *handle,
        };
        for (start, chunk) in (at..).step_by(MAX_TRANSFER_BYTES).zip(bytes.chunks(MAX_TRANSFER_BYTES)) {
            let (start, count) = (offset(start)?, int(chunk.len()));
            // SAFETY: the handle is open; the buffer has `count` bytes.
            transfer("MPI_File_write_at", count, |status| unsafe {
                MPI_File_write_at(handle, start, chunk.as_ptr().cast(), count, RSMPI_UINT8_T, status)
            })?;
        }
        Ok(())
    }

    /// Writes all data to the disk before it returns.
    pub fn sync(&self) -> Result<(), String> {
        match &self.0 {
            FileHandle::System(file) => file.sync_all().map_err(|e| e.to_string()),
            // SAFETY: the handle is open.
            FileHandle::Mpi(handle) => text(check("MPI_File_sync", unsafe { MPI_File_sync(*handle) })),
        }
    }

    /// Closes the file, and returns an error of writes that MPI had deferred.
    pub fn close(self) -> Result<(), String> {
        let mut this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is not used again, and not dropped.
        match unsafe { std::ptr::read(&raw mut this.0) } {
            FileHandle::System(_) => Ok(()),
            FileHandle::Mpi(mut handle) => {
                // SAFETY: the handle is open, and forgotten here.
                text(check("MPI_File_close", unsafe { MPI_File_close(&mut handle) }))
            }
        }
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let FileHandle::Mpi(handle) = &mut self.0 {
            // SAFETY: the handle is open, and closed once. An error is ignored: a file is dropped after a failure, or
            // when its data has been read, or written and synchronized.
            unsafe { MPI_File_close(handle) };
        }
    }
}

fn by_mpi(path: &Path, access: Access) -> Result<MPI_File, MpiError> {
    let refused = |text: &str| MpiError { call: "MPI_File_open", text: text.into() };
    // With a leading directory, no name looks like a file system prefix (`ufs:`), which some MPIs interpret.
    let path = if path.is_absolute() { path.to_owned() } else { Path::new(".").join(path) };
    let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| refused("the name has a zero byte"))?;
    let mode: c_int = match access {
        Access::Read => MPI_MODE_RDONLY.try_into().expect("a few bits"),
        Access::Write => MPI_MODE_WRONLY.try_into().expect("a few bits"),
    };
    let mut handle: MPI_File = std::ptr::null_mut();
    // SAFETY: the name is a C string; the others are constants of mpi-sys; `handle` outlives the call.
    check("MPI_File_open", unsafe {
        MPI_File_open(RSMPI_COMM_SELF, name.as_ptr(), mode, RSMPI_INFO_NULL, &mut handle)
    })?;
    // SAFETY: the handle is open, and this library's own.
    let handled =
        check("MPI_File_set_errhandler", unsafe { MPI_File_set_errhandler(handle, RSMPI_ERRORS_RETURN) });
    if let Err(error) = handled {
        // SAFETY: the handle is open, and closed once.
        unsafe { MPI_File_close(&mut handle) };
        return Err(error);
    }
    Ok(handle)
}

/// Runs `call`, and checks that it has read or written `count` bytes.
fn transfer(
    name: &'static str,
    count: c_int,
    call: impl FnOnce(*mut MPI_Status) -> c_int,
) -> Result<(), String> {
    let mut status = MaybeUninit::<MPI_Status>::zeroed();
    text(check(name, call(status.as_mut_ptr())))?;
    let mut done = 0;
    // SAFETY: a status is plain integers; MPI filled this one.
    text(check("MPI_Get_count", unsafe { MPI_Get_count(status.as_ptr(), RSMPI_UINT8_T, &mut done) }))?;
    if done == count { Ok(()) } else { Err(format!("{name} moved only {done} of {count} bytes")) }
}

fn text(result: Result<(), MpiError>) -> Result<(), String> {
    result.map_err(|e| e.to_string())
}

fn offset(at: u64) -> Result<MPI_Offset, String> {
    MPI_Offset::try_from(at).map_err(|_| format!("offset {at} is too large for MPI"))
}
