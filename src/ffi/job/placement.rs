//! Hosts of a job's ranks, and the ranks that leave. A policy of the program, which runs during a call of the job, may
//! call all of these functions: none of them locks the job.

use super::super::outcome::{count as counted, list, put_text, status_around, status_of, text};
use super::{JobObject, reblock_job};
use crate::collective::failure::Failure;
use crate::ffi::handles;
use crate::mpi::{Info, MpiError};
use crate::resize::{MAX_RANKS, Placement};
use mpi_sys::MPI_Info;
use std::ffi::c_char;
use std::sync::Arc;

fn with_placement(
    job: *const reblock_job,
    body: impl FnOnce(&Placement) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let object: Arc<JobObject> = handles::get(job.cast())?;
    body(&object.placement)
}

/// Sets the info that MPI receives when it starts processes for the job (the argument `info` of MPI_Comm_spawn): for
/// instance the host or the hostfile, or the working directory. The info holds until the next call. The library copies
/// `info`; MPI_INFO_NULL: no info. The info of rank 0 is used. If MPI cannot satisfy it, the resize fails with
/// REBLOCK_ERR_MPI on all ranks.
///
/// # Safety
/// `info` is the handle of an info, or MPI_INFO_NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_spawn_info(job: *mut reblock_job, info: MPI_Info) -> i32 {
    // SAFETY: `info` is an info or MPI_INFO_NULL, by this fn's contract.
    set_info(job, || unsafe { Info::copy_of(info) })
}

/// Sets the MPI info that `copied` returns, and returns a status code.
pub(in crate::ffi) fn set_info<C: FnOnce() -> Result<Info, MpiError>>(
    job: *mut reblock_job,
    copied: C,
) -> i32 {
    status_around::<C>(|| {
        with_placement(job, |placement| {
            placement.set_spawn_info(copied()?);
            Ok(())
        })
    })
}

/// Sets the ranks that leave at the next resize point, by their numbers in reblock_job_get_comm. The list of rank 0 is
/// used, and rank 0 itself must stay. If the policy asks for no size, the job shrinks by these ranks. If the policy
/// asks for fewer ranks than would then remain, the last ranks leave, too. If it asks for more than would remain, for
/// instance for the present number, the resize point fails. Ranks that stay keep their order and are numbered from 0
/// without gaps. The list replaces the list of an earlier call, and holds for one resize point, even if the resize
/// fails. Processes of one spawn call can only leave together (see reblock_job_options).
///
/// # Safety
/// `ranks` has `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_leaving(
    job: *mut reblock_job,
    count: i64,
    ranks: *const i64,
) -> i32 {
    status_of(|| {
        // SAFETY: `ranks` has `count` numbers, by this fn's contract.
        let ranks = unsafe { list(ranks, checked_count(count)?, "ranks")? };
        with_placement(job, |placement| placement.set_leaving(ranks.iter().copied()))
    })
}

/// As reblock_job_set_leaving, for all ranks on the hosts of a list, "node3,node4". Ranks named by
/// reblock_job_set_leaving leave as well.
///
/// # Safety
/// `hosts` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_leaving_hosts(job: *mut reblock_job, hosts: *const c_char) -> i32 {
    status_of(|| {
        // SAFETY: `hosts` is NULL or a C string.
        let hosts = unsafe { text(hosts, "hosts")? }
            .ok_or_else(|| Failure::argument("hosts is NULL, expected a text"))?;
        let names = hosts.split(',').map(str::trim).filter(|name| !name.is_empty()).map(String::from);
        with_placement(job, |placement| {
            placement.set_leaving_hosts(names);
            Ok(())
        })
    })
}

/// Gets the hosts of the active ranks, in the order of the ranks, "node1,node1,node2". A process's host is its
/// environment variable REBLOCK_HOST, or the name of its machine. `hosts` gets as much as fits into `size` bytes, with
/// a zero byte at the end, and `length` the whole length without the zero byte. Either may be NULL.
///
/// # Safety
/// `hosts` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_hosts(
    job: *const reblock_job,
    hosts: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    status_of(|| {
        with_placement(job, |placement| {
            // SAFETY: `hosts` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
            unsafe { put_text(&placement.hosts().join(","), hosts, size, length) }
        })
    })
}

/// Gets the next host that became free; "" if there is none. Each host is reported once. A host is free when each of
/// the job's processes on it has called reblock_job_leave, or freed its job otherwise. These processes may still have
/// to call MPI_Finalize. Rank 0 learns of free hosts at its resize points. On other ranks the result is always "".
/// Writes as reblock_job_get_hosts does; a name has at most 64 bytes. A host that does not fit into `size` bytes is
/// reported by the next call again.
///
/// # Safety
/// `host` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_next_freed(
    job: *mut reblock_job,
    host: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    status_of(|| {
        with_placement(job, |placement| {
            let room = if host.is_null() { 0 } else { usize::try_from(size).unwrap_or(0) };
            let freed = placement.freed(|name| name.len() < room).unwrap_or_default();
            // SAFETY: `host` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
            unsafe { put_text(&freed, host, size, length) }
        })
    })
}

/// Checks the number of ranks in a list; no job has more than [`MAX_RANKS`].
fn checked_count(count: i64) -> Result<usize, Failure> {
    let bad =
        || Failure::argument(format!("count is {count}, expected a number of ranks from 0 to {MAX_RANKS}"));
    counted(count, "count").ok().filter(|&count: &usize| count <= MAX_RANKS as usize).ok_or_else(bad)
}
