//! Finds BLACS in this process: first by weak references, which the linker resolved, then in the global scope, then in
//! each loaded library: a Python extension loads ScaLAPACK with RTLD_LOCAL, which hides it from the global scope. If
//! several libraries have copies of BLACS, each with its own contexts, reblock takes that of the nearest library on the
//! call stack that has one, itself or in its dependencies.
//!
//! The Fortran names are preferred, because `Cblacs_get` enters the communicator in a table of BLACS. A program that
//! calls BLACS only from C and links it from an archive has only the C names, because a weak reference extracts no
//! member of an archive.

use super::Int;
use crate::mpi::Handle;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

/// The BLACS functions that reblock needs, under the names that the program has.
pub(super) enum Functions {
    /// `blacs_gridinfo_`, `blacs_get_`.
    Fortran { gridinfo: FortranGridInfo, get: FortranGet },
    /// `Cblacs_gridinfo`, `Cblacs_get`, `Cblacs2sys_handle`.
    C { gridinfo: CGridInfo, get: CGet, communicator: Communicator },
}

type FortranGridInfo = unsafe extern "C" fn(*const Int, *mut Int, *mut Int, *mut Int, *mut Int);
type FortranGet = unsafe extern "C" fn(*const Int, *const Int, *mut Int);
type CGridInfo = unsafe extern "C" fn(Int, *mut Int, *mut Int, *mut Int, *mut Int);
type CGet = unsafe extern "C" fn(Int, Int, *mut Int);
type Communicator = unsafe extern "C" fn(Int) -> Handle;

pub(super) type Address = *mut c_void;

const NAMES: [&CStr; 2] = [c"blacs_gridinfo_", c"blacs_get_"];

impl Functions {
    fn fortran([gridinfo, get]: [Address; 2]) -> Self {
        // SAFETY: functions of these names have these signatures; reblock's build fixes the width of their integers.
        unsafe {
            Self::Fortran {
                gridinfo: std::mem::transmute::<Address, FortranGridInfo>(gridinfo),
                get: std::mem::transmute::<Address, FortranGet>(get),
            }
        }
    }

    pub fn is(&self, other: &Self) -> bool {
        let address = |of: &Self| match of {
            Self::Fortran { gridinfo, .. } => *gridinfo as usize,
            Self::C { gridinfo, .. } => *gridinfo as usize,
        };
        address(self) == address(other)
    }
}

/// Returns the BLACS that the linker resolved or that is in the global scope, if any.
pub(super) fn find_global() -> Option<Functions> {
    // SAFETY: both functions return an address or null, and have no other effect.
    let weak = unsafe { [reblock_weak_blacs_gridinfo(), reblock_weak_blacs_get()] };
    let weak = weak.iter().all(|address| !address.is_null()).then_some(weak);
    if let Some(found) = weak.or_else(|| in_scope(libc::RTLD_DEFAULT, NAMES)) {
        return Some(Functions::fortran(found));
    }
    // SAFETY: these functions return an address or null, too.
    let [gridinfo, get, communicator] =
        unsafe { [reblock_weak_c_gridinfo(), reblock_weak_c_get(), reblock_weak_c_communicator()] };
    if [gridinfo, get, communicator].iter().any(|address| address.is_null()) {
        return None;
    }
    // SAFETY: functions of these names have these signatures; reblock's build fixes the width of their integers.
    Some(unsafe {
        Functions::C {
            gridinfo: std::mem::transmute::<Address, CGridInfo>(gridinfo),
            get: std::mem::transmute::<Address, CGet>(get),
            communicator: std::mem::transmute::<Address, Communicator>(communicator),
        }
    })
}

/// Returns the BLACS of a library outside the global scope, and whether no other library has a BLACS.
pub(super) fn find_hidden() -> Result<(Functions, bool), String> {
    let none = "no BLACS in this program: blacs_gridinfo_ and blacs_get_ are in no loaded library; \
                if BLACS is an archive, link with -Wl,-u,blacs_gridinfo_,-u,blacs_get_";
    let (found, is_only) = find_in_loaded(NAMES)?.ok_or(none)?;
    Ok((Functions::fortran(found), is_only))
}

/// Returns how many libraries this process has loaded so far.
pub(super) fn loads() -> u64 {
    unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: libc::size_t, loads: *mut c_void) -> c_int {
        // SAFETY: the loader passes a valid entry; `loads` points to the variable of that name below.
        unsafe { *loads.cast::<u64>() = (*info).dlpi_adds };
        // Every entry has this number.
        1
    }
    let mut loads = 0_u64;
    // SAFETY: `note` gets `loads` back as its last argument, while it is alive and not otherwise used.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut loads).cast::<c_void>()) };
    loads
}

/// Returns the names of all loaded libraries, for later inspection: `dlopen` under the loader's lock could deadlock
/// with a thread that is loading a library.
pub(super) fn loaded() -> Vec<CString> {
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: `note` gets `names` back as its last argument, while it is alive and not otherwise used.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast::<c_void>()) };
    names
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: libc::size_t, names: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid entry, whose name is a string or null; `names` points to the list in `loaded`.
    unsafe {
        let name = (*info).dlpi_name;
        if !name.is_null() && *name != 0 {
            (*names.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
        }
    }
    0
}

/// Returns the result of `look` on a handle of the library `name`; `None` if the library is not loaded.
pub(super) fn in_library<R>(name: &CStr, look: impl FnOnce(Address) -> Option<R>) -> Option<R> {
    // SAFETY: NOLOAD: only takes a reference to a library that is loaded already.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return None;
    }
    let found = look(handle);
    // SAFETY: gives back the reference.
    unsafe { libc::dlclose(handle) };
    found
}

