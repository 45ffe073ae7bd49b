//! Maps of arrays onto templates: alignment, shadow and layout of local arrays.

use super::super::outcome::{
    clear_handle, count, list, numbers, optional, release, status_around, status_of, write_handle,
};
use super::{Map, Template, object, reblock_map, reblock_template};
use crate::arrays;
use crate::collective::failure::Failure;
use crate::layout::mapping::{Align, Rest};
use crate::mpi::blacs::{Int, wide as wide_int};
use crate::scalapack::Descriptor;
use crate::scalapack::raw::explain_misread_integers;
use std::sync::Arc;

/// The alignment of an axis of an array: index i is aligned with index `stride` * i + `offset` of axis `axis` of the
/// template.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_align {
    /// An axis of the template, from 0; or REBLOCK_COLLAPSED: each process has the whole axis of the array.
    pub axis: i64,
    /// Not 0; negative if the indices run in opposite directions.
    pub stride: i64,
    /// The offset, in indices of the template.
    pub offset: i64,
}

/// Value of reblock_align.axis: the array's axis is aligned with no axis of the template.
pub const REBLOCK_COLLAPSED: i64 = -1;
/// Value of an entry of `rest`: the array has a copy at every index of that axis of the template.
pub const REBLOCK_REPLICATED: i64 = i64::MIN;

/// Makes the map of an array that is aligned with a committed template. The array has `axes` axes, with indices from
/// `lower` to `upper`. `aligns` has the alignment of each axis; NULL aligns index i of axis k with index i of axis k of
/// the template. `rest` has one entry per axis of the template. An entry is read if no axis of the array is aligned
/// with that axis. It is the array's index along that axis, or REBLOCK_REPLICATED for a copy at every index. NULL
/// stands for REBLOCK_REPLICATED in all entries. Local arrays are column-major, without shadow. Maps never change. Not
/// collective.
///
/// # Safety
/// `lower` and `upper` have `axes` entries; `aligns` is NULL or has `axes` entries; `rest` is NULL or has an entry for
/// each axis of the template; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_create(
    tmpl: *const reblock_template,
    axes: i64,
    lower: *const i64,
    upper: *const i64,
    aligns: *const reblock_align,
    rest: *const i64,
    map: *mut *mut reblock_map,
) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        unsafe {
            clear_handle(map, "map")?;
            let template: Template = object(tmpl)?;
            let axes = super::super::outcome::axis_count(axes, "the array")?;
            let (lower, upper) = (list(lower, axes, "lower")?, list(upper, axes, "upper")?);
            let aligns = optional(aligns, axes, "aligns")?;
            let axes: Result<Vec<_>, Failure> = (0..axes)
                .map(|k| {
                    Ok((
                        lower[k],
                        upper[k],
                        aligns
                            .map_or(Ok(Align::With { axis: k, stride: 1, offset: 0 }), |a| align(k, &a[k]))?,
                    ))
                })
                .collect();
            let entries = template.described()?.axes().len();
            let rest = optional(rest, entries, "rest")?.map(|rest| {
                let entry =
                    |&at: &i64| if at == REBLOCK_REPLICATED { Rest::Replicated } else { Rest::At(at) };
                rest.iter().map(entry).collect::<Vec<_>>()
            });
            write_handle(map, Arc::new(arrays::Map::create(&template, &axes?, rest.as_deref())?))
        }
    })
}

fn align(k: usize, align: &reblock_align) -> Result<Align, Failure> {
    if align.axis == REBLOCK_COLLAPSED {
        return Ok(Align::Collapsed);
    }
    Ok(Align::With {
        axis: count(align.axis, &format!("aligns[{k}].axis"))?,
        stride: align.stride,
        offset: align.offset,
    })
}

/// Makes the map of an array whose axes are aligned with all axes of the template, index by index. Not collective.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_whole(tmpl: *const reblock_template, map: *mut *mut reblock_map) -> i32 {
    status_of(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe {
            clear_handle(map, "map")?;
            write_handle(map, Arc::new(arrays::Map::whole(&object::<Template, _>(tmpl)?)?))
        }
    })
}

