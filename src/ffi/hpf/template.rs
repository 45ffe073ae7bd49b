//! Templates: index spaces that are distributed over an arrangement.

use super::super::outcome::{
    axis_count, clear_handle, count, list, put_text, release, status_of, wide, write_handle, write_values,
};
use super::super::versioned;
use super::format::{reblock_format, to_c};
use super::{Template, collective, object, reblock_procs, reblock_template};
use crate::arrays;
use crate::arrays::Procs;
use crate::collective::failure::Failure;
use std::ffi::c_char;
use std::sync::Arc;

/// Makes a template with `axes` axes, for distribution onto the arrangement `procs`. Axis k has the indices from
/// `lower[k]` to `upper[k]`. The reblock_template_dist_... functions then distribute its axes, counted from 0, and
/// reblock_template_commit completes it. Not collective.
///
/// # Safety
/// `lower` and `upper` have `axes` entries; `tmpl` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_create(
    procs: *const reblock_procs,
    axes: i64,
    lower: *const i64,
    upper: *const i64,
    tmpl: *mut *mut reblock_template,
) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        unsafe {
            clear_handle(tmpl, "template")?;
            let procs: Arc<Procs> = object(procs)?;
            let axes = axis_count(axes, "the template")?;
            let (lower, upper) = (list(lower, axes, "lower")?, list(upper, axes, "upper")?);
            write_handle(tmpl, arrays::Template::create(&procs, lower, upper)?)
        }
    })
}

/// Completes a template. Before this call, no map can be made with it. All ranks must have described the same
/// distribution. Collective over the arrangement's communicator.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_template_commit(tmpl: *mut reblock_template) -> i32 {
    status_of(|| collective::<Template, _>(tmpl)?.commit())
}

/// Gets the number of axes of a template.
///
/// # Safety
/// `axes` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_axes(tmpl: *const reblock_template, axes: *mut i64) -> i32 {
    status_of(|| {
        let described = object::<Template, _>(tmpl)?.described()?;
        // SAFETY: `axes` is NULL or has room for the results.
        unsafe { write_values(axes, [wide(described.axes().len() as u64)]) }
    })
}

/// Gets the bounds of a template.
///
/// # Safety
/// `lower` and `upper` are each NULL or have room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_bounds(
    tmpl: *const reblock_template,
    lower: *mut i64,
    upper: *mut i64,
) -> i32 {
    status_of(|| {
        let described = object::<Template, _>(tmpl)?.described()?;
        // SAFETY: `lower` and `upper` are NULL or have room for the results.
        unsafe {
            write_values(lower, described.axes().iter().map(|axis| axis.lower))?;
            write_values(upper, described.axes().iter().map(|axis| axis.upper))?;
        }
        Ok(())
    })
}

/// Gets the present distribution of axis `axis` of a committed template: as reblock_map_format, with stride 1 and
/// offset 0.
///
/// # Safety
/// `format` is NULL or was initialised by reblock_format_init.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_format(
    tmpl: *const reblock_template,
    axis: i64,
    format: *mut reblock_format,
) -> i32 {
    status_of(|| {
        let found = object::<Template, _>(tmpl)?.format(count(axis, "axis")?)?;
        // SAFETY: `format` is NULL or has the size that it names.
        unsafe { versioned::write(format, &to_c(&found)) }
    })
}

/// Gets the arrangement onto which a template is distributed now.
///
/// # Safety
/// `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_procs(
    tmpl: *const reblock_template,
    procs: *mut *mut reblock_procs,
) -> i32 {
    status_of(|| {
        // SAFETY: `procs` is NULL or has room for a handle.
        unsafe {
            clear_handle(procs, "procs")?;
            write_handle(procs, object::<Template, _>(tmpl)?.procs())
        }
    })
}

/// Writes a template's distribution in HPF's notation, for instance "(CYCLIC(4),*,BLOCK) ONTO P(2,3)". Arguments as for
/// reblock_map_text.
///
/// # Safety
/// `text` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_text(
    tmpl: *const reblock_template,
    text: *mut c_char,
    size: i64,
    length: *mut i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        let described: Result<_, Failure> = template.described();
        // SAFETY: `text` is NULL or has room for `size` bytes, `length` is NULL or has room for a number.
        unsafe { put_text(&described?.to_string(), text, size, length) }
    })
}

/// Frees a template; objects that were made with it stay valid. Sets the handle to NULL.
///
/// # Safety
/// `tmpl` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_free(tmpl: *mut *mut reblock_template) -> i32 {
    // SAFETY: `tmpl` is NULL or the address of a handle.
    status_of(|| unsafe { release::<Template, _>(tmpl).map(drop) })
}
