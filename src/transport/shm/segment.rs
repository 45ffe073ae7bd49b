//! Memory that the ranks of a node share: a POSIX shared memory object, mapped by each rank.
//!
//! It is not an MPI window: freeing a window waits for all ranks, but `blacs_gridexit`, which frees this memory, must
//! not wait. The object has no name: the other ranks open it through the creator's descriptor in /proc, so a job leaves
//! nothing behind, however it ends. If the system refuses that, the object has a name until all ranks have mapped it.
//! Its pages are allocated only after the name is gone, so a killed process leaves at most an empty object.

use super::xpmem::Attachment;
use crate::system::cuda::RegistrableMemory;
use crate::system::room::OBJECTS;
use std::ffi::{CStr, CString, OsStr};
use std::fs::{File, Metadata, OpenOptions, metadata, read_link};
use std::io::{Error, ErrorKind, Result};
use std::ops::Range;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Maximum bytes to allocate per system call: a call that a signal interrupts starts over, so it must fit between two
/// signals.
const ALLOCATED_AT_ONCE: usize = 16 << 20;
const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// A mapping of memory, mostly shared with other processes.
pub struct Segment {
    base: NonNull<u8>,
    len: usize,
    /// Whether dropping this value unmaps the memory.
    owned: bool,
    /// Memory of another process that XPMEM has attached; dropping it detaches the memory.
    _attachment: Option<Attachment>,
    /// Set for memory that ranks share, which kernels of a device may use.
    registrable: Option<RegistrableMemory>,
    /// Byte ranges that have an exclusive writer.
    claimed: Mutex<Vec<Range<usize>>>,
}

// SAFETY: a mapping belongs to the process, not to a thread; its contents are accessed through raw pointers only.
unsafe impl Send for Segment {}
// SAFETY: as for Send.
unsafe impl Sync for Segment {}

/// An object without a name. Other processes can open it while this value lives.
pub struct UnnamedObject(File);

/// Location of an unnamed object, to be sent to other processes of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// Process number of the creator in /proc, and its descriptor of the object.
    maker: [u64; 2],
    /// Device and inode of the object's file, to verify the opened file.
    file: [u64; 2],
}

/// The name of an object. Dropping this value removes the name, also after an error or a panic.
pub struct Name(CString);

/// A mapping of an object whose pages may not be allocated yet.
pub struct Unreserved {
    segment: Segment,
    fd: OwnedFd,
}

impl UnnamedObject {
    /// Creates an object of `len` bytes, without pages.
    pub fn create(len: usize) -> Result<Self> {
        // With O_EXCL nobody can give it a name later.
        let flags = libc::O_TMPFILE | libc::O_EXCL;
        let within = OsStr::from_bytes(OBJECTS.to_bytes());
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).mode(0o600).open(within)?;
        file.set_len(len as u64)?;
        Ok(Self(file))
    }

    pub fn place(&self) -> Result<Location> {
        let descriptor = u64::try_from(self.0.as_raw_fd()).map_err(Error::other)?;
        Location::here(descriptor, Location::file(&self.0.metadata()?))
    }
}

impl Location {
    /// Creates the location of the file with device and inode `file`, open on `descriptor` of this process.
    pub(super) fn here(descriptor: u64, file: [u64; 2]) -> Result<Self> {
        // /proc may belong to another process namespace and give this process another number than getpid.
        let process = read_link("/proc/self")?;
        let process = process.to_str().and_then(|process| process.parse().ok());
        let process = process.ok_or_else(|| Error::other("/proc/self is no number"))?;
        Ok(Self { maker: [process, descriptor], file })
    }

    /// Returns the location as numbers to send.
    pub fn numbers(&self) -> [u64; 4] {
        [self.maker[0], self.maker[1], self.file[0], self.file[1]]
    }

    /// Restores a location from its numbers.
    pub fn of(numbers: [u64; 4]) -> Self {
        let [process, descriptor, device, inode] = numbers;
        Self { maker: [process, descriptor], file: [device, inode] }
    }

    fn file(found: &Metadata) -> [u64; 2] {
        [found.dev(), found.ino()]
    }

    /// Opens the file at the location, for reading and optionally writing. Fails if it is another file.
    fn open(&self, write: bool) -> Result<OwnedFd> {
        let path = format!("/proc/{}/fd/{}", self.maker[0], self.maker[1]);
        let is_it = |found: &Metadata| match Self::file(found) == self.file {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::NotFound, "another process's file")),
        };
        // Checked before, since opening another file may have effects, and after, since the descriptor may have been
        // reused.
        is_it(&metadata(&path)?)?;
        let file = OpenOptions::new().read(true).write(write).open(&path)?;
        is_it(&file.metadata()?)?;
        Ok(file.into())
    }
}

impl Name {
    /// Creates the object called `name` with `len` bytes, without pages. Fails if the name exists.
    pub fn create(name: CString, len: usize) -> Result<Self> {
        let fd = object(&name, libc::O_RDWR | libc::O_CREAT | libc::O_EXCL)?;
        let made = Self(name);
        let size = libc::off_t::try_from(len).map_err(Error::other)?;
        // SAFETY: the descriptor is open.
        if unsafe { libc::ftruncate(fd.as_raw_fd(), size) } == 0 {
            Ok(made)
        } else {
            Err(Error::last_os_error())
        }
    }
}