/// Makes the map of the matrix that a ScaLAPACK descriptor describes, on the process grid of its context, which must
/// contain the calling process. Indices begin at 1, and columns are LLD elements apart. A descriptor with DTYPE 2 has
/// 11 integers: it gives the sizes of the first block separately (IMB and INB), as in PBLAS. Not collective.
///
/// # Safety
/// `desc` has 9 integers, or 11 if the first integer is 2; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_from_blacs(desc: *const Int, map: *mut *mut reblock_map) -> i32 {
    status_of(|| {
        // SAFETY: `map` is NULL or has room for a handle; `desc` is NULL or has as many entries as are read.
        unsafe {
            clear_handle(map, "map")?;
            let entries = match list(desc, 1, "desc")?[0] {
                1 => 9,
                2 => 11,
                other => {
                    let expected = "expected 1, or 2 for a descriptor with IMB and INB";
                    return Err(Failure::argument(format!("DTYPE_ of DESC is {other}, {expected}")));
                }
            };
            let desc = list(desc, entries, "desc")?;
            let entries: Vec<i64> = desc[2..].iter().copied().map(wide_int).collect();
            let descriptor = Descriptor::of_entries(&entries);
            let made = arrays::Map::from_blacs(desc[1], &descriptor);
            let made = made.map_err(|why| match explain_misread_integers("DESC", desc) {
                Some(reason) => Failure::new(why.code, format!("{}: {reason}", why.text)),
                None => why,
            });
            write_handle(map, Arc::new(made?))
        }
    })
}

/// Makes a copy of `map` with a shadow: along axis k, `before[k]` elements before and `after[k]` elements behind a
/// process's own elements. Moves neither read nor write the shadow; a plan of reblock_plan_shadow fills it.
///
/// # Safety
/// `before` and `after` have one entry per axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_shadow(
    map: *const reblock_map,
    before: *const i64,
    after: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: this fn's contract.
    unsafe {
        change(map, made, |map, axes| {
            let (before, after) = (list(before, axes, "before")?, list(after, axes, "after")?);
            let (before, after) = (numbers::<u64>("before", before)?, numbers::<u64>("after", after)?);
            map.with_shadow(&before.into_iter().zip(after).collect::<Vec<_>>())
        })
    }
}

/// Makes a copy of `map` with row-major local arrays, as in C. Fails for an array in boxes, whose order is set by the
/// argument `row_major` of reblock_map_from_boxes.
///
/// # Safety
/// `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_row_major(map: *const reblock_map, made: *mut *mut reblock_map) -> i32 {
    // SAFETY: `made` has room for a handle, by this fn's contract.
    unsafe { change(map, made, |map, axes| map.with_order(&(0..axes).rev().collect::<Vec<_>>())) }
}

/// Makes a copy of `map` whose local arrays have their axes in the order `order`: the axis that varies fastest is the
/// first entry.
///
/// # Safety
/// `order` has one entry per axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_order(
    map: *const reblock_map,
    order: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: this fn's contract.
    unsafe {
        change(map, made, |map, axes| {
            map.with_order(&numbers::<usize>("order", list(order, axes, "order")?)?)
        })
    }
}

/// Makes a copy of `map` with the given strides, in elements, of the calling process's local array. Strides may differ
/// between ranks.
///
/// # Safety
/// `strides` has one entry per axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_strides(
    map: *const reblock_map,
    strides: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: this fn's contract.
    unsafe { change(map, made, |map, axes| map.with_strides(list(strides, axes, "strides")?)) }
}

/// Makes a map from `map` by `change`, which receives the number of axes, and stores its handle in `made`.
///
/// # Safety
/// `made` has room for a handle; the lists that `change` reads are valid.
unsafe fn change<C: FnOnce(&arrays::Map, usize) -> Result<arrays::Map, Failure>>(
    map: *const reblock_map,
    made: *mut *mut reblock_map,
    change: C,
) -> i32 {
    status_around::<C>(|| {
        // SAFETY: this fn's contract.
        unsafe {
            clear_handle(made, "made")?;
            let map: Map = object(map)?;
            write_handle(made, Arc::new(change(&map, map.map().axes().len())?))
        }
    })
}

/// Frees a map; objects that were made with it stay valid. Sets the handle to NULL.
///
/// # Safety
/// `map` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_free(map: *mut *mut reblock_map) -> i32 {
    // SAFETY: `map` is NULL or the address of a handle.
    status_of(|| unsafe { release::<Map, _>(map).map(drop) })
}
