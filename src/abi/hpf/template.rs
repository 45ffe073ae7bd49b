//! Templates.

use super::super::outcome::{answer, count, give, list, place, release};
use super::{Template, collective, object, reblock_procs, reblock_template};
use crate::hpf::{self, Failure, Procs};
use std::sync::Arc;

/// Makes a template with `axes` axes, with indices from `lower` to `upper`. The reblock_template_dist_... functions then
/// distribute its axes, which they count from 0, and reblock_template_commit completes it.
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
    answer(|| {
        // SAFETY: `lower` and `upper` have `axes` entries; `tmpl` has room for a handle, by this fn's contract.
        unsafe {
            place(tmpl, "template")?;
            let procs: Arc<Procs> = object(procs)?;
            let axes = super::super::outcome::axis_count(axes, "a template")?;
            let (lower, upper) = (list(lower, axes, "lower")?, list(upper, axes, "upper")?);
            give(tmpl, hpf::Template::create(&procs, lower, upper)?)
        }
    })
}

/// Makes axis `axis` not distributed, which is the default.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_collapsed(tmpl: *mut reblock_template, axis: i64) -> i32 {
    answer(|| object::<Template, _>(tmpl)?.collapsed(count(axis, "axis")?))
}

/// Makes axis `axis` BLOCK(block) along axis `procs_axis` of the arrangement. If `block` is 0, it is BLOCK: blocks of the
/// extent divided by the processes, rounded up.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_block(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    answer(|| {
        let block: u64 = count(block, "block")?;
        let template: Template = object(tmpl)?;
        template.block(count(axis, "axis")?, count(procs_axis, "procs_axis")?, (block > 0).then_some(block))
    })
}

/// Makes axis `axis` CYCLIC(block) along axis `procs_axis` of the arrangement.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_dist_cyclic(
    tmpl: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    answer(|| {
        let template: Template = object(tmpl)?;
        template.cyclic(count(axis, "axis")?, count(procs_axis, "procs_axis")?, count(block, "block")?)
    })
}

/// Makes axis `axis` GEN_BLOCK along axis `procs_axis` of the arrangement; `sizes` has the number of indices of each of the
/// `processes` processes along that axis.
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
    answer(|| {
        let template: Template = object(tmpl)?;
        let (axis, onto) = (count(axis, "axis")?, count(procs_axis, "procs_axis")?);
        template.takes_sizes(axis, onto, count(processes, "processes")?)?;
        // SAFETY: `sizes` is NULL or has as many entries as are read.
        let sizes = unsafe { list(sizes, count(processes, "processes")?, "sizes")? };
        let sizes: Result<Vec<u64>, Failure> =
            sizes.iter().map(|&size| count(size, "a size of GEN_BLOCK")).collect();
        template.gen_block(axis, onto, &sizes?)
    })
}

/// Makes axis `axis` INDIRECT along axis `procs_axis` of the arrangement. For each of the `indices` indices of the axis,
/// `owners` has the coordinate of the owner along `procs_axis`. All ranks give all owners.
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
    answer(|| {
        let template: Template = object(tmpl)?;
        let axis = count(axis, "axis")?;
        template.takes_owners(axis, count(indices, "indices")?)?;
        // SAFETY: `owners` is NULL or has as many entries as are read.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect(axis, count(procs_axis, "procs_axis")?, &owners)
    })
}

/// As reblock_template_dist_indirect, by runs of neighbouring indices with the same owner. For each of `runs` runs, `owners` has the
/// coordinate of its owner, and `lengths` its number of indices.
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
    answer(|| {
        let template: Template = object(tmpl)?;
        // SAFETY: `owners` and `lengths` are NULL or have as many entries as are read.
        let (owners, lengths) =
            unsafe { (owners_of(owners, runs)?, list(lengths, count(runs, "runs")?, "lengths")?) };
        let lengths: Vec<u64> =
            lengths.iter().map(|&len| count(len, "a length of INDIRECT")).collect::<Result<_, Failure>>()?;
        let runs = owners.into_iter().zip(lengths);
        template.indirect_runs(count(axis, "axis")?, count(procs_axis, "procs_axis")?, runs)
    })
}

/// As reblock_template_dist_indirect, but each rank gives only the owners of a range of indices: of the `indices` indices from
/// `lower` on, which may be none. When the template is committed, the ranges of all ranks must contain each index exactly once.
/// If a list of the owners of the whole axis takes more than REBLOCK_OWNERS bytes (default 4 MiB), each process afterwards
/// knows only its own indices. Then reblock_map_dereference finds the owners of other indices, and no array can be aligned with
/// a single index of the axis.
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
    answer(|| {
        let template: Template = object(tmpl)?;
        let axis = count(axis, "axis")?;
        template.takes_stretch(axis, lower, count(indices, "indices")?)?;
        // SAFETY: `owners` is NULL or has as many entries as are read.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect_local(axis, count(procs_axis, "procs_axis")?, lower, &owners)
    })
}

/// # Safety
/// `owners` has `indices` entries.
unsafe fn owners_of(owners: *const i64, indices: i64) -> Result<Vec<u32>, Failure> {
    // SAFETY: `owners` is NULL or has as many entries as are read.
    let owners = unsafe { list(owners, count(indices, "indices")?, "owners")? };
    owners.iter().map(|&owner| count(owner, "an owner of INDIRECT")).collect()
}

/// Completes a template, which can then be used. All ranks must have described the same distribution. Collective over the
/// arrangement's communicator.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_commit(tmpl: *mut reblock_template) -> i32 {
    answer(|| collective::<Template, _>(tmpl)?.commit())
}

/// Frees a template; objects that were made with it stay valid. The handle is NULL afterwards.
///
/// # Safety
/// `tmpl` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_free(tmpl: *mut *mut reblock_template) -> i32 {
    // SAFETY: `tmpl` is NULL or the address of a handle.
    answer(|| unsafe { release::<Template, _>(tmpl).map(drop) })
}
