//! Sessions: the state that is kept with a communicator between calls, and the calls in progress on it.
//!
//! A session is an attribute of the program's communicator and is freed with it. Programs reuse context numbers and
//! communicator handles, so neither may serve as a key. This room handles communicators; the contents of calls belong
//! to higher rooms.

mod arrays;
mod arrival;
mod channels;
mod collectives;
mod contexts;
mod create;
mod faults;
mod grids;
mod intact;
mod kept;
mod meeting;
mod memory;
mod neighbours;
mod notice;
mod programs;
mod progress_thread;
mod roll_call;
mod state;
mod survey;
mod waits;
mod worlds;

use crate::layout::distribution::Rank;
use crate::mpi::{Attribute, Comm, Duplicate, MpiError};
use crate::runtime::agreement::{Agreement, Knowledge, MessagePattern};
use crate::system::settings::Settings;
use crate::system::workers::{Workers, cores};
use crate::transport::error::Error;
use crate::transport::shm::{AbortFlag, Stores};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

pub use arrays::{KeptStorage, allocate, allocate_within, free};
pub use channels::{Channels, Links};
pub use collectives::Collectives;
pub use collectives::outside;
pub use faults::check_wait_limit;
pub use grids::grid_of;
pub use kept::let_go;
pub use neighbours::{Neighbours, NodeInfo};
pub use notice::first_call;
pub use progress_thread::ProgressThread;
pub use state::{KnownPlan, SessionState, UnderWay};
pub use survey::{is_survey_due, look_around};
pub use waits::Answer;

/// Maximum number of ranks, sharing memory, that agree by sending to all others. A rank writes that many messages in
/// the time of another round.
const MAX_DIRECT_RANKS: u32 = 8;
/// Slots in shared memory for agreement messages, and bytes of each. There are more slots than a call needs, so that
/// a rank seldom waits until those of the last call are read. The slot headers and the abort flag fit in one page.
const AGREEMENT_SLOTS: usize = 31;
const AGREEMENT_BYTES: usize = 512;

static SESSIONS: Attribute<Session> = Attribute::new();
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// Sessions of this process that may still be alive.
static ALL: Mutex<Vec<Weak<Session>>> = Mutex::new(Vec::new());

/// State kept with one enclosing communicator.
pub struct Session {
    /// Unique number within this process; never reused.
    pub number: u64,
    pub rank: u32,
    pub ranks: u32,
    /// The program's communicator. It may have been freed if contexts share the session, or while a request is under
    /// way.
    host: Comm<'static>,
    /// Number of a session that BLACS contexts share: unique, and equal on all its ranks.
    shared: Option<u64>,
    /// Set if all ranks keep the session until MPI ends.
    kept: bool,
    /// The duplicate for reblock's own messages; `None` if there is one rank.
    own: Option<Duplicate>,
    /// Facts about the node, once surveyed.
    node_info: OnceLock<NodeInfo>,
    /// Facts about the node, once the ranks share memory that the settings did not ask for.
    in_memory: OnceLock<NodeInfo>,
    /// The failure, here or on another rank, that makes further calls impossible.
    fault: OnceLock<Error>,
    /// The node's abort flag in shared memory: a rank raises it if it cannot go on.
    abort_flag: OnceLock<AbortFlag>,
    /// Set once a report has noted its ranks.
    noted: AtomicBool,
    /// A digest of its processes, computed on demand.
    pub group_digest: OnceLock<i64>,
    state: Mutex<SessionState>,
}

