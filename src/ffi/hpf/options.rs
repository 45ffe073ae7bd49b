//! Options of plans: the C structure, its versions, and its conversion. CONTRIBUTING.md lists all places that a new
//! option changes.

use super::super::outcome::{count, list, numbers, status_of, text};
use super::super::versioned::{self, Versioned, head};
use crate::arrays::Options;
use crate::collective::failure::{Code, Failure};
use std::ffi::c_char;
use std::ptr::null;

/// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must pass the same options.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan_options {
    /// Size of the structure in bytes, set by reblock_plan_options_init.
    pub size: i64,
    /// Version of the structure, set by reblock_plan_options_init.
    pub version: i64,
    /// The scheduler's name (see docs/schedulers.md); NULL: the scheduler with the lowest predicted cost.
    pub scheduler: *const c_char,
    /// "shm" or "mpi"; NULL: shared memory within a node.
    pub transport: *const c_char,
    /// Maximum size of the buffers on each rank, in bytes; 0: the default.
    pub buffer: i64,
    /// Maximum number of MPI messages in flight in each direction; 0: the default.
    pub window: i64,
    /// Not 0: parts of the target may go to other ranks than its map says, so that less data moves. reblock_plan_target
    /// then returns the target's new map.
    pub relabel: i64,
    /// A permutation: axis k of the source goes to axis `axes[k]` of the target, from 0. The sections must have equal
    /// extents along both axes. NULL: axes go in order.
    pub axes: *const i64,
    /// Number of entries of `axes`.
    pub axes_count: i64,
    /// Not 0: the update of each execution combines the values of all copies of a replicated source; an execution
    /// without update is an error. 0: each process reads the nearest copy.
    pub copies: i64,
    /// Axes of the target, from 0, along which the source is repeated. The source's axes correspond to the other axes
    /// of the target, in order or as `axes` says; a scalar source has no axes. NULL: the source is not repeated.
    pub spread: *const i64,
    /// Number of entries of `spread`.
    pub spread_count: i64,
    /// Not 0: source and target may share memory. The result is as if the whole source were read first. In each
    /// execution, a process whose source and target overlap first copies the source's elements that it reads.
    pub overlap: i64,
    /// Not 0: entries of the list with an index below the lower bound of its axis are skipped. For instance, 0 is
    /// skipped if indices begin at 1, and any negative index if they begin at 0. 0: such an entry is an error. For
    /// reblock_plan_gather and reblock_plan_scatter only.
    pub skip: i64,
}

/// The version of reblock_plan_options that this header describes.
pub const REBLOCK_PLAN_OPTIONS_VERSION: i64 = 3;

/// Size of version 1 in bytes; its last field is `relabel`.
const BYTES_OF_1: usize = std::mem::offset_of!(reblock_plan_options, axes);

/// Size of version 2 in bytes; its last field is `overlap`.
const BYTES_OF_2: usize = std::mem::offset_of!(reblock_plan_options, skip);

/// Fills in the default options. Programs call this function by the name reblock_plan_options_init.
///
/// # Safety
/// `options` has room for a reblock_plan_options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init_3(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for them.
    status_of(|| unsafe { versioned::init(options) })
}

/// Fills in the default options for programs that were compiled with version 2 of the structure.
///
/// # Safety
/// `options` has room for version 2.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init_2(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for version 2.
    status_of(|| unsafe { versioned::init_version(options, 2) })
}

/// Fills in the default options for programs that were compiled with version 1 of the structure.
///
/// # Safety
/// `options` has room for version 1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for version 1.
    status_of(|| unsafe { versioned::init_version(options, 1) })
}

// SAFETY: the structure begins with size and version; the rest are numbers and pointers.
unsafe impl Versioned for reblock_plan_options {
    const NAME: &'static str = "reblock_plan_options";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_PLAN_OPTIONS_VERSION);
        Self {
            size,
            version,
            scheduler: null(),
            transport: null(),
            buffer: 0,
            window: 0,
            relabel: 0,
            axes: null(),
            axes_count: 0,
            copies: 0,
            spread: null(),
            spread_count: 0,
            overlap: 0,
            skip: 0,
        }
    };
    const SIZES: &'static [usize] = &[BYTES_OF_1, BYTES_OF_2, size_of::<Self>()];
}

/// Converts the options that a program passes; NULL stands for the defaults.
///
/// # Safety
/// `options` is NULL or points to options. Their texts are NULL or C strings; their lists are NULL or as long as the
/// options say.
pub(super) unsafe fn read_options(options: *const reblock_plan_options) -> Result<Options, Failure> {
    // SAFETY: `options` is NULL or points to options of the size that they name, by this fn's contract.
    let Some(given) = (unsafe { versioned::read(options)? }) else { return Ok(Options::default()) };
    // SAFETY: both texts are NULL or C strings, by this fn's contract.
    let (scheduler, transport) = unsafe {
        (text(given.scheduler, "the option scheduler")?, text(given.transport, "the option transport")?)
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
    // SAFETY: both lists are NULL or have as many entries as the options say, by this fn's contract.
    let (axes, spread) = unsafe {
        (axes_of(given.axes, given.axes_count, "axes")?, axes_of(given.spread, given.spread_count, "spread")?)
    };
    let some = |n: i64| (n != 0).then_some(n);
    Ok(Options {
        scheduler: scheduler.map(String::from),
        shared,
        buffer: some(given.buffer).map(|n| count(n, "the option buffer")).transpose()?,
        window: some(given.window).map(|n| count(n, "the option window")).transpose()?,
        relabel: given.relabel != 0,
        axes,
        copies: given.copies != 0,
        spread: spread.unwrap_or_default(),
        overlap: given.overlap != 0,
        skip: given.skip != 0,
    })
}

/// Returns the axes that the option `name` lists, or `None` if the option is NULL.
///
/// # Safety
/// `axes` is NULL or has `entries` entries.
unsafe fn axes_of(axes: *const i64, entries: i64, name: &str) -> Result<Option<Vec<usize>>, Failure> {
    if axes.is_null() {
        return Ok(None);
    }
    let (entries, most): (usize, usize) =
        (count(entries, &format!("the option {name}_count"))?, crate::layout::mapping::MAX_AXES);
    if entries > most {
        return Err(Failure::argument(format!(
            "the option {name}_count is {entries}, expected at most {most}"
        )));
    }
    // SAFETY: `axes` has as many entries, by this fn's contract.
    let axes = unsafe { list(axes, entries, &format!("the option {name}"))? };
    numbers(&format!("the option {name}"), axes).map(Some)
}
