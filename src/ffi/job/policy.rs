//! Policies, which choose the number of ranks at resize points.

use super::super::outcome::{status_of, text};
use super::{reblock_job, with};
use crate::collective::failure::Failure;
use crate::resize::{MAX_RANKS, Now, Policy, of_text};
use std::ffi::{c_char, c_void};

/// A policy of the program: returns the number of ranks that the job should have, or 0 for no change. The job has
/// `ranks` ranks now, and an iteration takes `seconds` on the slowest rank. The library calls the function on rank 0.
/// The function may call these functions of the job: reblock_job_set_spawn_info, reblock_job_set_leaving,
/// reblock_job_set_leaving_hosts, reblock_job_get_hosts and reblock_job_next_freed.
#[allow(non_camel_case_types, reason = "names in C")]
pub type reblock_job_policy_function =
    Option<unsafe extern "C" fn(context: *mut c_void, ranks: i64, seconds: f64) -> i64>;

/// Sets the policy of resize points, in place of the policy of REBLOCK_RESIZE. The policy of rank 0 is used.
///
/// # Safety
/// `policy` may be called with `context` as long as the job exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_policy(
    job: *mut reblock_job,
    policy: reblock_job_policy_function,
    context: *mut c_void,
) -> i32 {
    status_of(|| {
        let function = policy.ok_or_else(|| Failure::argument("policy is NULL, expected a function"))?;
        with(job, |job| {
            job.set_policy(Box::new(PolicyFunction { function, context }));
            Ok(())
        })
    })
}

/// Sets one of the library's policies. "4,8,4": one size at each resize point. "file:PATH": a file with a number, read
/// at each resize point. "sweet:1,2,4": the next of these ascending sizes, as long as each saves more than 5 percent of
/// an iteration's time; after a size that saves less, the job returns to the previous size. "sweet:1,2,4:0.1" requires
/// 10 percent. "slurm:" before any of these: the nodes come from Slurm, and are returned to it. "slurm": as many ranks
/// as the job's Slurm allocation has room for. "": no policy.
///
/// # Safety
/// `policy` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_set_policy_text(job: *mut reblock_job, policy: *const c_char) -> i32 {
    status_of(|| {
        // SAFETY: `policy` is NULL or a C string.
        let text = unsafe { text(policy, "policy")? }
            .ok_or_else(|| Failure::argument("policy is NULL, expected a text"))?;
        let policy = of_text(text).map_err(Failure::argument)?;
        with(job, |job| {
            job.set_policy(policy);
            Ok(())
        })
    })
}

struct PolicyFunction {
    function: unsafe extern "C" fn(*mut c_void, i64, f64) -> i64,
    context: *mut c_void,
}

// SAFETY: the program promises that the thread that uses the job may call the function with its context.
unsafe impl Send for PolicyFunction {}

impl Policy for PolicyFunction {
    fn ask(&mut self, now: &Now) -> Result<Option<u32>, String> {
        // SAFETY: the program's promise.
        let ranks = unsafe { (self.function)(self.context, now.ranks.into(), now.seconds) };
        match u32::try_from(ranks) {
            Ok(0) => Ok(None),
            Ok(ranks) if ranks <= MAX_RANKS => Ok(Some(ranks)),
            _ => Err(format!(
                "the program's policy returned {ranks}, expected a number of ranks from 0 to {MAX_RANKS}"
            )),
        }
    }
}
