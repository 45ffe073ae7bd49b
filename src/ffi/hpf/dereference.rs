//! Collective search for the owners and positions of elements.

use super::super::outcome::{check_entries, check_result_memory, count, list, status_of, wide, write_values};
use super::{Map, collective, reblock_map};
use crate::arrays::dereference_elements;

/// Finds the ranks and positions of `elements` elements, which may be 0. For each element in turn, `indices` has one
/// index per axis. `ranks` gets the lowest rank that has the element, and `places` its position in that rank's storage:
/// along each axis, from 0, shadow included. For an array in boxes, the position is counted from the start of the
/// element's box. Collective over the communicator of the map's arrangement.
///
/// # Safety
/// `indices` has an entry for each axis of each element; `ranks` is NULL or has room for one number per element;
/// `places` is NULL or has room for as many numbers as `indices`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_dereference(
    map: *const reblock_map,
    elements: i64,
    indices: *const i64,
    ranks: *mut i64,
    places: *mut i64,
) -> i32 {
    status_of(|| {
        let map: Map = collective(map)?;
        let numbers = count(elements, "elements").and_then(|elements: usize| {
            let axes = map.map().axes().len();
            // Elements of a scalar have no indices, but each has a rank: their number is limited, too.
            check_entries::<i64>(elements.saturating_mul(axes.max(1)), "indices")?;
            Ok((elements, elements * axes))
        });
        // SAFETY: `indices` is NULL or has as many entries as are read.
        let list = |(elements, numbers)| unsafe {
            check_result_memory(ranks)?;
            check_result_memory(places)?;
            Ok((elements, list(indices, numbers, "indices")?))
        };
        let found = dereference_elements(&map, numbers.and_then(list))?;
        // SAFETY: `ranks` and `places` are NULL or have room for the results.
        unsafe {
            write_values(ranks, found.ranks.into_iter().map(i64::from))?;
            write_values(places, found.places.into_iter().map(wide))?;
        }
        Ok(())
    })
}