impl Session {
    /// Returns the program's communicator; only for a session that contexts do not share.
    pub fn host(&self) -> Comm<'_> {
        self.host
    }

    /// Returns the communicator for reblock's messages. The only rank of a session gets `MPI_COMM_SELF`, which the
    /// program cannot free.
    pub fn comm(&self) -> Comm<'_> {
        self.own.as_ref().map_or(Comm::own(), Duplicate::comm)
    }

    /// Locks the state; a caller must not wait for other ranks while it holds the guard. A poisoned lock is taken: a
    /// call that panicked has ended the job or the session, so nobody sees a half-changed state.
    pub fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the facts about the node, once surveyed.
    pub fn node_info(&self) -> Option<NodeInfo> {
        self.in_memory.get().or(self.node_info.get()).copied()
    }

    pub fn workers(&self, settings: &Settings) -> Workers {
        let own = self.node_info().unwrap_or_default().cores;
        Workers::new(settings.threads.of(own, cores)).oversubscribed(own == 0)
    }

    /// Begins a call whose ranks exchange `K`. All ranks must begin their calls in the same order.
    pub fn begin<K: Knowledge>(&self, settings: &Settings) -> Box<Channels> {
        self.begin_call::<K>(settings, None).0
    }

    /// Begins a call. Also returns whether all ranks must agree on it before any returns: true if `digest`, the
    /// digest of a call whose arguments all ranks know, is not among those of recent calls.
    pub fn begin_call<K: Knowledge>(
        &self,
        settings: &Settings,
        digest: Option<i64>,
    ) -> (Box<Channels>, bool) {
        assert!(K::BYTES <= AGREEMENT_BYTES);
        let mut state = self.state();
        let is_first = digest.is_some_and(|digest| state.is_first(digest));
        let window = settings.network.window as usize;
        let spare = state.spare.iter().rposition(|channels| channels.window() == window);
        let spare = spare.map(|at| state.spare.swap_remove(at));
        let mut channels = spare.unwrap_or_else(|| Box::new(Channels::new(self.ranks, window)));
        let call = state.calls;
        state.calls += 1;
        channels.open(call, K::BYTES, &mut Links::new(self.comm(), &mut state.neighbours));
        (channels, is_first)
    }

    /// Creates the merging agreement of a call; this rank knows `own`.
    pub fn agreement<K: Knowledge>(&self, own: K) -> Agreement<K> {
        Agreement::new((self.rank, self.ranks), own).pattern(self.pattern())
    }

    /// Resets `agreement`, which was reached, for another call.
    pub fn agree_again<K: Knowledge + Clone>(&self, agreement: &mut Agreement<K>, own: &K) {
        agreement.renew(own, self.pattern());
    }

    fn pattern(&self) -> MessagePattern {
        let near =
            self.ranks <= MAX_DIRECT_RANKS && self.node_info().is_some_and(|node_info| node_info.one_node);
        if near { MessagePattern::Direct } else { MessagePattern::Dissemination }
    }

    /// Returns whether it belongs to BLACS contexts, which may share it.
    pub fn is_of_contexts(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns the number of calls begun so far: the same on all ranks.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Marks its ranks as noted in a report. Returns whether they were before.
    pub fn is_noted(&self) -> bool {
        self.noted.swap(true, Ordering::Relaxed)
    }

    /// Returns whether this rank shares memory with another rank.
    pub fn shares_memory(&self) -> bool {
        self.state().neighbours.as_ref().is_some_and(|neighbours| neighbours.shared.is_some())
    }

    /// Returns the way this rank stores to slots in shared memory, if it has any.
    pub fn stores(&self) -> Option<Stores> {
        self.state().neighbours.as_ref()?.shared.as_ref().map(|shared| shared.data.stores())
    }

    /// Returns how often this rank has exposed an array instead of sending it.
    pub fn lent(&self) -> u64 {
        let state = self.state();
        let shared = state.neighbours.as_ref().and_then(|neighbours| neighbours.shared.as_ref());
        shared.map_or(0, |shared| shared.data.lent())
    }

    /// Returns whether the rank before this one has begun a call that this rank has not, and its agreement message is
    /// here.
    pub fn is_call_pending(&self) -> Result<bool, MpiError> {
        if self.ranks == 1 || self.node_info().is_none() {
            return Ok(false);
        }
        let before = Rank((self.rank + self.ranks - 1) % self.ranks);
        let state = &mut *self.state();
        self.advance(state);
        channels::is_agreement_here(state.calls, before, &Links::new(self.comm(), &mut state.neighbours))
    }

    pub fn end(&self, channels: Box<Channels>) {
        self.state().end(channels, self.comm());
    }
}

pub fn known() -> u64 {
    NUMBERS.load(Ordering::Relaxed)
}

/// Returns the living sessions of this process.
pub fn sessions() -> Vec<Arc<Session>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
}
