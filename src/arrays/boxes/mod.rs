//! Maps of arrays in boxes. Each rank passes only its own boxes: tiles, or one box for each rank. The ranks check
//! together that no element has two owners.

mod cells;
mod inquiry;
mod sharing;
mod whereabouts;

pub(super) use sharing::find_shares;
pub use whereabouts::Whereabouts;
pub(super) use whereabouts::whereabouts;

use super::map::Map;
use super::procs::Procs;
use crate::collective::call::{agree_on, confirm_step, session, with_valid_settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping;
use crate::layout::mapping::{ArrayBoxes, BoxList, LocalBoxes};
use crate::mpi::Comm;
use crate::system::digest::digest;

impl Map {
    /// Makes the map of an array of `extents` elements in boxes. `boxes` has the boxes of the calling process, which
    /// may have none. An element in two boxes is an error. An element may be in no box, as long as no move reads or
    /// writes it. Collective over `comm`.
    pub fn from_boxes(comm: &Comm, extents: &[i64], boxes: &BoxList<'_>) -> Result<Self, Failure> {
        boxes_map(comm, || Ok((extents, *boxes)))
    }
}

/// Makes a map of boxes; an `Err` of `given` makes all ranks fail. Collective over `comm`.
pub(crate) fn boxes_map<'a>(
    comm: &Comm,
    given: impl FnOnce() -> Result<(&'a [i64], BoxList<'a>), Failure>,
) -> Result<Map, Failure> {
    let session = session(comm)?;
    let mine = with_valid_settings(Ok(())).and_then(|()| given()).and_then(|(extents, list)| {
        mapping::Map::in_boxes(extents, ArrayBoxes::new([0; 2], None), list.row_major, session.ranks)?;
        let whole: Vec<u64> = extents.iter().map(|extent| extent.unsigned_abs()).collect();
        Ok((extents, list.row_major, LocalBoxes::new(&whole, &list)?, whole))
    });
    let value = mine.as_ref().ok().map(|(extents, row_major, ..)| digest(&(extents, row_major)));
    let (extents, row_major, own, whole) = agree_on(&session, Operation::BoxesMap, &[value], mine)?;
    confirm_step(&session, cells::check_disjoint(&session, &whole, &own)?)?;
    let marks = session.collectives().gather_all(&own.checksum_term(session.rank))?;
    let identity = [0, 1].map(|k| marks.iter().fold(0u64, |sum, mark| sum.wrapping_add(mark[k])));
    let boxes = ArrayBoxes::new(identity, Some(own));
    let map = mapping::Map::in_boxes(extents, boxes, row_major, session.ranks)?;
    let procs = Procs::in_session(&session, map.template().arrangement().clone())?;
    Ok(Map::from_mapping(procs, None, map))
}
