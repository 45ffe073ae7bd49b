//! Sessions: the state that is kept with a communicator between calls, and the calls in progress on it.
//!
//! A session is an attribute of the program's communicator and is freed with it. BLACS contexts with the same ranks
//! share a session, which may outlive them. Programs reuse the numbers of contexts and the handles of communicators, so
//! neither may serve as a key.
//!
//! | file | contents |
//! |---|---|
//! | `create`, `contexts`, `kept` | creation; sessions that contexts share; sessions that outlive their contexts |
//! | `arrival`, `roll_call` | waiting for all ranks at a first call; names of missing ranks |
//! | `survey`, `node_setup` | when a node's shared memory is set up ([`is_survey_due`]), and its setup |
//! | `memory`, `neighbours` | allocation of shared memory; the ranks of the node |
//! | `arrays`, `programs` | arrays in shared memory: allocated for the program, and the program's own |
//! | `state`, `channels` | caches and calls in progress; channels of one call |
//! | `waits`, `progress_thread`, `collectives` | waiting without blocking other calls |
//! | `faults`, `panic_guard` | failures and panics in the middle of a call |
//! | `grids`, `worlds`, `notice` | process grids; several MPI_COMM_WORLDs; lines at the first call |

mod arrays;
mod arrival;
mod channels;
mod collectives;
mod contexts;
mod create;
mod faults;
mod grids;
mod kept;
mod memory;
mod neighbours;
mod node_setup;
mod notice;
mod panic_guard;
mod programs;
mod progress_thread;
mod roll_call;
mod state;
mod survey;
mod waits;
mod worlds;

