//! Maps made by one collective call together with their arrangement and template, on the first ranks of a communicator.
//! Indices count from 0.

use super::map::Map;
use super::procs::Procs;
use super::template::Template;
use crate::collective::call::{agree_on, session, with_valid_settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::layout::mapping::Format;
use crate::mpi::Comm;
use crate::system::digest::digest;

impl Map {
    /// Makes the map of an array of `extents` elements on the first ranks of `comm`, in row-major order of the
    /// coordinates (the last axis varies fastest). Axis k is `CYCLIC(blocks[k])` over `shape[k]` processes. If
    /// `blocks[k]` is 0, it is `BLOCK`, or not distributed if `shape[k]` is 1. Local arrays are column-major.
    /// Collective over `comm`.
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

    /// Makes the map for arguments of `MPI_Type_create_darray`. Axis k has `gsizes[k]` elements and `formats[k]` over
    /// `psizes[k]` processes: [`Format::Block`], [`Format::Cyclic`], or [`Format::Collapsed`] on one process.
    /// `row_major` stands for MPI_ORDER_C in local arrays. The coordinates of ranks are in row-major order in any
    /// case. Collective over `comm`.
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

    /// Makes the map of an array of `extents` elements from HPF's notation, for instance `(BLOCK, CYCLIC(8)) ONTO
    /// P(2,3)`, on the first ranks of `comm`. Without `ONTO`, only one axis may be distributed; its indices are then
    /// divided among all ranks. Collective over `comm`.
    #[cfg(feature = "text")]
    pub fn from_text(comm: &Comm, extents: &[i64], text: &str) -> Result<Self, Failure> {
        agreed_map(comm, Operation::TextMap, |size| {
            Ok(crate::layout::notation::distribution(text)?.map(extents, size)?)
        })
    }
}

/// Returns the map that `made` makes for a number of ranks. An error unless all ranks make the same map. Collective
/// over `comm`.
pub(crate) fn agreed_map(
    comm: &Comm,
    operation: Operation,
    made: impl FnOnce(u32) -> Result<mapping::Map, Failure>,
) -> Result<Map, Failure> {
    let session = session(comm)?;
    let mine = with_valid_settings(Ok(())).and_then(|()| made(session.ranks));
    let value = |of: fn(&mapping::Map) -> i64| mine.as_ref().ok().map(of);
    let values = [
        value(|map| digest(&map.axes().iter().map(|axis| (axis.lower, axis.upper)).collect::<Vec<_>>())),
        value(|map| digest(&map.numbers())),
    ];
    let map = agree_on(&session, operation, &values, mine)?;
    let template = map.template();
    let procs = Procs::in_session(&session, template.arrangement().clone())?;
    let template = Template::from_agreed(procs.clone(), template.clone());
    Ok(Map::from_mapping(procs, Some(template), map))
}
