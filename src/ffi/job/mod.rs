//! C functions for jobs that change their number of ranks: convert arguments to calls of [`crate::resize`], and results
//! to codes.
//!
//! One thread at a time uses a job. A process that has left a job may only free it.

pub(super) mod begin;
mod figures;
mod formats;
mod memory;
pub(super) mod placement;
mod policy;
mod register;
mod resize;

use super::handles;
use super::objects::reblock_job;
use crate::collective::failure::{Code, Failure};
use crate::collective::refuse::refuse;
use crate::resize::{Job, Placement};
use memory::{Allocator, Block};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A job with a handle in the program.
pub struct JobObject {
    job: Mutex<Job<Block>>,
    /// The job's placement, which a policy may use during a call of the job.
    placement: Placement,
    /// Allocator of the program's storage.
    allocator: Allocator,
}

impl JobObject {
    /// Locks the job for this call; an error if it is in use.
    fn job(&self) -> Result<MutexGuard<'_, Job<Block>>, Failure> {
        match self.job.try_lock() {
            Ok(job) => Ok(job),
            Err(TryLockError::Poisoned(job)) => Ok(job.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                Code::State,
                "the job is in use, by another thread or by a call from the program's policy",
            )),
        }
    }
}

pub(super) fn with<R>(
    handle: *const reblock_job,
    body: impl FnOnce(&mut Job<Block>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let object: Arc<JobObject> = handles::get(handle.cast())?;
    body(&mut *object.job()?)
}

/// As [`with`], in a collective call: if the handle is invalid, other ranks may be waiting for this rank.
fn with_all<R>(
    handle: *const reblock_job,
    body: impl FnOnce(&mut Job<Block>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let object: Arc<JobObject> = handles::get(handle.cast()).map_err(refuse)?;
    body(&mut *object.job()?)
}
