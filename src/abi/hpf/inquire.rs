//! What programs ask about templates and maps (HPF_TEMPLATE, HPF_ALIGNMENT, HPF_DISTRIBUTION, LOCAL_LINDEX and others).

use super::super::outcome::{answer, count, list, put, put_text, wide};
use super::{Map, Template, object, reblock_map, reblock_template};
use crate::hpf::{AxisFormat, Failure};
use crate::mapping::Format;
use std::ffi::c_char;

/// The axis is not distributed.
pub const REBLOCK_FORMAT_COLLAPSED: i64 = 0;
/// BLOCK or BLOCK(m).
pub const REBLOCK_FORMAT_BLOCK: i64 = 1;
/// CYCLIC(k).
pub const REBLOCK_FORMAT_CYCLIC: i64 = 2;
/// GEN_BLOCK.
pub const REBLOCK_FORMAT_GEN_BLOCK: i64 = 3;
/// INDIRECT.
pub const REBLOCK_FORMAT_INDIRECT: i64 = 4;

/// How an axis of an array is distributed.
#[repr(C)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_format {
    /// One of REBLOCK_FORMAT_...
    pub kind: i64,
    /// The block size, also of BLOCK; 0 if blocks have different sizes or there are none.
    pub block: i64,
    /// The axis of the template, or -1.
    pub template_axis: i64,
    /// The axis of the arrangement, or -1.
    pub procs_axis: i64,
    /// Processes along that axis of the arrangement.
    pub procs: i64,
    /// Index i is aligned with index `stride` * i + `offset` of the template.
    pub stride: i64,
    /// See `stride`.
    pub offset: i64,
    /// The calling process's coordinate along `procs_axis`, or -1 if it is not in the arrangement.
    pub coordinate: i64,
}

/// The number of axes of an array.
///
/// # Safety
/// `axes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_axes(map: *const reblock_map, axes: *mut i64) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `axes` is NULL or has room for what is written.
        unsafe { put(axes, [wide(map.map().axes().len() as u64)]) };
        Ok(())
    })
}

/// The bounds of an array.
///
/// # Safety
/// Both are NULL or have room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_bounds(
    map: *const reblock_map,
    lower: *mut i64,
    upper: *mut i64,
) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `lower` and `upper` are NULL or have room for what is written.
        unsafe {
            put(lower, map.map().axes().iter().map(|axis| axis.lower));
            put(upper, map.map().axes().iter().map(|axis| axis.upper));
        }
        Ok(())
    })
}

/// The calling process's local array: its own elements along each axis; the index of the storage's first element, shadow
/// included; the widths of the shadow before and after; the strides in elements; and whether the process has a part of the
/// array. `lower` is in the array's own indices if those of the process are contiguous; otherwise its own elements are numbered
/// from 1.
///
/// # Safety
/// Each is NULL or has room for one number per axis, `has_part` for one.
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
    answer(|| {
        let map: Map = object(map)?;
        let axes = &map.local().axes;
        // SAFETY: `extents`, `lower`, `before`, `after`, `strides` and `has_part` are NULL or have room for what is written.
        unsafe {
            put(extents, axes.iter().map(|axis| wide(axis.len)));
            put(lower, axes.iter().map(|axis| axis.lower));
            put(before, axes.iter().map(|axis| wide(axis.shadow.0)));
            put(after, axes.iter().map(|axis| wide(axis.shadow.1)));
            put(strides, axes.iter().map(|axis| axis.stride));
            put(has_part, [i32::from(map.has_part())]);
        }
        Ok(())
    })
}

/// The number of elements of the calling process's storage, including shadow and gaps.
///
/// # Safety
/// `elements` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_elements(map: *const reblock_map, elements: *mut i64) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `elements` is NULL or has room for what is written.
        unsafe { put(elements, [wide(map.elements()?)]) };
        Ok(())
    })
}

