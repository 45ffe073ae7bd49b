//! Shifts, by one distance per axis or per line.

use crate::moving::{Asked, chosen, ranges};
use crate::{count, functions, give, list, optional};
use reblock::arrays::{LineShifts, Map, Plan, Side};
use reblock::mpi::Comm;
use std::sync::Arc;

functions! {
    fn rust_plan_cshift(
        comm: i32, from: *const Map, from_section: *const [i64; 3], to: *const Map, to_section: *const [i64; 3],
        element: i64, axes: i64, shifts: *const i64, options: *const Asked, plan: *mut *mut Arc<Plan>,
    ) {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (a, b) = (ranges(from, from_section), ranges(to, to_section));
        let sides = (Side { map: from, section: a.as_deref() }, Side { map: to, section: b.as_deref() });
        let shifts = list(shifts, count(axes));
        let comm = Comm::from_fortran(comm);
        give(plan, Plan::cshift(&comm, sides.0, sides.1, count(element), shifts, &chosen(options))?)
    }

    fn rust_plan_eoshift(
        comm: i32, from: *const Map, from_section: *const [i64; 3], to: *const Map, to_section: *const [i64; 3],
        element: i64, axes: i64, shifts: *const i64, boundary: *const u8, options: *const Asked,
        plan: *mut *mut Arc<Plan>,
    ) {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (a, b) = (ranges(from, from_section), ranges(to, to_section));
        let sides = (Side { map: from, section: a.as_deref() }, Side { map: to, section: b.as_deref() });
        let shifts = (list(shifts, count(axes)), optional(boundary, count(element)));
        let comm = Comm::from_fortran(comm);
        give(plan, Plan::eoshift(&comm, sides.0, sides.1, count(element), shifts, &chosen(options))?)
    }

    fn rust_plan_shift_lines(
        comm: i32, from: *const Map, from_section: *const [i64; 3], to: *const Map, to_section: *const [i64; 3],
        element: i64, axis: i64, circular: i32, lines: i64, distances: *const i64, boundaries: *const u8,
        options: *const Asked, plan: *mut *mut Arc<Plan>,
    ) {
        let (from, to) = (from.as_ref(), to.as_ref());
        let (a, b) = (ranges(from, from_section), ranges(to, to_section));
        let sides = (Side { map: from, section: a.as_deref() }, Side { map: to, section: b.as_deref() });
        let lines = LineShifts {
            axis: count(axis), circular: circular != 0, distances: list(distances, count(lines)),
            boundaries: optional(boundaries, count(lines * element)),
        };
        let comm = Comm::from_fortran(comm);
        give(plan, Plan::shift_lines(&comm, sides.0, sides.1, count(element), lines, &chosen(options))?)
    }
}
