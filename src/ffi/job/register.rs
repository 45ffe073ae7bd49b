//! Saying what moves with a job.

use super::super::handles;
use super::super::hpf::{Map, object, reblock_map};
use super::super::outcome::{answer, count, give, place};
use super::memory::{Block, Bytes, Variables};
use super::{Held, reblock_job, with};
use crate::collective::failure::{Code, Failure};
use crate::mpi::blacs::Int;
use crate::resize::{Home, Job};
use std::ffi::c_void;
use std::sync::Arc;

/// Registers a ScaLAPACK matrix, which then moves with the job: its descriptor `desc`, whose context is that of
/// reblock_job_get_blacs, and the address of its storage, in `*data`. The storage must come from the job's allocator; if
/// `*data` is NULL, storage is allocated and set to zero. Storage has LLD_ x LOCc elements of `element` bytes, at least one
/// byte. A resize rewrites both: block sizes stay, RSRC_ and CSRC_ are taken modulo the new grid, LLD_ is the number of local
/// rows, at least 1. Each process of the grid has storage, also where its part has no elements; in a process that is no longer
/// active, `*data` is NULL. In a process that has joined, both are written at once, whatever they were, if the other ranks had
/// registered the matrix before. Every rank must register the same things in the same order; this is checked at the next
/// resize point.
///
/// No two things that are registered may overlap in memory, nor may a value have a pointer or a descriptor in it that is
/// registered: REBLOCK_ERR_ARGUMENT. Several matrices may have one descriptor. A registration that fails leaves nothing
/// registered, and can be made again; resizes fail with REBLOCK_ERR_DIFFERS as long as only some ranks have succeeded.
///
/// # Safety
/// `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long as the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_add_matrix(
    job: *mut reblock_job,
    desc: *mut Int,
    element: i64,
    data: *mut *mut c_void,
) -> i32 {
    answer(|| {
        if desc.is_null() {
            return Err(Failure::argument("desc is NULL, expected the program's variable"));
        }
        // SAFETY: `desc` has 9 integers; `data` is the address of a pointer to storage that `desc` describes. Both live as long
        // as the job, by this fn's contract.
        unsafe {
            register(job, (desc, element, data), |job, element, home| job.register_matrix(element, home))
        }
    })
}

/// Registers an array with a map, on an arrangement of the job's ranks. After a resize the array keeps its formats and
/// alignments, on an arrangement of all ranks with the same number of axes, as nearly square as possible. A format that does
/// not fit another number of ranks, such as GEN_BLOCK, makes a resize fail unless reblock_job_set_formats replaces it. `*data`
/// is the address of the storage, as for reblock_plan_execute, and the rest as for reblock_job_add_matrix: in a process that
/// has joined, `map` is not read, and `*data` is written whatever it was. Storage has reblock_map_elements elements, at least
/// one byte; `*data` is NULL only in processes outside of the arrangement. Strides of the program's must not be negative.
/// reblock_job_get_map returns the present map.
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
    answer(|| {
        // SAFETY: `data` is the address of a pointer to storage that the map describes, and lives as long as the job, by this
        // fn's contract.
        unsafe {
            register(job, (std::ptr::null_mut(), element, data), |job, element, home| {
                // What the others have told of an array is not read again.
                let given = !job.is_told() && !map.is_null();
                let map = given.then(|| forwards(object(map)?)).transpose()?;
                job.register_array(map.as_deref(), element, home)
            })
        }
    })
}

/// Registers a value of `bytes` bytes that is the same on all ranks: ranks that join get that of rank 0, and so do ranks that
/// were parked. Pointers and descriptors that are registered must not be part of it.
///
/// # Safety
/// `value` has `bytes` bytes, and lives as long as the job.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_add_value(job: *mut reblock_job, value: *mut c_void, bytes: i64) -> i32 {
    answer(|| {
        let bytes: usize = count(bytes, "bytes")?;
        if value.is_null() {
            return Err(Failure::argument("value is NULL, expected the program's variable"));
        }
        // No variable reaches beyond the addresses of a process, and none is read that would.
        value.addr().checked_add(bytes).filter(|&end| isize::try_from(end).is_ok()).ok_or_else(|| {
            Failure::argument(format!("bytes is {bytes}, expected the size of the program's variable"))
        })?;
        let home = Bytes { base: value.cast(), count: bytes };
        with(job, |job| job.register_value(bytes, Box::new(home)).map(drop))
    })
}

/// Says that the program does not write a registered matrix or array while a resize is under way (`constant` is not 0), nor changes
/// or frees its storage; or that it may do so again (0). `number` counts what was registered, from 0. A resize moves such arrays
/// while the program computes: see REBLOCK_JOB_MOVING. All ranks must say the same of each array; this is checked at the next
/// resize point, and a process that has joined is told. While a resize is under way, nothing can be registered and
/// reblock_job_set_formats and this function cannot be called: REBLOCK_ERR_STATE.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_set_constant(job: *mut reblock_job, number: i64, constant: i32) -> i32 {
    answer(|| {
        let number: usize = count(number, "number")?;
        with(job, |job| job.set_constant(number, constant != 0))
    })
}

/// The present map of a registered matrix or array, on ranks of the job's communicator. `number` counts what was registered,
/// from 0.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_map(
    job: *const reblock_job,
    number: i64,
    map: *mut *mut reblock_map,
) -> i32 {
    answer(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe { place(map, "map")? };
        let k: usize = count(number, "number")?;
        let none = || {
            Failure::new(
                Code::State,
                format!("number {k} of what is registered is not an array of this process"),
            )
        };
        let now = with(job, |job| job.map(k).cloned().ok_or_else(none))?;
        // SAFETY: `map` has room for a handle.
        unsafe { give(map, Arc::new(now)) }
    })
}

/// Registers an array by `body`: its descriptor, or NULL, the bytes of its elements, and where the program keeps the address
/// of its storage.
///
/// # Safety
/// The descriptor is NULL or has 9 integers; the address is that of a pointer, or NULL.
unsafe fn register(
    job: *mut reblock_job,
    (descriptor, element, data): (*mut Int, i64, *mut *mut c_void),
    body: impl FnOnce(&mut Job<Block>, usize, Box<dyn Home<Block>>) -> Result<usize, Failure>,
) -> Result<(), Failure> {
    let held: Arc<Held> = handles::get(job.cast_const().cast())?;
    let element = sized(element)?;
    if data.is_null() {
        return Err(Failure::argument("data is NULL, expected the program's variable"));
    }
    let home = Variables { data, descriptor, allocator: held.allocator };
    body(&mut *held.job()?, element, Box::new(home)).map(drop)
}

/// A map whose element at place 0 of each axis comes first in the storage, since that is what is freed.
fn forwards(map: Map) -> Result<Map, Failure> {
    if map.local().axes.iter().any(|axis| axis.stride < 0) {
        return Err(Failure::argument(
            "a stride of the map is negative, expected an array that moves to have none such",
        ));
    }
    Ok(map)
}

fn sized(element: i64) -> Result<usize, Failure> {
    let bad = || Failure::argument(format!("elements of {element} bytes, expected at least 1"));
    count(element, "element").ok().filter(|&bytes: &usize| bytes > 0).ok_or_else(bad)
}
