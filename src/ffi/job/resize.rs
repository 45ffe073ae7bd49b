//! Resize points: calls that change the number of ranks of a job.

use super::super::outcome::{status_of, write_values};
use super::{reblock_job, with, with_all};
use crate::collective::failure::Failure;
use crate::collective::refuse::refuse;
use crate::resize::{Job, Outcome};

/// State after a resize point: nothing has changed.
pub const REBLOCK_JOB_SAME: i32 = 0;
/// State after a resize point: the number of ranks has changed, and all registered items have moved.
pub const REBLOCK_JOB_RESIZED: i32 = 1;
/// State after a resize point: a resize is under way, because some arrays are constant (reblock_job_set_constant).
/// These move now, while the program continues with its present ranks and data. Later calls of reblock_job_step advance
/// the moves and do not ask the policy. The first call after the arrays have arrived moves everything else, and reports
/// the end of the resize by one of the other states.
pub const REBLOCK_JOB_MOVING: i32 = 3;
/// State after a resize point: the calling process is no longer in the job. It must call reblock_job_leave and
/// MPI_Finalize, and end.
pub const REBLOCK_JOB_LEAVE: i32 = 2;

/// Executes a resize point. The policy of rank 0 chooses the number of ranks. If it differs from the present one, the
/// job grows or shrinks, and all registered items move. `state` gets REBLOCK_JOB_SAME, REBLOCK_JOB_RESIZED,
/// REBLOCK_JOB_MOVING or REBLOCK_JOB_LEAVE. After an error the job continues with its present ranks. A rank that is
/// parked waits inside this call. A size that cannot be reached is not tried again until the policy has asked for
/// another size, or for none. A resize fails with REBLOCK_ERR_STATE, on all ranks, if a request of reblock_plan_start
/// is not complete and is on the job's communicator or moves a registered array. Collective over the active ranks.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_step(job: *mut reblock_job, state: *mut i32) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { outcome(job, state, Job::step) })
}

/// As reblock_job_step, but to `ranks` ranks, which must be more than now, without a policy. REBLOCK_ERR_STATE while a
/// resize is under way.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_expand(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { outcome(job, state, |job| job.expand(ranks)) })
}

/// As reblock_job_step, but to `ranks` ranks, which must be fewer than now, without a policy. REBLOCK_ERR_STATE while a
/// resize is under way.
///
/// # Safety
/// `state` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_job_shrink(job: *mut reblock_job, ranks: i64, state: *mut i32) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe { outcome(job, state, |job| job.shrink(ranks)) })
}

/// # Safety
/// `state` is NULL or has room for a number.
unsafe fn outcome(
    job: *mut reblock_job,
    state: *mut i32,
    body: impl FnOnce(&mut Job<super::Block>) -> Result<Outcome, Failure>,
) -> Result<(), Failure> {
    // SAFETY: `state` is NULL or has room for the results.
    unsafe { write_values(state, [REBLOCK_JOB_SAME]).map_err(refuse)? };
    let known = match with_all(job, body)? {
        Outcome::Same => REBLOCK_JOB_SAME,
        Outcome::Resized => REBLOCK_JOB_RESIZED,
        Outcome::Moving => REBLOCK_JOB_MOVING,
        Outcome::Leave => REBLOCK_JOB_LEAVE,
    };
    // SAFETY: `state` is NULL or has room for the results.
    unsafe { write_values(state, [known]) }
}

/// Returns REBLOCK_OK if the job can have `ranks` ranks. Otherwise it returns REBLOCK_ERR_STATE, or
/// REBLOCK_ERR_ARGUMENT if `ranks` is not a valid number of ranks, and reblock_message gives the reason and the sizes
/// that can be reached. MPI may still fail to start the processes.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_can_resize(job: *const reblock_job, ranks: i64) -> i32 {
    status_of(|| with(job, |job| job.can_resize(ranks)))
}

/// Reports that an iteration has taken `seconds` on the calling process. Policies get the mean of these times since the
/// last resize point, on the slowest process. If the program reports nothing, the time from one resize point to the
/// next is used.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_job_set_seconds(job: *mut reblock_job, seconds: f64) -> i32 {
    status_of(|| {
        if !seconds.is_finite() || seconds < 0.0 {
            return Err(Failure::argument(format!("seconds is {seconds}, expected a number of at least 0")));
        }
        with(job, |job| {
            job.set_seconds(seconds);
            Ok(())
        })
    })
}
