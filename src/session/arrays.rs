//! Arrays that the host asks for in memory of the node: redistributions read them where they lie, with one copy in all.

use super::memory::{Common, share};
use super::{Session, meet};
use crate::error::Error;
use crate::mpi::{Comm, Duplicate};
use crate::settings::Settings;
use crate::transport::shm::{Arrays, Segment};
use std::sync::Arc;

/// Collective over `comm`: an array of `bytes` bytes for this rank, zero at first, that lives until it is freed or `comm`
/// is. Where the ranks of a node cannot share memory it is an array like any other.
pub fn allocate(comm: &Comm, bytes: usize) -> Result<*mut u8, Error> {
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of(comm, settings.network.window)?;
    let own = session.comm();
    let state = &mut *session.state();
    if state.neighbours.is_none() && session.ranks > 1 {
        state.neighbours = Some(meet(own, settings)?);
        state.plans.clear();
    }
    state.numbered += 1;
    let shared = state.neighbours.as_mut().and_then(|n| n.shared.as_mut());
    let arrays = match shared {
        None => {
            let missing = |e| Error::Host(format!("no memory for an array of {bytes} bytes: {e}"));
            let segment = Segment::private(bytes.max(1)).map_err(missing)?;
            let own = std::iter::once(0..bytes.max(1)).collect();
            Arrays::new(state.numbered, segment, own, 0)
        }
        Some(shared) => {
            let node = Duplicate::of_node(&own)?;
            let missing =
                || Error::Host(format!("no shared memory for an array of {bytes} bytes on this node"));
            let Common { segment, parts } = share(node.comm(), bytes)?.ok_or_else(missing)?;
            let arrays = Arrays::new(state.numbered, segment, parts, node.comm().rank()? as usize);
            shared.data.know(arrays.clone());
            arrays
        }
    };
    let base = arrays.own();
    state.arrays.push(arrays);
    Ok(base)
}

/// Frees the array of this rank at `base`; whether there was one. No rank uses it any more.
pub fn free(comm: &Comm, base: *mut u8) -> Result<bool, Error> {
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of(comm, settings.network.window)?;
    let state = &mut *session.state();
    let Some(at) = state.arrays.iter().position(|arrays| arrays.own() == base) else { return Ok(false) };
    let arrays: Arc<Arrays> = state.arrays.swap_remove(at);
    if let Some(shared) = state.neighbours.as_mut().and_then(|n| n.shared.as_mut()) {
        shared.data.forget(&arrays);
    }
    Ok(true)
}
