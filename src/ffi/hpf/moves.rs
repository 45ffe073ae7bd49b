//! Moves in one call, with plans that the library caches.

use super::super::outcome::{count, status_of};
use super::execute::read_operands;
use super::plan::{RawSide, read_side, reblock_range};
use super::reblock_map;
use super::update::reblock_update;
use crate::arrays::{Side, move_if};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_void;
use std::ptr::null;

/// Moves a section of one array to a section of another, with elements of `element` bytes: as reblock_plan_create
/// without options, followed by reblock_plan_execute. The library makes the plan at the first call with these maps and
/// sections. Later calls with equal maps and sections reuse it, even if the maps are other objects. The library keeps
/// the 32 most recently used plans of a communicator, and frees them when the communicator is freed. A rank that has no
/// part of an array may pass NULL for its map. Collective over `comm`.
///
/// # Safety
/// A section is NULL or has an entry for each axis of its map; source and target storage are as large as the maps say,
/// and nothing else uses them until the call returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_move(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    source: *const c_void,
    target: *mut c_void,
) -> i32 {
    let sides = [(from, from_section), (to, to_section)];
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { move_section(Comm::from_handle(comm), sides, element, (source, target, null())) })
}

/// As reblock_move, but updates the target's elements with the source's elements, as reblock_plan_update does. One
/// cached plan serves all updates. Collective over `comm`.
///
/// # Safety
/// As for reblock_move; `update` is NULL or points to an update, whose factors are NULL or point to a number of its
/// type.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_move_update(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    source: *const c_void,
    target: *mut c_void,
    update: *const reblock_update,
) -> i32 {
    let sides = [(from, from_section), (to, to_section)];
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { move_section(Comm::from_handle(comm), sides, element, (source, target, update)) })
}

/// Moves or updates a section by a plan that the library caches. Collective over `comm`.
///
/// # Safety
/// As reblock_move_update.
unsafe fn move_section(
    comm: Comm,
    sides: [RawSide; 2],
    element: i64,
    (source, target, update): (*const c_void, *mut c_void, *const reblock_update),
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let given = || unsafe { Ok(([read_side(sides[0])?, read_side(sides[1])?], count(element, "element")?)) };
    let given = given();
    let sides = given.as_ref().map_err(Failure::clone).map(|([from, to], element)| {
        let [from, to] =
            [from, to].map(|(map, section)| Side { map: map.as_deref(), section: section.as_deref() });
        (from, to, *element)
    });
    // SAFETY: this fn's contract.
    move_if(&comm, sides, |plan| unsafe { read_operands(plan, source, target, update) })
}
