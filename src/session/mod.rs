//! WHAT is kept between calls? All of it as attributes of the host's communicators, so that it dies with them: context
//! numbers and communicator handles are used again by the host, and nothing may be remembered under them.

mod grids;
mod plans;

use crate::call::agreement;
use crate::mpi::{Attribute, Comm, Duplicate, MpiError, Slots};
use crate::transport::mpi::Window;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use grids::grid_of;
pub use plans::Plans;

/// Messages in flight in each direction.
const WINDOW: usize = 4;
/// Bytes of a message buffer: small enough to stay in a core's cache, large enough that a message's start-up does not
/// count.
const CAPACITY: usize = 64 << 10;

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
    /// Buffers for data.
    pub window: Window,
    /// Buffers for what ranks tell each other to agree.
    pub agreement: Slots,
    /// Plans of recent calls.
    pub plans: Plans,
}

impl Session {
    /// The session of `comm`. The first call is collective over it, as it makes a duplicate, so of all threads only one
    /// makes it.
    pub fn of(comm: &Comm) -> Result<Arc<Self>, MpiError> {
        if let Some(session) = SESSIONS.get(comm)? {
            return Ok(session);
        }
        let ranks = comm.size()?;
        let state = State {
            window: Window::new(WINDOW, CAPACITY),
            agreement: agreement::room(ranks),
            plans: Plans::default(),
        };
        let session = Arc::new(Self {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            rank: comm.rank()?,
            ranks,
            host: *comm,
            own: if ranks > 1 { Some(Duplicate::of(comm)?) } else { None },
            state: Mutex::new(state),
        });
        SESSIONS.set(comm, session.clone())?;
        Ok(session)
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
