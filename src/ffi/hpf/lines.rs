//! Plans that shift each line of an array by its own distance.

use super::super::outcome::{count, list, optional, status_of};
use super::options::reblock_plan_options;
use super::plan::{PlanArguments, create, reblock_range};
use super::{reblock_map, reblock_plan};
use crate::arrays::{LineShifts, Plan};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_void;

/// Makes a plan of a shift by an array of distances, as Fortran's CSHIFT (`circular` is not 0) and EOSHIFT. In each
/// line along axis `axis` of the source, index i of the target's section gets the element at index i + distance of the
/// source's section. If `circular` is not 0, indices are taken modulo their number, and `boundaries` must be NULL.
/// Otherwise, if there is no such index, the element gets the line's boundary value, or stays unchanged if `boundaries`
/// is NULL.
///
/// `distances` and `boundaries` have `count` entries, one for each line of the target's section on the calling process.
/// They are in the order of a local array without axis `axis`, column-major or row-major as the target's local array.
/// If the process has no index of the section along that axis, its lines have no elements, and `count` may also be 0.
/// Boundary values are elements; the library copies them.
///
/// Everything else is as for reblock_plan_create. Options may have `axes` and `overlap`, but not `relabel`, `spread` or
/// `copies`. Arrays in boxes are an error. reblock_plan_reverse moves back the elements that were moved; from a
/// replicated target, it reads the first copy. Collective over `comm`.
///
/// # Safety
/// As for reblock_plan_create; `distances` has `count` entries, and `boundaries` is NULL or has as many elements.
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
    boundaries: *const c_void,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let given = PlanArguments { sides: [(from, from_section), (to, to_section)], element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe {
        let lines = lines(axis, circular, (count, distances, boundaries), element);
        create(&Comm::from_handle(comm), &given, plan, |comm, sides| Plan::shift_lines_if(comm, sides, lines))
    })
}

/// # Safety
/// `distances` has `entries` entries, and `boundaries` is NULL or has as many elements, of `element` bytes.
unsafe fn lines<'a>(
    axis: i64,
    circular: i32,
    (entries, distances, boundaries): (i64, *const i64, *const c_void),
    element: i64,
) -> Result<LineShifts<'a>, Failure> {
    let (axis, lines): (usize, usize) = (count(axis, "axis")?, count(entries, "count")?);
    // A product that overflows is refused by `optional`.
    let bytes = lines.saturating_mul(count(element, "element")?);
    // SAFETY: `distances` has `lines` entries, and `boundaries` is NULL or has `bytes` bytes, by this fn's contract.
    let (distances, boundaries) = unsafe {
        (list(distances, lines, "distances")?, optional(boundaries.cast::<u8>(), bytes, "boundaries")?)
    };
    Ok(LineShifts { axis, circular: circular != 0, distances, boundaries })
}
