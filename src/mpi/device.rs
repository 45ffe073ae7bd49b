//! Asks MPI whether messages may lie in the memory of NVIDIA GPUs.
//!
//! An MPI may lack the functions that say so, so they are looked up in the process: `MPIX_Query_cuda_support` of Open
//! MPI, MPICH and their relatives, and MPI 4.1's list of the kinds of memory that MPI accepts
//! ("mpi_memory_alloc_kinds").

use mpi_sys::*;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::transmute;
use std::sync::OnceLock;

const KINDS: &CStr = c"mpi_memory_alloc_kinds";
/// Maximum size of the list of kinds that is read, in bytes.
const MAX_LIST_BYTES: usize = 4096;

/// Returns whether MPI sends from and receives into the memory of NVIDIA GPUs. Asks MPI, which must be initialized,
/// once.
pub fn accepts_device_memory() -> bool {
    static ACCEPTS: OnceLock<bool> = OnceLock::new();
    *ACCEPTS.get_or_init(|| has_support() || kinds().is_some_and(|kinds| names_device_memory(&kinds)))
}

/// Returns the function `name` of this process, or NULL.
fn find(name: &CStr) -> *mut c_void {
    // SAFETY: a C string.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
}

fn has_support() -> bool {
    let query = find(c"MPIX_Query_cuda_support");
    // SAFETY: NULL is `None`; the MPIs that have the function declare it like this.
    let query = unsafe { transmute::<*mut c_void, Option<unsafe extern "C" fn() -> c_int>>(query) };
    // SAFETY: the function has no conditions once MPI is initialized.
    query.is_some_and(|query| unsafe { query() } == 1)
}

/// Returns the kinds of memory that MPI accepts, if it lists them.
fn kinds() -> Option<String> {
    type GetInfo = unsafe extern "C" fn(MPI_Comm, *mut MPI_Info) -> c_int;
    type GetString =
        unsafe extern "C" fn(MPI_Info, *const c_char, *mut c_int, *mut c_char, *mut c_int) -> c_int;
    let (info, string) = (find(c"MPI_Comm_get_info"), find(c"MPI_Info_get_string"));
    // SAFETY: NULL is `None`; MPI 3.0 and MPI 4.0 declare the functions like this.
    let (get_info, get_string) = unsafe {
        (
            transmute::<*mut c_void, Option<GetInfo>>(info)?,
            transmute::<*mut c_void, Option<GetString>>(string)?,
        )
    };
    let (mut text, mut size, mut found) = ([0u8; MAX_LIST_BYTES], super::int(MAX_LIST_BYTES), 0);
    // SAFETY: MPI is initialized. The call of `get_string` writes at most `size` bytes to the text, with a zero byte.
    unsafe {
        let mut info = RSMPI_INFO_NULL;
        if get_info(RSMPI_COMM_WORLD, &raw mut info) != super::error::success() {
            return None;
        }
        let code = get_string(info, KINDS.as_ptr(), &raw mut size, text.as_mut_ptr().cast(), &raw mut found);
        let freed = MPI_Info_free(&mut info);
        if [code, freed] != [super::error::success(); 2] || found == 0 {
            return None;
        }
    }
    CStr::from_bytes_until_nul(&text).ok()?.to_str().ok().map(str::to_owned)
}

/// Returns whether a list of kinds, such as "mpi,system,cuda:host:device", names memory of NVIDIA GPUs. A kind without
/// restrictors stands for all of its memory.
fn names_device_memory(kinds: &str) -> bool {
    kinds.split(',').any(|kind| {
        let mut parts = kind.trim().split(':');
        let is_cuda = parts.next() == Some("cuda");
        let restrictors: Vec<&str> = parts.collect();
        is_cuda && (restrictors.is_empty() || restrictors.contains(&"device"))
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn kinds_of_memory_are_recognised() {
        let names = super::names_device_memory;
        for yes in ["cuda", "mpi,system,cuda:device", "cuda:host:device, rocm", "mpi, cuda:managed:device"] {
            assert!(names(yes), "{yes}");
        }
        for no in ["", "mpi,system", "cuda:host,mpi", "rocm:device", "cudax", "mpi:cuda:device"] {
            assert!(!names(no), "{no}");
        }
    }
}
