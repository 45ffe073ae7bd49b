//! Changing a job's number of ranks.

use super::super::outcome::{answer, put};
use super::{reblock_job, with, with_all};
use crate::collective::failure::Failure;
use crate::resize::{Job, Outcome};

/// Result of a resize point: nothing has changed.
pub const REBLOCK_JOB_SAME: i32 = 0;
/// Result of a resize point: the number of ranks has changed, and everything that is registered has moved.
pub const REBLOCK_JOB_RESIZED: i32 = 1;
/// Result of a resize point: a resize is under way, as arrays are constant (reblock_job_set_constant). These move now, while the
/// program goes on with the ranks and the data that it has. Later calls of reblock_job_step let them go on, and ask for no size.
/// The one at which they are there moves everything else, and says that the resize is over by one of the other results.
pub const REBLOCK_JOB_MOVING: i32 = 3;
/// Result of a resize point: the calling process is no longer in the job. It calls reblock_job_leave and MPI_Finalize, and
/// ends.
pub const REBLOCK_JOB_LEAVE: i32 = 2;

/// A resize point. The policy of rank 0 decides how many ranks there should be. If that is another number, the job grows or
/// shrinks, and everything that is registered moves. `state` is one of REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED,
/// REBLOCK_JOB_MOVING and REBLOCK_JOB_LEAVE. After an error the job continues with the ranks that it had. A rank that is parked waits inside this
/// call. A size that cannot be reached is tried once, as long as the policy asks for no other one. A resize is refused with
/// REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start has not been waited for that is on the job's
/// communicator or moves a registered array. Collective over the active ranks.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_step(job: *mut reblock_job, state: *mut i32) -> i32 {
    // SAFETY: `state` is NULL or has room for a number, by this fn's contract.
    answer(|| unsafe { outcome(job, state, Job::step) })
}

/// As reblock_job_step, but to `ranks` ranks, more than now, without a policy. REBLOCK_ERR_STATE while a resize is under way.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_expand(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: `state` is NULL or has room for a number, by this fn's contract.
    answer(|| unsafe { outcome(job, state, |job| job.expand(ranks)) })
}

/// As reblock_job_step, but to `ranks` ranks, fewer than now, without a policy. REBLOCK_ERR_STATE while a resize is under way.
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
        Outcome::Moving => REBLOCK_JOB_MOVING,
        Outcome::Leave => REBLOCK_JOB_LEAVE,
    };
    // SAFETY: `state` is NULL or has room for what is written.
    unsafe { put(state, [known]) };
    Ok(())
}

/// Returns REBLOCK_OK if the job can have `ranks` ranks. If not, it returns REBLOCK_ERR_STATE, or REBLOCK_ERR_ARGUMENT for
/// what is no number of ranks, and reblock_message says why not and which sizes can be reached. Whether processes can be
/// started is known only when it is tried.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_can_resize(job: *const reblock_job, ranks: i64) -> i32 {
    answer(|| with(job, |job| job.can_resize(ranks)))
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
            job.set_seconds(seconds);
            Ok(())
        })
    })
}
