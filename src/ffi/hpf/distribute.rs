//! Formats of the axes of a template.

#[cfg(feature = "text")]
use super::super::outcome::text;
use super::super::outcome::{count, list, numbers, status_of};
use super::{Template, object, reblock_template};
use crate::collective::failure::Failure;
#[cfg(feature = "text")]
use std::ffi::c_char;

/// Makes axis `axis` collapsed (not distributed), which is the default.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_template_dist_collapsed(tmpl: *mut reblock_template, axis: i64) -> i32 {
    status_of(|| object::<Template, _>(tmpl)?.collapsed(count(axis, "axis")?))
}

/// Makes axis `axis` BLOCK(block) along axis `procs_axis` of the arrangement. If `block` is 0, the axis is BLOCK: the
/// block size is the extent divided by the number of processes, rounded up.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_template_dist_block(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    status_of(|| {
        let block: u64 = count(block, "block")?;
        let template: Template = object(tmpl)?;
        template.block(count(axis, "axis")?, count(procs_axis, "procs_axis")?, (block > 0).then_some(block))
    })
}

/// Makes axis `axis` CYCLIC(block) along axis `procs_axis` of the arrangement.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_template_dist_cyclic(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        template.cyclic(count(axis, "axis")?, count(procs_axis, "procs_axis")?, count(block, "block")?)
    })
}

/// Makes axis `axis` GEN_BLOCK along axis `procs_axis` of the arrangement; `sizes` has the number of indices of each of
/// the `processes` processes along that axis.
///
/// # Safety
/// `sizes` has `processes` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_gen_block(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    processes: i64,
    sizes: *const i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        let (axis, onto) = (count(axis, "axis")?, count(procs_axis, "procs_axis")?);
        template.check_sizes(axis, onto, count(processes, "processes")?)?;
        // SAFETY: `sizes` is NULL or has as many entries as are read.
        let sizes = unsafe { list(sizes, count(processes, "processes")?, "sizes")? };
        template.gen_block(axis, onto, &numbers("sizes", sizes)?)
    })
}

/// Makes axis `axis` INDIRECT along axis `procs_axis` of the arrangement. For each of the `indices` indices of the
/// axis, `owners` has the coordinate of the owner along `procs_axis`. Every rank passes all owners.
///
/// # Safety
/// `owners` has `indices` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_indirect(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    indices: i64,
    owners: *const i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        let axis = count(axis, "axis")?;
        template.check_owners(axis, count(indices, "indices")?)?;
        // SAFETY: `owners` is NULL or has as many entries as are read.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect(axis, count(procs_axis, "procs_axis")?, &owners)
    })
}

/// As reblock_template_dist_indirect, but by runs: neighbouring indices with one owner. For each of the `runs` runs,
/// `owners` has the coordinate of the owner, and `lengths` the number of indices.
///
/// # Safety
/// Both lists have `runs` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_indirect_runs(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    runs: i64,
    owners: *const i64,
    lengths: *const i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        // SAFETY: `owners` and `lengths` are NULL or have as many entries as are read.
        let (owners, lengths) =
            unsafe { (owners_of(owners, runs)?, list(lengths, count(runs, "runs")?, "lengths")?) };
        let runs = owners.into_iter().zip(numbers::<u64>("lengths", lengths)?);
        template.indirect_runs(count(axis, "axis")?, count(procs_axis, "procs_axis")?, runs)
    })
}

/// As reblock_template_dist_indirect, but each rank passes only the owners of the `indices` indices from `lower` on;
/// `indices` may be 0. When the template is committed, the ranges of all ranks must contain each index exactly once. If
/// the runs of owners of the whole axis would take more than REBLOCK_OWNERS bytes (default 4 MiB), each process
/// afterwards has only the positions of its own indices. Then reblock_map_dereference finds the owners of other
/// indices, and no array can be aligned with a single index of the axis.
///
/// # Safety
/// `owners` has `indices` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_indirect_local(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    lower: i64,
    indices: i64,
    owners: *const i64,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        let axis = count(axis, "axis")?;
        template.check_stretch(axis, lower, count(indices, "indices")?)?;
        // SAFETY: `owners` is NULL or has as many entries as are read.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect_local(axis, count(procs_axis, "procs_axis")?, lower, &owners)
    })
}

/// Distributes all axes of a template by a text in HPF's notation, for instance "(CYCLIC(4), BLOCK, *) ONTO P(2,3)".
/// Axes with formats other than * are distributed over the axes of the arrangement, in order; along further axes of the
/// arrangement there are copies. ONTO may be left out; if present, it must have the arrangement's shape.
///
/// # Safety
/// `distribution` is a C string.
#[cfg(feature = "text")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_text(
    tmpl: *mut reblock_template,
    distribution: *const c_char,
) -> i32 {
    status_of(|| {
        let template: Template = object(tmpl)?;
        // SAFETY: `distribution` is NULL or a C string.
        let line = unsafe { text(distribution, "distribution")? };
        let line = line.ok_or_else(|| Failure::argument("distribution is NULL, expected a text"))?;
        template.distribute_text(line)
    })
}

/// # Safety
/// `owners` has `indices` entries.
unsafe fn owners_of(owners: *const i64, indices: i64) -> Result<Vec<u32>, Failure> {
    // SAFETY: `owners` is NULL or has as many entries as are read.
    let owners = unsafe { list(owners, count(indices, "indices")?, "owners")? };
    numbers("owners", owners)
}
