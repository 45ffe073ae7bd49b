//! Maps in one call, without an arrangement and a template: block-cyclic maps, and maps from the arguments of
//! MPI_Type_create_darray.

use super::super::outcome::{axis_count, clear_handle, list, optional, status_of, write_handle};
use super::reblock_map;
use crate::arrays::agreed_map;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping::{Format, Map};
use crate::mpi::{Comm, Darray};
use mpi_sys::MPI_Comm;
use std::ffi::c_int;
use std::sync::Arc;

/// Makes the map of an array with `axes` axes, with indices from 0 to `extents[k]` - 1. The array is on the first ranks
/// of `comm`: as many as the product of `shape`, in row-major order of the coordinates (the last axis varies fastest).
/// Axis k is CYCLIC(`blocks[k]`) over `shape[k]` processes. If `blocks[k]` is 0, it is BLOCK, or not distributed if
/// `shape[k]` is 1. `blocks` NULL means all 0. Local arrays are column-major, without shadow. All ranks must pass the
/// same arguments. Collective over `comm`.
///
/// # Safety
/// `extents` and `shape` have `axes` entries; `blocks` is NULL or has as many; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_block_cyclic(
    comm: MPI_Comm,
    axes: i64,
    extents: *const i64,
    shape: *const i64,
    blocks: *const i64,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        // SAFETY: `map` is NULL or has room for a handle; the lists are NULL or have as many entries as are read.
        let made = |size| unsafe {
            clear_handle(map, "map")?;
            let axes = axis_count(axes, "the array")?;
            let (extents, shape) = (list(extents, axes, "extents")?, list(shape, axes, "shape")?);
            let blocks = optional(blocks, axes, "blocks")?.map_or_else(|| vec![0; axes], <[i64]>::to_vec);
            Ok(Map::block_cyclic(extents, shape, &blocks, size)?)
        };
        let made = agreed_map(&comm, Operation::BlockCyclicMap, made)?;
        // SAFETY: `map` has room for a handle.
        unsafe { write_handle(map, Arc::new(made)) }
    })
}

/// Makes the map that the arguments of MPI_Type_create_darray describe, for an array with `axes` axes and indices from
/// 0 to `gsizes[k]` - 1. For each axis, `distribs` has MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC or
/// MPI_DISTRIBUTE_NONE, `dargs` the block size or MPI_DISTRIBUTE_DFLT_DARG, and `psizes` the number of processes. The
/// array is on the first ranks of `comm`: as many as the product of `psizes`, in row-major order of the coordinates.
/// `order`, MPI_ORDER_C or MPI_ORDER_FORTRAN, is the order of local arrays. All ranks must pass the same arguments.
/// Collective over `comm`.
///
/// # Safety
/// `gsizes`, `distribs`, `dargs` and `psizes` have `axes` entries; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_from_darray(
    comm: MPI_Comm,
    axes: c_int,
    gsizes: *const c_int,
    distribs: *const c_int,
    dargs: *const c_int,
    psizes: *const c_int,
    order: c_int,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        // SAFETY: `map` is NULL or has room for a handle; the lists are NULL or have as many entries as are read.
        let made = |size| unsafe {
            clear_handle(map, "map")?;
            let axes = axis_count(axes.into(), "the array")?;
            let wide = |numbers: &[c_int]| numbers.iter().map(|&n| i64::from(n)).collect::<Vec<_>>();
            let (gsizes, psizes) = (list(gsizes, axes, "gsizes")?, list(psizes, axes, "psizes")?);
            let (distribs, dargs) = (list(distribs, axes, "distribs")?, list(dargs, axes, "dargs")?);
            let formats =
                (0..axes).map(|k| format(k, distribs[k], dargs[k])).collect::<Result<Vec<_>, _>>()?;
            let row_major = Darray::is_row_major(order).ok_or_else(|| {
                Failure::argument(format!("order is {order}, expected MPI_ORDER_C or MPI_ORDER_FORTRAN"))
            })?;
            Ok(Map::darray(&wide(gsizes), &formats, &wide(psizes), row_major, size)?)
        };
        let made = agreed_map(&comm, Operation::DarrayMap, made)?;
        // SAFETY: `map` has room for a handle.
        unsafe { write_handle(map, Arc::new(made)) }
    })
}

fn format(k: usize, distrib: c_int, darg: c_int) -> Result<Format, Failure> {
    let block = || {
        let block = u64::try_from(darg).ok().filter(|&block| block > 0);
        let bad = || {
            Failure::argument(format!(
                "the darg of axis {k} is {darg}, expected at least 1 or MPI_DISTRIBUTE_DFLT_DARG"
            ))
        };
        if Darray::is_default(darg) { Ok(None) } else { block.map(Some).ok_or_else(bad) }
    };
    match Darray::of(distrib) {
        Some(Darray::None) => Ok(Format::Collapsed),
        Some(Darray::Block) => Ok(Format::Block(block()?)),
        Some(Darray::Cyclic) => Ok(Format::cyclic(block()?.unwrap_or(1))),
        None => Err(Failure::argument(format!(
            "the distribution of axis {k} is {distrib}, expected MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE"
        ))),
    }
}
