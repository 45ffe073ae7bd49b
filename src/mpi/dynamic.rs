//! Processes that join a running job, by MPI_Comm_spawn. Running and new processes get one communicator, the running
//! ones first, in their order.
//!
//! By default all ranks spawn together. Open MPI 4 then reports a failure to the first rank only, so with it that rank
//! spawns alone, and the others connect through it. That fails with Open MPI 5, which gives the resulting communicator
//! a context that is already in use.

use super::comm::{Comm, Duplicate};
use super::error::{MpiError, check};
use super::handler::Handler;
use super::info::Info;
use super::int;
use super::launcher::{explain_refusal, missing_slots};
use super::library::is_open_mpi_before;
use super::retry::retry;
use mpi_sys::*;
use std::ffi::{CString, OsString, c_char, c_int};
use std::os::unix::ffi::OsStringExt;

const SPAWN: &str = "MPI_Comm_spawn";
/// Tag of the messages that connect both sides, and of wake-ups.
const TAG: c_int = 5;

/// A program and its arguments.
#[derive(Clone, Debug)]
pub struct Command {
    program: CString,
    arguments: Vec<CString>,
}

impl Command {
    /// Creates a command; `None` if one of the texts contains a zero byte.
    pub fn new(program: &str, arguments: impl IntoIterator<Item = OsString>) -> Option<Self> {
        let text = |argument: OsString| CString::new(argument.into_vec());
        let arguments = arguments.into_iter().map(text).collect::<Result<_, _>>();
        Some(Self { program: CString::new(program).ok()?, arguments: arguments.ok()? })
    }
}

/// New processes that are not connected to this rank yet.
pub struct Started {
    /// Intercommunicator with the new processes; null on ranks that did not spawn.
    inter: Bridge,
    alone: bool,
}

/// An intercommunicator, freed when dropped.
struct Bridge(MPI_Comm);

impl Bridge {
    fn null() -> Self {
        // SAFETY: a constant of mpi-sys.
        Self(unsafe { RSMPI_COMM_NULL })
    }

    fn new(inter: MPI_Comm) -> Self {
        Self(inter)
    }

    /// Merges both sides into one communicator; the side with `comes` true is ordered last.
    fn merge_sides(&self, comes: bool) -> Result<Duplicate, MpiError> {
        let mut merged = Self::null().0;
        // SAFETY: the handler is a constant of mpi-sys; `merged` outlives the call.
        unsafe {
            check("MPI_Comm_set_errhandler", MPI_Comm_set_errhandler(self.0, RSMPI_ERRORS_RETURN))?;
            check("MPI_Intercomm_merge", MPI_Intercomm_merge(self.0, c_int::from(comes), &mut merged))?;
        }
        Duplicate::with_errors_returned(merged)
    }

    /// Creates an intercommunicator between `near` and a second group of processes. `peers` has the first rank of each
    /// group, and `leader` is the rank there of the second group's. Other ranks may pass null for `peers`.
    fn between(near: Comm, peers: Comm, leader: c_int) -> Result<Self, MpiError> {
        let mut inter = Self::null().0;
        // SAFETY: `inter` outlives the call; both communicators are in use.
        check("MPI_Intercomm_create", unsafe {
            MPI_Intercomm_create(near.0, 0, peers.0, leader, TAG, &mut inter)
        })?;
        Ok(Self::new(inter))
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        if !Comm::from_raw(self.0).is_null() && !super::finalized::finalized() {
            // SAFETY: the communicator is this value's own.
            unsafe { MPI_Comm_free(&mut self.0) };
        }
    }
}

/// Starts `count` processes. If the first rank spawns alone, the others return at once; otherwise all ranks return the
/// same result. Only the first rank's `info` counts. Collective over `within`.
pub fn spawn(within: &Duplicate, command: &Command, count: u32, info: &Info) -> Result<Started, MpiError> {
    let alone = spawns_alone();
    if !alone {
        let inter = start(within.comm(), command, count, info);
        return Ok(Started {
            inter: inter.map_err(|why| with_missing_slots(why, within.comm(), count))?,
            alone,
        });
    }
    if within.comm().rank()? != 0 {
        return Ok(Started { inter: Bridge::null(), alone });
    }
    if let Some(text) = explain_refusal(occupied_slots(within.comm())?, count)? {
        return Err(MpiError { call: SPAWN, text });
    }
    let own = Duplicate::of(&Comm::own())?;
    Ok(Started { inter: start(own.comm(), command, count, info)?, alone })
}

/// Returns the number of processes that occupy slots of the launcher: all of `own`, and those of MPI_COMM_WORLD that
/// are not in `own`.
fn occupied_slots(own: Comm) -> Result<u32, MpiError> {
    let world = Comm::world();
    let of_world = own.ranks_in(&world)?.iter().flatten().count();
    Ok(own.size()? + world.size()? - u32::try_from(of_world).expect("ranks are 32 bits"))
}