use crate::layout::distribution::{Nodes, Rank};
use crate::mpi::{Attribute, Comm, Duplicate, MpiError};
use crate::runtime::agreement::{Agreement, Knowledge, MessagePattern};
use crate::system::settings::Settings;
use crate::system::workers::{Workers, cores};
use crate::transport::error::Error;
use crate::transport::shm::exchange::MAX_RECORD_BYTES;
use crate::transport::shm::{AbortFlag, StoreKind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

pub use arrays::{KeptStorage, allocate, allocate_within, free};
pub use channels::{Channels, Links};
pub use collectives::Collectives;
pub use collectives::poll_until;
pub use faults::check_wait_limit;
pub use grids::grid_of;
pub use kept::release_kept;
pub use neighbours::{Neighbours, NodeInfo};
pub use notice::first_call;
pub use progress_thread::ProgressThread;
pub use state::{BackgroundCall, KnownPlan, SessionState};
pub use survey::{is_survey_due, read_node_facts};
pub use waits::Answer;

/// Maximum number of ranks with shared memory that agree by [`MessagePattern::Direct`]: writing so many messages takes
/// as long as one more round of a dissemination.
const MAX_DIRECT_RANKS: u32 = 8;
/// Each rank's slots in shared memory for agreement messages, and bytes of a slot. More slots than a call needs: a rank
/// seldom waits for readers of the last call. Headers and abort flag fit in one page.
const AGREEMENT_SLOTS: usize = 31;
const AGREEMENT_BYTES: usize = 512;

static SESSIONS: Attribute<Session> = Attribute::new();
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// Sessions of this process that may still be alive.
static ALL: Mutex<Vec<Weak<Session>>> = Mutex::new(Vec::new());

/// State kept with one communicator of the program, or with BLACS contexts of the same ranks.
pub struct Session {
    /// Unique number within this process; never reused.
    pub number: u64,
    pub rank: u32,
    pub ranks: u32,
    /// The program's communicator; may be freed already if contexts share the session or a request is active.
    host: Comm<'static>,
    /// Number of the session if BLACS contexts may share it: unique, and equal on all its ranks.
    shared: Option<u64>,
    /// Whether all ranks keep the session until MPI ends.
    kept: bool,
    /// The duplicate for reblock's own messages; `None` if there is one rank.
    own: Option<Duplicate>,
    /// Facts about the node; set by the first survey, at once if there is one rank.
    node_info: OnceLock<NodeInfo>,
    /// Replaces `node_info` once [`Session::share_memory`] has made all ranks share memory despite the settings.
    in_memory: OnceLock<NodeInfo>,
    /// The failure, of any rank, that makes all further calls fail.
    fault: OnceLock<Error>,
    abort_flag: OnceLock<AbortFlag>,
    /// Whether the session's ranks are recorded for the report of a trace or trial.
    noted: AtomicBool,
    /// A digest of the session's processes, computed on demand.
    pub group_digest: OnceLock<i64>,
    state: Mutex<SessionState>,
}

impl Session {
    /// Returns the program's communicator, of a session that no contexts share.
    pub fn host(&self) -> Comm<'_> {
        self.host
    }

    /// Returns the communicator for reblock's messages: `MPI_COMM_SELF` if the session has one rank.
    pub fn comm(&self) -> Comm<'_> {
        self.own.as_ref().map_or(Comm::own(), Duplicate::comm)
    }

    /// Locks the state; the caller must not wait for other ranks meanwhile. Accepts a poisoned lock: a call that
    /// panicked has ended the job or the session.
    pub fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the facts about the node, once surveyed.
    pub fn node_info(&self) -> Option<NodeInfo> {
        self.in_memory.get().or(self.node_info.get()).copied()
    }

    /// Returns the node of each rank, if ranks are on several nodes and the nodes are surveyed.
    pub fn nodes(&self) -> Nodes {
        self.state().neighbours.as_ref().map(|neighbours| neighbours.nodes.clone()).unwrap_or_default()
    }

    pub fn workers(&self, settings: &Settings) -> Workers {
        let own = self.node_info().unwrap_or_default().cores;
        Workers::new(settings.threads.of(own, cores)).oversubscribed(own == 0)
    }

    /// Begins a call whose ranks exchange `K`. All ranks must begin their calls in the same order.
    pub fn begin<K: Knowledge>(&self, settings: &Settings) -> Box<Channels> {
        self.begin_call_by::<K>(settings, None, true).0
    }

    /// Begins a call. Also returns whether all ranks must agree before any returns: true if no recent call had this
    /// digest of the arguments. `None`: some rank lacks arguments, so ranks exchange them, and thereby agree, before
    /// they plan.
    pub fn begin_call<K: Knowledge>(
        &self,
        settings: &Settings,
        digest: Option<i64>,
    ) -> (Box<Channels>, bool) {
        self.begin_call_by::<K>(settings, digest, false)
    }

    fn begin_call_by<K: Knowledge>(
        &self,
        settings: &Settings,
        digest: Option<i64>,
        by_nodes: bool,
    ) -> (Box<Channels>, bool) {
        assert!(K::BYTES <= AGREEMENT_BYTES.min(MAX_RECORD_BYTES));
        let mut state = self.state();
        let is_first = digest.is_some_and(|digest| state.is_first(digest));
        let window = settings.network.window as usize;
        let spare = state.spare.iter().rposition(|channels| channels.window() == window);
        let spare = spare.map(|at| state.spare.swap_remove(at));
        let mut channels = spare.unwrap_or_else(|| Box::new(Channels::new(self.ranks, window)));
        let call = state.calls;
        state.calls += 1;
        channels.open(call, K::BYTES, by_nodes, &mut Links::new(self.comm(), &mut state.neighbours));
        (channels, is_first)
    }

    /// Creates the agreement that merges the ranks' knowledge of a call, with this rank's `own`.
    pub fn agreement<K: Knowledge>(&self, own: K) -> Agreement<K> {
        Agreement::new((self.rank, self.ranks), own).pattern(self.pattern())
    }

    /// Resets a completed `agreement` for another call.
    pub fn agree_again<K: Knowledge + Clone>(&self, agreement: &mut Agreement<K>, own: &K) {
        agreement.renew(own, self.pattern());
    }

    fn pattern(&self) -> MessagePattern {
        let near =
            self.ranks <= MAX_DIRECT_RANKS && self.node_info().is_some_and(|node_info| node_info.one_node);
        if near { MessagePattern::Direct } else { MessagePattern::Dissemination }
    }

    /// Returns whether BLACS contexts may share the session.
    pub fn is_of_contexts(&self) -> bool {
        self.shared.is_some()
    }

    /// Returns the number of calls begun so far; equal on all ranks.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Marks the session as recorded; returns whether it was.
    pub fn mark_noted(&self) -> bool {
        self.noted.swap(true, Ordering::Relaxed)
    }

    /// Returns whether this rank shares memory with another rank.
    pub fn shares_memory(&self) -> bool {
        self.state().neighbours.as_ref().is_some_and(|neighbours| neighbours.shared.is_some())
    }

    /// Returns how this rank writes its slots in shared memory; `None` if it has none.
    pub fn store_kind(&self) -> Option<StoreKind> {
        self.state().neighbours.as_ref()?.shared.as_ref().map(|shared| shared.data.store_kind())
    }

    /// Returns the number of messages that this rank has replaced by an exposed array.
    pub fn exposed(&self) -> u64 {
        let state = self.state();
        let shared = state.neighbours.as_ref().and_then(|neighbours| neighbours.shared.as_ref());
        shared.map_or(0, |shared| shared.data.exposed())
    }

    /// Returns whether a message of a call that this rank has not begun has arrived: from the rank before this one, or,
    /// with exchanges between nodes, from any rank. False before a survey.
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
