//! Registration of the matrices, arrays and values that move with a job.

use super::super::handles;
use super::super::hpf::{Map, object, reblock_map};
use super::super::outcome::{clear_handle, count, status_of, write_handle};
use super::super::place::on_host;
use super::memory::{Block, Bytes, Variables};
use super::{JobObject, reblock_job, with};
use crate::collective::failure::{Code, Failure};
use crate::mpi::blacs::Int;
use crate::resize::{ArrayVariables, Job};
use std::ffi::c_void;
use std::sync::Arc;

/// Registers a ScaLAPACK matrix, which then moves with the job. `desc` is its descriptor, with the context that
/// reblock_job_get_blacs returns; `*data` is the address of its storage. The storage must come from the job's
/// allocator; if `*data` is NULL, the library allocates it and sets it to zero. Storage has LLD_ x LOCc elements of
/// `element` bytes, at least one byte.
///
/// A resize rewrites `desc` and `*data`: block sizes stay, RSRC_ and CSRC_ are taken modulo the rows and columns of the
/// new grid, LLD_ is the number of local rows, at least 1. Each process of the grid has storage, even if its part has
/// no elements; in a process that is no longer active, `*data` is NULL. In a process that has joined, this call sets
/// both variables without reading them, if the other ranks registered the matrix before the process joined. Every rank
/// must register the same items in the same order; the next resize point checks this.
///
/// Storage, pointers, descriptors and values of registered items must not overlap in memory: REBLOCK_ERR_ARGUMENT.
/// There are two exceptions: several matrices may share one descriptor, and values may overlap other values. A
/// registration that fails leaves nothing registered, and can be repeated. While only some ranks have registered an
/// item, resize points fail with REBLOCK_ERR_DIFFERS.
///
/// # Safety
/// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the
/// job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_add_matrix(
    job: *mut reblock_job,
    desc: *mut Int,
    element: i64,
    data: *mut *mut c_void,
) -> i32 {
    status_of(|| {
        if desc.is_null() {
            return Err(Failure::argument("desc is NULL, expected the address of the program's variable"));
        }
        // SAFETY: this fn's contract.
        unsafe {
            register(job, (desc, element, data), |job, element, variables| {
                job.register_matrix(element, variables)
            })
        }
    })
}

/// Registers an array with a map, on an arrangement of the job's ranks. After a resize the array keeps its formats and
/// alignments, on an arrangement of all ranks with the same number of axes, as nearly square as possible. A format that
/// fits only one number of ranks, such as GEN_BLOCK, makes a resize fail unless reblock_job_set_formats replaces it.
/// `*data` is the address of the storage, as for reblock_plan_execute. Storage has reblock_map_elements elements, at
/// least one byte. Processes outside of the arrangement have no storage: there `*data` is NULL. The program's strides
/// must not be negative. Everything else is as for reblock_job_add_matrix. In a process that has joined, neither `map`
/// nor `*data` is read, and the call sets `*data`. reblock_job_get_map returns the present map.
///
/// # Safety
/// `data` is the address of a pointer to storage that the map describes, and lives as long as the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_add_array(
    job: *mut reblock_job,
    map: *const reblock_map,
    element: i64,
    data: *mut *mut c_void,
) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        unsafe {
            register(job, (std::ptr::null_mut(), element, data), |job, element, variables| {
                // If the array's map has come from the other ranks, the program's map is not read.
                let given = !job.has_received_next() && !map.is_null();
                let map = given.then(|| check_strides(object(map)?)).transpose()?;
                job.register_array(map.as_deref(), element, variables)
            })
        }
    })
}

