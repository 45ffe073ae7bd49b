//! Changing a job's number of ranks.

use super::super::outcome::{answer, put, text};
use super::{reblock_job, with, with_all};
use crate::hpf::Failure;
use crate::job::{Job, MOST, Now, Outcome, Policy, of_text};
use std::ffi::{c_char, c_void};

/// Result of a resize point: nothing has changed.
pub const REBLOCK_JOB_SAME: i32 = 0;
/// Result of a resize point: the number of ranks has changed, and everything that is registered has moved.
pub const REBLOCK_JOB_RESIZED: i32 = 1;
/// Result of a resize point: the calling process is no longer in the job. It calls reblock_job_leave and MPI_Finalize, and
/// ends.
pub const REBLOCK_JOB_LEAVE: i32 = 2;

/// What the last resize took on the calling process, in seconds.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_times {
    /// Ranks before.
    pub before: i64,
    /// Ranks afterwards.
    pub after: i64,
    /// Agreeing on the size with the other ranks and the policy.
    pub ask: f64,
    /// Starting processes, or waiting until others have left.
    pub spawn: f64,
    /// Making communicators and the process grid.
    pub grid: f64,
    /// Telling new ranks what is registered, and planning.
    pub plan: f64,
    /// Moving all arrays, and freeing their old storage.
    pub transfer: f64,
    /// The whole resize.
    pub total: f64,
}

/// The predicted cost of a resize.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_price {
    /// Bytes sent between ranks.
    pub bytes: i64,
    /// Messages, counted for each array separately.
    pub messages: i64,
    /// The most steps that a schedule of an array has.
    pub steps: i64,
    /// Seconds for moving the data, by the model of docs/schedulers.md.
    pub seconds: f64,
}

/// A policy of the program: returns the number of ranks that the job should have, or 0 for no change. The job has `ranks` ranks
/// now, and an iteration takes `seconds` on the slowest. It is called on rank 0, and must not call functions of the job.
#[allow(non_camel_case_types, reason = "names in C")]
pub type reblock_job_policy_function =
    Option<unsafe extern "C" fn(context: *mut c_void, ranks: i64, seconds: f64) -> i64>;

/// A resize point. The policy of rank 0 decides how many ranks there should be. If that is another number, the job grows or
/// shrinks, and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED and
/// REBLOCK_JOB_LEAVE. After an error the job continues with the ranks that it had. A rank that is parked waits inside this
/// call. A size that cannot be reached is tried once, as long as the policy asks for no other one. A resize is refused with
/// REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start has not been waited for that is on the job's communicator or
/// moves a registered array. Collective over the active ranks.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_step(job: *mut reblock_job, state: *mut i32) -> i32 {
    // SAFETY: `state` is NULL or has room for a number, by this fn's contract.
    answer(|| unsafe { outcome(job, state, Job::step) })
}

/// As reblock_job_step, but to `ranks` ranks, more than now, without a policy.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_expand(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: `state` is NULL or has room for a number, by this fn's contract.
    answer(|| unsafe { outcome(job, state, |job| job.expand(ranks)) })
}

/// As reblock_job_step, but to `ranks` ranks, fewer than now, without a policy.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_shrink(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: `state` is NULL or has room for a number, by this fn's contract.
    answer(|| unsafe { outcome(job, state, |job| job.shrink(ranks)) })
}

/// # Safety
/// `state` is NULL or has room for a number.
unsafe fn outcome(
    job: *mut reblock_job,
    state: *mut i32,
    body: impl FnOnce(&mut Job<super::Block>) -> Result<Outcome, Failure>,
) -> Result<(), Failure> {
    // SAFETY: `state` is NULL or has room for what is written.
    unsafe { put(state, [REBLOCK_JOB_SAME]) };
    let known = match with_all(job, body)? {
        Outcome::Same => REBLOCK_JOB_SAME,
        Outcome::Resized => REBLOCK_JOB_RESIZED,
        Outcome::Leave => REBLOCK_JOB_LEAVE,
    };
    // SAFETY: `state` is NULL or has room for what is written.
    unsafe { put(state, [known]) };
    Ok(())
}

