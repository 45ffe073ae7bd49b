//! Maps in one call, from a distribution in HPF's notation.
#![cfg(feature = "text")]

use super::super::outcome::{axis_count, clear_handle, list, status_of, text, write_handle};
use super::reblock_map;
use crate::arrays::agreed_map;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::layout::mapping::Mistake;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_char;
use std::sync::Arc;

/// Makes the map of an array with `axes` axes, with indices from 0 to `extents[k]` - 1, from a distribution in HPF's
/// notation, for instance "(BLOCK, CYCLIC(8)) ONTO P(2,3)". P has the first ranks of `comm`, as many as it has places,
/// in row-major order of the coordinates. Without ONTO, P has one axis with all ranks of `comm`. Axes with formats
/// other than * are distributed over the axes of P, in order; along further axes of P there are copies. Local arrays
/// are column-major, without shadow. All ranks must pass the same arguments. Collective over `comm`.
///
/// # Safety
/// `extents` has `axes` entries; `distribution` is a C string; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_from_text(
    comm: MPI_Comm,
    axes: i64,
    extents: *const i64,
    distribution: *const c_char,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        // SAFETY: `map` is NULL or has room for a handle; `extents` is NULL or has as many entries as are read;
        // `distribution` is NULL or a C string.
        let made = |size| unsafe {
            clear_handle(map, "map")?;
            let extents = list(extents, axis_count(axes, "the array")?, "extents")?;
            let line = text(distribution, "distribution")?;
            let line = line.ok_or_else(|| Failure::argument("distribution is NULL, expected a text"))?;
            let within = |why: Mistake| Failure::argument(format!("reblock_map_from_text: {why}"));
            crate::layout::notation::distribution(line)?.map(extents, size).map_err(within)
        };
        let made = agreed_map(&comm, Operation::TextMap, made)?;
        // SAFETY: `map` has room for a handle.
        unsafe { write_handle(map, Arc::new(made)) }
    })
}
