//! Arrays that the host asks for in memory of the node: redistributions read them where they lie, with one copy in all.

use super::Session;
use super::memory::{Common, share};
use crate::error::Error;
use crate::mpi::Comm;
use crate::settings::Settings;
use crate::transport::shm::{Arrays, Segment};

/// Collective over `comm`: an array of `bytes` bytes for this rank, zero at first, that lives until it is freed or `comm`
/// is; `None`, on all ranks of a node, if there is no memory. Where the ranks of a node cannot share memory it is an array
/// like any other.
pub fn allocate(comm: &Comm, bytes: usize) -> Result<Option<*mut u8>, Error> {
    let settings = Settings::of_process().map_err(Error::Host)?;
    let session = Session::of(comm)?;
    session.meet(settings)?;
    let state = &mut *session.state();
    state.numbered += 1;
    let arrays = match state.neighbours.as_mut().and_then(|n| Some((n.shared.as_mut()?, n.node.comm()))) {
        None => {
            let own = std::iter::once(0..bytes.max(1)).collect();
            let segment = Segment::private(bytes.max(1)).ok();
            segment.map(|segment| Arrays::new(state.numbered, segment, own, 0))
        }
        Some((shared, node)) => {
            let me = node.rank()? as usize;
            let common = share(node, bytes)?;
            common.map(|Common { segment, parts }| {
                let arrays = Arrays::new(state.numbered, segment, parts, me);
                shared.data.know(arrays.clone());
                arrays
            })
        }
    };
    state.arrays.extend(arrays.clone());
    Ok(arrays.map(|arrays| arrays.own()))
}

/// Frees the array of this rank at `base`; whether there was one. No rank uses it any more. Asks no other rank.
pub fn free(comm: &Comm, base: *mut u8) -> Result<bool, Error> {
    let Some(session) = Session::existing(comm)? else { return Ok(false) };
    let state = &mut *session.state();
    let Some(at) = state.arrays.iter().position(|arrays| arrays.own() == base) else { return Ok(false) };
    let arrays = state.arrays.swap_remove(at);
    if let Some(shared) = state.neighbours.as_mut().and_then(|n| n.shared.as_mut()) {
        shared.data.forget(&arrays);
    }
    Ok(true)
}
