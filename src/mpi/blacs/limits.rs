//! Raises the maximum number of processes in a grid of BLACS, which is the size of the first MPI_COMM_WORLD: a resized
//! job may have more.
//!
//! The maximum is `BI_Np`. Two scratch lists of all grids have this length: `BI_Stats` and `BI_AuxBuff.Aops`
//! (blacs_map_.c of Netlib). MKL's BLACS has the same source, with its own functions for allocation and MPI.

use super::Int;
use super::find::{Address, base, find_all};
use mpi_sys::{MPI_Request, MPI_Status};
use std::ffi::{c_char, c_void};

pub(super) struct Limits {
    processes: *mut Int,
    statuses: *mut *mut c_void,
    buffer: *mut BlacsBuffer,
    heap: Heap,
}

/// The first fields of Netlib's BLACBUFF.
#[repr(C)]
struct BlacsBuffer {
    data: *mut c_char,
    length: Int,
    requests: Int,
    list: *mut c_void,
}

/// Allocator of the lists, which BLACS frees when it ends.
enum Heap {
    Netlib,
    /// MKL's functions, as of mkl 2026.2. The first argument of `allocate` is a name for error messages.
    Mkl {
        allocate: MklAllocate,
        release: MklRelease,
    },
}

type MklAllocate = unsafe extern "C" fn(*const c_char, usize) -> *mut c_void;
type MklRelease = unsafe extern "C" fn(*mut c_void);

/// Bytes of a status and of a request in MKL's BLACS, with any MPI.
const MKL_ENTRIES: [usize; 2] = [64, 8];

impl Limits {
    /// Returns the addresses of these variables in this process; `None` if its BLACS does not export them.
    pub fn of_host() -> Option<Self> {
        let [processes, statuses, buffer] = find_all([c"BI_Np", c"BI_Stats", c"BI_AuxBuff"]).ok()??;
        let heap = match find_all([c"MKL_BLACS_ALLOCATE", c"MKL_BLACS_Deallocate"]) {
            Ok(Some([allocate, release])) if base(allocate) == base(processes) => {
                // SAFETY: functions of these names have these signatures.
                unsafe {
                    Heap::Mkl {
                        allocate: std::mem::transmute::<Address, MklAllocate>(allocate),
                        release: std::mem::transmute::<Address, MklRelease>(release),
                    }
                }
            }
            _ => Heap::Netlib,
        };
        Some(Self { processes: processes.cast(), statuses: statuses.cast(), buffer: buffer.cast(), heap })
    }

    /// Raises the limit from `known` to `processes` processes.
    ///
    /// # Safety
    /// BLACS has allocated both lists for `known` processes. No BLACS function runs during this call.
    pub unsafe fn raise(&self, known: Int, processes: Int) -> Result<(), String> {
        let entries = match self.heap {
            Heap::Netlib => [size_of::<MPI_Status>(), size_of::<MPI_Request>()],
            Heap::Mkl { .. } => MKL_ENTRIES,
        };
        let count = |n: Int| usize::try_from(n).map_err(|why| why.to_string());
        let (from, to) = (count(known)?, count(processes)?);
        // SAFETY: this fn's contract.
        unsafe {
            let lists = [self.statuses, &raw mut (*self.buffer).list];
            for (list, entry) in lists.into_iter().zip(entries) {
                let longer = self.heap.lengthen(*list, from * entry, to * entry);
                *list = if longer.is_null() { Err("no memory for BLACS")? } else { longer };
            }
            *self.processes = processes;
        }
        Ok(())
    }
}

impl Heap {
    /// Copies `list` to a new list of `to` bytes and frees the old one. If there is no memory, returns null and keeps
    /// the old list.
    ///
    /// # Safety
    /// `list` has `from` bytes, fewer than `to`, and comes from this allocator.
    unsafe fn lengthen(&self, list: *mut c_void, from: usize, to: usize) -> *mut c_void {
        // SAFETY: this fn's contract.
        unsafe {
            match self {
                Self::Netlib => libc::realloc(list, to),
                Self::Mkl { allocate, release } => {
                    let longer = allocate(c"reblock".as_ptr(), to);
                    if !longer.is_null() {
                        std::ptr::copy_nonoverlapping(list.cast::<u8>(), longer.cast(), from);
                        release(list);
                    }
                    longer
                }
            }
        }
    }
}
