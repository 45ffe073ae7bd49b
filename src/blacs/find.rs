//! WHERE in this process is BLACS? First where the linker put it (weak references), then in the global scope, then in
//! every loaded library: a Python extension loads ScaLAPACK with RTLD_LOCAL, which hides it from the global scope.

use super::{Blacs, Int};
use std::ffi::{CStr, c_char, c_int, c_void};

pub(super) type GridInfo = unsafe extern "C" fn(*const Int, *mut Int, *mut Int, *mut Int, *mut Int);
pub(super) type Get = unsafe extern "C" fn(*const Int, *const Int, *mut Int);

type Address = *mut c_void;

pub(super) fn find() -> Result<Blacs, String> {
    // SAFETY: both return an address or null, and have no other effect.
    let weak = unsafe { (reblock_weak_blacs_gridinfo(), reblock_weak_blacs_get()) };
    let (gridinfo, get) = [weak, in_scope(libc::RTLD_DEFAULT)]
        .into_iter()
        .chain(std::iter::from_fn(|| Some(in_any_library())).take(1))
        .find(|(gridinfo, get)| !gridinfo.is_null() && !get.is_null())
        .ok_or("no BLACS in this program: blacs_gridinfo_ and blacs_get_ are in no loaded library")?;
    // SAFETY: functions of these names have these signatures; reblock's build fixes the width of their integers.
    Ok(unsafe {
        Blacs {
            gridinfo: std::mem::transmute::<Address, GridInfo>(gridinfo),
            get: std::mem::transmute::<Address, Get>(get),
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
    let mut found: (Address, Address) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: `visit` gets `found` back as its last argument, while it is alive and not otherwise used.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast::<c_void>()) };
    found
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: libc::size_t, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes a valid entry, whose name is a string or null.
    let name: *const c_char = unsafe { (*info).dlpi_name };
    // SAFETY: a name that is not null is a string.
    if name.is_null() || unsafe { *name } == 0 {
        return 0;
    }
    // SAFETY: NOLOAD: only takes a reference to a library that is loaded already.
    let handle = unsafe { libc::dlopen(name, libc::RTLD_NOLOAD | libc::RTLD_LAZY) };
    if handle.is_null() {
        return 0;
    }
    let here = in_scope(handle);
    if here.0.is_null() || here.1.is_null() {
        // SAFETY: gives back the reference. Where BLACS was found it is kept, so that the library stays loaded.
        unsafe { libc::dlclose(handle) };
        return 0;
    }
    // SAFETY: `found` is the place that `in_any_library` passed.
    unsafe { *found.cast::<(Address, Address)>() = here };
    1
}

unsafe extern "C" {
    /// `blacs_gridinfo_` as the linker resolved it, or null; of src/shim.c.
    fn reblock_weak_blacs_gridinfo() -> Address;
    /// `blacs_get_` as the linker resolved it, or null; of src/shim.c.
    fn reblock_weak_blacs_get() -> Address;
}
