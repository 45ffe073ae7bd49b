//! WHO starts processes while the program computes? A thread beside its own, where MPI may be called by several; it has what it needs as
//! long as it takes. All ranks that work have such a thread, as starting is collective.

use super::orders::JobOrder;
use super::{Supply, World};
use crate::hpf::{Code, Failure};
use crate::mpi::{Duplicate, threads_overlap};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Processes that are being started.
pub struct Starting {
    count: u32,
    work: Arc<Mutex<Work>>,
    /// None where they were started at once.
    thread: Option<JoinHandle<()>>,
}

/// What a thread has, and what has come of it.
struct Work {
    supply: Box<dyn Supply>,
    within: Duplicate,
    added: Option<Result<Duplicate, Failure>>,
}

impl Starting {
    /// Whether they are there, or cannot be started.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl World {
    /// Collective over the ranks that work: begins to start processes, as many as one spawn call may, where fewer than `ranks` are
    /// there. [`World::started`] follows, and this again, until none is missing.
    pub fn start_missing(&mut self, ranks: u32, unit: u32) -> Result<Option<Starting>, Failure> {
        if self.total() >= ranks {
            return Ok(None);
        }
        let count = unit.min(ranks - self.total());
        self.order(JobOrder::Add(count))?;
        let lost = || Failure::new(Code::Internal, "processes are being started already");
        let within = self.levels.pop().ok_or_else(lost)?;
        let supply = self.supply.take().ok_or_else(lost)?;
        let work = Arc::new(Mutex::new(Work { supply, within, added: None }));
        let own = work.clone();
        let starts = move || {
            let mut work = own.lock().unwrap_or_else(PoisonError::into_inner);
            work.added = Some(work.supply.add(&work.within, count));
        };
        let aside = cfg!(feature = "threads") && threads_overlap().unwrap_or(false);
        let thread =
            aside.then(|| Builder::new().name("reblock spawn".into()).spawn(starts.clone()).ok()).flatten();
        if thread.is_none() {
            starts();
        }
        Ok(Some(Starting { count, work, thread }))
    }

    /// Collective over the ranks that work: waits for these, and takes them in. If they could not be started all ranks know it.
    pub fn started(&mut self, starting: Starting) -> Result<(), Failure> {
        let Starting { count, work, thread } = starting;
        if let Some(Err(panic)) = thread.map(JoinHandle::join) {
            std::panic::resume_unwind(panic);
        }
        let lost = || Failure::new(Code::Internal, "what starts processes is still in use");
        let work = Arc::into_inner(work).ok_or_else(lost)?;
        let Work { supply, within, added } = work.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.supply = Some(supply);
        self.levels.push(within);
        self.take_in(count, added.ok_or_else(lost)??)
    }

    /// Collective over the ranks that work: all have come that are to work, or `why` not. Then all others hear it, and what is known
    /// is as it was.
    pub fn called(&mut self, ranks: u32, why: Option<Failure>) -> Result<(), Failure> {
        let go = JobOrder::Go { ranks, leaving: Vec::new() };
        let called = match why {
            None => self.order(go).map(drop),
            Some(why) => {
                // Why processes could not be added says more than why the others were not told.
                let _ = self.order(JobOrder::Back);
                Err(why)
            }
        };
        if called.is_err() {
            self.retreat();
        }
        called
    }
}
