//! Plans that fill the shadows of an array.

use super::super::outcome::{clear_handle, count, list, numbers, optional, status_of, write_handle};
use super::options::{read_options, reblock_plan_options};
use super::{Map, object, reblock_map, reblock_plan};
use crate::arrays::{Options, Shadow, shadow_plan};
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;

/// Makes a plan that fills the shadows (halos) of an array with copies of the array's elements, of `element` bytes
/// each. Along axis k, it fills `before[k]` elements before a process's own elements and `after[k]` behind them, at
/// most the map's widths. If both lists are NULL, it fills the map's full widths; one NULL alone is an error. Shadows
/// along an axis with 0 in both lists are not filled. On any other axis, the indices of each process must be
/// contiguous, as with BLOCK and GEN_BLOCK. If `periodic[k]` is not 0, the last index of axis k comes before the first.
/// Otherwise, and if `periodic` is NULL, elements outside the array stay unchanged. If `corners` is not 0, the shadow's
/// corners are filled as well: elements outside a process's own along several axes. A shadow may be wider than the part
/// of the neighbour. The shadow of a process without elements is not filled. A rank that has no part of the array may
/// pass NULL for the map. `options` may be NULL; its fields relabel, axes, copies, spread, overlap and skip must not be
/// set. Collective over `comm`.
///
/// Each execution of the plan has the same local array as source and target. While a request is under way, the program
/// may read the process's own elements, and write own elements that are copied into no shadow.
///
/// reblock_plan_reverse makes the plan that combines each element with its copies in shadows. Execute this plan with an
/// update whose beta is 1, by reblock_plan_update or its variants. The shadows themselves stay unchanged. The order of
/// combination is deterministic: first the shadows of the process that owns the element, rank r of `comm`, then those
/// of ranks r - 1, r - 2, ..., with the last rank after rank 0. Within a rank, shadow elements are in the order of the
/// local array.
///
/// # Safety
/// `before`, `after` and `periodic` are NULL or have one entry per axis; `options` is NULL or points to options; `plan`
/// has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_shadow(
    comm: MPI_Comm,
    map: *const reblock_map,
    before: *const i64,
    after: *const i64,
    periodic: *const i32,
    corners: i32,
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let given = ShadowArguments { map, before, after, periodic, corners, element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { shadow(Comm::from_handle(comm), &given, plan) })
}

struct ShadowArguments {
    map: *const reblock_map,
    before: *const i64,
    after: *const i64,
    periodic: *const i32,
    corners: i32,
    element: i64,
    options: *const reblock_plan_options,
}

struct CheckedShadow {
    map: Option<Map>,
    widths: Option<Vec<(u64, u64)>>,
    periodic: Option<Vec<bool>>,
    element: usize,
    options: Options,
}

/// Makes a plan for the shadows of an array. Collective over `comm`.
///
/// # Safety
/// As reblock_plan_shadow.
unsafe fn shadow(comm: Comm, given: &ShadowArguments, plan: *mut *mut reblock_plan) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let checked = unsafe { clear_handle(plan, "plan").and_then(|()| check(given)) };
    let shadow = checked.as_ref().map_err(Failure::clone).map(|checked| {
        let shadow = Shadow {
            map: checked.map.as_deref(),
            widths: checked.widths.as_deref(),
            periodic: checked.periodic.as_deref(),
            corners: given.corners != 0,
        };
        (shadow, checked.element, &checked.options)
    });
    let made = shadow_plan(&comm, shadow)?;
    // SAFETY: `plan` has room for a handle.
    unsafe { write_handle(plan, made) }
}

/// # Safety
/// As reblock_plan_shadow.
unsafe fn check(given: &ShadowArguments) -> Result<CheckedShadow, Failure> {
    let &ShadowArguments { map, before, after, periodic, .. } = given;
    let map: Option<Map> = if map.is_null() { None } else { Some(object(map)?) };
    let axes = map.as_ref().map_or(0, |map| map.map().axes().len());
    // SAFETY: each list is NULL or has one entry per axis, and `options` is NULL or points to options, by this fn's
    // contract.
    let (widths, periodic, options) = unsafe {
        let lists = match (before.is_null(), after.is_null()) {
            (true, true) => None,
            (false, false) => Some((list(before, axes, "before")?, list(after, axes, "after")?)),
            (true, false) => return Err(one_is_null("before", "after")),
            (false, true) => return Err(one_is_null("after", "before")),
        };
        (lists, optional(periodic, axes, "periodic")?, read_options(given.options)?)
    };
    let width = |(before, after): (&[i64], &[i64])| {
        let (before, after) = (numbers::<u64>("before", before)?, numbers::<u64>("after", after)?);
        Ok::<Vec<(u64, u64)>, Failure>(before.into_iter().zip(after).collect())
    };
    let widths = widths.map(width);
    Ok(CheckedShadow {
        map,
        widths: widths.transpose()?,
        periodic: periodic.map(|axes| axes.iter().map(|&axis| axis != 0).collect()),
        element: count(given.element, "element")?,
        options,
    })
}

fn one_is_null(null: &str, given: &str) -> Failure {
    Failure::argument(format!(
        "{null} is NULL, but {given} is not: pass both widths, or NULL for both to fill all of the map's shadow"
    ))
}
