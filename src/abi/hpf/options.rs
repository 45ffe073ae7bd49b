//! Options of plans.

use super::super::outcome::{count, text};
use super::super::versioned::{self, Versioned, head};
use crate::hpf::{Code, Failure, Options};
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
}

/// The version of reblock_plan_options that this header describes.
pub const REBLOCK_PLAN_OPTIONS_VERSION: i64 = 1;

/// Fills in the default options.
///
/// # Safety
/// `options` has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_plan_options_init(options: *mut reblock_plan_options) -> i32 {
    // SAFETY: `options` is NULL or has room for them.
    unsafe { versioned::init(options) }
}

// SAFETY: it begins with size and version; the rest are numbers and pointers.
unsafe impl Versioned for reblock_plan_options {
    const NAME: &'static str = "reblock_plan_options";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_PLAN_OPTIONS_VERSION);
        Self { size, version, scheduler: null(), transport: null(), buffer: 0, window: 0, relabel: 0 }
    };
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
    let some = |n: i64| (n != 0).then_some(n);
    Ok(Options {
        scheduler: scheduler.map(String::from),
        shared,
        buffer: some(given.buffer).map(|n| count(n, "the option buffer")).transpose()?,
        window: some(given.window).map(|n| count(n, "the option window")).transpose()?,
        relabel: given.relabel != 0,
    })
}
