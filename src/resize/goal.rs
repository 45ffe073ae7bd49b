//! Goal of a resize, and the parts of a resize that is in progress.

use super::join_info::JoinInfo;
use super::relocation::{BackgroundMove, Relocation};
use crate::collective::failure::Failure;
use crate::mpi::Duplicate;
use crate::runtime::session::Session;
use std::sync::Arc;

/// Decision of rank 0 at a resize point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Decision {
    /// Number of active ranks after the resize.
    pub(super) ranks: u32,
    /// Ranks that must leave, ascending. If the job shrinks further, the last of the other ranks leave, too.
    pub(super) leaving: Vec<u32>,
}

/// New configuration of a job.
pub(super) struct Goal {
    pub(super) decision: Decision,
    pub(super) shape: Option<[u32; 2]>,
    pub(super) relocations: Vec<Relocation>,
}

/// Session and communicator of the ranks that will be active, and their message.
pub(super) struct NewRanks {
    // Dropped before its communicator.
    pub(super) session: Arc<Session>,
    pub(super) now: Duplicate,
    pub(super) join_info: JoinInfo,
    /// Result of this rank's checks that BLACS has room for the process grid and that the host's name is valid; `None`
    /// once it has been reported.
    pub(super) checks: Option<Result<(), Failure>>,
}

/// A resize whose constant arrays are moving, on an active rank.
pub struct OngoingResize<M> {
    // Dropped first, since it uses the communicator below.
    pub(super) constants: BackgroundMove<M>,
    pub(super) goal: Goal,
    /// Digest of the registered items at the start.
    pub(super) registered: i64,
    /// For a growing job: the ranks that will be active.
    pub(super) new_ranks: Option<NewRanks>,
}
