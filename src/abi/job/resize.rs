//! Changing a job's number of ranks.

use super::super::outcome::{answer, put, text};
use super::{reblock_job, with, with_all};
use crate::hpf::Failure;
use crate::job::{Job, MOST, Now, Outcome, Policy, of_text};
use std::ffi::{c_char, c_void};

/// What a resize point has come to: nothing has changed.
pub const REBLOCK_JOB_SAME: i32 = 0;
/// There are other ranks now, and everything that is registered has moved.
pub const REBLOCK_JOB_RESIZED: i32 = 1;
/// The calling process is no longer in the job: it calls reblock_job_leave and MPI_Finalize, and ends.
pub const REBLOCK_JOB_LEAVE: i32 = 2;

/// What the last resize took on the calling process, in seconds.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_times {
    /// Ranks before.
    pub before: i64,
    /// Ranks afterwards.
    pub after: i64,
    /// To agree on the size, with the other ranks and the policy.
    pub ask: f64,
    /// Until new processes had come, or others had gone.
    pub spawn: f64,
    /// To make communicators and the process grid.
    pub grid: f64,
    /// To tell new ranks what there is, and to plan.
    pub plan: f64,
    /// To move all arrays, and to give back the storage in which they were.
    pub move_: f64,
    /// All of it.
    pub total: f64,
}

/// What a resize would take.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_job_price {
    /// Bytes that ranks send each other.
    pub bytes: i64,
    /// Messages, of each array by itself.
    pub messages: i64,
    /// Steps of the schedule that has the most.
    pub steps: i64,
    /// Seconds by the model of docs/schedulers.md, for moving alone.
    pub seconds: f64,
}

/// A policy of a program: how many ranks there should be, of which there are `ranks` now, where an iteration takes `seconds` on
/// the slowest; 0: as many as there are. It is asked on rank 0, and calls no function of the job.
#[allow(non_camel_case_types, reason = "names in C")]
pub type reblock_job_policy_function =
    Option<unsafe extern "C" fn(context: *mut c_void, ranks: i64, seconds: f64) -> i64>;

/// Collective over the ranks that work: a resize point. The policy of rank 0 is asked how many ranks there should be; if there
/// are others, the job grows or shrinks and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME,
/// REBLOCK_JOB_RESIZED and REBLOCK_JOB_LEAVE; after an error the job goes on with the ranks that it had. A rank that is to wait
/// does so in here.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_step(job: *mut reblock_job, state: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { outcome(job, state, Job::step) })
}

/// The same with a number of ranks, larger than now, and without a policy.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_expand(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { outcome(job, state, |job| job.expand(narrow(ranks))) })
}

/// The same with a number of ranks that is smaller than now.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_shrink(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { outcome(job, state, |job| job.shrink(narrow(ranks))) })
}

/// A number of ranks; what cannot be one is told as a size that cannot be reached, too small or too large, on all ranks.
fn narrow(ranks: i64) -> u32 {
    u32::try_from(ranks).unwrap_or(if ranks < 0 { 0 } else { u32::MAX })
}

/// # Safety
/// `state` is NULL or has room for a number.
unsafe fn outcome(
    job: *mut reblock_job,
    state: *mut i32,
    body: impl FnOnce(&mut Job<super::Block>) -> Result<Outcome, Failure>,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    unsafe { put(state, [REBLOCK_JOB_SAME]) };
    let known = match with_all(job, body)? {
        Outcome::Same => REBLOCK_JOB_SAME,
        Outcome::Resized => REBLOCK_JOB_RESIZED,
        Outcome::Leave => REBLOCK_JOB_LEAVE,
    };
    // SAFETY: the caller's promise.
    unsafe { put(state, [known]) };
    Ok(())
}

/// Whether the job can have `ranks` ranks: REBLOCK_OK; or REBLOCK_ERR_STATE, and reblock_message says why not and what can be
/// reached. Whether processes can be started is not known before it is tried.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_possible(job: *const reblock_job, ranks: i64) -> i32 {
    answer(|| with(job, |job| job.possible(narrow(ranks))))
}

/// What it would take to move everything that is registered to `ranks` ranks.
///
/// # Safety
/// `price` is NULL or has room for it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_price_of(
    job: *const reblock_job,
    ranks: i64,
    price: *mut reblock_job_price,
) -> i32 {
    answer(|| {
        let known = with(job, |job| job.price(narrow(ranks)))?;
        let wide = super::super::outcome::wide;
        let told = reblock_job_price {
            bytes: wide(known.bytes),
            messages: wide(known.messages),
            steps: wide(known.steps),
            seconds: known.seconds,
        };
        // SAFETY: the caller's promise.
        unsafe { put(price, [told]) };
        Ok(())
    })
}

/// What the last resize took.
///
/// # Safety
/// `times` is NULL or has room for them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_times_of(job: *const reblock_job, times: *mut reblock_job_times) -> i32 {
    answer(|| {
        let known = with(job, |job| Ok(job.times()))?;
        let told = reblock_job_times {
            before: known.before.into(),
            after: known.after.into(),
            ask: known.ask.as_secs_f64(),
            spawn: known.spawn.as_secs_f64(),
            grid: known.grid.as_secs_f64(),
            plan: known.plan.as_secs_f64(),
            move_: known.moved.as_secs_f64(),
            total: known.total.as_secs_f64(),
        };
        // SAFETY: the caller's promise.
        unsafe { put(times, [told]) };
        Ok(())
    })
}

/// An iteration has taken `seconds` on the calling process: policies hear of the slowest. Where a program logs nothing, the time
/// from one resize point to the next counts.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_log(job: *mut reblock_job, seconds: f64) -> i32 {
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

/// From now on `policy` is asked at resize points, in place of what REBLOCK_RESIZE says; that of rank 0 is.
///
/// # Safety
/// `policy` may be called with `context` as long as the job is there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_policy(
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

/// The same with one of the library's policies: "4,8,4", one number at each resize point; "file:PATH", a file with a number, which
/// is read at each of them; "sweet:1,2,4", more ranks as long as that makes an iteration faster by more than 5 percent, or, as in
/// "sweet:1,2,4:0.1", another part; "", none.
///
/// # Safety
/// `policy` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_policy_text(job: *mut reblock_job, policy: *const c_char) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
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
            _ => Err(format!("the program's policy says {ranks}, expected a number of ranks")),
        }
    }
}
