//! Plans that shift.

use super::super::outcome::{answer, count, give, list, place};
use super::options::{asked, reblock_plan_options};
use super::plan::reblock_range;
use super::plan::{End, end};
use super::{reblock_map, reblock_plan};
use crate::hpf::{Failure, Incoming, Plan, Shift, Side};
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_void;

/// Makes a plan of a circular shift, as Fortran's CSHIFT: index i of the target's section becomes what index i + shift of the
/// source's is, modulo their number. `shifts` has one for each of the `axes` axes of the source, and may be negative or larger than
/// the section; at most 6 of them are not 0. Everything else is as for reblock_plan_create; options may have `axes`, but not
/// `relabel` or `spread`. All ranks give the same shifts. Collective over `comm`.
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
    let given = Given { ends: [(from, from_section), (to, to_section)], element, axes, shifts, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_handle(comm), &given, Ok(Incoming::OtherEnd), plan) })
}

/// Makes a plan of an end-off shift, as Fortran's EOSHIFT: index i of the target's section becomes what index i + shift of the
/// source's is; where there is none, the element at `boundary`, or (NULL) the target stays as it is. Everything else is as for
/// reblock_plan_cshift, but that any number of axes may be shifted. Arrays in boxes have no boundary. All ranks give the same bytes
/// as boundary, which are copied. Collective over `comm`.
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
    let given = Given { ends: [(from, from_section), (to, to_section)], element, axes, shifts, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_handle(comm), &given, incoming(boundary, element), plan) })
}

/// As reblock_plan_cshift, with the communicator's handle in Fortran.
///
/// # Safety
/// The same holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_cshift_fortran(
    comm: i32,
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
    let given = Given { ends: [(from, from_section), (to, to_section)], element, axes, shifts, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_fortran(comm), &given, Ok(Incoming::OtherEnd), plan) })
}

/// As reblock_plan_eoshift, with the communicator's handle in Fortran.
///
/// # Safety
/// The same holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_eoshift_fortran(
    comm: i32,
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
    let given = Given { ends: [(from, from_section), (to, to_section)], element, axes, shifts, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_fortran(comm), &given, incoming(boundary, element), plan) })
}

/// What a program gives beside the communicator.
struct Given {
    ends: [End; 2],
    element: i64,
    axes: i64,
    shifts: *const i64,
    options: *const reblock_plan_options,
}

/// # Safety
/// `boundary` is NULL or the address of `element` bytes.
unsafe fn incoming(boundary: *const c_void, element: i64) -> Result<Incoming, Failure> {
    if boundary.is_null() {
        return Ok(Incoming::Nothing);
    }
    let bytes: usize = count(element, "element")?;
    // SAFETY: `boundary` has as many bytes, by this fn's contract.
    Ok(Incoming::Boundary(unsafe { std::slice::from_raw_parts(boundary.cast::<u8>(), bytes) }.to_vec()))
}

/// # Safety
/// As reblock_plan_eoshift.
unsafe fn shifted(
    comm: Comm,
    given: &Given,
    incoming: Result<Incoming, Failure>,
    plan: *mut *mut reblock_plan,
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let taken = || unsafe {
        place(plan, "plan")?;
        let [from, to] = [end(given.ends[0])?, end(given.ends[1])?];
        Ok((from, to, count(given.element, "element")?, asked(given.options)?))
    };
    let shift = || {
        let axes: usize = count(given.axes, "axes")?;
        let most = crate::mapping::MOST_AXES;
        if axes > most {
            return Err(Failure::argument(format!("axes is {axes}, expected at most {most}")));
        }
        // SAFETY: `shifts` has as many entries, by this fn's contract.
        let distances = unsafe { list(given.shifts, axes, "shifts")? }.to_vec();
        Ok(Shift { distances, incoming: incoming? })
    };
    let taken = taken();
    let sides = taken.as_ref().map_err(Failure::clone).map(|(from, to, element, options)| {
        let [from, to] =
            [from, to].map(|(map, section)| Side { map: map.as_deref(), section: section.as_deref() });
        (from, to, *element, options)
    });
    let made = Plan::shifted(&comm, sides, shift())?;
    // SAFETY: `plan` has room for a handle.
    unsafe { give(plan, made) }
}
