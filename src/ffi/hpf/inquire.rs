//! Inquiries about maps, after procedures of HPF's libraries: HPF_TEMPLATE, HPF_ALIGNMENT, HPF_DISTRIBUTION,
//! LOCAL_LINDEX and others.

use super::super::outcome::{
    clear_handle, count, list, put_text, status_of, wide, write_handle, write_values,
};
use super::super::versioned;
use super::format::{reblock_format, to_c};
use super::map::REBLOCK_REPLICATED;
use super::{Map, object, reblock_map, reblock_procs};
use crate::layout::mapping::Rest;
use std::ffi::c_char;

/// Gets the number of axes of an array.
///
/// # Safety
/// `axes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_axes(map: *const reblock_map, axes: *mut i64) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `axes` is NULL or has room for the results.
        unsafe { write_values(axes, [wide(map.map().axes().len() as u64)]) }
    })
}

/// Gets the bounds of an array.
///
/// # Safety
/// `lower` and `upper` are NULL or have room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_bounds(
    map: *const reblock_map,
    lower: *mut i64,
    upper: *mut i64,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `lower` and `upper` are NULL or have room for the results.
        unsafe {
            write_values(lower, map.map().axes().iter().map(|axis| axis.lower))?;
            write_values(upper, map.map().axes().iter().map(|axis| axis.upper))?;
        }
        Ok(())
    })
}

/// Gets the layout of the calling process's local array. For each axis: the number of the process's own elements
/// (`extents`), the index of the first element of the storage (`lower`), the widths of the shadow before and after the
/// own elements, and the stride in elements. `has_part` is set to 1 if the process has a part of the array, otherwise
/// to 0.
///
/// The storage begins with the shadow, so `lower` is the index of the first own element less `before`. If the process's
/// indices of the axis are contiguous, its own elements have the array's indices; otherwise they count from 1. If the
/// process has no element along the axis, its own elements are assumed to begin after those of the preceding processes.
/// In these cases they are assumed to begin at the array's lower bound: the axis is INDIRECT, a process has several
/// blocks, owners do not ascend along the axis, the array lies in boxes, or the process has no part of the array.
///
/// # Safety
/// Each result is NULL or has room for one number per axis, `has_part` for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_local(
    map: *const reblock_map,
    extents: *mut i64,
    lower: *mut i64,
    before: *mut i64,
    after: *mut i64,
    strides: *mut i64,
    has_part: *mut i32,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        let axes = map.local_axes()?;
        // SAFETY: `extents`, `lower`, `before`, `after`, `strides` and `has_part` are NULL or have room for the
        // results.
        unsafe {
            write_values(extents, axes.iter().map(|axis| wide(axis.len)))?;
            write_values(lower, axes.iter().map(|axis| axis.lower))?;
            write_values(before, axes.iter().map(|axis| wide(axis.shadow.0)))?;
            write_values(after, axes.iter().map(|axis| wide(axis.shadow.1)))?;
            write_values(strides, axes.iter().map(|axis| axis.stride))?;
            write_values(has_part, [i32::from(map.has_part())])?;
        }
        Ok(())
    })
}

/// Gets the number of elements of the calling process's storage, including shadow and gaps.
///
/// # Safety
/// `elements` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_elements(map: *const reblock_map, elements: *mut i64) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `elements` is NULL or has room for the results.
        unsafe { write_values(elements, [wide(map.elements()?)]) }
    })
}

/// Gets the ranks that have a copy of an element, as ranks of the arrangement's communicator, in ascending order.
/// `ranks` gets at most the first `most` of them, and `owners` their total number. If the array lies in boxes, or if
/// each process has only its own indices of an INDIRECT axis (reblock_template_dist_indirect_local), the call fails for
/// elements of other processes; use reblock_map_dereference for these.
///
/// # Safety
/// `index` has one entry per axis; `ranks` is NULL or has room for `most` numbers, `owners` for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_owners(
    map: *const reblock_map,
    index: *const i64,
    most: i64,
    ranks: *mut i64,
    owners: *mut i64,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `index` is NULL or has as many entries as are read; `ranks` and `owners` are NULL or have room for
        // the results.
        unsafe {
            let found = map.owners(list(index, map.map().axes().len(), "index")?)?;
            write_values(ranks, found.iter().take(count(most, "most")?).map(|&rank| i64::from(rank)))?;
            write_values(owners, [wide(found.len() as u64)])?;
        }
        Ok(())
    })
}

/// Gets the position of an element in the calling process's storage: along each axis, from 0, shadow included. For an
/// array in boxes, the position is counted from the start of the element's box. `here` is set to 1 if the process owns
/// the element; if not, `here` is set to 0 and nothing else is written.
///
/// # Safety
/// `index` has one entry per axis; `local` is NULL or has room for as many; `here` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_local_index(
    map: *const reblock_map,
    index: *const i64,
    local: *mut i64,
    here: *mut i32,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `index` is NULL or has as many entries as are read; `here` and `local` are NULL or have room for
        // the results.
        unsafe {
            let found = map.local_index(list(index, map.map().axes().len(), "index")?)?;
            write_values(here, [i32::from(found.is_some())])?;
            write_values(local, found.into_iter().flatten().map(wide))?;
        }
        Ok(())
    })
}

