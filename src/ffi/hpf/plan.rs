//! Plans that move a section of one array to a section of another.

use super::super::outcome::{
    clear_handle, count, optional, put_text, release, status_of, wide, write_handle,
};
use super::super::versioned::{self, Versioned, head};
use super::options::{read_options, reblock_plan_options};
use super::{Map, object, reblock_map, reblock_plan};
use crate::arrays::{Options, Plan, Side};
use crate::collective::failure::Failure;
use crate::layout::mapping::Range;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_char;
use std::sync::Arc;

/// A range of indices, as a Fortran triplet: `lower`, `lower` + `stride`, ... up to `upper`, or down to it.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_range {
    /// The first index of the range.
    pub lower: i64,
    /// The bound: no index is beyond it.
    pub upper: i64,
    /// The step, not 0. If it is negative, the indices descend.
    pub stride: i64,
}

/// Traffic of a plan on the calling process. Call reblock_plan_info_init first.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan_info {
    /// Size of the structure in bytes, set by reblock_plan_info_init.
    pub size: i64,
    /// Version of the structure, set by reblock_plan_info_init.
    pub version: i64,
    /// Bytes sent to other ranks.
    pub sent: i64,
    /// Bytes received from other ranks.
    pub received: i64,
    /// Bytes copied within the process.
    pub kept: i64,
    /// Messages sent to other ranks.
    pub messages_sent: i64,
    /// Messages received from other ranks.
    pub messages_received: i64,
    /// Maximum size of the buffers, in bytes.
    pub buffers: i64,
}

/// The version of reblock_plan_info that this header describes.
pub const REBLOCK_PLAN_INFO_VERSION: i64 = 1;

/// Initialises a structure. A program must call this before it passes the structure to a call that fills it in.
///
/// # Safety
/// `info` has room for a structure.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_info_init(info: *mut reblock_plan_info) -> i32 {
    // SAFETY: `info` is NULL or has room for a structure.
    status_of(|| unsafe { versioned::init(info) })
}

// SAFETY: the structure begins with size and version; the rest are numbers.
unsafe impl Versioned for reblock_plan_info {
    const NAME: &'static str = "reblock_plan_info";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_PLAN_INFO_VERSION);
        Self {
            size,
            version,
            sent: 0,
            received: 0,
            kept: 0,
            messages_sent: 0,
            messages_received: 0,
            buffers: 0,
        }
    };
}

/// Makes a plan to move a section of one array to a section of another, with elements of `element` bytes. The
/// arrangements of both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that has no part of
/// an array may pass NULL for its map. A section has one range per axis; NULL is the whole array. Both sections must
/// have equal extents, except that axes with a single index may be missing on one side. `options` may be NULL.
/// Collective over `comm`.
///
/// # Safety
/// A section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has room
/// for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_create(
    comm: MPI_Comm,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let given = PlanArguments { sides: [(from, from_section), (to, to_section)], element, options };
    // SAFETY: `comm` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { create(&Comm::from_handle(comm), &given, plan, Plan::of_result) })
}

/// A map and a section of it.
pub(super) type RawSide = (*const reblock_map, *const reblock_range);

/// Arguments of a call that makes a plan between two arrays.
pub(super) struct PlanArguments {
    pub sides: [RawSide; 2],
    pub element: i64,
    pub options: *const reblock_plan_options,
}

/// Checked arguments: both sides, bytes of an element, options.
pub(super) type CheckedSides<'a> = (Side<'a>, Side<'a>, usize, &'a Options);

/// Makes a plan by `make` from the program's arguments, or from the failure of checking them, and writes the plan's
/// handle.
///
/// # Safety
/// As reblock_plan_create.
pub(super) unsafe fn create(
    comm: &Comm,
    given: &PlanArguments,
    plan: *mut *mut reblock_plan,
    make: impl FnOnce(&Comm, Result<CheckedSides<'_>, Failure>) -> Result<Arc<Plan>, Failure>,
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let checked = || unsafe {
        clear_handle(plan, "plan")?;
        let [from, to] = [read_side(given.sides[0])?, read_side(given.sides[1])?];
        Ok((from, to, count(given.element, "element")?, read_options(given.options)?))
    };
    let checked = checked();
    let sides = checked.as_ref().map_err(Failure::clone).map(|(from, to, element, options)| {
        let [from, to] =
            [from, to].map(|(map, section)| Side { map: map.as_deref(), section: section.as_deref() });
        (from, to, *element, options)
    });
    let made = make(comm, sides)?;
    // SAFETY: `plan` has room for a handle.
    unsafe { write_handle(plan, made) }
}

/// # Safety
/// The section is NULL or has an entry for each axis of the map.
pub(super) unsafe fn read_side(
    (map, section): RawSide,
) -> Result<(Option<Map>, Option<Vec<Range>>), Failure> {
    if map.is_null() {
        return Ok((None, None));
    }
    let map: Map = object(map)?;
    // SAFETY: `section` is NULL or has as many entries as are read.
    let section = unsafe { optional(section, map.map().axes().len(), "the section")? };
    let range =
        |range: &reblock_range| Range { lower: range.lower, upper: range.upper, stride: range.stride };
    Ok((Some(map), section.map(|section| section.iter().map(range).collect())))
}

/// Gets the traffic of a plan on the calling process.
///
/// # Safety
/// `info` is NULL or was initialised by reblock_plan_info_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_inquire(
    plan: *const reblock_plan,
    info: *mut reblock_plan_info,
) -> i32 {
    status_of(|| {
        let volume = object::<Arc<Plan>, _>(plan)?.volume();
        let filled = reblock_plan_info {
            sent: wide(volume.sent),
            received: wide(volume.received),
            kept: wide(volume.kept),
            messages_sent: wide(volume.sends),
            messages_received: wide(volume.receives),
            buffers: wide(volume.buffers),
            ..reblock_plan_info::PLAIN
        };
        // SAFETY: `info` is NULL or has the size that it names.
        unsafe { versioned::write(info, &filled) }
    })
}

/// Gets the target's map after relabelling (option `relabel`), with an arrangement of the plan's communicator. The map
/// is NULL if no part of the target goes to another rank.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_target(plan: *const reblock_plan, map: *mut *mut reblock_map) -> i32 {
    status_of(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe {
            clear_handle(map, "map")?;
            match object::<Arc<Plan>, _>(plan)?.target() {
                Some(target) => write_handle(map, Arc::new(target.clone())),
                None => Ok(()),
            }
        }
    })
}

/// Writes a description of the plan as JSON (see docs/arrays.md). Arguments as for reblock_map_text.
///
/// # Safety
/// `json` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_explain(
    plan: *const reblock_plan,
    json: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    status_of(|| {
        let plan: Arc<Plan> = object(plan)?;
        // SAFETY: `json` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&plan.explain(), json, size, length) }
    })
}

/// Frees a plan; requests that use it continue. Sets the handle to NULL.
///
/// # Safety
/// `plan` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_free(plan: *mut *mut reblock_plan) -> i32 {
    // SAFETY: `plan` is NULL or the address of a handle.
    status_of(|| unsafe { release::<Arc<Plan>, _>(plan).map(drop) })
}
