//! Gather and scatter plans: elements named by lists of indices.

use super::super::outcome::{check_entries, clear_handle, count, list, status_of, write_handle};
use super::options::{read_options, reblock_plan_options};
use super::{Map, object, reblock_map, reblock_plan};
use crate::arrays::{ListArguments, ListDirection, Options, Plan};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;

/// Value of `axis`: `indices` has one index per axis for each element.
pub const REBLOCK_ALL_AXES: i64 = -1;

/// Makes a plan to gather elements of an array, of `element` bytes each, into a local array of the calling process.
/// `indices` has `count` indices of axis `axis` of the array; axes count from 0. All other axes are whole, as in
/// A(IX(:),:). The local array has the axes of the array in the order of the map's local arrays, no gaps, and `count`
/// indices along `axis`, in the order of the list. With REBLOCK_ALL_AXES, `indices` has one index per axis for each of
/// `count` elements, as in A(IX(I),JX(I)), and the local array is a list of elements. Each rank may list any elements,
/// each of them several times, or no elements.
///
/// Execute the plan like any other: its source is the array, its target the local array. reblock_plan_reverse fails for
/// this plan. A rank that has no part of the array may pass NULL for the map, unless it names elements by all their
/// indices. `options` may be NULL; its fields relabel, axes, copies, spread and overlap must not be set. Arrays in
/// boxes are an error. An index out of bounds is an error on all ranks, unless options.skip is set and the index is
/// below the lower bound: then its entry is skipped. The local array has room for a skipped entry, too; a gather leaves
/// it unchanged, and a scatter does not read it. Collective over `comm`.
///
/// # Safety
/// `indices` has `count` entries, or `count` for each axis; `options` is NULL or points to options; `plan` has room for
/// a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_gather(
    comm: MPI_Comm,
    map: *const reblock_map,
    axis: i64,
    count: i64,
    indices: *const i64,
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let raw = RawList { map, axis, count, indices, element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { create(Comm::from_handle(comm), ListDirection::Gather, &raw, plan) })
}

/// Makes a plan to scatter the elements of a local array to the elements of an array that the calling process names.
/// Its source is the local array, its target the array; all else is as for reblock_plan_gather. All copies of a
/// replicated array are written. Elements that no rank names stay unchanged.
///
/// If an element is named several times, the order is deterministic. An execution without update writes the value of
/// the highest rank that names the element; if this rank names it several times, the last value in its list. With an
/// update, each rank first combines its own values, without factors, in the order of its list. Then the results of the
/// ranks update the element in ascending order of ranks: the first result as the update says, the others with 1 in
/// place of beta. Collective over `comm`.
///
/// # Safety
/// As for reblock_plan_gather.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_scatter(
    comm: MPI_Comm,
    map: *const reblock_map,
    axis: i64,
    count: i64,
    indices: *const i64,
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let raw = RawList { map, axis, count, indices, element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { create(Comm::from_handle(comm), ListDirection::Scatter, &raw, plan) })
}

struct RawList {
    map: *const reblock_map,
    axis: i64,
    count: i64,
    indices: *const i64,
    element: i64,
    options: *const reblock_plan_options,
}

/// Makes a plan with a list of indices. Collective over `comm`.
///
/// # Safety
/// As reblock_plan_gather.
unsafe fn create(
    comm: Comm,
    direction: ListDirection,
    raw: &RawList,
    plan: *mut *mut reblock_plan,
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let given = || unsafe {
        clear_handle(plan, "plan")?;
        let map: Option<Map> = if raw.map.is_null() { None } else { Some(object(raw.map)?) };
        Ok::<(Option<Map>, Options), Failure>((map, read_options(raw.options)?))
    };
    let given = given();
    // SAFETY: this fn's contract.
    let list = given.as_ref().map_err(Failure::clone).and_then(|(map, options)| unsafe {
        let entries: usize = count(raw.count, "count")?;
        let axis = match raw.axis {
            REBLOCK_ALL_AXES => None,
            axis => Some(count(axis, "axis")?),
        };
        let each = match (axis, map) {
            (None, Some(map)) => map.map().axes().len(),
            _ => 1,
        };
        // Elements of a scalar have no indices, but `count` still counts them.
        check_entries::<i64>(entries.saturating_mul(each.max(1)), "indices")?;
        // Without a map the number of axes is unknown: `Plan::gather_or_scatter_if` refuses such elements.
        let known = if axis.is_none() && map.is_none() { 0 } else { entries * each };
        let indices = list(raw.indices, known, "indices")?;
        let (element, map) = (count(raw.element, "element")?, map.as_deref());
        Ok(ListArguments { map, axis, count: entries, indices, element, options })
    });
    let made = Plan::gather_or_scatter_if(&comm, direction, list)?;
    // SAFETY: `plan` has room for a handle.
    unsafe { write_handle(plan, made) }
}
