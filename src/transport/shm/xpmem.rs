//! Lets ranks of a node read each other's memory through XPMEM, a kernel module. A process makes its addresses
//! accessible under a number, and others attach *stretches*, ranges of these addresses. `libxpmem.so` is loaded on
//! demand.
//!
//! A stretch is attached before any array lies in it; the kernel looks up its pages when they are read. So exposing an
//! array needs no mapping. Tested only with a stand-in for the library (`ctest/xpmem.c`).

use super::Segment;
use std::ffi::{CStr, c_void};
use std::io::{Error, Result};
use std::mem::transmute;
use std::ops::Range;
use std::ptr::{NonNull, null_mut, without_provenance_mut};
use std::sync::OnceLock;

/// Number of stretches per process: one around its program break, one around the addresses of new mappings.
pub const STRETCHES: usize = 2;
/// Bytes of a stretch on each side of its centre: stretches of 192 ranks take less than half of the address space.
const REACH: usize = 64 << 30;
/// Alignment in bytes of stretches: a multiple of the base page sizes of x86-64, Arm and POWER.
const GRAIN: usize = 64 << 10;

/// Function types, as in `xpmem.h`.
type Make = unsafe extern "C" fn(*mut c_void, usize, i32, *mut c_void) -> i64;
type Get = unsafe extern "C" fn(i64, i32, i32, *mut c_void) -> i64;
type Attach = unsafe extern "C" fn(XpmemAddress, usize, *mut c_void) -> *mut c_void;
type Detach = unsafe extern "C" fn(*mut c_void) -> i32;
type Release = unsafe extern "C" fn(i64) -> i32;

#[repr(C)]
struct XpmemAddress {
    permit: i64,
    offset: libc::off_t,
}

/// Size that means all addresses of a process, from 0 on.
const ALL: usize = usize::MAX;
/// Kind of permission: a file mode; [`THIS_USER`] allows this user to read and write.
const BY_MODE: i32 = 1;
const THIS_USER: usize = 0o600;
/// Requested access, although memory is only read: the module refuses to attach with a read-only permit.
const READ_AND_WRITE: i32 = 2;

/// Functions that the library exports.
#[derive(Clone, Copy)]
struct Library {
    make: Make,
    get: Get,
    attach: Attach,
    detach: Detach,
    release: Release,
}

impl Library {
    /// Returns the library, which stays loaded; `None` if it is not installed.
    fn get() -> Option<Self> {
        static FOUND: OnceLock<Option<Library>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let open = |name: &CStr| {
                // SAFETY: the name is a C string; loading the library runs the same initialization as in any program
                // that uses it.
                let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
                (!handle.is_null()).then_some(handle)
            };
            let handle = [c"libxpmem.so.0", c"libxpmem.so"].into_iter().find_map(open)?;
            let names = [c"xpmem_make", c"xpmem_get", c"xpmem_attach", c"xpmem_detach", c"xpmem_release"];
            // SAFETY: the handle is open.
            let [make, get, attach, detach, release] = unsafe { look_up(handle, names) }?;
            // SAFETY: these are the types of the functions in `xpmem.h`; the library is never unloaded.
            Some(unsafe {
                Self {
                    make: transmute::<*mut c_void, Make>(make),
                    get: transmute::<*mut c_void, Get>(get),
                    attach: transmute::<*mut c_void, Attach>(attach),
                    detach: transmute::<*mut c_void, Detach>(detach),
                    release: transmute::<*mut c_void, Release>(release),
                }
            })
        })
    }
}

/// Returns the addresses of these functions; `None` if one is missing.
///
/// # Safety
/// `handle` must be a valid handle for `dlsym`.
pub(super) unsafe fn look_up<const N: usize>(
    handle: *mut c_void,
    names: [&CStr; N],
) -> Option<[*mut c_void; N]> {
    // SAFETY: the names are C strings; this fn's contract.
    let found = names.map(|name| unsafe { libc::dlsym(handle, name.as_ptr()) });
    found.iter().all(|function| !function.is_null()).then_some(found)
}

/// The memory of this process that other processes may attach.
pub struct ExportedMemory {
    pub number: i64,
    pub stretches: [Range<usize>; STRETCHES],
}

