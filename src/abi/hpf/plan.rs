//! Plans.

use super::super::outcome::{answer, count, give, optional, place, put, put_text, release, text, wide};
use super::{Map, object, reblock_map, reblock_plan};
use crate::hpf::{Code, Failure, Options, Plan, Side};
use crate::mapping::Range;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_char;
use std::sync::Arc;

/// Indices lower, lower + stride, ... up to upper, as in a Fortran triplet.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_range {
    /// The first index.
    pub lower: i64,
    /// No index is larger than this.
    pub upper: i64,
    /// At least 1.
    pub stride: i64,
}

/// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must give the same options.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan_options {
    /// sizeof(reblock_plan_options).
    pub size: i64,
    /// REBLOCK_PLAN_OPTIONS_VERSION.
    pub version: i64,
    /// The scheduler's name (see docs/schedulers.md); NULL: the cheapest.
    pub scheduler: *const c_char,
    /// "shm" or "mpi"; NULL: shared memory within a node.
    pub transport: *const c_char,
    /// Bytes that buffers may take on each rank; 0: the default.
    pub buffer: i64,
    /// MPI messages in flight at a time, in each direction; 0: the default.
    pub window: i64,
    /// Not 0: parts of the target may go to other ranks than its map says, so that less data moves; reblock_plan_target returns
    /// the map that holds then.
    pub relabel: i64,
}

/// The version of reblock_plan_options that this header describes.
pub const REBLOCK_PLAN_OPTIONS_VERSION: i64 = 1;

/// What a plan moves on the calling process.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan_info {
    /// Bytes sent to other ranks.
    pub sent: i64,
    /// Bytes received from other ranks.
    pub received: i64,
    /// Bytes copied within the process.
    pub kept: i64,
    /// Messages sent.
    pub messages_sent: i64,
    /// Messages received.
    pub messages_received: i64,
    /// The most bytes that buffers take.
    pub buffers: i64,
}

/// Fills in the default options.
///
/// # Safety
/// `options` is NULL or has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init(options: *mut reblock_plan_options) -> i32 {
    answer(|| {
        let plain = reblock_plan_options {
            size: wide(size_of::<reblock_plan_options>() as u64),
            version: REBLOCK_PLAN_OPTIONS_VERSION,
            scheduler: std::ptr::null(),
            transport: std::ptr::null(),
            buffer: 0,
            window: 0,
            relabel: 0,
        };
        // SAFETY: `options` is NULL or has room for what is written.
        unsafe { put(options, [plain]) };
        Ok(())
    })
}

/// Makes a plan to move a section of one array to a section of another, with elements of `element` bytes. The arrangements of
/// both may be any ranks of `comm`: equal, nested, overlapping or disjoint. A rank that has no part of an array may pass NULL
/// for its map. A section has one range per axis; NULL is the whole array. Both sections must have the same extents, except
/// that axes with a single index may be missing on one side. `options` may be NULL. Collective over `comm`.
///
/// # Safety
/// A section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has room for a
/// handle.
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
    let ends = [(from, from_section), (to, to_section)];
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; a section is NULL or has an entry for each axis of its
    // map; `options` is NULL or points to options; `plan` has room for a handle, by this fn's contract.
    answer(|| unsafe { create(Comm::from_handle(comm), ends, element, options, plan) })
}

/// The same, with the communicator's handle in Fortran.
///
/// # Safety
/// As reblock_plan_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_create_fortran(
    comm: i32,
    from: *const reblock_map,
    from_section: *const reblock_range,
    to: *const reblock_map,
    to_section: *const reblock_range,
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> i32 {
    let ends = [(from, from_section), (to, to_section)];
    // SAFETY: the handle is that of a communicator, or MPI_COMM_NULL; a section is NULL or has an entry for each axis of its
    // map; `options` is NULL or points to options; `plan` has room for a handle, by this fn's contract.
    answer(|| unsafe { create(Comm::from_fortran(comm), ends, element, options, plan) })
}

/// A map and a section of it.
type End = (*const reblock_map, *const reblock_range);

/// # Safety
/// As reblock_plan_create.
unsafe fn create(
    comm: Comm,
    ends: [End; 2],
    element: i64,
    options: *const reblock_plan_options,
    plan: *mut *mut reblock_plan,
) -> Result<(), Failure> {
    // SAFETY: a section is NULL or has an entry for each axis of its map; `options` is NULL or points to options; `plan` has
    // room for a handle, by this fn's contract.
    let given = || unsafe {
        place(plan, "plan")?;
        let [from, to] = [end(ends[0])?, end(ends[1])?];
        Ok((from, to, count(element, "element")?, asked(options)?))
    };
    let given = given();
    let sides = given.as_ref().map_err(Failure::clone).map(|(from, to, element, options)| {
        let [from, to] =
            [from, to].map(|(map, section)| Side { map: map.as_deref(), section: section.as_deref() });
        (from, to, *element, options)
    });
    let made = Plan::of_result(&comm, sides)?;
    // SAFETY: `plan` has room for a handle.
    unsafe { give(plan, made) }
}

