//! WHERE in this process is BLACS? A program with several of them has one that its ScaLAPACK uses, and that cannot be
//! told here: the first one found is taken. First where the linker put it (weak references), then in the global scope, then in
//! every loaded library: a Python extension loads ScaLAPACK with RTLD_LOCAL, which hides it from the global scope.
//!
//! The Fortran names come first, as the C routine that tells a context's communicator enters it in a table. But a program
//! that calls BLACS from C only and takes it out of an archive has no others: weak references take nothing out of archives.

use super::Int;
use crate::mpi::Handle;
use std::ffi::{CStr, CString, c_int, c_void};

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
    let weak = unsafe { (reblock_weak_blacs_gridinfo(), reblock_weak_blacs_get()) };
    let found = [weak, in_scope(libc::RTLD_DEFAULT)]
        .into_iter()
        .chain(std::iter::from_fn(|| Some(in_any_library())).take(1))
        .find(|(gridinfo, get)| !gridinfo.is_null() && !get.is_null());
    if let Some((gridinfo, get)) = found {
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

fn in_scope(handle: *mut c_void) -> (Address, Address) {
    // SAFETY: the handle is RTLD_DEFAULT or from dlopen, the names are strings.
    let look = |name: &CStr| unsafe { libc::dlsym(handle, name.as_ptr()) };
    (look(c"blacs_gridinfo_"), look(c"blacs_get_"))
}

/// The first loaded library that has both, also of those that the global scope does not see.
fn in_any_library() -> (Address, Address) {
    loaded().iter().find_map(|name| in_library(name)).unwrap_or((std::ptr::null_mut(), std::ptr::null_mut()))
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

/// Both functions in a library that is loaded. Where they are found, the library stays loaded.
fn in_library(name: &CStr) -> Option<(Address, Address)> {
    // SAFETY: NOLOAD: only takes a reference to a library that is loaded already.
    let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return None;
    }
    let here = in_scope(handle);
    if !here.0.is_null() && !here.1.is_null() {
        return Some(here);
    }
    // SAFETY: gives back the reference.
    unsafe { libc::dlclose(handle) };
    None
}

/// The addresses of all `names` in one scope: the global one, or the first loaded library that has them all.
pub(super) fn find_all<const N: usize>(names: [&CStr; N]) -> Option<[Address; N]> {
    let here = |handle| {
        // SAFETY: the handle is RTLD_DEFAULT or from dlopen, the names are strings.
        let found = names.map(|name| unsafe { libc::dlsym(handle, name.as_ptr()) });
        found.iter().all(|address| !address.is_null()).then_some(found)
    };
    here(libc::RTLD_DEFAULT).or_else(|| {
        loaded().iter().find_map(|name| {
            // SAFETY: NOLOAD: only takes a reference to a library that is loaded already.
            let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
            let found = (!handle.is_null()).then(|| here(handle)).flatten();
            if found.is_none() && !handle.is_null() {
                // SAFETY: gives back the reference.
                unsafe { libc::dlclose(handle) };
            }
            found
        })
    })
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