/// The ranks that have a copy of an element, as ranks of the arrangement's communicator, in ascending order. `ranks` gets the
/// first `most` of them, and `owners` their number. If each process knows only its own indices of an INDIRECT axis
/// (reblock_template_dist_indirect_local), it is an error to ask for elements of others; use reblock_map_dereference.
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
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `index` is NULL or has as many entries as are read; `ranks` and `owners` are NULL or have room for what is
        // written.
        unsafe {
            let found = map.owners(list(index, map.map().axes().len(), "index")?)?;
            put(ranks, found.iter().take(count(most, "most")?).map(|&rank| i64::from(rank)));
            put(owners, [wide(found.len() as u64)]);
        }
        Ok(())
    })
}

/// The position of an element in the calling process's storage: along each axis, from 0, shadow included. `here` is 1 if the
/// process owns the element; if not, `here` is 0 and nothing else is written.
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
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `index` is NULL or has as many entries as are read; `here` and `local` are NULL or have room for what is
        // written.
        unsafe {
            let found = map.local_index(list(index, map.map().axes().len(), "index")?)?;
            put(here, [i32::from(found.is_some())]);
            put(local, found.into_iter().flatten().map(wide));
        }
        Ok(())
    })
}

/// The index of the element at a position of the calling process's storage. The position is given along each axis, from 0,
/// shadow included. `own` is 1 for the process's own elements; in the shadow, `own` is 0 and nothing else is written.
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
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `local` is NULL or has as many entries as are read; `own` and `index` are NULL or have room for what is
        // written.
        unsafe {
            let found = map.global_index(list(local, map.map().axes().len(), "local")?)?;
            put(own, [i32::from(found.is_some())]);
            put(index, found.into_iter().flatten());
        }
        Ok(())
    })
}

/// How axis `axis` of an array is distributed.
///
/// # Safety
/// `format` is NULL or has room for one.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_format(
    map: *const reblock_map,
    axis: i64,
    format: *mut reblock_format,
) -> i32 {
    answer(|| {
        let map: Map = object(map)?;
        let found = map.format(count(axis, "axis")?)?;
        // SAFETY: `format` is NULL or has room for what is written.
        unsafe { put(format, [told(&found)]) };
        Ok(())
    })
}

/// A format as C has it.
pub(super) fn told(found: &AxisFormat) -> reblock_format {
    let kind = match found.format {
        Format::Collapsed => REBLOCK_FORMAT_COLLAPSED,
        Format::Block(_) => REBLOCK_FORMAT_BLOCK,
        Format::Cyclic { .. } => REBLOCK_FORMAT_CYCLIC,
        Format::GenBlock(_) => REBLOCK_FORMAT_GEN_BLOCK,
        Format::Indirect(_) => REBLOCK_FORMAT_INDIRECT,
    };
    let axis = |axis: Option<usize>| axis.map_or(-1, |axis| wide(axis as u64));
    let (template_axis, stride, offset) =
        found.align.map_or((None, 0, 0), |(axis, stride, offset)| (Some(axis), stride, offset));
    reblock_format {
        kind,
        block: wide(found.block),
        template_axis: axis(template_axis),
        procs_axis: axis(found.onto),
        procs: i64::from(found.procs),
        stride,
        offset,
        coordinate: found.coordinate.map_or(-1, i64::from),
    }
}

/// A map in HPF's notation, for instance "A(i,j) WITH T(2*i+1,j), T(BLOCK,*) ONTO P(4)": `text` gets as much of it as fits into
/// `size` bytes, with a zero byte at the end, and `length` the whole length without the zero byte.
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
    answer(|| {
        let map: Map = object(map)?;
        // SAFETY: `text` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&map.map().to_string(), text, size, length) }
    })
}

/// A template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)". Arguments as for
/// reblock_map_text.
///
/// # Safety
/// As reblock_map_text.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_text(
    tmpl: *const reblock_template,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    answer(|| {
        let template: Template = object(tmpl)?;
        let described: Result<_, Failure> = template.described();
        // SAFETY: `text` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&described?.to_string(), text, size, length) }
    })
}
