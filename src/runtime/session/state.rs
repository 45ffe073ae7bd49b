//! The part of a session that changes from call to call: caches and calls in progress.

use super::channels::{Channels, Links};
use super::neighbours::Neighbours;
use crate::exec::Progress;
use crate::exec::travel::{Workspace, WorkspaceCache};
use crate::mpi::Comm;
use crate::plan::rank_plan::{RankPlan, Recent};
use crate::transport::error::Error;
use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Maximum number of unused channels kept for later calls.
const MAX_SPARE_CHANNELS: usize = 4;

/// Entries in the table of digests of calls that were agreed on.
const AGREED_ENTRIES: usize = 256;

pub(super) static BACKGROUND_CALLS: AtomicUsize = AtomicUsize::new(0);

pub struct SessionState {
    /// The other ranks of this node, once surveyed.
    pub neighbours: Option<Neighbours>,
    /// Plans of recent calls of ScaLAPACK's routines.
    pub plans: Recent<KnownPlan>,
    /// Checked arguments of recent calls, in a type of their interface.
    pub known: Recent<Arc<dyn Any + Send + Sync>>,
    /// Number of calls so far, equal on all ranks.
    pub(super) calls: u64,
    /// Channels of recent calls, for reuse.
    #[allow(clippy::vec_box, reason = "they go from call to call: as addresses")]
    pub(super) spare: Vec<Box<Channels>>,
    /// Calls that continue while the program computes, oldest first.
    pub(super) background_calls: Vec<Arc<Mutex<dyn BackgroundCall>>>,
    /// Number of arrays requested so far: the next array's number.
    pub(super) numbered: u64,
    /// Digests of calls that all ranks have agreed on, indexed by their lowest bits; equal on all ranks.
    agreed: Box<[i64; AGREED_ENTRIES]>,
}

/// A plan, and the workspace of its last execution.
pub type KnownPlan = (Arc<RankPlan>, Arc<WorkspaceCache<Workspace>>);

/// A call that advances whenever another call waits.
pub trait BackgroundCall: Send {
    /// Does all that is possible now. Not called after it is done.
    fn advance(&mut self, links: &mut Links<'_>) -> Progress;

    /// Returns why the call cannot go on, if other ranks may wait because of it.
    fn failure(&self) -> Option<Error>;
}

impl SessionState {
    pub(super) fn new() -> Self {
        Self {
            neighbours: None,
            plans: Recent::default(),
            known: Recent::default(),
            calls: 0,
            spare: Vec::new(),
            background_calls: Vec::new(),
            numbered: 0,
            agreed: Box::new([-1; AGREED_ENTRIES]),
        }
    }

    /// Records a digest. Returns whether it is new, so that all ranks must agree before any returns. Equal on all ranks
    /// that make the same calls.
    pub(super) fn is_first(&mut self, digest: i64) -> bool {
        let at = usize::try_from(digest).unwrap_or(0) % AGREED_ENTRIES;
        std::mem::replace(&mut self.agreed[at], digest) != digest
    }

    /// Advances the calls in progress. Returns whether anything was done, and why some call cannot go on.
    pub(super) fn advance(&mut self, comm: Comm) -> (bool, Option<Error>) {
        if self.background_calls.is_empty() {
            return (false, None);
        }
        let (mut busy, mut failure, before) = (false, None, self.background_calls.len());
        let mut links = Links::new(comm, &mut self.neighbours);
        self.background_calls.retain(|call| {
            let mut call = call.lock().unwrap_or_else(PoisonError::into_inner);
            let progress = call.advance(&mut links);
            busy |= progress != Progress::Waiting;
            failure = failure.take().or_else(|| call.failure());
            progress != Progress::Done
        });
        BACKGROUND_CALLS.fetch_sub(before - self.background_calls.len(), Ordering::Relaxed);
        (busy, failure)
    }

    /// Ends a call. Keeps its channels if no message is in flight.
    pub(super) fn end(&mut self, mut channels: Box<Channels>, comm: Comm) {
        channels.close(&mut Links::new(comm, &mut self.neighbours));
        if channels.is_idle() && self.spare.len() < MAX_SPARE_CHANNELS {
            self.spare.push(channels);
        }
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        BACKGROUND_CALLS.fetch_sub(self.background_calls.len(), Ordering::Relaxed);
    }
}