impl Drop for Name {
    /// Removes the name. Processes that mapped the object keep it.
    fn drop(&mut self) {
        // SAFETY: the name is a C string. An error means that the name is gone already.
        unsafe { libc::shm_unlink(self.0.as_ptr()) };
    }
}

impl Unreserved {
    /// Maps the `len` bytes of the object at `place`.
    pub fn at(place: &Location, len: usize) -> Result<Self> {
        Self::of(place.open(true)?, len)
    }

    /// Maps the `len` bytes of the object called `name`.
    pub fn named(name: &CStr, len: usize) -> Result<Self> {
        Self::of(object(name, libc::O_RDWR)?, len)
    }

    fn of(fd: OwnedFd, len: usize) -> Result<Self> {
        Ok(Self { segment: Segment::map(len, WRITABLE, libc::MAP_SHARED, fd.as_raw_fd())?, fd })
    }

    /// Allocates the pages of the byte range `own` near this process, so that a lack of memory is an error here and not
    /// a signal later. The object has lost its name, so the system frees the pages even if processes are killed.
    pub fn reserve(self, own: Range<usize>) -> Result<Segment> {
        for start in own.clone().step_by(ALLOCATED_AT_ONCE) {
            allocate(&self.fd, start..own.end.min(start + ALLOCATED_AT_ONCE))?;
        }
        let mut segment = self.segment;
        let start = segment.base.as_ptr().addr();
        // SAFETY: the memory is mapped until the segment is dropped, which ends the registration first.
        segment.registrable = Some(unsafe { RegistrableMemory::announce(start..start + segment.len) });
        Ok(segment)
    }
}

impl Segment {
    /// Allocates memory of this process alone.
    pub fn private(len: usize) -> Result<Self> {
        Self::map(len, WRITABLE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    /// Maps the `len` bytes of another process's object at `place` for reading.
    pub fn map_for_reading(place: &Location, len: usize) -> Result<Self> {
        let fd = place.open(false)?;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        // Inaccessible at first: if this process locks its memory (mlockall), the system would allocate all pages at
        // once.
        let mapped = Self::map(len, libc::PROT_NONE, flags, fd.as_raw_fd())?;
        let base = mapped.base.as_ptr().cast();
        // SAFETY: the mapping was just created and has no users yet.
        let readable = unsafe {
            libc::munlock(base, len);
            libc::madvise(base, len, libc::MADV_DONTDUMP) == 0
                && libc::mprotect(base, len, libc::PROT_READ) == 0
        };
        if readable { Ok(mapped) } else { Err(Error::last_os_error()) }
    }

    /// Wraps memory of this process, which is not unmapped on drop.
    pub(super) fn unowned(base: NonNull<u8>, len: usize) -> Self {
        Self { base, len, owned: false, _attachment: None, registrable: None, claimed: Mutex::default() }
    }

    /// Wraps attached memory of another process.
    pub(super) fn from_attachment(attachment: Attachment, base: NonNull<u8>, len: usize) -> Self {
        Self {
            base,
            len,
            owned: false,
            _attachment: Some(attachment),
            registrable: None,
            claimed: Mutex::default(),
        }
    }

    pub fn len(&self) -> usize {
        self.len
    }

    fn map(len: usize, access: i32, flags: i32, fd: i32) -> Result<Self> {
        // SAFETY: a new mapping at an address that the kernel chooses affects no other memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, fd, 0) };
        match NonNull::new(base.cast::<u8>()) {
            Some(mapped) if base != libc::MAP_FAILED => Ok(Self {
                base: mapped,
                len,
                owned: true,
                _attachment: None,
                registrable: None,
                claimed: Mutex::default(),
            }),
            _ => Err(Error::last_os_error()),
        }
    }

    /// Claims these bytes for one writer; returns whether none of them was claimed before.
    pub(super) fn claim(&self, bytes: Range<usize>) -> bool {
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        let free = claimed.iter().all(|other| other.end <= bytes.start || bytes.end <= other.start);
        claimed.push(bytes);
        free
    }

    /// Returns the address of a range of bytes. Panics unless the range lies within the segment.
    pub fn at(&self, range: Range<usize>) -> *mut u8 {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} bytes", self.len);
        self.base.as_ptr().wrapping_add(range.start)
    }
}

/// Allocates the pages of a range of bytes; repeats the call if a signal interrupts it.
fn allocate(fd: &OwnedFd, bytes: Range<usize>) -> Result<()> {
    let [start, len] = [bytes.start, bytes.len()].map(|n| libc::off_t::try_from(n).map_err(Error::other));
    let (start, len) = (start?, len?);
    loop {
        // SAFETY: the descriptor is open.
        match unsafe { libc::posix_fallocate(fd.as_raw_fd(), start, len) } {
            0 => return Ok(()),
            libc::EINTR => (),
            code => return Err(Error::from_raw_os_error(code)),
        }
    }
}

fn object(name: &CStr, flags: i32) -> Result<OwnedFd> {
    // SAFETY: the name is a C string; the mode applies to a new object.
    let fd = unsafe { libc::shm_open(name.as_ptr(), flags | libc::O_CLOEXEC, 0o600 as libc::c_uint) };
    if fd < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

impl Drop for Segment {
    fn drop(&mut self) {
        self.registrable = None;
        if self.owned {
            // SAFETY: the mapping was made by `map`, and nothing refers to it after the drop.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
        }
    }
}
