//! Maps of arrays in boxes: each rank passes its own boxes.

use super::super::outcome::{
    axis_count, clear_handle, count, list, optional, status_of, wide, write_handle, write_values,
};
use super::{Map, object, reblock_map};
use crate::arrays::boxes_map;
use crate::collective::failure::Failure;
use crate::layout::mapping::BoxList;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::sync::Arc;

/// Makes the map of an array in boxes: tiles with one owner each; a rank may own several. The array has `axes` axes,
/// with indices from 0 to `extents[k]` - 1. Each rank passes its own boxes, `boxes` of them, which may be 0. Along axis
/// k, box b has the `sizes[b * axes + k]` indices from `starts[b * axes + k]` on; a box may be empty. No element may be
/// in two boxes. An element may be in no box as long as no call reads or writes it. In the rank's storage, the first
/// element of box b is `offsets[b]` elements from the start, and neighbours along axis k are `strides[b * axes + k]`
/// elements apart. If `strides` is NULL, boxes have no gaps and are column-major, or row-major if `row_major` is not 0.
/// If `offsets` is NULL, boxes lie one after the other. `row_major` and `extents` must be the same on all ranks.
/// Collective over `comm`.
///
/// # Safety
/// `extents` has `axes` entries; `starts` and `sizes` have `boxes` times `axes` entries; `strides` is NULL or has as
/// many; `offsets` is NULL or has `boxes` entries; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_from_boxes(
    comm: MPI_Comm,
    axes: i64,
    extents: *const i64,
    boxes: i64,
    starts: *const i64,
    sizes: *const i64,
    row_major: i32,
    offsets: *const i64,
    strides: *const i64,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        // SAFETY: `map` is NULL or has room for a handle; the lists are NULL or have as many entries as are read.
        let lists = || unsafe {
            clear_handle(map, "map")?;
            let axes = axis_count(axes, "the array")?;
            let boxes: usize = count(boxes, "boxes")?;
            let large = || Failure::argument(format!("boxes is {boxes}, which is too large"));
            let entries = boxes.checked_mul(axes).ok_or_else(large)?;
            let boxes = BoxList {
                count: boxes,
                starts: list(starts, entries, "starts")?,
                sizes: list(sizes, entries, "sizes")?,
                row_major: row_major != 0,
                offsets: optional(offsets, boxes, "offsets")?,
                strides: optional(strides, entries, "strides")?,
            };
            Ok((list(extents, axes, "extents")?, boxes))
        };
        let made = boxes_map(&comm, lists)?;
        // SAFETY: `map` has room for a handle.
        unsafe { write_handle(map, Arc::new(made)) }
    })
}

/// Gets the offset of an element in the calling process's storage, in elements: from the element at position 0 of each
/// axis, or, for an array in boxes, from the origin of the boxes' offsets. `here` is set to 1 if the process owns the
/// element; if not, `here` is set to 0 and nothing else is written.
///
/// # Safety
/// `index` has one entry per axis; `offset` and `here` are NULL or have room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_offset(
    map: *const reblock_map,
    index: *const i64,
    offset: *mut i64,
    here: *mut i32,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `index` is NULL or has as many entries as are read; `here` and `offset` are NULL or have room for
        // the results.
        unsafe {
            let found = map.offset(list(index, map.map().axes().len(), "index")?)?;
            write_values(here, [i32::from(found.is_some())])?;
            write_values(offset, found)?;
        }
        Ok(())
    })
}

/// Gets the number of boxes of the calling process that have elements, or -1 if the array does not lie in boxes. If the
/// process has a single box, at offset 0, reblock_map_local describes this box; if it has other boxes,
/// reblock_map_local fails.
///
/// # Safety
/// `boxes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_boxes(map: *const reblock_map, boxes: *mut i64) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `boxes` is NULL or has room for the results.
        unsafe { write_values(boxes, [map.boxes().map_or(-1, |boxes| wide(boxes as u64))]) }
    })
}
