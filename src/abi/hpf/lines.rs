//! Plans that shift each line by itself.

use super::super::outcome::{answer, count, give, list, place};
use super::options::{asked, reblock_plan_options};
use super::plan::reblock_range;
use super::plan::{End, end};
use super::{reblock_map, reblock_plan};
use crate::hpf::{Failure, LineShifts, Plan, Side};
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;

/// Makes a plan of a shift by an array of distances, as Fortran's CSHIFT (`circular` is not 0) and EOSHIFT: in each line along axis
/// `axis` of the source, index i of the target's section becomes what index i + distance of the source's is, modulo their number;
/// or, if it is not circular and there is no such index, the target stays as it is. `distances` has `count` entries, one for each
/// line that the calling process has of the target's section: in the order of a local array, column-major or row-major as the
/// target's, without that axis. Everything else is as for reblock_plan_create; options may have `axes` and `overlap`, but not
/// `relabel`, `spread` or `copies`. Arrays in boxes cannot be shifted so, a source's strides have to ascend in the order of the axes,
/// and there is no way back of such a plan. Collective over `comm`.
///
/// # Safety
/// As for reblock_plan_create; `distances` has `count` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_shift_lines(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    axis: i64,
    circular: i32,
    count: i64,
    distances: *const i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let ends = [(from, from_section), (to, to_section)];
    let given = Given { ends, element, axis, circular, count, distances, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_handle(comm), &given, plan) })
}

/// As reblock_plan_shift_lines, with the communicator's handle in Fortran.
///
/// # Safety
/// The same holds.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_shift_lines_fortran(
    comm: i32,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    axis: i64,
    circular: i32,
    count: i64,
    distances: *const i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let ends = [(from, from_section), (to, to_section)];
    let given = Given { ends, element, axis, circular, count, distances, options };
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; the rest is this fn's contract.
    answer(|| unsafe { shifted(Comm::from_fortran(comm), &given, plan) })
}

/// What a program gives beside the communicator.
struct Given {
    ends: [End; 2],
    element: i64,
    axis: i64,
    circular: i32,
    count: i64,
    distances: *const i64,
    options: *const reblock_plan_options,
}

/// # Safety
/// As reblock_plan_shift_lines.
unsafe fn shifted(comm: Comm, given: &Given, plan: *mut *mut reblock_plan) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let taken = || unsafe {
        place(plan, "plan")?;
        let [from, to] = [end(given.ends[0])?, end(given.ends[1])?];
        Ok((from, to, count(given.element, "element")?, asked(given.options)?))
    };
    let lines = || {
        let axis = count(given.axis, "axis")?;
        // SAFETY: `distances` has as many entries, by this fn's contract.
        let distances = unsafe { list(given.distances, count(given.count, "count")?, "distances")? };
        Ok(LineShifts { axis, circular: given.circular != 0, distances })
    };
    let taken = taken();
    let sides = taken.as_ref().map_err(Failure::clone).map(|(from, to, element, options)| {
        let [from, to] =
            [from, to].map(|(map, section)| Side { map: map.as_deref(), section: section.as_deref() });
        (from, to, *element, options)
    });
    let made = Plan::lines_shifted(&comm, sides, lines())?;
    // SAFETY: `plan` has room for a handle.
    unsafe { give(plan, made) }
}
