//! Arrays for the program in the node's shared memory, which other ranks read in place: a move copies data only once.

use super::memory::{SharedParts, allocate_private, allocate_shared};
use super::{Session, SessionState};
use crate::mpi::{Attribute, Comm};
use crate::system::settings::Settings;
use crate::transport::error::Error;
use crate::transport::shm::{Arrays, OwnArray};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// Storage of an array, freed on drop. All ranks of the node must drop their parts between the same two calls.
pub struct KeptStorage {
    session: Weak<Session>,
    storage: OwnArray,
}

impl KeptStorage {
    /// Drops the storage without agreement of the ranks. Shared memory stays until the communicator is freed.
    pub fn keep_until_freed(mut self) {
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

static ALLOCATED: Attribute<Mutex<Vec<KeptStorage>>> = Attribute::new();

/// Allocates `bytes` zeroed bytes for this rank, in memory that the ranks of its node share if they can. [`free`] or
/// `MPI_Comm_free` of `comm`, a context's communicator, frees them. `None` on all ranks of a node without memory.
/// Collective.
pub fn allocate(comm: &Comm, bytes: usize) -> Result<Option<*mut u8>, Error> {
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of_own_context(comm)?;
    session.ensure_surveyed(settings)?;
    let Some(kept) = allocate_within(&session, bytes, true)? else { return Ok(None) };
    let array = kept.address();
    let all = ALLOCATED.get_or_make(comm, || Mutex::new(Vec::new()))?;
    all.lock().unwrap_or_else(PoisonError::into_inner).push(kept);
    Ok(Some(array))
}

/// Allocates `bytes` zeroed bytes for this rank, in the node's shared memory if `shared`. `None` on all ranks of a node
/// without memory. Collective over `session`, which must have surveyed the node.
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
    // Without shared memory, `alone` ensures that all ranks of a node get memory or none does.
    let neighbours = state.neighbours.as_mut().filter(|_| shared);
    let (slots, node) = neighbours.map(|n| (n.shared.as_mut(), n.node.collectives(session))).unzip();
    let Some((slots, node)) = slots.flatten().zip(node) else {
        let only_part = std::iter::once(0..bytes.max(1)).collect();
        return Ok(
            allocate_private(node, bytes)?.map(|segment| Arrays::new(state.numbered, segment, only_part, 0))
        );
    };
    let me = node.me;
    let common = allocate_shared(node, bytes)?;
    Ok(common.map(|SharedParts { segment, parts }| {
        let arrays = Arrays::new(state.numbered, segment, parts, me);
        slots.data.know(arrays.clone());
        arrays
    }))
}

/// Frees the array of this rank at `base`, which no rank may use afterwards. Returns false if there is none. Local.
pub fn free(comm: &Comm, base: *mut u8) -> Result<bool, Error> {
    let taken = ALLOCATED.with(comm, |all| {
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().position(|kept| kept.address() == base)?;
        Some(all.swap_remove(at))
    })?;
    Ok(taken.flatten().is_some())
}

impl SessionState {
    fn forget(&mut self, arrays: &Arc<Arrays>) {
        if let Some(shared) = self.neighbours.as_mut().and_then(|n| n.shared.as_mut()) {
            shared.data.forget(arrays);
        }
    }
}
