//! Lists of indices.

use crate::moving::{Asked, chosen};
use crate::{count, functions, give, list};
use reblock::arrays::{Map, Plan};
use reblock::mpi::Comm;
use std::sync::Arc;

/// Returns the axis of the listed indices, and the number of their entries.
fn listed(map: Option<&Map>, axis: i64, entries: i64) -> (Option<usize>, usize) {
    let axis = usize::try_from(axis).ok();
    let columns = if axis.is_some() { 1 } else { map.map_or(1, |map| map.map().axes().len()) };
    (axis, count(entries) * columns)
}

functions! {
    fn rust_plan_gather(
        comm: i32, map: *const Map, axis: i64, entries: i64, indices: *const i64, element: i64, options: *const Asked,
        plan: *mut *mut Arc<Plan>,
    ) {
        let (axis, len) = listed(map.as_ref(), axis, entries);
        let comm = Comm::from_fortran(comm);
        give(plan, Plan::gather(&comm, map.as_ref(), axis, list(indices, len), count(element), &chosen(options))?)
    }

    fn rust_plan_scatter(
        comm: i32, map: *const Map, axis: i64, entries: i64, indices: *const i64, element: i64, options: *const Asked,
        plan: *mut *mut Arc<Plan>,
    ) {
        let (axis, len) = listed(map.as_ref(), axis, entries);
        let comm = Comm::from_fortran(comm);
        give(plan, Plan::scatter(&comm, map.as_ref(), axis, list(indices, len), count(element), &chosen(options))?)
    }
}
