//! Measured times and predicted costs of resizes.

use super::super::outcome::{status_of, wide};
use super::super::versioned::{self, Versioned, head};
use super::{reblock_job, with};

/// Times of the last resize on the calling process, in seconds. Call reblock_job_times_init first. In a process that
/// the resize started or woke, `ask` and `spawn` are 0, and the other times begin once it is in the new group.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_times {
    /// Size of the structure in bytes, set by reblock_job_times_init.
    pub size: i64,
    /// Version of the structure, set by reblock_job_times_init.
    pub version: i64,
    /// Number of ranks before the resize.
    pub before: i64,
    /// Number of ranks after the resize.
    pub after: i64,
    /// Time of asking the policy, and of agreeing on the size with the other ranks.
    pub ask: f64,
    /// Time of starting processes or waking parked ranks, and of forming the new group of active ranks.
    pub spawn: f64,
    /// Time of making communicators and the process grid.
    pub grid: f64,
    /// Time of sending new ranks the registered items, and of planning.
    pub plan: f64,
    /// Time of moving all arrays, and of freeing their old storage.
    pub transfer: f64,
    /// Time of the whole resize, inside its resize points.
    pub total: f64,
}

/// The version of reblock_job_times that this header describes.
pub const REBLOCK_JOB_TIMES_VERSION: i64 = 1;

/// Initialises a reblock_job_times for the calls that fill it in.
///
/// # Safety
/// `times` has room for a reblock_job_times.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_times_init(times: *mut reblock_job_times) -> i32 {
    // SAFETY: `times` is NULL or has room for a reblock_job_times.
    status_of(|| unsafe { versioned::init(times) })
}

// SAFETY: the structure begins with size and version; the rest are numbers.
unsafe impl Versioned for reblock_job_times {
    const NAME: &'static str = "reblock_job_times";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_JOB_TIMES_VERSION);
        Self {
            size,
            version,
            before: 0,
            after: 0,
            ask: 0.0,
            spawn: 0.0,
            grid: 0.0,
            plan: 0.0,
            transfer: 0.0,
            total: 0.0,
        }
    };
}

/// The predicted cost of a resize. Call reblock_job_price_init first.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_price {
    /// Size of the structure in bytes, set by reblock_job_price_init.
    pub size: i64,
    /// Version of the structure, set by reblock_job_price_init.
    pub version: i64,
    /// Number of bytes that ranks send to other ranks.
    pub bytes: i64,
    /// Number of messages, counted for each array separately.
    pub messages: i64,
    /// Maximum number of steps in the schedule of an array.
    pub steps: i64,
    /// Predicted seconds for moving the data, by the model of docs/schedulers.md.
    pub seconds: f64,
}

/// The version of reblock_job_price that this header describes.
pub const REBLOCK_JOB_PRICE_VERSION: i64 = 1;

/// Initialises a reblock_job_price for the calls that fill it in.
///
/// # Safety
/// `price` has room for a reblock_job_price.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_price_init(price: *mut reblock_job_price) -> i32 {
    // SAFETY: `price` is NULL or has room for a reblock_job_price.
    status_of(|| unsafe { versioned::init(price) })
}

// SAFETY: the structure begins with size and version; the rest are numbers.
unsafe impl Versioned for reblock_job_price {
    const NAME: &'static str = "reblock_job_price";
    const PLAIN: Self = {
        let (size, version) = head::<Self>(REBLOCK_JOB_PRICE_VERSION);
        Self { size, version, bytes: 0, messages: 0, steps: 0, seconds: 0.0 }
    };
}

/// Predicts the cost of moving all registered matrices and arrays to `ranks` ranks. Fails as reblock_job_can_resize
/// does if the job cannot have `ranks` ranks.
///
/// # Safety
/// `price` is NULL or was initialised by reblock_job_price_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_price(
    job: *const reblock_job,
    ranks: i64,
    price: *mut reblock_job_price,
) -> i32 {
    status_of(|| {
        let known = with(job, |job| job.price(ranks))?;
        let filled = reblock_job_price {
            bytes: wide(known.bytes),
            messages: wide(known.messages),
            steps: wide(known.steps),
            seconds: known.seconds,
            ..reblock_job_price::PLAIN
        };
        // SAFETY: `price` is NULL or has the size that it names.
        unsafe { versioned::write(price, &filled) }
    })
}

/// Gets the times of the last resize, also of one that failed after all ranks had agreed on it; zeros before the first
/// resize. Resize points without a resize keep these times.
///
/// # Safety
/// `times` is NULL or was initialised by reblock_job_times_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_times(
    job: *const reblock_job,
    times: *mut reblock_job_times,
) -> i32 {
    status_of(|| {
        let known = with(job, |job| Ok(job.times()))?;
        let filled = reblock_job_times {
            before: known.before.into(),
            after: known.after.into(),
            ask: known.ask.as_secs_f64(),
            spawn: known.spawn.as_secs_f64(),
            grid: known.grid.as_secs_f64(),
            plan: known.plan.as_secs_f64(),
            transfer: known.transfer.as_secs_f64(),
            total: known.total.as_secs_f64(),
            ..reblock_job_times::PLAIN
        };
        // SAFETY: `times` is NULL or has the size that it names.
        unsafe { versioned::write(times, &filled) }
    })
}