/// Adds the number of missing slots to an error: Open MPI 5 reports an unknown error.
fn with_missing_slots(why: MpiError, own: Comm, count: u32) -> MpiError {
    let missing = occupied_slots(own).and_then(|present| missing_slots(present, count)).ok().flatten();
    let text = missing.map_or_else(|| why.text.clone(), |missing| format!("{}: {missing}", why.text));
    MpiError { text, ..why }
}

fn start(within: Comm, command: &Command, count: u32, info: &Info) -> Result<Bridge, MpiError> {
    let arguments = command.arguments.iter().map(|argument| argument.as_ptr().cast_mut());
    let mut arguments: Vec<*mut c_char> = arguments.chain([std::ptr::null_mut()]).collect();
    // Not a `Bridge` yet: a failed call leaves an unspecified value here, which must not be freed.
    let mut inter = Bridge::null().0;
    // SAFETY: the strings and the list, which ends with a null pointer, and the info outlive the call; no error codes
    // are asked for.
    check(SPAWN, unsafe {
        MPI_Comm_spawn(
            command.program.as_ptr(),
            arguments.as_mut_ptr(),
            int(count as usize),
            info.handle(),
            0,
            within.0,
            &mut inter,
            std::ptr::null_mut(),
        )
    })?;
    Ok(Bridge::new(inter))
}

impl Started {
    /// Connects to the new processes, which call [`join_parent`]. Returns a communicator of the ranks of `within` and
    /// the new processes. Collective over all of them.
    pub fn merge(self, within: &Duplicate) -> Result<Duplicate, MpiError> {
        if !self.alone {
            return self.inter.merge_sides(false);
        }
        let first = within.comm().rank()? == 0;
        let peers = if first { Some(self.inter.merge_sides(false)?) } else { None };
        let null = Comm::from_raw(Bridge::null().0);
        // `peers` has the spawning process as rank 0, so the first new process is rank 1.
        Bridge::between(within.comm(), peers.as_ref().map_or(null, Duplicate::comm), 1)?.merge_sides(false)
    }
}

/// Returns the communicator of the spawning processes and this spawned process's world; `None` if it was not spawned.
pub fn join_parent() -> Result<Option<Duplicate>, MpiError> {
    let mut parent = Bridge::null().0;
    // SAFETY: `parent` outlives the call.
    check("MPI_Comm_get_parent", unsafe { MPI_Comm_get_parent(&mut parent) })?;
    let parent = Bridge::new(parent);
    if Comm::from_raw(parent.0).is_null() {
        return Ok(None);
    }
    let merged = parent.merge_sides(true)?;
    if !spawns_alone() {
        return Ok(Some(merged));
    }
    Bridge::between(Comm::world(), merged.comm(), 0)?.merge_sides(true).map(Some)
}

fn spawns_alone() -> bool {
    is_open_mpi_before(5)
}

impl Duplicate {
    /// Creates a communicator of the ranks that pass a `place`, in its order, with the error handler of `like`; `None`
    /// on other ranks. Collective; ranks wait inside MPI.
    pub fn split(&self, place: Option<u32>, like: Comm) -> Result<Option<Self>, MpiError> {
        let (color, key) = place.map_or((MPI_UNDEFINED, 0), |place| (0, int(place as usize)));
        let mut part = Bridge::null().0;
        // SAFETY: `part` outlives the call.
        let mut split = || unsafe { MPI_Comm_split(self.comm().0, color, key, &mut part) };
        retry(|| check("MPI_Comm_split", split()))?;
        if Comm::from_raw(part).is_null() {
            return Ok(None);
        }
        let part = Self::with_errors_returned(part)?;
        Handler::from_comm(&like)?.set(&part.comm())?;
        Ok(Some(part))
    }
}

impl Comm<'_> {
    /// Sends a wake-up to rank `to`, which polls [`Comm::receive_wake_up`]. Only for reblock's own communicators.
    pub fn send_wake_up(&self, to: u32) -> Result<(), MpiError> {
        // SAFETY: a message without bytes.
        check("MPI_Send", unsafe {
            MPI_Send(std::ptr::null(), 0, RSMPI_UINT8_T, int(to as usize), TAG, self.0)
        })
    }

    /// Returns whether a wake-up from rank `from` has arrived, and receives it.
    pub fn receive_wake_up(&self, from: u32) -> Result<bool, MpiError> {
        if !self.has_message(from, TAG)? {
            return Ok(false);
        }
        // SAFETY: a message without bytes; no status is asked for.
        check("MPI_Recv", unsafe {
            MPI_Recv(
                std::ptr::null_mut(),
                0,
                RSMPI_UINT8_T,
                int(from as usize),
                TAG,
                self.0,
                RSMPI_STATUS_IGNORE,
            )
        })?;
        Ok(true)
    }

    /// Returns the handle for MPI's C functions.
    pub fn handle(&self) -> MPI_Comm {
        self.0
    }

    /// Returns the handle for MPI's Fortran procedures.
    pub fn fortran(&self) -> i32 {
        // SAFETY: the communicator is in use.
        unsafe { RSMPI_Comm_c2f(self.0) }
    }
}