/// Keeps the library that contains `address` loaded.
pub(super) fn keep_loaded(address: *const c_void) {
    let name = file(address).and_then(|file| CString::new(file.into_os_string().into_vec()).ok());
    if let Some(name) = name {
        // SAFETY: NOLOAD: only takes a reference to a library that is loaded already, which is never given back.
        unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    }
}

/// Returns the addresses of all `names` in one scope: the global one, or a loaded library that has them all. Fails if
/// several libraries have them and none on the call stack does.
pub(super) fn find_all<const N: usize>(names: [&CStr; N]) -> Result<Option<[Address; N]>, String> {
    match in_scope(libc::RTLD_DEFAULT, names) {
        Some(found) => Ok(Some(found)),
        None => Ok(find_in_loaded(names)?.map(|(found, _)| found)),
    }
}

/// Returns the addresses of all `names` in a loaded library, which stays loaded, and whether no other library has them.
/// Of several, chooses the nearest on the call stack.
fn find_in_loaded<const N: usize>(names: [&CStr; N]) -> Result<Option<([Address; N], bool)>, String> {
    let look = |library: &CString| in_library(library, |handle| in_scope(handle, names));
    let mut copies: Vec<[Address; N]> = Vec::new();
    for found in loaded().iter().filter_map(look) {
        if !copies.iter().any(|copy| copy[0] == found[0]) {
            copies.push(found);
        }
    }
    let found = match copies[..] {
        [] => return Ok(None),
        [only] => (only, true),
        _ => {
            let named = |copy: &[Address; N]| file(copy[0]).map(|file| file.display().to_string());
            let libraries: Vec<String> = copies.iter().filter_map(named).collect();
            let callers = callers();
            let of_caller = callers.iter().find_map(look).ok_or_else(|| {
                format!(
                    "several libraries have a BLACS of their own ({}), and the calling library is linked with none of them: load the right one with RTLD_GLOBAL",
                    libraries.join(", ")
                )
            })?;
            (of_caller, false)
        }
    };
    keep_loaded(found.0[0]);
    Ok(Some(found))
}

/// Returns the names of the libraries on the call stack, except this one, the nearest first.
pub(super) fn callers() -> Vec<CString> {
    let own = base(callers as fn() -> Vec<CString> as *const c_void);
    let mut names: Vec<CString> = Vec::new();
    for address in frames().into_iter().filter(|&address| base(address) != own) {
        let name = file(address).and_then(|file| CString::new(file.into_os_string().into_vec()).ok());
        names.extend(name.filter(|name| !names.contains(name)));
    }
    names
}

/// Returns the return addresses on the call stack, the nearest first; none without glibc.
fn frames() -> Vec<Address> {
    /// Maximum number of frames: more than from an interpreter down to a ScaLAPACK routine.
    #[cfg(target_env = "gnu")]
    const MAX_FRAMES: usize = 128;
    let mut frames: Vec<Address> = Vec::new();
    #[cfg(target_env = "gnu")]
    {
        frames.resize(MAX_FRAMES, std::ptr::null_mut());
        // SAFETY: the list has this number of entries.
        let count = unsafe { libc::backtrace(frames.as_mut_ptr(), int(MAX_FRAMES)) };
        frames.truncate(usize::try_from(count).unwrap_or(0));
    }
    frames
}

#[cfg(target_env = "gnu")]
fn int(n: usize) -> c_int {
    c_int::try_from(n).unwrap_or(c_int::MAX)
}

/// Returns the addresses of all `names` in the scope of a handle; `None` if one is missing.
pub(super) fn in_scope<const N: usize>(handle: Address, names: [&CStr; N]) -> Option<[Address; N]> {
    // SAFETY: the handle is RTLD_DEFAULT or from dlopen, the names are strings.
    let found = names.map(|name| unsafe { libc::dlsym(handle, name.as_ptr()) });
    found.iter().all(|address| !address.is_null()).then_some(found)
}

/// Returns the base address of the library that contains `address`; null if no library does.
pub(super) fn base(address: *const c_void) -> *const c_void {
    // SAFETY: a Dl_info consists of addresses, which may be null. dladdr overwrites them if it finds the library.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &mut info);
        info.dli_fbase.cast_const()
    }
}

/// Returns the file of this library, or of the program that it is linked into.
pub fn own_file() -> Option<PathBuf> {
    let file = file((own_file as fn() -> Option<PathBuf>) as *const c_void)?;
    Some(file.canonicalize().unwrap_or(file))
}

/// Returns the loader's path of the library that contains `address`.
pub(super) fn file(address: *const c_void) -> Option<PathBuf> {
    // SAFETY: a Dl_info consists of addresses, which may be null. dladdr overwrites them if it finds the library; then
    // the name is a string that stays valid while the library is loaded.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        Some(PathBuf::from(OsStr::from_bytes(CStr::from_ptr(info.dli_fname).to_bytes())))
    }
}

unsafe extern "C" {
    /// Each returns the address of a BLACS function as the linker resolved it, or null; see src/mpi/shim.c.
    fn reblock_weak_blacs_gridinfo() -> Address;
    fn reblock_weak_blacs_get() -> Address;
    fn reblock_weak_c_gridinfo() -> Address;
    fn reblock_weak_c_get() -> Address;
    fn reblock_weak_c_communicator() -> Address;
}