/// Registers a value of `bytes` bytes that is the same on all ranks. Ranks that join receive the value of rank 0, and
/// so do ranks that were parked. Registered pointers and descriptors must not be part of it.
///
/// # Safety
/// `value` has `bytes` bytes, and lives as long as the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_add_value(job: *mut reblock_job, value: *mut c_void, bytes: i64) -> i32 {
    status_of(|| {
        let bytes: usize = count(bytes, "bytes")?;
        if value.is_null() {
            return Err(Failure::argument("value is NULL, expected the address of the program's variable"));
        }
        // Refuses a value that would reach beyond the address space, so that no such value is read.
        value.addr().checked_add(bytes).filter(|&end| isize::try_from(end).is_ok()).ok_or_else(|| {
            Failure::argument(format!("bytes is {bytes}, expected the size of the program's variable"))
        })?;
        on_host("value", value.cast(), bytes)?;
        let variable = Bytes { base: value.cast(), count: bytes };
        with(job, |job| job.register_value(bytes, Box::new(variable)).map(drop))
    })
}

/// If `constant` is not 0, declares a registered matrix or array constant: while a resize is under way, the program
/// does not write it, and does not replace or free its storage. If `constant` is 0, withdraws the declaration. `number`
/// is the position among the registered items, from 0. A resize moves such arrays while the program computes: see
/// REBLOCK_JOB_MOVING. All ranks must make the same declaration for each array. The next resize point checks this, and
/// processes that join receive it. While a resize is under way, registrations, reblock_job_set_formats and this
/// function fail with REBLOCK_ERR_STATE.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_set_constant(job: *mut reblock_job, number: i64, constant: i32) -> i32 {
    status_of(|| {
        let number: usize = count(number, "number")?;
        with(job, |job| job.set_constant(number, constant != 0))
    })
}

/// Gets the present map of a registered matrix or array. Its arrangement is on the job's communicator. `number` is the
/// position among the registered items, from 0.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_map(
    job: *const reblock_job,
    number: i64,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe { clear_handle(map, "map")? };
        let k: usize = count(number, "number")?;
        let none =
            || Failure::new(Code::State, format!("registered item {k} is not an array of this process"));
        let now = with(job, |job| job.map(k).cloned().ok_or_else(none))?;
        // SAFETY: `map` has room for a handle.
        unsafe { write_handle(map, Arc::new(now)) }
    })
}

/// Checks the arguments of a registration, and calls `body` with the job, the element size in bytes and the program's
/// variables. `descriptor` is NULL for an array with a map; `data` is the address of the program's pointer to the
/// storage.
///
/// # Safety
/// `descriptor` is NULL or has 9 integers; `data` is NULL or the address of a pointer.
unsafe fn register(
    job: *mut reblock_job,
    (descriptor, element, data): (*mut Int, i64, *mut *mut c_void),
    body: impl FnOnce(&mut Job<Block>, usize, Box<dyn ArrayVariables<Block>>) -> Result<usize, Failure>,
) -> Result<(), Failure> {
    let object: Arc<JobObject> = handles::get(job.cast_const().cast())?;
    let element = element_bytes(element)?;
    if data.is_null() {
        return Err(Failure::argument("data is NULL, expected the address of the program's variable"));
    }
    on_host("data", data.cast(), 1)?;
    on_host("the descriptor", descriptor.cast(), 1)?;
    let variables = Variables { data, descriptor, allocator: object.allocator };
    body(&mut *object.job()?, element, Box::new(variables)).map(drop)
}

/// Refuses a map with a negative stride. `*data` is the address of the element at position 0 of each axis. It is also
/// the address that is freed, so this element must come first in the storage.
fn check_strides(map: Map) -> Result<Map, Failure> {
    if map.local().axes.iter().any(|axis| axis.stride < 0) {
        return Err(Failure::argument(
            "a stride of the map is negative, which is not supported for an array that moves with the job",
        ));
    }
    Ok(map)
}

fn element_bytes(element: i64) -> Result<usize, Failure> {
    let bad = || Failure::argument(format!("the element size is {element} bytes, expected at least 1"));
    count(element, "element").ok().filter(|&bytes: &usize| bytes > 0).ok_or_else(bad)
}
