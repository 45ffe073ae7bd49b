//! Arrays that the program allocates in shared memory of the node: redistributions read them directly, with one copy in all.

use super::memory::{Common, alone, share};
use super::{Session, SessionState};
use crate::mpi::{Attribute, Comm};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use crate::transport::shm::{Arrays, OwnArray};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// An array that is given back when it is dropped, which all ranks of the node do after the same call.
pub struct KeptStorage {
    session: Weak<Session>,
    storage: OwnArray,
}

impl KeptStorage {
    /// Leaves the storage to the communicator: it is given back with that.
    pub fn leave(mut self) {
        self.session = Weak::new();
    }
}

impl Deref for KeptStorage {
    type Target = OwnArray;

    fn deref(&self) -> &OwnArray {
        &self.storage
    }
}

impl DerefMut for KeptStorage {
    fn deref_mut(&mut self) -> &mut OwnArray {
        &mut self.storage
    }
}

impl Drop for KeptStorage {
    fn drop(&mut self) {
        if let Some(session) = self.session.upgrade() {
            session.state().forget(self.storage.arrays());
        }
    }
}

/// What contexts asked for.
static ALLOCATED: Attribute<Mutex<Vec<KeptStorage>>> = Attribute::new();

/// Collective over `comm`, a context's: an array of `bytes` bytes for this rank, zero at first, that lives until it is freed or `comm`
/// is; `None`, on all ranks of a node, if there is no memory. Where the ranks of a node cannot share memory it is an array
/// like any other.
pub fn allocate(comm: &Comm, bytes: usize) -> Result<Option<*mut u8>, Error> {
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of_own_context(comm)?;
    session.meet(settings)?;
    let Some(kept) = allocate_within(&session, bytes, true)? else { return Ok(None) };
    let array = kept.address();
    let all = ALLOCATED.get_or_make(comm, || Mutex::new(Vec::new()))?;
    all.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    Ok(Some(array))
}

/// Collective over the communicator of `session`, whose ranks know each other: storage of `bytes` bytes for this rank, zero at
/// first; in memory of the node if it is to be `shared`. `None`, on all ranks of a node, if there is no memory.
pub fn allocate_within(
    session: &Arc<Session>,
    bytes: usize,
    shared: bool,
) -> Result<Option<KeptStorage>, Error> {
    let arrays = arrays(session, bytes, shared)?;
    Ok(arrays.map(|arrays| KeptStorage {
        session: Arc::downgrade(session),
        storage: OwnArray::new(arrays, bytes),
    }))
}

fn arrays(session: &Session, bytes: usize, shared: bool) -> Result<Option<Arc<Arrays>>, Error> {
    let state = &mut *session.state();
    state.numbered += 1;
    // What is worth sharing is asked for by all ranks of the node together, also where they cannot share it.
    let mut neighbours = state.neighbours.as_mut().filter(|_| shared);
    let node = neighbours.as_ref().and_then(|neighbours| neighbours.circle(session));
    let slots = neighbours.as_mut().and_then(|neighbours| neighbours.shared.as_mut());
    let Some((slots, node)) = slots.zip(node) else {
        let own = std::iter::once(0..bytes.max(1)).collect();
        return Ok(alone(node, bytes)?.map(|segment| Arrays::new(state.numbered, segment, own, 0)));
    };
    let me = node.me;
    let common = share(node, bytes)?;
    Ok(common.map(|Common { segment, parts }| {
        let arrays = Arrays::new(state.numbered, segment, parts, me);
        slots.data.know(arrays.clone());
        arrays
    }))
}

/// Frees the array of this rank at `base`; whether there was one. No rank uses it any more. Asks no other rank.
pub fn free(comm: &Comm, base: *mut u8) -> Result<bool, Error> {
    let taken = ALLOCATED.with(comm, |all| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.address() == base)?;
        Some(all.swap_remove(at))
    })?;
    Ok(taken.flatten().is_some())
}

impl SessionState {
    /// From now on these are lent to nobody.
    fn forget(&mut self, arrays: &Arc<Arrays>) {
        if let Some(shared) = self.neighbours.as_mut().and_then(|n| n.shared.as_mut()) {
            shared.data.forget(arrays);
        }
    }
}
