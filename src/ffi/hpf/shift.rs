//! Plans that shift an array along its axes, circularly or end-off.

use super::super::outcome::{collect, count, list, status_of};
use super::options::reblock_plan_options;
use super::plan::{PlanArguments, create, reblock_range};
use super::{reblock_map, reblock_plan};
use crate::arrays::{IncomingValues, Plan, Shift};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_void;

/// Makes a plan of a circular shift, as Fortran's CSHIFT: index i of the target's section gets the element at index i +
/// shift of the source's section, modulo the number of indices. `shifts` has one shift for each of the `axes` axes of
/// the source. Shifts may be negative or larger than the section; at most 6 of them are not 0. Everything else is as
/// for reblock_plan_create; options may have `axes`, but not `relabel` or `spread`. All ranks must pass the same
/// shifts. Collective over `comm`.
///
/// # Safety
/// As for reblock_plan_create; `shifts` has `axes` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_cshift(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    axes: i64,
    shifts: *const i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let given = PlanArguments { sides: [(from, from_section), (to, to_section)], element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe {
        let shift = shift(axes, shifts, Ok(IncomingValues::OtherEnd));
        create(&Comm::from_handle(comm), &given, plan, |comm, sides| Plan::shift_if(comm, sides, shift))
    })
}

/// Makes a plan of an end-off shift, as Fortran's EOSHIFT: index i of the target's section gets the element
/// at index i + shift of the source's section. If there is no such index, the target's element becomes the element at
/// `boundary`, or stays unchanged if `boundary` is NULL. Everything else is as for reblock_plan_cshift, but any number
/// of axes may be shifted. If the target lies in boxes, `boundary` must be NULL. The library copies the boundary
/// element, which must have the same bytes on all ranks. Collective over `comm`.
///
/// # Safety
/// As for reblock_plan_cshift; `boundary` is NULL or the address of an element.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_eoshift(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    axes: i64,
    shifts: *const i64,
    boundary: *const c_void,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let given = PlanArguments { sides: [(from, from_section), (to, to_section)], element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe {
        let shift = shift(axes, shifts, incoming(boundary, element));
        create(&Comm::from_handle(comm), &given, plan, |comm, sides| Plan::shift_if(comm, sides, shift))
    })
}

/// # Safety
/// `boundary` is NULL or the address of `element` bytes.
unsafe fn incoming(boundary: *const c_void, element: i64) -> Result<IncomingValues, Failure> {
    if boundary.is_null() {
        return Ok(IncomingValues::Nothing);
    }
    let bytes: usize = count(element, "element")?;
    // SAFETY: `boundary` has `bytes` bytes, by this fn's contract.
    let boundary = unsafe { list(boundary.cast::<u8>(), bytes, "boundary")? };
    Ok(IncomingValues::Boundary(collect("bytes of a boundary", boundary.iter().map(|&byte| Ok(byte)))?))
}

/// # Safety
/// `shifts` has `axes` entries.
unsafe fn shift(
    axes: i64,
    shifts: *const i64,
    incoming: Result<IncomingValues, Failure>,
) -> Result<Shift, Failure> {
    let axes: usize = count(axes, "axes")?;
    let most = crate::layout::mapping::MAX_AXES;
    if axes > most {
        return Err(Failure::argument(format!("axes is {axes}, expected at most {most}")));
    }
    // SAFETY: `shifts` has `axes` entries, by this fn's contract.
    let distances = unsafe { list(shifts, axes, "shifts")? }.to_vec();
    Ok(Shift { distances, incoming: incoming? })
}
