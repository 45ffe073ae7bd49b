//! Maps that a program makes in one call, of an array whose indices count from 0, on the first ranks of a communicator: arrangement,
//! template and map at once. All ranks of the communicator make the call.

use super::map::Map;
use super::procs::Procs;
use super::template::Template;
use crate::collective::call::{able, agreed, session};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::layout::mapping::Format;
use crate::mpi::Comm;
use crate::system::digest::digest;

impl Map {
    /// Collective over `comm`: an array of `extents` elements on the first ranks of `comm`, in row-major order of the
    /// coordinates (the last axis varies fastest). Axis k is `CYCLIC(blocks[k])` over `shape[k]` processes, `BLOCK` if
    /// `blocks[k]` is 0, and not distributed if that is 0 and `shape[k]` is 1. Local arrays are column-major.
    pub fn block_cyclic(
        comm: &Comm,
        extents: &[i64],
        shape: &[i64],
        blocks: &[i64],
    ) -> Result<Self, Failure> {
        agreed_map(comm, Operation::BlockCyclicMap, |size| {
            Ok(mapping::Map::block_cyclic(extents, shape, blocks, size)?)
        })
    }

    /// Collective over `comm`: the map of `MPI_Type_create_darray`'s arguments. Axis k of `gsizes[k]` elements is `formats[k]`
    /// over `psizes[k]` processes: [`Format::Block`], [`Format::Cyclic`], or [`Format::Collapsed`] on one process. `row_major`:
    /// local arrays have MPI_ORDER_C. The coordinates of ranks are in row-major order in any case.
    pub fn from_darray(
        comm: &Comm,
        gsizes: &[i64],
        formats: &[Format],
        psizes: &[i64],
        row_major: bool,
    ) -> Result<Self, Failure> {
        agreed_map(comm, Operation::DarrayMap, |size| {
            Ok(mapping::Map::darray(gsizes, formats, psizes, row_major, size)?)
        })
    }

    /// Collective over `comm`: the map of a distribution in HPF's notation, for instance `(BLOCK, CYCLIC(8)) ONTO P(2,3)`, for an
    /// array of `extents` elements on the first ranks of `comm`. Without `ONTO` the only axis that is distributed is so over
    /// all ranks.
    #[cfg(feature = "text")]
    pub fn from_text(comm: &Comm, extents: &[i64], text: &str) -> Result<Self, Failure> {
        agreed_map(comm, Operation::TextMap, |size| {
            Ok(crate::layout::notation::distribution(text)?.map(extents, size)?)
        })
    }
}

/// Collective over `comm`: the map that `made` makes for the number of its ranks, if all of them come to the same one.
pub(crate) fn agreed_map(
    comm: &Comm,
    operation: Operation,
    made: impl FnOnce(u32) -> Result<mapping::Map, Failure>,
) -> Result<Map, Failure> {
    let session = session(comm)?;
    let mine = able(Ok(())).and_then(|()| made(session.ranks));
    let value = |of: fn(&mapping::Map) -> i64| mine.as_ref().ok().map(of);
    let values = [
        value(|map| digest(&map.axes().iter().map(|axis| (axis.lower, axis.upper)).collect::<Vec<_>>())),
        value(|map| digest(&map.numbers())),
    ];
    let map = agreed(&session, operation, &values, mine)?;
    let template = map.template();
    let procs = Procs::of_session(&session, template.arrangement().clone())?;
    let template = Template::of_agreed(procs.clone(), template.clone());
    Ok(Map::of(procs, Some(template), map))
}
