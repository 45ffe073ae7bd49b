//! WHAT may a program ask of one plan, in place of what the environment says?

use super::failure::{Code, Failure};
use crate::settings::{Medium, Settings};

/// Options of a plan; all ranks give the same.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// The scheduler, by name, in place of the cheapest.
    pub scheduler: Option<String>,
    /// By which way messages travel: `Some(false)` by MPI, `Some(true)` through shared memory or not at all.
    pub shared: Option<bool>,
    /// Bytes that the plan's buffers may take on each rank.
    pub buffer: Option<u64>,
    /// Messages that MPI has under way at a time, in each direction.
    pub window: Option<u32>,
    /// The target's places may be on other ranks, so that less data moves: see [`super::Plan::target`].
    pub relabel: bool,
}

impl Options {
    /// The settings with these options.
    pub(super) fn over(&self, settings: &Settings) -> Result<Settings, Failure> {
        let medium = match self.shared {
            None => settings.medium,
            Some(true) => Medium::Shm,
            Some(false) => Medium::Mpi,
        };
        let scheduler = self.scheduler.clone();
        let changed = settings.with(scheduler, medium, self.buffer, self.window);
        changed.map_err(|why| Failure::new(Code::Settings, why))
    }
}
