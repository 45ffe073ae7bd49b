//! Memory that the ranks of a node share: a POSIX shared memory object, mapped by each of them.
//!
//! It is not an MPI window, because freeing a window waits for all ranks of a communicator, and `blacs_gridexit`, which
//! frees this memory, does not. The object has no name: the others open it where the system shows its maker's descriptor,
//! so nothing is left behind, however a job ends. Where that is refused it gets a name, which is removed as soon as all
//! ranks have mapped it. Only then are its pages allocated: a process that is killed before leaves an empty object at most.

use super::xpmem::Attachment;
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

/// Bytes whose pages are made at once: little enough that a program that gets signals all the time gets on.
const ALLOCATED_AT_ONCE: usize = 16 << 20;
const WRITABLE: i32 = libc::PROT_READ | libc::PROT_WRITE;

/// A mapping of shared memory, of zeros at first.
pub struct Segment {
    base: NonNull<u8>,
    len: usize,
    /// Whether the mapping is undone with this.
    owned: bool,
    /// What undoes it otherwise.
    _attachment: Option<Attachment>,
    /// Bytes that are somebody's alone to write.
    claimed: Mutex<Vec<Range<usize>>>,
}

// SAFETY: a mapping belongs to the process, not to a thread; what is in it is reached through raw pointers only.
unsafe impl Send for Segment {}
// SAFETY: as for Send.
unsafe impl Sync for Segment {}

/// An object without a name. Others can open it as long as this lives.
pub struct Unnamed(File);

/// Where another process of the machine finds an object without a name: numbers to tell it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Location {
    /// The maker, as the system shows it, and its descriptor.
    maker: [u64; 2],
    /// Device and number of the file that this must be.
    file: [u64; 2],
}

/// An object's name, as long as this lives. Whoever made the object takes its name away, also where that fails or panics.
pub struct Name(CString);

/// A mapping of an object whose pages may not be there yet.
pub struct Unreserved {
    segment: Segment,
    fd: OwnedFd,
}

impl Unnamed {
    /// Makes an object with `len` bytes, none of which takes memory yet.
    pub fn create(len: usize) -> Result<Self> {
        // Nobody can give it a name later on.
        let flags = libc::O_TMPFILE | libc::O_EXCL;
        let within = OsStr::from_bytes(OBJECTS.to_bytes());
        let file = OpenOptions::new().read(true).write(true).custom_flags(flags).mode(0o600).open(within)?;
        file.set_len(len as u64)?;
        Ok(Self(file))
    }

    /// Where it is.
    pub fn place(&self) -> Result<Location> {
        let descriptor = u64::try_from(self.0.as_raw_fd()).map_err(Error::other)?;
        Location::here(descriptor, Location::file(&self.0.metadata()?))
    }
}

impl Location {
    /// Of a descriptor of this process, which has that file open.
    pub(super) fn here(descriptor: u64, file: [u64; 2]) -> Result<Self> {
        // Processes may have other numbers where /proc is than they know themselves by.
        let process = read_link("/proc/self")?;
        let process = process.to_str().and_then(|process| process.parse().ok());
        let process = process.ok_or_else(|| Error::other("/proc/self is no number"))?;
        Ok(Self { maker: [process, descriptor], file })
    }

    /// The numbers.
    pub fn numbers(&self) -> [u64; 4] {
        [self.maker[0], self.maker[1], self.file[0], self.file[1]]
    }

    /// The place with those numbers.
    pub fn of(numbers: [u64; 4]) -> Self {
        let [process, descriptor, device, inode] = numbers;
        Self { maker: [process, descriptor], file: [device, inode] }
    }

    fn file(found: &Metadata) -> [u64; 2] {
        [found.dev(), found.ino()]
    }

    /// What is there, if it is the object; to `write`, too, or only to read.
    fn open(&self, write: bool) -> Result<OwnedFd> {
        let path = format!("/proc/{}/fd/{}", self.maker[0], self.maker[1]);
        let is_it = |found: &Metadata| match Self::file(found) == self.file {
            true => Ok(()),
            false => Err(Error::new(ErrorKind::NotFound, "another process's file")),
        };
        // What may be anybody's is looked at before it is opened, and again, as it may be another one by then.
        is_it(&metadata(&path)?)?;
        let file = OpenOptions::new().read(true).write(write).open(&path)?;
        is_it(&file.metadata()?)?;
        Ok(file.into())
    }
}