/// # Safety
/// The section is NULL or has an entry for each axis of the map.
unsafe fn end((map, section): End) -> Result<(Option<Map>, Option<Vec<Range>>), Failure> {
    if map.is_null() {
        return Ok((None, None));
    }
    let map: Map = object(map)?;
    // SAFETY: `section` is NULL or has as many entries as are read.
    let section = unsafe { optional(section, map.map().axes().len()) };
    let range =
        |range: &reblock_range| Range { lower: range.lower, upper: range.upper, stride: range.stride };
    Ok((Some(map), section.map(|section| section.iter().map(range).collect())))
}

/// # Safety
/// `options` is NULL or points to options.
unsafe fn asked(options: *const reblock_plan_options) -> Result<Options, Failure> {
    if options.is_null() {
        return Ok(Options::default());
    }
    // SAFETY: the caller's promise; all versions begin with size and version.
    let (size, version) = unsafe { ((*options).size, (*options).version) };
    if size < wide(size_of::<reblock_plan_options>() as u64) || version != REBLOCK_PLAN_OPTIONS_VERSION {
        return Err(Failure::argument(format!(
            "the options have size {size} and version {version}, expected {} and {REBLOCK_PLAN_OPTIONS_VERSION}: call \
             reblock_plan_options_init",
            size_of::<reblock_plan_options>()
        )));
    }
    // SAFETY: the caller's promise, and the size is right.
    let (given, scheduler, transport) = unsafe {
        let given = &*options;
        (
            given,
            text(given.scheduler, "the option scheduler")?,
            text(given.transport, "the option transport")?,
        )
    };
    let shared = match transport {
        None => None,
        Some("shm") => Some(true),
        Some("mpi") => Some(false),
        Some(other) => {
            return Err(Failure::new(
                Code::Settings,
                format!("the option transport is {other}, expected shm or mpi"),
            ));
        }
    };
    let some = |n: i64| (n != 0).then_some(n);
    Ok(Options {
        scheduler: scheduler.map(String::from),
        shared,
        buffer: some(given.buffer).map(|n| count(n, "the option buffer")).transpose()?,
        window: some(given.window).map(|n| count(n, "the option window")).transpose()?,
        relabel: given.relabel != 0,
    })
}

/// What a plan moves on the calling process.
///
/// # Safety
/// `info` is NULL or has room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_inquire(
    plan: *const reblock_plan,
    info: *mut reblock_plan_info,
) -> i32 {
    answer(|| {
        let volume = object::<Arc<Plan>, _>(plan)?.volume();
        let told = reblock_plan_info {
            sent: wide(volume.sent),
            received: wide(volume.received),
            kept: wide(volume.kept),
            messages_sent: wide(volume.sends),
            messages_received: wide(volume.receives),
            buffers: wide(volume.buffers),
        };
        // SAFETY: `info` is NULL or has room for what is written.
        unsafe { put(info, [told]) };
        Ok(())
    })
}

/// The target's map after relabelling (the option relabel), with an arrangement of the plan's communicator; NULL if no part of
/// the target goes to another rank.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_target(plan: *const reblock_plan, map: *mut *mut reblock_map) -> i32 {
    answer(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe {
            place(map, "map")?;
            match object::<Arc<Plan>, _>(plan)?.target() {
                Some(target) => give(map, Arc::new(target.clone())),
                None => Ok(()),
            }
        }
    })
}

/// A description of the plan as JSON (see docs/hpf.md). Arguments as for reblock_map_text.
///
/// # Safety
/// As reblock_map_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_explain(
    plan: *const reblock_plan,
    json: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    answer(|| {
        let plan: Arc<Plan> = object(plan)?;
        // SAFETY: `json` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&plan.explain(), json, size, length) }
    })
}

/// Frees a plan; requests that use it continue. The handle is NULL afterwards.
///
/// # Safety
/// `plan` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_free(plan: *mut *mut reblock_plan) -> i32 {
    // SAFETY: `plan` is NULL or the address of a handle.
    answer(|| unsafe { release::<Arc<Plan>, _>(plan).map(drop) })
}