/// Gets the index of the element at a position of the calling process's storage. The position is given along each axis,
/// from 0, shadow included. `own` is set to 1 for the process's own elements; in the shadow, `own` is set to 0 and
/// nothing else is written.
///
/// # Safety
/// `local` has one entry per axis; `index` is NULL or has room for as many; `own` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_global_index(
    map: *const reblock_map,
    local: *const i64,
    index: *mut i64,
    own: *mut i32,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `local` is NULL or has as many entries as are read; `own` and `index` are NULL or have room for
        // the results.
        unsafe {
            let found = map.global_index(list(local, map.map().axes().len(), "local")?)?;
            write_values(own, [i32::from(found.is_some())])?;
            write_values(index, found.into_iter().flatten())?;
        }
        Ok(())
    })
}

/// Gets the distribution of axis `axis` of an array. Fails for an array in boxes.
///
/// # Safety
/// `format` is NULL or was initialised by reblock_format_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_format(
    map: *const reblock_map,
    axis: i64,
    format: *mut reblock_format,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        let found = map.format(count(axis, "axis")?)?;
        // SAFETY: `format` is NULL or has the size that it names.
        unsafe { versioned::write(format, &to_c(&found)) }
    })
}

/// Writes a map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)". `text` gets as much of
/// the notation as fits into `size` bytes, with a zero byte at the end. `length` gets the whole length without the zero
/// byte.
///
/// # Safety
/// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_text(
    map: *const reblock_map,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        // SAFETY: `text` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&map.map().to_string(), text, size, length) }
    })
}

/// Gets the arrangement onto which an array is distributed.
///
/// # Safety
/// `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_procs(map: *const reblock_map, procs: *mut *mut reblock_procs) -> i32 {
    status_of(|| {
        // SAFETY: `procs` is NULL or has room for a handle.
        unsafe {
            clear_handle(procs, "procs")?;
            write_handle(procs, object::<Map, _>(map)?.procs().clone())
        }
    })
}

/// Gets the template of an array: its number of axes, at most 15, and their bounds. For each axis of the template,
/// `aligned` gets the axis of the array that is aligned with it, or -1. If it is -1, `rest` gets the array's index
/// along the template's axis, or REBLOCK_REPLICATED if there is a copy at every index; otherwise `rest` gets 0.
///
/// # Safety
/// `axes` is NULL or has room for a number; the others are NULL or have room for one number per axis of the template.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_template(
    map: *const reblock_map,
    axes: *mut i64,
    lower: *mut i64,
    upper: *mut i64,
    aligned: *mut i64,
    rest: *mut i64,
) -> i32 {
    status_of(|| {
        let map: Map = object(map)?;
        let (map, all) = (map.map(), map.map().template().axes());
        let with: Vec<Option<usize>> = (0..all.len()).map(|k| map.aligned_with(k)).collect();
        let lies = with.iter().zip(map.rest()).map(|(with, rest)| match (with, rest) {
            (Some(_), _) => 0,
            (None, Rest::At(index)) => *index,
            (None, Rest::Replicated) => REBLOCK_REPLICATED,
        });
        // SAFETY: `axes`, `lower`, `upper`, `aligned` and `rest` are NULL or have room for the results.
        unsafe {
            write_values(axes, [wide(all.len() as u64)])?;
            write_values(lower, all.iter().map(|axis| axis.lower))?;
            write_values(upper, all.iter().map(|axis| axis.upper))?;
            write_values(aligned, with.iter().map(|with| with.map_or(-1, |axis| wide(axis as u64))))?;
            write_values(rest, lies)?;
        }
        Ok(())
    })
}

/// Gets the part of an array that rank `rank` of the arrangement's communicator has. For each axis: `extents` and
/// `lower` as in reblock_map_local, and the least and the greatest index that the rank has (`first` and `last`; 1 and 0
/// if it has none). If the rank has no part of the array, `has_part` is set to 0 and nothing else is written. If each
/// process has only its own indices of an INDIRECT axis, the call fails for ranks that have other indices of this axis.
/// It also fails for an array in boxes.
///
/// # Safety
/// Each result is NULL or has room for one number per axis, `has_part` for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_part(
    map: *const reblock_map,
    rank: i64,
    extents: *mut i64,
    lower: *mut i64,
    first: *mut i64,
    last: *mut i64,
    has_part: *mut i32,
) -> i32 {
    status_of(|| {
        let found = object::<Map, _>(map)?.part_of(count(rank, "rank")?)?;
        let axes = || found.iter().flatten();
        // SAFETY: `extents`, `lower`, `first`, `last` and `has_part` are NULL or have room for the results.
        unsafe {
            write_values(extents, axes().map(|axis| wide(axis.local.len)))?;
            write_values(lower, axes().map(|axis| axis.local.lower))?;
            write_values(first, axes().map(|axis| axis.span.0))?;
            write_values(last, axes().map(|axis| axis.span.1))?;
            write_values(has_part, [i32::from(found.is_some())])?;
        }
        Ok(())
    })
}
