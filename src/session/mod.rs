//! WHAT is kept between calls? All of it as attributes of the host's communicators, so that it dies with them: context
//! numbers and communicator handles are used again by the host, and nothing may be remembered under them.

mod arrays;
mod grids;
mod memory;
mod neighbours;
mod plans;

use crate::budget::Budget;
use crate::call::{Terms, agreement};
use crate::error::Error;
use crate::mpi::{Attribute, Comm, Duplicate, MpiError};
use crate::settings::{Settings, Way};
use crate::transport::mpi::Window;
use crate::transport::shm::Arrays;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use arrays::{allocate, free};
pub use grids::grid_of;
pub use neighbours::{Facts, Neighbours};
pub use plans::Plans;

/// Tags on reblock's own communicator.
const DATA: i32 = 1;
const AGREEMENT: i32 = 2;

/// Slots in shared memory for what ranks tell each other to agree: more than a call needs, so that a rank seldom has to
/// wait until the last call's are read.
const AGREEMENT_SLOTS: usize = 32;

static SESSIONS: Attribute<Session> = Attribute::new();
static NUMBERS: AtomicU64 = AtomicU64::new(0);

/// What one enclosing communicator keeps.
pub struct Session {
    /// A number that no other session of this process has or had.
    pub number: u64,
    /// This process's rank in it.
    pub rank: u32,
    /// Its ranks.
    pub ranks: u32,
    /// The host's communicator.
    host: Comm,
    /// reblock's own traffic; a rank alone has none.
    own: Option<Duplicate>,
    state: Mutex<State>,
}

/// What changes from call to call.
pub struct State {
    /// The other ranks of this node, once it is worth while to find out.
    pub neighbours: Option<Neighbours>,
    /// What a rank knows that has no others.
    pub alone: Option<Facts>,
    /// Buffers for data that MPI carries.
    pub data: Window,
    /// Buffers for what ranks tell each other to agree.
    pub agreement: Window,
    /// Plans of recent calls.
    pub plans: Plans,
    /// Arrays that the host asked for.
    arrays: Vec<Arc<Arrays>>,
    /// Arrays that the host asked for so far.
    numbered: u64,
}

impl State {
    fn new(ranks: u32, window: u32) -> Result<Self, MpiError> {
        Ok(Self {
            neighbours: None,
            alone: if ranks == 1 { Some(Facts::alone()?) } else { None },
            data: Window::new(DATA, window as usize),
            agreement: Window::new(AGREEMENT, agreement::rounds(ranks) + 1),
            plans: Plans::default(),
            arrays: Vec::new(),
            numbered: 0,
        })
    }
}

/// Collective over `comm`: gets to know the ranks of this node.
pub fn meet(comm: Comm, settings: &Settings) -> Result<Neighbours, Error> {
    let agreement = (AGREEMENT_SLOTS, Terms::BYTES);
    let sizes = [Budget::node_slots(settings.buffer), agreement];
    let met = Neighbours::of(comm, settings, sizes)?;
    if settings.way == Way::Shm && !met.facts().one_node {
        let why = "REBLOCK_TRANSPORT is shm, but there is no memory that all ranks of the call can share";
        return Err(Error::Host(why.into()));
    }
    Ok(met)
}

impl Session {
    /// The session of `comm`. The first call is collective over it, as it makes a duplicate, so of all threads only one
    /// makes it. Up to `window` messages are under way in each direction.
    pub fn of(comm: &Comm, window: u32) -> Result<Arc<Self>, MpiError> {
        if let Some(session) = SESSIONS.get(comm)? {
            return Ok(session);
        }
        let ranks = comm.size()?;
        let session = Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            rank: comm.rank()?,
            ranks,
            host: *comm,
            own: if ranks > 1 { Some(Duplicate::of(comm)?) } else { None },
            state: Mutex::new(State::new(ranks, window)?),
        });
        SESSIONS.set(comm, session.clone())?;
        Ok(session)
    }

    /// The session of `comm`, if there is one already. Asks no other rank.
    pub fn existing(comm: &Comm) -> Result<Option<Arc<Self>>, MpiError> {
        SESSIONS.get(comm)
    }

    /// The host's communicator.
    pub fn host(&self) -> Comm {
        self.host
    }

    /// The communicator for reblock's messages; of a rank alone the host's own, where there are none.
    pub fn comm(&self) -> Comm {
        self.own.as_ref().map_or(self.host, Duplicate::comm)
    }

    /// Exclusive use for one call. A call that panicked ended the job, so the state is never half changed.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
