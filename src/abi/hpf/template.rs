//! Templates.

use super::super::outcome::{answer, count, give, list, place, release};
use super::{Template, collective, object, reblock_procs, reblock_template};
use crate::hpf::{self, Failure, Procs};
use std::sync::Arc;

/// A template with `rank` axes, whose indices go from `lower` to `upper`. Its axes are distributed by the reblock_dist_...
/// functions, which see axes from 0; then it is committed.
///
/// # Safety
/// `lower` and `upper` have `rank` entries; `template_` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_create(
    procs: *const reblock_procs,
    rank: i64,
    lower: *const i64,
    upper: *const i64,
    template_: *mut *mut reblock_template,
) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            place(template_, "template")?;
            let procs: Arc<Procs> = object(procs)?;
            let axes = super::super::outcome::rank(rank, "a template")?;
            let (lower, upper) = (list(lower, axes, "lower")?, list(upper, axes, "upper")?);
            give(template_, hpf::Template::create(&procs, lower, upper)?)
        }
    })
}

/// Axis `axis` is not distributed, which is so unless something else is said.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_collapsed(template_: *mut reblock_template, axis: i64) -> i32 {
    answer(|| object::<Template, _>(template_)?.collapsed(count(axis, "axis")?))
}

/// Axis `axis` is BLOCK along axis `procs_axis` of the arrangement: BLOCK(block), or, if `block` is 0, in blocks as equal as can
/// be.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_block(
    template_: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    answer(|| {
        let block: u64 = count(block, "block")?;
        let template: Template = object(template_)?;
        template.block(count(axis, "axis")?, count(procs_axis, "procs_axis")?, (block > 0).then_some(block))
    })
}

/// Axis `axis` is CYCLIC(block) along axis `procs_axis` of the arrangement.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_cyclic(
    template_: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    block: i64,
) -> i32 {
    answer(|| {
        let template: Template = object(template_)?;
        template.cyclic(count(axis, "axis")?, count(procs_axis, "procs_axis")?, count(block, "block")?)
    })
}

/// Axis `axis` is GEN_BLOCK along axis `procs_axis` of the arrangement: `sizes` has the indices of each of its `processes`.
///
/// # Safety
/// `sizes` has `processes` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_gen_block(
    template_: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    processes: i64,
    sizes: *const i64,
) -> i32 {
    answer(|| {
        let template: Template = object(template_)?;
        // SAFETY: the caller's promise.
        let sizes = unsafe { list(sizes, count(processes, "processes")?, "sizes")? };
        let sizes: Result<Vec<u64>, Failure> =
            sizes.iter().map(|&size| count(size, "a size of GEN_BLOCK")).collect();
        template.gen_block(count(axis, "axis")?, count(procs_axis, "procs_axis")?, &sizes?)
    })
}

/// Axis `axis` is INDIRECT along axis `procs_axis` of the arrangement: `owners` has, for each of its `indices`, the coordinate
/// of its owner along that axis. All ranks give all owners.
///
/// # Safety
/// `owners` has `indices` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_indirect(
    template_: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    indices: i64,
    owners: *const i64,
) -> i32 {
    answer(|| {
        let template: Template = object(template_)?;
        // SAFETY: the caller's promise.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect(count(axis, "axis")?, count(procs_axis, "procs_axis")?, &owners)
    })
}

/// The same, but each rank gives the owners of a stretch only: of the `indices` indices from `lower` on, maybe none. When the
/// template is committed, the stretches of all ranks must name each index once. Where their owners change so often that a list
/// of them takes more than REBLOCK_OWNERS bytes (4 MiB, unless the environment says otherwise), each process knows its own
/// indices only from then on: then others' owners are asked for by reblock_map_dereference, and no array can lie at one index of
/// the axis.
///
/// # Safety
/// `owners` has `indices` entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_dist_indirect_local(
    template_: *mut reblock_template,
    axis: i64,
    procs_axis: i64,
    lower: i64,
    indices: i64,
    owners: *const i64,
) -> i32 {
    answer(|| {
        let template: Template = object(template_)?;
        // SAFETY: the caller's promise.
        let owners = unsafe { owners_of(owners, indices)? };
        template.indirect_local(count(axis, "axis")?, count(procs_axis, "procs_axis")?, lower, &owners)
    })
}

/// # Safety
/// `owners` has `indices` entries.
unsafe fn owners_of(owners: *const i64, indices: i64) -> Result<Vec<u32>, Failure> {
    // SAFETY: the caller's promise.
    let owners = unsafe { list(owners, count(indices, "indices")?, "owners")? };
    owners.iter().map(|&owner| count(owner, "an owner of INDIRECT")).collect()
}

/// Collective over the arrangement's communicator: the template can be used from now on. All ranks have described the same.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_commit(template_: *mut reblock_template) -> i32 {
    answer(|| collective::<Template, _>(template_)?.commit())
}

/// Frees a template; what was made with it lives on. The handle is NULL afterwards.
///
/// # Safety
/// `template_` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_template_free(template_: *mut *mut reblock_template) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { release::<Template, _>(template_).map(drop) })
}
