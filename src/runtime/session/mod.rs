//! WHAT is kept between calls, and what is in progress? All of it is kept as attributes of the program's communicators, so
//! that it is freed with them. Programs reuse context numbers and communicator handles, so nothing may be stored under
//! these. It knows communicators; it never knows what calls are about.

mod arrays;
mod arrival;
mod aside;
mod channels;
mod contexts;
mod faults;
mod grids;
mod intact;
mod kept;
mod meeting;
mod memory;
mod neighbours;
mod notice;
mod programs;
mod roll_call;
mod state;
mod together;
mod waits;
mod worlds;

use crate::layout::distribution::Rank;
use crate::mpi::{Attribute, Comm, Duplicate, Duplicating, MpiError, Noted};
use crate::runtime::agreement::{Agreement, Knowledge, MessagePattern};
use crate::system::crew::{Crew, cores};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use crate::transport::shm::{Alarm, Stores};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

pub use arrays::{KeptStorage, allocate, allocate_within, free};
use arrival::{Here, arrive};
pub use aside::Aside;
pub use channels::{Channels, Links};
pub use faults::patient;
pub use grids::grid_of;
pub use kept::let_go;
pub use neighbours::{Neighbours, NodeInfo, look_around, worth_meeting};
pub use notice::first_call;
pub use state::{KnownPlan, SessionState, UnderWay};
pub use together::Circle;
pub use together::outside;
pub use waits::Answer;

/// Ranks that tell all others what they know, where they share memory: no more messages than a rank writes in the time that
/// another round takes.
const TOLD: u32 = 8;
/// Slots in shared memory for what ranks tell each other to agree, and bytes of each: more slots than a call needs, so
/// that a rank seldom has to wait until the last call's are read. Their headers leave room for an alarm in a page.
const AGREEMENT_SLOTS: usize = 31;
const AGREEMENT_BYTES: usize = 512;

static SESSIONS: Attribute<Session> = Attribute::new();
static NUMBERS: AtomicU64 = AtomicU64::new(0);
/// All sessions of this process that may still live.
static ALL: Mutex<Vec<Weak<Session>>> = Mutex::new(Vec::new());

/// What one enclosing communicator keeps.
pub struct Session {
    /// A number that no other session of this process has or had.
    pub number: u64,
    /// This process's rank in it.
    pub rank: u32,
    /// Its ranks.
    pub ranks: u32,
    /// The host's communicator, which may be gone: where contexts share the session, or as long as a request is under way.
    host: Comm<'static>,
    /// A number by which all ranks know a session that contexts share, and no other one.
    shared: Option<u64>,
    /// Whether all ranks keep it until MPI ends.
    kept: bool,
    /// reblock's own traffic; a rank alone has none.
    own: Option<Duplicate>,
    /// What is known of the node, once the ranks know each other.
    node_info: OnceLock<NodeInfo>,
    /// The same once the ranks share memory that the settings do without.
    in_memory: OnceLock<NodeInfo>,
    /// What failed, here or elsewhere, so that ranks might wait for each other for ever.
    fault: OnceLock<Error>,
    /// By which ranks of the node say that they cannot go on, once they share memory.
    alarm: OnceLock<Alarm>,
    /// Whether a report has noted who its ranks are.
    noted: AtomicBool,
    /// A number for its processes, once it was asked for.
    pub group_digest: OnceLock<i64>,
    state: Mutex<SessionState>,
}

impl Session {
    /// The session of `comm`, whose ranks know each other. The first call is collective over it, as it makes a duplicate, so of
    /// all threads only one makes it.
    pub fn met(comm: &Comm, settings: &Settings) -> Result<Arc<Self>, Error> {
        let mut noted = Noted::default();
        if let Some(session) = noted.twice(|| SESSIONS.get(comm))? {
            if let Some(why) = noted.failure() {
                return session.vital(Err(why.clone()));
            }
            session.meet(settings)?;
            return Ok(session);
        }
        Self::gathered(comm, &mut noted)?;
        Self::made(comm, settings, noted)
    }

    /// Waits until all ranks of `comm` have come: collective over it. An error, on all of them, if their settings differ.
    pub fn gather(comm: &Comm) -> Result<(), Error> {
        Self::gathered(comm, &mut Noted::default())
    }

    fn gathered(comm: &Comm, noted: &mut Noted) -> Result<(), Error> {
        let (rank, ranks) = (noted.twice(|| comm.rank())?, noted.twice(|| comm.size())?);
        if ranks > 1 {
            arrive(&Here { comm: *comm, rank, ranks, session: None }, "their first call", [0; 4], noted)?;
        }
        Ok(())
    }

    /// The session of `comm`, which has none yet: collective over it. All ranks have come, and their settings are the same.
    pub fn of_gathered(comm: &Comm, settings: &Settings) -> Result<Arc<Self>, Error> {
        Self::made(comm, settings, Noted::default())
    }

    /// The same on a rank that may have failed already: now it can say so.
    fn made(comm: &Comm, settings: &Settings, mut noted: Noted) -> Result<Arc<Self>, Error> {
        let session = Self::new(comm, (None, false), &mut noted)?;
        session.vital(noted.twice(|| SESSIONS.set(comm, session.clone())))?;
        if let Some(why) = noted.failure() {
            return session.vital(Err(why.clone()));
        }
        if session.node_info().is_none() {
            session.get_to_know(settings)?;
        }
        Ok(session)
    }

