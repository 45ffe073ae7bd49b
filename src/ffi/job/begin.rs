//! Beginning and end of a job.

use super::super::outcome::{
    check_result_memory, clear_handle, count, read_handle, release, status_of, text, write_handle,
    write_values,
};
use super::super::versioned::{self, Versioned, head};
use super::memory::{Allocator, Block};
use super::{JobObject, reblock_job, with, with_all};
use crate::collective::failure::{Code, Failure};
use crate::collective::refuse::refuse;
use crate::mpi::Comm;
use crate::mpi::blacs::{Int, wide as wide_int};
use crate::resize::{Begin, Job, Options, Spawn, of_environment};
use mpi_sys::MPI_Comm;
use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::{Arc, Mutex};

/// Options of a job; reblock_job_options_init fills in the defaults. All ranks must pass the same options.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_options {
    /// Size of the structure in bytes, set by reblock_job_options_init.
    pub size: i64,
    /// Version of the structure, set by reblock_job_options_init.
    pub version: i64,
    /// Maximum number of ranks that one spawn call adds; 0: no limit. Ranks that one call has added can only leave
    /// together.
    pub unit: i64,
    /// Not 0: ranks that cannot leave are parked: they wait inside reblock_job_step, without using a core, until they
    /// are needed again. 0: sizes that would need parked ranks are refused.
    pub park: i64,
    /// The program that new processes run, without arguments; NULL: the calling program with its arguments.
    pub command: *const c_char,
    /// Allocates storage for arrays that move; the second argument is `context`. NULL: malloc.
    pub allocate: Option<unsafe extern "C" fn(bytes: i64, context: *mut c_void) -> *mut c_void>,
    /// Frees storage that the program has registered or that `allocate` has returned; the second argument is `context`.
    /// NULL: free.
    pub release: Option<unsafe extern "C" fn(data: *mut c_void, context: *mut c_void)>,
    /// Passed to `allocate` and `release`.
    pub context: *mut c_void,
    /// The shape of the process grid after a resize. 0: as nearly square as possible, with no more rows than columns.
    /// At least 1: of all grids whose longer side is at most `skew` times the shorter side, the grid with the fastest
    /// move of the matrices, by the machine's model (see reblock_grid_for).
    pub skew: i64,
}

/// The version of reblock_job_options that this header describes.
pub const REBLOCK_JOB_OPTIONS_VERSION: i64 = 1;

/// Fills in the default options of a job.
///
/// # Safety
/// `options` has room for a reblock_job_options.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_options_init(options: *mut reblock_job_options) -> i32 {
    // SAFETY: `options` is NULL or has room for a reblock_job_options.
    status_of(|| unsafe { versioned::init(options) })
}

// SAFETY: the structure begins with size and version; the rest are numbers and pointers.
unsafe impl Versioned for reblock_job_options {
    const NAME: &'static str = "reblock_job_options";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_JOB_OPTIONS_VERSION);
        Self {
            size,
            version,
            unit: 0,
            park: 0,
            command: null(),
            allocate: None,
            release: None,
            context: null_mut(),
            skew: 0,
        }
    };
}

/// Begins a job with the ranks of `first`, usually MPI_COMM_WORLD. In a process that a job has started, this call joins
/// the job: arrays and values that it registers afterwards, in the same order as the others, already have their
/// contents. `options` may be NULL. The environment variable REBLOCK_RESIZE chooses the policy (see
/// reblock_job_set_policy_text). Collective over `first`.
///
/// In a process that a job has started, REBLOCK_ERR_CANCELLED means that the resize has failed or was cancelled,
/// and that the job does not need the process. The process must then call MPI_Finalize and end with status 0. It must
/// not call MPI_Abort, which ends the whole job.
///
/// # Safety
/// `options` is NULL or points to options; `job` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_init(
    first: MPI_Comm,
    options: *const reblock_job_options,
    job: *mut *mut reblock_job,
) -> i32 {
    // SAFETY: `first` is a communicator or MPI_COMM_NULL; the rest is this fn's contract.
    status_of(|| unsafe { init(Comm::from_handle(first), options, job) })
}

/// Begins a job from C's arguments, or joins one. Collective over `first`.
///
/// # Safety
/// As reblock_job_init.
unsafe fn init(
    first: Comm,
    options: *const reblock_job_options,
    job: *mut *mut reblock_job,
) -> Result<(), Failure> {
    // SAFETY: this fn's contract.
    let given = || unsafe {
        clear_handle(job, "job")?;
        let (options, command, allocator) = read_options(options)?;
        let supply = Spawn::new(command.map(|command| (command.into(), Vec::new())))?;
        let policy = of_environment()?;
        let allocate = move |bytes| allocator.block(bytes);
        Ok((Begin { options, supply: Box::new(supply), allocate: Box::new(allocate), policy }, allocator))
    };
    let (given, allocator) = match given() {
        Ok((given, allocator)) => (Ok(given), Some(allocator)),
        Err(why) => (Err(why), None),
    };
    let made: Job<Block> = Job::begin(&first, given)?;
    let missing = || Failure::new(Code::Internal, "internal error: a job has no allocator");
    let (placement, allocator) = (made.placement().clone(), allocator.ok_or_else(missing)?);
    // SAFETY: `job` has room for a handle.
    unsafe { write_handle(job, Arc::new(JobObject { job: Mutex::new(made), placement, allocator })) }
}