/// Returns this process's memory, which the first call makes accessible until the process ends. `Err` says why that is
/// impossible.
pub fn exported_memory() -> std::result::Result<&'static ExportedMemory, &'static str> {
    static EXPORTED: OnceLock<std::result::Result<ExportedMemory, &'static str>> = OnceLock::new();
    let made = EXPORTED.get_or_init(|| {
        let library = Library::get().ok_or("there is no libxpmem.so")?;
        let stretches = stretches().ok_or("the system does not report the address of the stack")?;
        // SAFETY: the call reads and writes no memory; others access it only as agreed with this process.
        let number = unsafe { (library.make)(null_mut(), ALL, BY_MODE, without_provenance_mut(THIS_USER)) };
        if number > 0 {
            Ok(ExportedMemory { number, stretches })
        } else {
            Err("XPMEM cannot be used (/dev/xpmem)")
        }
    });
    made.as_ref().map_err(|why| *why)
}

/// Returns the stretches that can hold this program's arrays. They end before the end of the stack, above which no
/// array lies.
fn stretches() -> Option<[Range<usize>; STRETCHES]> {
    let end = stack(&std::fs::read_to_string("/proc/self/maps").ok()?)?.end;
    // SAFETY: sbrk(0) only queries the program break.
    let program_break = unsafe { libc::sbrk(0) }.addr();
    let mapped = Segment::private(GRAIN).ok()?.at(0..0).addr();
    let around = |at: usize| {
        let (start, end) = (at.saturating_sub(REACH).max(GRAIN), at.saturating_add(REACH).min(end));
        start.next_multiple_of(GRAIN)..end / GRAIN * GRAIN
    };
    Some([around(program_break), around(mapped)])
}

/// Returns the first thread's stack from the system's list of mappings.
fn stack(maps: &str) -> Option<Range<usize>> {
    let line = maps.lines().find(|line| line.ends_with("[stack]"))?;
    let (start, end) = line.split_whitespace().next()?.split_once('-')?;
    let address = |text| usize::from_str_radix(text, 16).ok();
    Some(address(start)?..address(end)?)
}

/// Permission to attach memory of another process; dropping this value releases the permission.
struct Permit {
    library: Library,
    number: i64,
}

impl Drop for Permit {
    fn drop(&mut self) {
        // SAFETY: the number is that of a permit without further users.
        unsafe { (self.library.release)(self.number) };
    }
}

/// Attached memory of another process; dropping this value detaches the memory and then releases the permit.
pub(super) struct Attachment {
    at: NonNull<u8>,
    permit: Permit,
}

// SAFETY: an attachment belongs to the process, not to a thread; it has no reference to the memory.
unsafe impl Send for Attachment {}
// SAFETY: as for Send.
unsafe impl Sync for Attachment {}

impl Drop for Attachment {
    fn drop(&mut self) {
        // SAFETY: memory is attached at `at`, and its users are gone.
        unsafe { (self.permit.library.detach)(self.at.as_ptr().cast()) };
    }
}

/// Attaches a stretch of the memory that another process has made accessible under `number`.
pub fn attach(number: i64, stretch: Range<usize>) -> Result<Segment> {
    let failed = Error::last_os_error;
    let library = Library::get().ok_or_else(|| Error::other("there is no libxpmem.so"))?;
    // SAFETY: the module checks the number.
    let permit = unsafe { (library.get)(number, READ_AND_WRITE, BY_MODE, null_mut()) };
    if permit <= 0 {
        return Err(failed());
    }
    let permit = Permit { library, number: permit };
    let address = XpmemAddress {
        permit: permit.number,
        offset: libc::off_t::try_from(stretch.start).map_err(Error::other)?,
    };
    // SAFETY: the module maps the memory at an unused address.
    let at = unsafe { (library.attach)(address, stretch.len(), null_mut()) };
    let at =
        NonNull::new(at.cast::<u8>()).filter(|at| at.as_ptr().addr() != usize::MAX).ok_or_else(failed)?;
    Ok(Segment::from_attachment(Attachment { at, permit }, at, stretch.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_equal_the_mapped_memory() {
        let [program, mapped] = stretches().unwrap();
        for bytes in [GRAIN, 10_000_000] {
            let at = Segment::private(bytes).unwrap().at(0..0).addr();
            assert!(
                mapped.contains(&at) && mapped.contains(&(at + bytes)),
                "{bytes} bytes at {at}: {mapped:?}"
            );
        }
        assert!(
            [program, mapped].iter().all(|stretch| stretch.len() > REACH / 2 && stretch.start % GRAIN == 0)
        );
    }

    #[test]
    fn the_stack_is_in_the_list() {
        let maps =
            "5581-5582 r--p 00000000 08:01 42 /bin/x\n7ffc1000-7ffc3000 rw-p 00000000 00:00 0     [stack]\n";
        assert_eq!(stack(maps), Some(0x7ffc_1000..0x7ffc_3000));
        assert_eq!(stack("5581-5582 r--p 00000000 08:01 42 /bin/x\n"), None);
    }
}
