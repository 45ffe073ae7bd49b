//! Options of plans.

use super::super::outcome::{count, list, numbers, text};
use super::super::versioned::{self, Versioned, head};
use crate::arrays::Options;
use crate::collective::failure::{Code, Failure};
use std::ffi::c_char;
use std::ptr::null;

/// Options of a plan; reblock_plan_options_init fills in the defaults. All ranks must give the same options.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan_options {
    /// Set by reblock_plan_options_init.
    pub size: i64,
    /// Set by reblock_plan_options_init.
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
    /// For each axis of the source, the axis of the target that it goes to, from 0: a permutation, with which both sections have the
    /// same extents. NULL: axes go in order.
    pub axes: *const i64,
    /// Entries of `axes`.
    pub axes_count: i64,
    /// Not 0: the values of all copies of a replicated source are combined, by the update that each execution has then. Otherwise
    /// each process reads the copy that is nearest.
    pub copies: i64,
    /// Axes of the target, from 0, that are none of the source's: along these the source is repeated. The source's axes correspond
    /// to the others, in order or as `axes` says, and a scalar to none. NULL: there are no such axes.
    pub spread: *const i64,
    /// Entries of `spread`.
    pub spread_count: i64,
    /// Not 0: source and target may share memory. The target becomes what it would if the whole source were read first; a process
    /// where they do copies what it reads of the source in each execution.
    pub overlap: i64,
    /// Not 0, for reblock_plan_gather and reblock_plan_scatter only: entries of the list that have an index below the first one of its
    /// axis are skipped, as 0 where indices begin at 1, and any negative index where they begin at 0. Otherwise such an entry is an
    /// error.
    pub skip: i64,
}

/// The version of reblock_plan_options that this header describes.
pub const REBLOCK_PLAN_OPTIONS_VERSION: i64 = 2;

/// Bytes of version 1, which ends with `relabel`.
const BYTES_OF_1: usize = std::mem::offset_of!(reblock_plan_options, axes);

/// Fills in the default options. Programs call it reblock_plan_options_init.
///
/// # Safety
/// `options` has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init_2(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for them.
    unsafe { versioned::init(options) }
}

/// The same for programs that were compiled with version 1 of the structure.
///
/// # Safety
/// `options` has room for that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for version 1.
    unsafe { versioned::init_before(options, 1) }
}

// SAFETY: it begins with size and version; the rest are numbers and pointers.
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
    const SIZES: &'static [usize] = &[BYTES_OF_1, size_of::<Self>()];
}

/// # Safety
/// `options` is NULL or points to options.
pub(super) unsafe fn asked(options: *const reblock_plan_options) -> Result<Options, Failure> {
    // SAFETY: `options` is NULL or points to options of the size that they name, by this fn's contract.
    let Some(given) = (unsafe { versioned::read(options)? }) else { return Ok(Options::default()) };
    // SAFETY: the caller promises that what the options point to are C strings.
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
    // SAFETY: the caller promises lists of that many entries.
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

/// Axes that option `name` lists, if it is given.
///
/// # Safety
/// `axes` is NULL or has `entries` entries.
unsafe fn axes_of(axes: *const i64, entries: i64, name: &str) -> Result<Option<Vec<usize>>, Failure> {
    if axes.is_null() {
        return Ok(None);
    }
    let (entries, most): (usize, usize) =
        (count(entries, &format!("the option {name}_count"))?, crate::layout::mapping::MOST_AXES);
    if entries > most {
        return Err(Failure::argument(format!(
            "the option {name}_count is {entries}, expected at most {most}"
        )));
    }
    // SAFETY: `axes` has as many entries, by this fn's contract.
    let axes = unsafe { list(axes, entries, &format!("the option {name}"))? };
    numbers(&format!("the option {name}"), axes).map(Some)
}
