//! What changes from call to call on one communicator: what is kept for the next call, and which calls are in progress.

use super::channels::{Channels, Links};
use super::neighbours::Neighbours;
use crate::exec::Progress;
use crate::exec::travel::{LastCall, Rest};
use crate::mpi::Comm;
use crate::plan::planned::{Planned, Recent};
use crate::transport::error::Error;
use std::any::Any;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Calls whose channels are kept for others: as many as are usually under way at a time.
const SPARE: usize = 4;

/// Calls that are remembered as agreed on.
const AGREED: usize = 256;

/// Calls of all sessions that are under way.
pub(super) static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// What changes from call to call.
pub struct SessionState {
    /// The other ranks of this node, once it is worth while to find out.
    pub neighbours: Option<Neighbours>,
    /// Plans of recent calls of ScaLAPACK's routines.
    pub plans: Recent<KnownPlan>,
    /// What recent calls of an interface came to, which alone knows what that is.
    pub known: Recent<Arc<dyn Any + Send + Sync>>,
    /// Calls so far: the same on all ranks.
    pub(super) calls: u64,
    /// What recent calls sent their messages with.
    #[allow(clippy::vec_box, reason = "they go from call to call: as addresses")]
    pub(super) spare: Vec<Box<Channels>>,
    /// What goes on while the host does other things, in the order in which it began.
    pub(super) under_way: Vec<Arc<Mutex<dyn UnderWay>>>,
    /// Arrays that the host asked for so far.
    pub(super) numbered: u64,
    /// Digests of calls that all ranks have made alike, by their last bits: the same on all ranks.
    agreed: Box<[i64; AGREED]>,
}

/// A plan, and what its last call has left.
pub type KnownPlan = (Arc<Planned>, Arc<LastCall<Rest>>);

/// A call that goes on whenever some call waits.
pub trait UnderWay: Send {
    /// Does what can be done now. When it is done it is not asked again.
    fn advance(&mut self, links: &mut Links<'_>) -> Progress;

    /// Why it cannot go on, so that ranks may wait for each other, if that is so.
    fn torn(&self) -> Option<Error>;
}

impl SessionState {
    pub(super) fn new() -> Self {
        Self {
            neighbours: None,
            plans: Recent::default(),
            known: Recent::default(),
            calls: 0,
            spare: Vec::new(),
            under_way: Vec::new(),
            numbered: 0,
            agreed: Box::new([-1; AGREED]),
        }
    }

    /// Whether a call with that digest is to be agreed on by all ranks before any of them returns: if none was recently. Ranks that make
    /// the same calls come to the same.
    pub(super) fn is_first(&mut self, digest: i64) -> bool {
        let at = usize::try_from(digest).unwrap_or(0) % AGREED;
        std::mem::replace(&mut self.agreed[at], digest) != digest
    }

    /// Lets what is under way go on; whether anything was done, and why some of it cannot go on.
    pub(super) fn advance(&mut self, comm: Comm) -> (bool, Option<Error>) {
        if self.under_way.is_empty() {
            return (false, None);
        }
        let (mut busy, mut torn, before) = (false, None, self.under_way.len());
        let mut links = Links::new(comm, &mut self.neighbours);
        self.under_way.retain(|call| {
            let mut call = call.lock().unwrap_or_else(PoisonError::into_inner);
            let progress = call.advance(&mut links);
            busy |= progress != Progress::Waiting;
            torn = torn.take().or_else(|| call.torn());
            progress != Progress::Done
        });
        UNDER_WAY.fetch_sub(before - self.under_way.len(), Ordering::Relaxed);
        (busy, torn)
    }

    /// Ends a call.
    pub(super) fn end(&mut self, mut channels: Box<Channels>, comm: Comm) {
        channels.close(&mut Links::new(comm, &mut self.neighbours));
        if channels.is_idle() && self.spare.len() < SPARE {
            self.spare.push(channels);
        }
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        UNDER_WAY.fetch_sub(self.under_way.len(), Ordering::Relaxed);
    }
}
