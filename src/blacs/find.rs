//! WHERE in this process is BLACS? It is looked for first where the linker put it (weak references), then in the global
//! scope, then in every loaded library, because a Python extension loads ScaLAPACK with RTLD_LOCAL, which hides it from the
//! global scope. If a process has several BLACS libraries, the first one found is used: which one ScaLAPACK uses cannot be
//! found out here.
//!
//! The Fortran names come first, because the C routine that returns a context's communicator enters it in a table. But a
//! program that calls BLACS from C only, and links it from an archive, has only the C names: weak references take nothing
//! out of archives.

use super::Int;
use crate::mpi::Handle;
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// The functions that reblock needs, by the names that the program has.
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

pub(super) fn find() -> Result<Functions, String> {
    // SAFETY: all return an address or null, and have no other effect.
    let weak = unsafe { [reblock_weak_blacs_gridinfo(), reblock_weak_blacs_get()] };
    let weak = weak.iter().all(|address| !address.is_null()).then_some(weak);
    if let Some([gridinfo, get]) = weak.or_else(|| find_all([c"blacs_gridinfo_", c"blacs_get_"])) {
        // SAFETY: functions of these names have these signatures; reblock's build fixes the width of their integers.
        return Ok(unsafe {
            Functions::Fortran {
                gridinfo: std::mem::transmute::<Address, FortranGridInfo>(gridinfo),
                get: std::mem::transmute::<Address, FortranGet>(get),
            }
        });
    }
    // SAFETY: as above.
    let [gridinfo, get, communicator] =
        unsafe { [reblock_weak_c_gridinfo(), reblock_weak_c_get(), reblock_weak_c_communicator()] };
    if [gridinfo, get, communicator].iter().any(|address| address.is_null()) {
        return Err("no BLACS in this program: blacs_gridinfo_ and blacs_get_ are in no loaded library; \
                    if BLACS is an archive, link with -Wl,-u,blacs_gridinfo_,-u,blacs_get_"
            .into());
    }
    // SAFETY: as above.
    Ok(unsafe {
        Functions::C {
            gridinfo: std::mem::transmute::<Address, CGridInfo>(gridinfo),
            get: std::mem::transmute::<Address, CGet>(get),
            communicator: std::mem::transmute::<Address, Communicator>(communicator),
        }
    })
}

/// The names of all loaded libraries. They are looked into only afterwards: the loader holds a lock while it lists them,
/// which another thread that loads a library would take in the other order.
pub(super) fn loaded() -> Vec<CString> {
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: `note` gets `names` back as its last argument, while it is alive and not otherwise used.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast::<c_void>()) };
    names
}

unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _: libc::size_t, names: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid entry, whose name is a string or null; `names` is the list of `loaded`.
    unsafe {
        let name = (*info).dlpi_name;
        if !name.is_null() && *name != 0 {
            (*names.cast::<Vec<CString>>()).push(CStr::from_ptr(name).to_owned());
        }
    }
    0
}

/// What `look` finds in the library `name`, which is loaded; where it finds something, the library stays so.
pub(super) fn in_library<R>(name: &CStr, look: impl FnOnce(Address) -> Option<R>) -> Option<R> {
    // SAFETY: NOLOAD: only takes a reference to a library that is loaded already.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return None;
    }
    let found = look(handle);
    if found.is_none() {
        // SAFETY: gives back the reference.
        unsafe { libc::dlclose(handle) };
    }
    found
}

/// The addresses of all `names` in one scope: the global one, or the first loaded library that has them all.
pub(super) fn find_all<const N: usize>(names: [&CStr; N]) -> Option<[Address; N]> {
    in_scope(libc::RTLD_DEFAULT, names)
        .or_else(|| loaded().iter().find_map(|library| in_library(library, |handle| in_scope(handle, names))))
}

/// The addresses of all `names` in the scope of a handle.
pub(super) fn in_scope<const N: usize>(handle: Address, names: [&CStr; N]) -> Option<[Address; N]> {
    // SAFETY: the handle is RTLD_DEFAULT or from dlopen, the names are strings.
    let found = names.map(|name| unsafe { libc::dlsym(handle, name.as_ptr()) });
    found.iter().all(|address| !address.is_null()).then_some(found)
}

/// Where the library lies that has `address`.
pub(super) fn base(address: *const c_void) -> *const c_void {
    // SAFETY: an entry is plain addresses, which dladdr overwrites where it finds the library.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(address, &mut info);
        info.dli_fbase.cast_const()
    }
}

/// The file of the library that has `address`, as the loader found it.
pub(super) fn file(address: *const c_void) -> Option<PathBuf> {
    // SAFETY: an entry is plain addresses, which dladdr overwrites where it finds the library; then the name is a string that
    // stays while the library is loaded.
    unsafe {
        let mut info: libc::Dl_info = std::mem::zeroed();
        if libc::dladdr(address, &mut info) == 0 || info.dli_fname.is_null() {
            return None;
        }
        Some(PathBuf::from(OsStr::from_bytes(CStr::from_ptr(info.dli_fname).to_bytes())))
    }
}

unsafe extern "C" {
    /// `blacs_gridinfo_` as the linker resolved it, or null; of src/shim.c.
    fn reblock_weak_blacs_gridinfo() -> Address;
    /// `blacs_get_` as the linker resolved it, or null; of src/shim.c.
    fn reblock_weak_blacs_get() -> Address;
    /// `Cblacs_gridinfo`, likewise.
    fn reblock_weak_c_gridinfo() -> Address;
    /// `Cblacs_get`, likewise.
    fn reblock_weak_c_get() -> Address;
    /// `Cblacs2sys_handle`, likewise.
    fn reblock_weak_c_communicator() -> Address;
}