/// Returns REBLOCK_OK if the job can have `ranks` ranks. If not, it returns REBLOCK_ERR_STATE, or REBLOCK_ERR_ARGUMENT for
/// what is no number of ranks, and reblock_message says why not
/// and which sizes can be reached. Whether processes can be started is known only when it is tried.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_can_resize(job: *const reblock_job, ranks: i64) -> i32 {
    answer(|| with(job, |job| job.possible(ranks)))
}

/// Predicts the cost of moving everything that is registered to `ranks` ranks.
///
/// # Safety
/// `price` is NULL or has room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_price(
    job: *const reblock_job,
    ranks: i64,
    price: *mut reblock_job_price,
) -> i32 {
    answer(|| {
        let known = with(job, |job| job.price(ranks))?;
        let wide = super::super::outcome::wide;
        let told = reblock_job_price {
            bytes: wide(known.bytes),
            messages: wide(known.messages),
            steps: wide(known.steps),
            seconds: known.seconds,
        };
        // SAFETY: `price` is NULL or has room for what is written.
        unsafe { put(price, [told]) };
        Ok(())
    })
}

/// Returns the times of the last resize.
///
/// # Safety
/// `times` is NULL or has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_get_times(
    job: *const reblock_job,
    times: *mut reblock_job_times,
) -> i32 {
    answer(|| {
        let known = with(job, |job| Ok(job.times()))?;
        let told = reblock_job_times {
            before: known.before.into(),
            after: known.after.into(),
            ask: known.ask.as_secs_f64(),
            spawn: known.spawn.as_secs_f64(),
            grid: known.grid.as_secs_f64(),
            plan: known.plan.as_secs_f64(),
            transfer: known.moved.as_secs_f64(),
            total: known.total.as_secs_f64(),
        };
        // SAFETY: `times` is NULL or has room for what is written.
        unsafe { put(times, [told]) };
        Ok(())
    })
}

/// Reports that an iteration has taken `seconds` on the calling process. Policies get the time of the slowest process. If the
/// program reports nothing, the time from one resize point to the next counts.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_set_seconds(job: *mut reblock_job, seconds: f64) -> i32 {
    answer(|| {
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(Failure::argument(format!("{seconds} seconds, expected a number of at least 0")));
        }
        with(job, |job| {
            job.log(seconds);
            Ok(())
        })
    })
}

/// Sets the policy of resize points, in place of the one in REBLOCK_RESIZE. The policy of rank 0 counts.
///
/// # Safety
/// `policy` may be called with `context` as long as the job exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_policy(
    job: *mut reblock_job,
    policy: reblock_job_policy_function,
    context: *mut c_void,
) -> i32 {
    answer(|| {
        let function = policy.ok_or_else(|| Failure::argument("policy is NULL, expected a function"))?;
        with(job, |job| {
            job.set_policy(Box::new(Function { function, context }));
            Ok(())
        })
    })
}

/// Sets one of the library's policies. "4,8,4": one number at each resize point. "file:PATH": a file with a number, read at
/// each resize point. "sweet:1,2,4": the next of these sizes, which ascend, as long as each saves more than 5 percent of an
/// iteration's time;
/// "sweet:1,2,4:0.1" asks for 10 percent. "": none.
///
/// # Safety
/// `policy` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_policy_text(job: *mut reblock_job, policy: *const c_char) -> i32 {
    answer(|| {
        // SAFETY: `policy` is NULL or a C string.
        let text = unsafe { text(policy, "policy")? }.ok_or_else(|| Failure::argument("policy is NULL"))?;
        let policy = of_text(text).map_err(Failure::argument)?;
        with(job, |job| {
            job.set_policy(policy);
            Ok(())
        })
    })
}

/// A policy of a program.
struct Function {
    function: unsafe extern "C" fn(*mut c_void, i64, f64) -> i64,
    context: *mut c_void,
}

// SAFETY: the program promises that it may be called by the thread that uses the job.
unsafe impl Send for Function {}

impl Policy for Function {
    fn ask(&mut self, now: &Now) -> Result<Option<u32>, String> {
        // SAFETY: the program's promise.
        let ranks = unsafe { (self.function)(self.context, now.ranks.into(), now.seconds) };
        match u32::try_from(ranks) {
            Ok(0) => Ok(None),
            Ok(ranks) if ranks <= MOST => Ok(Some(ranks)),
            _ => Err(format!("the program's policy returned {ranks}, expected a number of ranks")),
        }
    }
}
