//! What programs ask of elements that may be anywhere.

use super::super::outcome::{answer, count, list, put, wide};
use super::{Map, collective, reblock_map};
use crate::hpf::{Failure, dereference};

/// Collective over the communicator of the map's arrangement: where the `elements` elements are that the calling process asks
/// for, maybe none. Of each of them `indices` has an index an axis, one element after the other; `ranks` gets the lowest rank that
/// has it, and `places` where that one keeps it: along each axis, from 0, the shadow counted.
///
/// # Safety
/// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for a number an element, `places` for as
/// many as `indices`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_dereference(
    map: *const reblock_map,
    elements: i64,
    indices: *const i64,
    ranks: *mut i64,
    places: *mut i64,
) -> i32 {
    answer(|| {
        let map: Map = collective(map)?;
        let numbers = count(elements, "elements").and_then(|elements: usize| {
            let all = elements.checked_mul(map.map().axes().len());
            all.ok_or_else(|| Failure::argument(format!("elements is {elements}, more than memory holds")))
        });
        // SAFETY: the caller's promise.
        let indices = numbers.and_then(|numbers| unsafe { list(indices, numbers, "indices") });
        let found = dereference(&map, indices)?;
        // SAFETY: the caller's promise.
        unsafe {
            put(ranks, found.ranks.into_iter().map(i64::from));
            put(places, found.places.into_iter().map(wide));
        }
        Ok(())
    })
}
