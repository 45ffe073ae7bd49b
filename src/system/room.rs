//! Checks whether there is enough memory for a shared memory object.
//!
//! The system creates an object of any size. If pages are missing, a process that first uses them receives a signal, or
//! the kernel kills it, so memory is checked before. This module reads the system's figures and allocates nothing.
#![allow(unsafe_code)]

use super::group::{MemoryGroup, find_tightest};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Directory of shared memory objects.
pub(crate) const OBJECTS: &std::ffi::CStr = c"/dev/shm";
/// Bytes of memory and of address space that stay free for page tables and the program, in addition to the bytes taken
/// divided by [`SPARE_DIVISOR`].
const SPARE_BYTES: u64 = 1 << 20;
/// Divisor of the bytes taken; see [`SPARE_BYTES`].
const SPARE_DIVISOR: u64 = 64;

/// Bytes available to this process; `u64::MAX` means no limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Room {
    /// Free bytes in the file system of shared memory objects.
    objects: u64,
    /// Maximum size of a file of this process.
    file: u64,
    /// Available memory of the machine.
    memory: u64,
    /// The memory group (cgroup) with the least memory left; `None` if no group has a limit.
    group: Option<MemoryGroup>,
    /// Free address space of this process.
    addresses: u64,
}

/// Memory that is about to be taken, in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Bytes that this process maps.
    pub mapped: u64,
    /// Bytes that all processes of the node take together.
    pub taken: u64,
    /// Part of `taken` in this process's memory group.
    pub grouped: u64,
    /// Whether the memory is a shared memory object of `mapped` bytes.
    pub object: bool,
}

impl Room {
    /// Returns the figures that the system reports now.
    pub fn now() -> Self {
        let read = |path: &str| std::fs::read_to_string(path).ok();
        // The mapped size is read only if there is a limit.
        let addresses = Some(limit(libc::RLIMIT_AS)).filter(|&limit| limit < u64::MAX).map(|limit| {
            let mapped = read("/proc/self/statm").and_then(|text| text.split(' ').next()?.parse().ok());
            limit.saturating_sub(mapped.unwrap_or(0u64).saturating_mul(page()))
        });
        Self {
            objects: objects(),
            file: Self::largest_file(),
            memory: read("/proc/meminfo").and_then(|text| available(&text)).unwrap_or(u64::MAX),
            group: find_tightest(read),
            addresses: addresses.unwrap_or(u64::MAX),
        }
    }

    /// Returns the maximum file size of this process in bytes; `u64::MAX` without a limit. A larger file ends the
    /// process by a signal.
    pub fn largest_file() -> u64 {
        limit(libc::RLIMIT_FSIZE)
    }

    /// Returns the free bytes in the file system of shared memory objects; `u64::MAX` without a limit.
    pub fn objects(&self) -> u64 {
        self.objects
    }

    /// Returns the maximum file size of this process in bytes; `u64::MAX` without a limit.
    pub fn file(&self) -> u64 {
        self.file
    }

    /// Returns the free address space in bytes; `u64::MAX` without a limit.
    pub fn addresses(&self) -> u64 {
        self.addresses
    }

    /// Returns the path of the memory group with the least memory left, and the bytes left.
    pub fn group_left(&self) -> Option<(&str, u64)> {
        self.group.as_ref().map(|group| (group.path.as_str(), group.left))
    }

    /// Returns a hash of the path of this memory group, equal in all processes with the same path.
    pub fn group(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.group.as_ref().map(|group| &group.path).hash(&mut hasher);
        hasher.finish()
    }

    /// Returns whether each limit leaves room for `wanted`.
    pub fn has_room_for(&self, wanted: &Wanted) -> bool {
        let with_rest = |bytes: u64| bytes.saturating_add(bytes / SPARE_DIVISOR).saturating_add(SPARE_BYTES);
        let file = self.objects.min(self.file);
        with_rest(wanted.mapped) <= self.addresses
            && with_rest(wanted.taken) <= self.memory
            && self.group.as_ref().is_none_or(|group| with_rest(wanted.grouped) <= group.left)
            && (!wanted.object || (wanted.taken <= self.objects && wanted.mapped <= file))
    }
}

/// Parses MemAvailable of /proc/meminfo, in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn page() -> u64 {
    // SAFETY: only returns a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Returns the free bytes in the file system of shared memory objects; 0 if there is no such file system.
fn objects() -> u64 {
    // SAFETY: `statvfs` has only integers, so zeros are valid; the call overwrites them.
    let mut status: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the path is a C string; `status` outlives the call.
    if unsafe { libc::statvfs(OBJECTS.as_ptr(), &mut status) } != 0 {
        return 0;
    }
    // A file system without a limit reports no blocks.
    if status.f_blocks == 0 { u64::MAX } else { status.f_bavail.saturating_mul(status.f_frsize) }
}

/// Returns a resource limit of this process, in bytes.
fn limit(which: libc::__rlimit_resource_t) -> u64 {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` outlives the call.
    let succeeded = unsafe { libc::getrlimit(which, &mut limit) } == 0;
    if succeeded && limit.rlim_cur != libc::RLIM_INFINITY { limit.rlim_cur } else { u64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn plenty() -> Room {
        let all = u64::MAX;
        Room { objects: all, file: all, memory: all, group: None, addresses: all }
    }

    fn wanted(bytes: u64) -> Wanted {
        Wanted { mapped: bytes, taken: bytes, grouped: bytes, object: true }
    }

    #[test]
    fn each_limit_counts_by_itself() {
        let group = |left| Some(MemoryGroup { path: "/g".into(), left });
        assert!(plenty().has_room_for(&wanted(1 << 62)));
        for tight in [
            Room { objects: 64 * MIB, ..plenty() },
            Room { file: 64 * MIB, ..plenty() },
            Room { memory: 66 * MIB, ..plenty() },
            Room { group: group(66 * MIB), ..plenty() },
            Room { addresses: 66 * MIB, ..plenty() },
        ] {
            assert!(tight.has_room_for(&wanted(64 * MIB)), "{tight:?}");
            assert!(!tight.has_room_for(&wanted(66 * MIB)), "{tight:?}");
            assert!(!tight.has_room_for(&wanted(u64::MAX)), "{tight:?}");
        }
    }

    #[test]
    fn each_limit_counts_only_its_own_memory() {
        let elsewhere = Wanted { grouped: 0, ..wanted(64 * MIB) };
        assert!(
            Room { group: Some(MemoryGroup { path: "/g".into(), left: 2 * MIB }), ..plenty() }
                .has_room_for(&elsewhere)
        );
        let own = Wanted { object: false, ..wanted(64 * MIB) };
        assert!(Room { objects: 0, file: 0, ..plenty() }.has_room_for(&own));
        let together = Wanted { mapped: MIB, ..own };
        assert!(Room { addresses: 3 * MIB, ..plenty() }.has_room_for(&together));
    }

    #[test]
    fn this_machine_has_room_for_a_page_but_not_for_everything() {
        let room = Room::now();
        assert!(room.has_room_for(&wanted(4096)), "{room:?}");
        assert!(!room.has_room_for(&wanted(1 << 62)), "{room:?}");
        assert_eq!(room.group(), Room::now().group());
    }

    #[test]
    fn memory_is_reported_in_kib() {
        assert_eq!(available("MemTotal: 9 kB\nMemAvailable:      12 kB\nBuffers: 1 kB\n"), Some(12 * 1024));
        assert_eq!(available("MemTotal: 9 kB\n"), None);
    }
}
