//! Equality of maps, and a hash for look-up.

use super::super::outcome::{status_of, write_values};
use super::{Map, object, reblock_map};

/// Sets `equal` to 1 if two maps are equivalent, otherwise to 0. Equivalent maps give elements the same indices, and
/// put each element into the same place of the storage of the same processes. Not collective: each process answers
/// without communication. The answers of processes can differ only if a process passed strides of its own
/// (reblock_map_strides). The answer 1 is always right. Equivalent maps get the answer 0 in two cases: if their
/// communicators do not have the same processes in the same order, or if the formats of an axis are of different kinds
/// but distribute its indices alike (BLOCK and CYCLIC are one kind; GEN_BLOCK, INDIRECT and boxes are others).
///
/// # Safety
/// `equal` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_equal(
    map: *const reblock_map,
    other: *const reblock_map,
    equal: *mut i32,
) -> i32 {
    status_of(|| {
        let [map, other]: [Map; 2] = [object(map)?, object(other)?];
        // SAFETY: `equal` is NULL or has room for a number.
        unsafe { write_values(equal, [i32::from(map.is_same(&other)?)]) }
    })
}

/// Gets a hash of a map, for caches of objects made from maps: not negative, identical on all processes, and identical
/// for all equal maps (reblock_map_equal). Different maps, also maps on other processes, have different hashes, except
/// with a probability of 2^-63 and in two cases: maps that differ only by strides that a process passed have equal
/// hashes, and a communicator with processes of several MPI_COMM_WORLDs (MPI_Comm_spawn, MPI_Comm_connect) contributes
/// only its number of processes. So compare maps with equal hashes by reblock_map_equal. The hash may change with the
/// version of the library.
///
/// # Safety
/// `key` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_key(map: *const reblock_map, key: *mut i64) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `key` is NULL or has room for a number.
        unsafe { write_values(key, [map.key()?]) }
    })
}