impl Name {
    /// Makes the object called `name` with `len` bytes, none of which takes memory yet; an error if there is one already.
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
    /// Those who mapped the object keep it.
    fn drop(&mut self) {
        // SAFETY: the name is a C string. That it is gone already does not matter.
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

    /// Makes the pages of `own`, here and now, near this process, so that a lack of memory is an error and not a signal
    /// later on. The object has no name any more: if this process is ended meanwhile, what was made goes with it.
    pub fn reserve(self, own: Range<usize>) -> Result<Segment> {
        for start in own.clone().step_by(ALLOCATED_AT_ONCE) {
            allocate(&self.fd, start..own.end.min(start + ALLOCATED_AT_ONCE))?;
        }
        Ok(self.segment)
    }
}

impl Segment {
    /// Memory of this process alone.
    pub fn private(len: usize) -> Result<Self> {
        Self::map(len, WRITABLE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)
    }

    /// What another process has at `place`, `len` bytes, to read.
    pub fn to_read(place: &Location, len: usize) -> Result<Self> {
        let fd = place.open(false)?;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        // A process that locks its memory would have all pages at once of what can be read.
        let mapped = Self::map(len, libc::PROT_NONE, flags, fd.as_raw_fd())?;
        let base = mapped.base.as_ptr().cast();
        // SAFETY: the mapping was just made, and nobody knows it.
        let readable = unsafe {
            libc::munlock(base, len);
            libc::madvise(base, len, libc::MADV_DONTDUMP) == 0
                && libc::mprotect(base, len, libc::PROT_READ) == 0
        };
        if readable { Ok(mapped) } else { Err(Error::last_os_error()) }
    }

    /// Memory of this process that somebody else unmaps.
    pub(super) fn of_others(base: NonNull<u8>, len: usize) -> Self {
        Self { base, len, owned: false, _attachment: None, claimed: Mutex::default() }
    }

    /// Memory of another process.
    pub(super) fn attached(attachment: Attachment, base: NonNull<u8>, len: usize) -> Self {
        Self { base, len, owned: false, _attachment: Some(attachment), claimed: Mutex::default() }
    }

    /// Bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    fn map(len: usize, access: i32, flags: i32, fd: i32) -> Result<Self> {
        // SAFETY: a new mapping at an address that the kernel chooses touches no other memory.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), len, access, flags, fd, 0) };
        match NonNull::new(base.cast::<u8>()) {
            Some(mapped) if base != libc::MAP_FAILED => {
                Ok(Self { base: mapped, len, owned: true, _attachment: None, claimed: Mutex::default() })
            }
            _ => Err(Error::last_os_error()),
        }
    }

    /// Whether none of these bytes was claimed before. From now on they are.
    pub(super) fn claim(&self, bytes: Range<usize>) -> bool {
        let mut claimed = self.claimed.lock().unwrap_or_else(PoisonError::into_inner);
        let free = claimed.iter().all(|other| other.end <= bytes.start || bytes.end <= other.start);
        claimed.push(bytes);
        free
    }

    /// The address of a range of bytes, which lies within the segment.
    pub fn at(&self, range: Range<usize>) -> *mut u8 {
        assert!(range.start <= range.end && range.end <= self.len, "{range:?} of {} bytes", self.len);
        self.base.as_ptr().wrapping_add(range.start)
    }
}

/// Makes the pages of a range of bytes; again if a signal comes in between, which undoes it.
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
    // SAFETY: the name is a C string; the mode is for an object that is made.
    let fd = unsafe { libc::shm_open(name.as_ptr(), flags | libc::O_CLOEXEC, 0o600 as libc::c_uint) };
    if fd < 0 {
        return Err(Error::last_os_error());
    }
    // SAFETY: the descriptor was just opened and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

impl Drop for Segment {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: the mapping was made by `map` and nothing refers to it any more.
            unsafe { libc::munmap(self.base.as_ptr().cast(), self.len) };
        }
    }
}
