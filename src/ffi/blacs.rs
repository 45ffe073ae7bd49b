//! Arrays in shared memory for the processes of a BLACS context.

use super::outcome::{count, read_handle, status_of, write_values};
use crate::collective::failure::{Code, Failure};
use crate::mpi::Comm;
use crate::mpi::blacs::{Blacs, Int};
use crate::runtime::session;
use crate::system::stderr;
use crate::transport::error::Error;
use std::ffi::c_void;

/// Allocates an array of `bytes` bytes, initially zero, in shared memory of the node; `*data` gets its address. A
/// redistribution within `context` whose source is such an array copies each element once, directly into the receiver's
/// array, instead of twice. With more than 4 processes on a node, the direct copies begin after a few repetitions.
/// Collective over the processes of the BLACS context `context`; each process passes its own size. The array lives
/// until reblock_blacs_free, or until the context is exited. If there is not enough memory for the arrays of all
/// processes of a node, the call fails on all of them with REBLOCK_ERR_MEMORY, and `*data` is NULL. If `context` is not
/// a process grid of the calling process, or MPI fails, the job ends with one line on standard error, as in ScaLAPACK's
/// routines, since other processes may be waiting.
///
/// # Safety
/// `data` has room for an address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_blacs_alloc(context: Int, bytes: i64, data: *mut *mut c_void) -> i32 {
    status_of(|| {
        // SAFETY: `data` is NULL or has room for the results.
        let empty = unsafe { write_values(data, [std::ptr::null_mut()]) };
        let comm = communicator(context).unwrap_or_else(|why| end_job(&why.text));
        let given = match data.is_null() {
            true => Err(Failure::argument("data is NULL, expected the address of a pointer")),
            false => empty.and_then(|()| count::<usize>(bytes, "bytes")),
        };
        // A process with an invalid argument requests more bytes than a node has, so that the call fails on all
        // processes of the node.
        let bytes = *given.as_ref().unwrap_or(&usize::MAX);
        let array = session::allocate(&comm, bytes).unwrap_or_else(|why| end_job(&why.to_string()));
        let bytes = given?;
        let none = || {
            Failure::new(
                Code::Memory,
                format!(
                    "no memory for the arrays of all processes of the node; this process asked for {bytes} bytes"
                ),
            )
        };
        // SAFETY: `data` has room for the results.
        unsafe { write_values(data, [array.ok_or_else(none)?.cast()]) }
    })
}

/// Frees an array from reblock_blacs_alloc with the same `context`; `*data` is its address, and is set to NULL. Before
/// a process frees its array, all processes must have finished redistributing from the arrays that the same call of
/// reblock_blacs_alloc allocated, in this context or another context of the same processes. The same condition holds
/// before the context is exited. Fails with REBLOCK_ERR_ARGUMENT if there is no such array. Not collective.
///
/// # Safety
/// `data` is the address of a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_blacs_free(context: Int, data: *mut *mut c_void) -> i32 {
    status_of(|| {
        let comm = communicator(context)?;
        // SAFETY: this fn's contract.
        let array = unsafe { read_handle(data, "array")? };
        if !session::free(&comm, array.cast())? {
            return Err(Failure::argument(format!(
                "data is not the address of an array of context {context}"
            )));
        }
        // SAFETY: `data` has room for the results.
        unsafe { write_values(data, [std::ptr::null_mut()]) }
    })
}

/// Writes `why` and ends the job, since other processes may be waiting for this process.
fn end_job(why: &str) -> ! {
    stderr::line(format_args!("reblock_blacs_alloc: {why}"));
    crate::mpi::abort()
}

fn communicator(context: Int) -> Result<Comm<'static>, Failure> {
    crate::mpi::check_library().map_err(Error::Host)?;
    let blacs = Blacs::of_host().map_err(Error::Host)?;
    let place = blacs.grid_info(context).map_err(Error::Host)?;
    let comm = place.and_then(|_| blacs.communicator(context));
    let none =
        || Failure::argument(format!("context {context} is not a process grid that contains this process"));
    comm.ok_or_else(none)
}