type CheckedOptions = (Options, Option<String>, Allocator);

/// # Safety
/// `options` is NULL or points to options.
unsafe fn read_options(options: *const reblock_job_options) -> Result<CheckedOptions, Failure> {
    let plain = Allocator { allocate: None, release: None, context: null_mut() };
    // SAFETY: `options` is NULL or points to options of the size that they name, by this fn's contract.
    let Some(given) = (unsafe { versioned::read(options)? }) else {
        return Ok((Options::default(), None, plain));
    };
    // SAFETY: the caller promises that `command` is NULL or a C string.
    let command = unsafe { text(given.command, "the option command")? };
    if given.allocate.is_some() != given.release.is_some() {
        return Err(Failure::argument(
            "only one of the options allocate and release is set, expected both or neither",
        ));
    }
    let unit = match given.unit {
        0 => u32::MAX,
        unit => count(unit, "the option unit")?,
    };
    let allocator = Allocator { allocate: given.allocate, release: given.release, context: given.context };
    let skew = count(given.skew, "the option skew")?;
    Ok((Options { unit, park: given.park != 0, skew }, command.map(String::from), allocator))
}

/// Sets `joined` to 1 if the calling process has joined a running job, otherwise to 0.
///
/// # Safety
/// `joined` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_joined(job: *const reblock_job, joined: *mut i32) -> i32 {
    status_of(|| {
        let has = with(job, |job| Ok(job.has_joined()))?;
        // SAFETY: `joined` is NULL or has room for the results.
        unsafe { write_values(joined, [i32::from(has)]) }
    })
}

/// Gets the communicator of the job's active ranks. The communicator belongs to the library and is valid until the next
/// resize; call the function again after each resize. Ranks that stay keep their order.
///
/// # Safety
/// `comm` is NULL or has room for a communicator.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_comm(job: *const reblock_job, comm: *mut MPI_Comm) -> i32 {
    status_of(|| {
        let now = with(job, |job| Ok(job.comm()?.handle()))?;
        // SAFETY: `comm` is NULL or has room for the results.
        unsafe { write_values(comm, [now]) }
    })
}

/// Gets the BLACS context of the process grid of all active ranks. If there is none yet, a grid of `rows` x `cols`
/// processes is made, in row-major order; if both are 0, its shape is as nearly square as possible. Making a grid is
/// collective over the active ranks. A resize makes a new grid, as the option `skew` says, and the library exits the
/// old grid.
///
/// # Safety
/// `context` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_blacs(
    job: *mut reblock_job,
    rows: Int,
    cols: Int,
    context: *mut Int,
) -> i32 {
    status_of(|| {
        check_result_memory(context).map_err(refuse)?;
        let extent = |n: Int| u32::try_from(wide_int(n)).unwrap_or(0);
        let shape = (wide_int(rows) != 0 || wide_int(cols) != 0).then(|| [extent(rows), extent(cols)]);
        let made = with_all(job, |job| job.blacs(shape))?;
        // SAFETY: `context` is NULL or has room for the results.
        unsafe { write_values(context, [made]) }
    })
}

/// Ends the job, also for parked ranks, whose reblock_job_step returns REBLOCK_JOB_LEAVE. Registered storage stays the
/// program's. REBLOCK_ERR_STATE if a request is under way, as in reblock_job_step. A resize that is under way is
/// cancelled after its transfers have arrived; processes that were starting for it end. Rank 0 waits until all
/// processes that have left have called reblock_job_leave. Afterwards all processes call MPI_Finalize. Sets the handle
/// to NULL. Collective over the active ranks.
///
/// # Safety
/// `job` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_finalize(job: *mut *mut reblock_job) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        with_all(unsafe { read_handle(job, "job").map_err(refuse)? }, Job::end)?;
        // SAFETY: `job` is NULL or the address of a handle.
        unsafe { release::<Arc<JobObject>, _>(job).map(drop) }
    })
}

/// Frees the job in a process that is no longer in it (reblock_job_step has returned REBLOCK_JOB_LEAVE). The process
/// then calls MPI_Finalize and ends. Sets the handle to NULL.
///
/// # Safety
/// `job` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_leave(job: *mut *mut reblock_job) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        let is_active = with(unsafe { read_handle(job, "job")? }, |job| Ok(job.comm().is_ok()))?;
        if is_active {
            return Err(Failure::new(
                Code::State,
                "this process is active in the job: call reblock_job_finalize, on all active ranks",
            ));
        }
        // SAFETY: `job` is NULL or the address of a handle.
        unsafe { release::<Arc<JobObject>, _>(job).map(drop) }
    })
}
