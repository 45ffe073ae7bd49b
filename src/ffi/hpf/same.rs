//! Which maps mean the same.

use super::super::outcome::{answer, put};
use super::{Map, object, reblock_map};

/// Whether two maps mean the same: elements have the same indices, and each lies in the same place of the storage of the same
/// processes. `equal` becomes 1 or 0. Each process answers for itself, without asking others; only strides that a process gave
/// (reblock_map_strides) can make answers differ. 1 is always right. 0 also if the communicators of the maps do not have the same
/// processes in the same order, or if an axis has formats of different kinds (BLOCK and CYCLIC are one kind; GEN_BLOCK, INDIRECT and
/// boxes are others) that deal its indices out alike.
///
/// # Safety
/// `equal` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_equal(
    map: *const reblock_map,
    other: *const reblock_map,
    equal: *mut i32,
) -> i32 {
    answer(|| {
        let [map, other]: [Map; 2] = [object(map)?, object(other)?];
        // SAFETY: `equal` is NULL or has room for a number.
        unsafe { put(equal, [i32::from(map.is_same(&other)?)]) };
        Ok(())
    })
}

/// A number for a map, to look up what was made of it: not negative, the same on all processes, and the same of all maps that are
/// equal (reblock_map_equal). Different maps, also those on other processes, have different numbers, but for a chance of one in 2^63
/// and two exceptions: strides that a process gave do not count; and of a communicator with processes of several MPI_COMM_WORLDs
/// (MPI_Comm_spawn, MPI_Comm_connect) only the number of processes counts. So compare maps with the same number by reblock_map_equal.
/// The number may be another one in another version of the library.
///
/// # Safety
/// `key` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_key(map: *const reblock_map, key: *mut i64) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `key` is NULL or has room for a number.
        unsafe { put(key, [map.key()?]) };
        Ok(())
    })
}
