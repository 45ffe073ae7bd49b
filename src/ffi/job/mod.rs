//! Jobs that grow and shrink, in C: pointers and integers in, calls of [`crate::resize`] out, codes back, as in the HPF interface.
//!
//! A job is used by one thread at a time. A process that has left a job may only free it.

mod begin;
mod figures;
mod formats;
mod memory;
mod placement;
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

/// A job, as programs in other languages hold it.
pub struct Held {
    job: Mutex<Job<Block>>,
    /// That of the job, for its policy.
    placement: Placement,
    /// How the program gives storage back.
    allocator: Allocator,
}

impl Held {
    /// The job, for this call.
    fn job(&self) -> Result<MutexGuard<'_, Job<Block>>, Failure> {
        match self.job.try_lock() {
            Ok(job) => Ok(job),
            Err(TryLockError::Poisoned(job)) => Ok(job.into_inner()),
            Err(TryLockError::WouldBlock) => Err(Failure::new(
                Code::State,
                "the job is in use: by another thread, or a policy of the program calls it",
            )),
        }
    }
}

/// What `body` makes of the job of a handle.
fn with<R>(
    handle: *const reblock_job,
    body: impl FnOnce(&mut Job<Block>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let held: Arc<Held> = handles::get(handle.cast())?;
    body(&mut *held.job()?)
}

/// The same in a collective call: where the handle is none, other ranks may be waiting for this one.
fn with_all<R>(
    handle: *const reblock_job,
    body: impl FnOnce(&mut Job<Block>) -> Result<R, Failure>,
) -> Result<R, Failure> {
    let held: Arc<Held> = handles::get(handle.cast()).map_err(refuse)?;
    body(&mut *held.job()?)
}
