//! Processor arrangements: grids of ranks of a communicator.

use super::super::outcome::{
    axis_count, clear_handle, count, list, optional, release, status_of, wide, write_handle, write_values,
};
use super::{object, reblock_procs};
use crate::arrays::Procs;
use crate::collective::call::check_comm_or_refuse;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::sync::Arc;

/// Makes a processor arrangement with `axes` axes and `shape[k]` processes along axis k. `ranks` has the rank of `comm`
/// at each place, in row-major order of the coordinates (the last axis varies fastest). If `ranks` is NULL, these are
/// ranks 0, 1, 2, ... of `comm`. `comm` must not be freed while the arrangement is used in collective calls. Collective
/// over `comm`.
///
/// # Safety
/// `shape` has `axes` entries; `ranks` is NULL or has one entry for each place; `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_create(
    comm: MPI_Comm,
    axes: i64,
    shape: *const i64,
    ranks: *const i64,
    procs: *mut *mut reblock_procs,
) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        check_comm_or_refuse(&comm)?;
        let given = || {
            // SAFETY: `procs` is NULL or has room for a handle; `shape` is NULL or has as many entries as are read.
            let shape = unsafe {
                clear_handle(procs, "procs")?;
                list(shape, axis_count(axes, "the arrangement")?, "shape")?
            };
            let places =
                shape.iter().try_fold(1usize, |n, &extent| n.checked_mul(usize::try_from(extent).ok()?));
            // If there are more places than ranks, the list is not read: `Procs::of_result` reports the error.
            let places = places.filter(|&places| comm.size().is_ok_and(|size| places <= size as usize));
            // SAFETY: `ranks` is NULL or has as many entries as are read.
            let ranks = places.map(|places| unsafe { optional(ranks, places, "ranks") }).transpose()?;
            Ok((shape, ranks.flatten()))
        };
        let made = Procs::of_result(&comm, given())?;
        // SAFETY: `procs` has room for a handle.
        unsafe { write_handle(procs, made) }
    })
}

/// Gets the number of axes of an arrangement.
///
/// # Safety
/// `axes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_axes(procs: *const reblock_procs, axes: *mut i64) -> i32 {
    status_of(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: `axes` is NULL or has room for the results.
        unsafe { write_values(axes, [wide(procs.shape().len() as u64)]) }
    })
}

/// Gets the number of processes along each axis of an arrangement.
///
/// # Safety
/// `shape` is NULL or has room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_shape(procs: *const reblock_procs, shape: *mut i64) -> i32 {
    status_of(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: `shape` is NULL or has room for the results.
        unsafe { write_values(shape, procs.shape().iter().map(|&extent| i64::from(extent))) }
    })
}

/// Gets the coordinates of rank `rank` of the arrangement's communicator, or of the calling process if `rank` is -1.
/// `inside` is set to 1 if the rank is in the arrangement; if not, `inside` is set to 0 and nothing else is written.
///
/// # Safety
/// `coords` is NULL or has room for one number per axis; `inside` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_coords(
    procs: *const reblock_procs,
    rank: i64,
    coords: *mut i64,
    inside: *mut i32,
) -> i32 {
    status_of(|| {
        let procs: Arc<Procs> = object(procs)?;
        let rank = if rank == -1 { procs.rank() } else { count(rank, "rank")? };
        let at = procs.arrangement().coords(rank);
        // SAFETY: `inside` and `coords` are NULL or have room for the results.
        unsafe {
            write_values(inside, [i32::from(at.is_some())])?;
            write_values(coords, at.into_iter().flatten().map(i64::from))?;
        }
        Ok(())
    })
}

/// Gets the rank at the given coordinates of an arrangement, in the arrangement's communicator.
///
/// # Safety
/// `coords` has one entry for each axis of the arrangement; `rank` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_rank_at(
    procs: *const reblock_procs,
    coords: *const i64,
    rank: *mut i64,
) -> i32 {
    status_of(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: `coords` is NULL or has as many entries as are read; `rank` is NULL or has room for the results.
        unsafe {
            let found = procs.rank_at(list(coords, procs.shape().len(), "coords")?)?;
            write_values(rank, [i64::from(found)])?;
        }
        Ok(())
    })
}

/// Frees an arrangement; objects that were made with it stay valid. Sets the handle to NULL.
///
/// # Safety
/// `procs` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_free(procs: *mut *mut reblock_procs) -> i32 {
    // SAFETY: `procs` is NULL or the address of a handle.
    status_of(|| unsafe { release::<Arc<Procs>, _>(procs).map(drop) })
}
