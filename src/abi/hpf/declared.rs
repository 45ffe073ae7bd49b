//! What was declared: templates, which template an array is aligned with, and which part of it any process has.

use super::super::outcome::{answer, count, give, list, place, put, wide};
use super::inquire::{reblock_format, told};
use super::map::REBLOCK_REPLICATED;
use super::{Map, Template, object, reblock_map, reblock_procs, reblock_template};
use crate::hpf::Procs;
use crate::mapping::Rest;
use std::sync::Arc;

/// The rank at these coordinates of an arrangement, in the arrangement's communicator.
///
/// # Safety
/// `coords` has one entry for each axis of the arrangement; `rank` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_rank_at(
    procs: *const reblock_procs,
    coords: *const i64,
    rank: *mut i64,
) -> i32 {
    answer(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: `coords` is NULL or has as many entries as are read; `rank` is NULL or has room for what is written.
        unsafe {
            let found = procs.at(list(coords, procs.shape().len(), "coords")?)?;
            put(rank, [i64::from(found)]);
        }
        Ok(())
    })
}

/// The number of axes of a template.
///
/// # Safety
/// `axes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_axes(tmpl: *const reblock_template, axes: *mut i64) -> i32 {
    answer(|| {
        let described = object::<Template, _>(tmpl)?.described()?;
        // SAFETY: `axes` is NULL or has room for what is written.
        unsafe { put(axes, [wide(described.axes().len() as u64)]) };
        Ok(())
    })
}

/// The bounds of a template.
///
/// # Safety
/// Both are NULL or have room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_bounds(
    tmpl: *const reblock_template,
    lower: *mut i64,
    upper: *mut i64,
) -> i32 {
    answer(|| {
        let described = object::<Template, _>(tmpl)?.described()?;
        // SAFETY: `lower` and `upper` are NULL or have room for what is written.
        unsafe {
            put(lower, described.axes().iter().map(|axis| axis.lower));
            put(upper, described.axes().iter().map(|axis| axis.upper));
        }
        Ok(())
    })
}

/// How axis `axis` of a committed template is distributed now: as reblock_map_format, with stride 1 and offset 0.
///
/// # Safety
/// `format` is NULL or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_format(
    tmpl: *const reblock_template,
    axis: i64,
    format: *mut reblock_format,
) -> i32 {
    answer(|| {
        let found = object::<Template, _>(tmpl)?.format(count(axis, "axis")?)?;
        // SAFETY: `format` is NULL or has room for what is written.
        unsafe { put(format, [told(&found)]) };
        Ok(())
    })
}

/// The arrangement onto which a template is distributed now.
///
/// # Safety
/// `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_procs(
    tmpl: *const reblock_template,
    procs: *mut *mut reblock_procs,
) -> i32 {
    answer(|| {
        // SAFETY: `procs` is NULL or has room for a handle.
        unsafe {
            place(procs, "procs")?;
            give(procs, object::<Template, _>(tmpl)?.procs())
        }
    })
}

/// The arrangement onto which an array is distributed.
///
/// # Safety
/// `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_procs(map: *const reblock_map, procs: *mut *mut reblock_procs) -> i32 {
    answer(|| {
        // SAFETY: `procs` is NULL or has room for a handle.
        unsafe {
            place(procs, "procs")?;
            give(procs, object::<Map, _>(map)?.procs().clone())
        }
    })
}

/// The template of an array: its number of axes, at most 15, and their bounds. For each axis of the template, `aligned` gets
/// the axis of the array that is aligned with it, or -1. If it is -1, `rest` gets the index at which the array lies, or
/// REBLOCK_REPLICATED if there is a copy at every index; otherwise 0.
///
/// # Safety
/// `axes` is NULL or has room for a number, the others are NULL or have room for one number per axis of the template.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_template(
    map: *const reblock_map,
    axes: *mut i64,
    lower: *mut i64,
    upper: *mut i64,
    aligned: *mut i64,
    rest: *mut i64,
) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        let (map, all) = (map.map(), map.map().template().axes());
        let with: Vec<Option<usize>> = (0..all.len()).map(|k| map.aligned_with(k)).collect();
        let lies = with.iter().zip(map.rest()).map(|(with, rest)| match (with, rest) {
            (Some(_), _) => 0,
            (None, Rest::At(index)) => *index,
            (None, Rest::Replicated) => REBLOCK_REPLICATED,
        });
        // SAFETY: `axes`, `lower`, `upper`, `aligned` and `rest` are NULL or have room for what is written.
        unsafe {
            put(axes, [wide(all.len() as u64)]);
            put(lower, all.iter().map(|axis| axis.lower));
            put(upper, all.iter().map(|axis| axis.upper));
            put(aligned, with.iter().map(|with| with.map_or(-1, |axis| wide(axis as u64))));
            put(rest, lies);
        }
        Ok(())
    })
}

/// The part of an array on rank `rank` of the arrangement's communicator: `extents` and `lower` as in reblock_map_local, and
/// the least and the greatest index along each axis, 1 and 0 if the rank has none. If the rank has no part of the array,
/// `has_part` is 0 and nothing else is written. If each process knows only its own indices of an INDIRECT axis, it is an
/// error to ask for another rank.
///
/// # Safety
/// Each is NULL or has room for one number per axis, `has_part` for one.
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
    answer(|| {
        let found = object::<Map, _>(map)?.part_of(count(rank, "rank")?)?;
        let axes = || found.iter().flatten();
        // SAFETY: `extents`, `lower`, `first`, `last` and `has_part` are NULL or have room for what is written.
        unsafe {
            put(extents, axes().map(|axis| wide(axis.local.len)));
            put(lower, axes().map(|axis| axis.local.lower));
            put(first, axes().map(|axis| axis.span.0));
            put(last, axes().map(|axis| axis.span.1));
            put(has_part, [i32::from(found.is_some())]);
        }
        Ok(())
    })
}