    /// Collective over `comm`, whose ranks have all come.
    fn new(comm: &Comm, (shared, kept): (Option<u64>, bool), noted: &mut Noted) -> Result<Arc<Self>, Error> {
        first_call();
        let (rank, ranks) = (noted.twice(|| comm.rank())?, noted.twice(|| comm.size())?);
        let mut own = None;
        if ranks > 1 {
            let mut duplicating = Duplicating::start(*comm, noted)?;
            own = Some(outside(None, || (), || Ok(duplicating.test(noted)?))?);
        }
        let session = Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            rank,
            ranks,
            host: comm.unbound(),
            shared,
            kept,
            own,
            // A rank alone has nobody to get to know.
            node_info: if ranks == 1 { NodeInfo::alone()?.into() } else { OnceLock::new() },
            in_memory: OnceLock::new(),
            fault: OnceLock::new(),
            alarm: OnceLock::new(),
            noted: AtomicBool::new(false),
            group_digest: OnceLock::new(),
            state: Mutex::new(SessionState::new()),
        });
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|session| session.strong_count() > 0);
        all.push(Arc::downgrade(&session));
        Ok(session)
    }

    /// The host's communicator, of a session that contexts do not share.
    pub fn host(&self) -> Comm<'_> {
        self.host
    }

    /// The communicator for reblock's messages. A rank alone sends none: there it is `MPI_COMM_SELF`, which the program cannot free.
    pub fn comm(&self) -> Comm<'_> {
        self.own.as_ref().map_or(Comm::own(), Duplicate::comm)
    }

    /// Exclusive use, for as long as nothing is waited for. A call that panicked ended the job or its session, so the
    /// state is never half changed.
    pub fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is known of the node, if the ranks know each other.
    pub fn node_info(&self) -> Option<NodeInfo> {
        self.in_memory.get().or(self.node_info.get()).copied()
    }

    /// Who packs, unpacks and copies.
    pub fn crew(&self, settings: &Settings) -> Crew {
        let own = self.node_info().unwrap_or_default().cores;
        Crew::new(settings.threads.of(own, cores)).crowded(own == 0)
    }

    /// Begins a call, which all ranks make in the same order, and whose ranks tell each other `K`.
    pub fn begin<K: Knowledge>(&self, settings: &Settings) -> Box<Channels> {
        self.begin_call::<K>(settings, None).0
    }

    /// The same of a call with that digest, if all ranks know all of it: also whether it is the first one of late.
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

    /// The agreement of a call in which all ranks merge what they know; this one knows `own`.
    pub fn agreement<K: Knowledge>(&self, own: K) -> Agreement<K> {
        Agreement::new((self.rank, self.ranks), own).pattern(self.pattern())
    }

    /// The same in the room of an agreement that was reached.
    pub fn agree_again<K: Knowledge + Clone>(&self, agreement: &mut Agreement<K>, own: &K) {
        agreement.renew(own, self.pattern());
    }

    fn pattern(&self) -> MessagePattern {
        let near = self.ranks <= TOLD && self.node_info().is_some_and(|node_info| node_info.one_node);
        if near { MessagePattern::Told } else { MessagePattern::Passed }
    }

    /// Whether it is of BLACS contexts that may share it.
    pub fn is_of_contexts(&self) -> bool {
        self.shared.is_some()
    }

    /// Calls that began so far: the same on all ranks.
    pub fn calls(&self) -> u64 {
        self.state().calls
    }

    /// Whether this was asked before: who its ranks are is noted once.
    pub fn is_noted(&self) -> bool {
        self.noted.swap(true, Ordering::Relaxed)
    }

    /// Whether this rank shares memory with another one of its ranks.
    pub fn shares_memory(&self) -> bool {
        self.state().neighbours.as_ref().is_some_and(|neighbours| neighbours.shared.is_some())
    }

    /// How this rank writes slots of the memory that it shares, if it does.
    pub fn stores(&self) -> Option<Stores> {
        self.state().neighbours.as_ref()?.shared.as_ref().map(|shared| shared.data.stores())
    }

    /// How often this rank has lent an array in place of a message.
    pub fn lent(&self) -> u64 {
        let state = self.state();
        let shared = state.neighbours.as_ref().and_then(|neighbours| neighbours.shared.as_ref());
        shared.map_or(0, |shared| shared.data.lent())
    }

    /// Whether the rank before this one has begun a call that this one has not, and told it so.
    pub fn is_called(&self) -> Result<bool, MpiError> {
        if self.ranks == 1 || self.node_info().is_none() {
            return Ok(false);
        }
        let before = Rank((self.rank + self.ranks - 1) % self.ranks);
        let state = &mut *self.state();
        self.advance(state);
        channels::is_told(state.calls, before, &Links::new(self.comm(), &mut state.neighbours))
    }

    /// Ends a call.
    pub fn end(&self, channels: Box<Channels>) {
        self.state().end(channels, self.comm());
    }
}

/// Sessions so far.
pub fn known() -> u64 {
    NUMBERS.load(Ordering::Relaxed)
}

/// All sessions of this process.
pub fn sessions() -> Vec<Arc<Session>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect()
}
