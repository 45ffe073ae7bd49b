//! Processor arrangements, templates and maps.

use super::super::outcome::{answer, count, give, list, optional, place, put, rank, release, wide};
use super::{Map, Template, collective, object, reblock_map, reblock_procs, reblock_template};
use crate::blacs::{Int, wide as wide_int};
use crate::hpf::{self, Failure, Procs};
use crate::mapping::{Align, Rest};
use crate::mpi::Comm;
use crate::scalapack::Descriptor;
use mpi_sys::MPI_Comm;
use std::sync::Arc;

/// What an axis of an array is aligned with: index i with index `stride` * i + `offset` of axis `axis` of the template.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_align {
    /// An axis of the template, from 0; or REBLOCK_COLLAPSED: every process has all of the array's axis.
    pub axis: i64,
    /// Not 0; negative where the axes run against each other.
    pub stride: i64,
    /// In the indices of both.
    pub offset: i64,
}

/// In place of an axis of a template: none.
pub const REBLOCK_COLLAPSED: i64 = -1;
/// In place of an index along an axis of a template that no axis of the array is aligned with: a copy at every index.
pub const REBLOCK_REPLICATED: i64 = i64::MIN;

/// Collective over `comm`: a processor arrangement with `rank` axes of `shape` processes, out of the ranks of `comm`: of
/// `ranks` in row-major order of the coordinates (the last axis varies fastest), or, if that is NULL, of ranks 0, 1, 2, ...
/// `comm` must live as long as the arrangement is used in collective calls.
///
/// # Safety
/// `shape` has `rank` entries; `ranks` is NULL or has one for each place; `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_create(
    comm: MPI_Comm,
    rank: i64,
    shape: *const i64,
    ranks: *const i64,
    procs: *mut *mut reblock_procs,
) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { procs_create(Comm::from_handle(comm), rank, shape, ranks, procs) })
}

/// The same, with the communicator's handle in Fortran.
///
/// # Safety
/// As reblock_procs_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_create_fortran(
    comm: i32,
    rank: i64,
    shape: *const i64,
    ranks: *const i64,
    procs: *mut *mut reblock_procs,
) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { procs_create(Comm::from_fortran(comm), rank, shape, ranks, procs) })
}

/// # Safety
/// As reblock_procs_create.
unsafe fn procs_create(
    comm: Comm,
    axes: i64,
    shape: *const i64,
    ranks: *const i64,
    procs: *mut *mut reblock_procs,
) -> Result<(), Failure> {
    let given = || {
        // SAFETY: the caller's promise.
        let shape = unsafe {
            place(procs, "procs")?;
            list(shape, rank(axes, "an arrangement")?, "shape")?
        };
        let places = shape.iter().try_fold(1usize, |n, &extent| n.checked_mul(usize::try_from(extent).ok()?));
        // More places than ranks are an error, which is told without looking at the list.
        let places = places.filter(|&places| comm.size().is_ok_and(|size| places <= size as usize));
        // SAFETY: the caller's promise.
        Ok((shape, places.and_then(|places| unsafe { optional(ranks, places) })))
    };
    let made = Procs::of_result(&comm, given())?;
    // SAFETY: the caller's promise.
    unsafe { give(procs, made) }
}

/// The number of axes of an arrangement.
///
/// # Safety
/// `rank` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_rank(procs: *const reblock_procs, rank: *mut i64) -> i32 {
    answer(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: the caller's promise.
        unsafe { put(rank, [wide(procs.shape().len() as u64)]) };
        Ok(())
    })
}

/// Processes along each axis of an arrangement.
///
/// # Safety
/// `shape` is NULL or has room for a number an axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_shape(procs: *const reblock_procs, shape: *mut i64) -> i32 {
    answer(|| {
        let procs: Arc<Procs> = object(procs)?;
        // SAFETY: the caller's promise.
        unsafe { put(shape, procs.shape().iter().map(|&extent| i64::from(extent))) };
        Ok(())
    })
}

/// The coordinates of `rank` of the arrangement's communicator, or, if that is -1, of the calling process; `inside` is 0 if it
/// is not in the arrangement, and nothing else is written then.
///
/// # Safety
/// `coords` is NULL or has room for a number an axis; `inside` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_coords(
    procs: *const reblock_procs,
    rank: i64,
    coords: *mut i64,
    inside: *mut i32,
) -> i32 {
    answer(|| {
        let procs: Arc<Procs> = object(procs)?;
        let rank = if rank == -1 { procs.rank() } else { count(rank, "rank")? };
        let at = procs.arrangement().coords(rank);
        // SAFETY: the caller's promise.
        unsafe {
            put(inside, [i32::from(at.is_some())]);
            put(coords, at.into_iter().flatten().map(i64::from));
        }
        Ok(())
    })
}

/// Frees an arrangement; what was made with it lives on. The handle is NULL afterwards.
///
/// # Safety
/// `procs` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_procs_free(procs: *mut *mut reblock_procs) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { release::<Arc<Procs>, _>(procs).map(drop) })
}

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
            let axes = self::rank(rank, "a template")?;
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
/// template is committed, the stretches of all ranks must name each index once.
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

/// The map of an array with `rank` axes, whose indices go from `lower` to `upper`, that is aligned with a committed template:
/// `aligns` says with what each axis is aligned (NULL: axis k with axis k, index i with index i), `rest` for each axis of the
/// template, if no axis of the array is aligned with it, at which index the array lies, or REBLOCK_REPLICATED (NULL: all
/// replicated). Local arrays are column-major, without shadow. Maps never change; they are made without asking other ranks.
///
/// # Safety
/// `lower` and `upper` have `rank` entries, `aligns` too or is NULL; `rest` is NULL or has an entry for each axis of the
/// template; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_create(
    template_: *const reblock_template,
    rank: i64,
    lower: *const i64,
    upper: *const i64,
    aligns: *const reblock_align,
    rest: *const i64,
    map: *mut *mut reblock_map,
) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            place(map, "map")?;
            let template: Template = object(template_)?;
            let axes = self::rank(rank, "an array")?;
            let (lower, upper) = (list(lower, axes, "lower")?, list(upper, axes, "upper")?);
            let aligns = optional(aligns, axes);
            let axes: Result<Vec<_>, Failure> = (0..axes)
                .map(|k| {
                    Ok((
                        lower[k],
                        upper[k],
                        aligns.map_or(Ok(Align::With { axis: k, stride: 1, offset: 0 }), |a| align(&a[k]))?,
                    ))
                })
                .collect();
            let entries = template.described()?.axes().len();
            let rest = optional(rest, entries).map(|rest| {
                let entry =
                    |&at: &i64| if at == REBLOCK_REPLICATED { Rest::Replicated } else { Rest::At(at) };
                rest.iter().map(entry).collect::<Vec<_>>()
            });
            give(map, Arc::new(hpf::Map::create(&template, &axes?, rest.as_deref())?))
        }
    })
}

fn align(align: &reblock_align) -> Result<Align, Failure> {
    if align.axis == REBLOCK_COLLAPSED {
        return Ok(Align::Collapsed);
    }
    Ok(Align::With {
        axis: count(align.axis, "the axis of an alignment")?,
        stride: align.stride,
        offset: align.offset,
    })
}

/// The map of an array that is its own template.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_whole(
    template_: *const reblock_template,
    map: *mut *mut reblock_map,
) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            place(map, "map")?;
            give(map, Arc::new(hpf::Map::whole(&object::<Template, _>(template_)?)?))
        }
    })
}

/// The map that a ScaLAPACK descriptor stands for, on the processes of its context: bounds from 1, columns LLD elements apart.
///
/// # Safety
/// `desc` has 9 integers; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_from_blacs(desc: *const Int, map: *mut *mut reblock_map) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            place(map, "map")?;
            let desc = list(desc, 9, "desc")?;
            let pair = |k: usize| [wide_int(desc[k]), wide_int(desc[k + 1])];
            let descriptor =
                Descriptor { extent: pair(2), block: pair(4), first: pair(6), ld: wide_int(desc[8]) };
            give(map, Arc::new(hpf::Map::from_blacs(desc[1], &descriptor)?))
        }
    })
}

/// The same map with a shadow: so many elements before and after a process's own, along each axis, which are never read or
/// written.
///
/// # Safety
/// `before` and `after` have an entry an axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_shadow(
    map: *const reblock_map,
    before: *const i64,
    after: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        change(map, made, |map, axes| {
            let (before, after) = (list(before, axes, "before")?, list(after, axes, "after")?);
            let width =
                |(&a, &b): (&i64, &i64)| Ok((count(a, "a shadow's width")?, count(b, "a shadow's width")?));
            let widths: Result<Vec<(u64, u64)>, Failure> = before.iter().zip(after).map(width).collect();
            map.with_shadow(&widths?)
        })
    }
}

/// The same map with row-major local arrays, as C has them.
///
/// # Safety
/// `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_row_major(map: *const reblock_map, made: *mut *mut reblock_map) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { change(map, made, |map, _| Ok(map.row_major())) }
}

/// The same map with local arrays whose axes vary in this order, the fastest first.
///
/// # Safety
/// `order` has an entry an axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_order(
    map: *const reblock_map,
    order: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe {
        change(map, made, |map, axes| {
            let order = list(order, axes, "order")?.iter().map(|&k| count(k, "an axis"));
            map.with_order(&order.collect::<Result<Vec<usize>, Failure>>()?)
        })
    }
}

/// The same map with these strides, in elements, of the calling process's local array. Other ranks need not do the same.
///
/// # Safety
/// `strides` has an entry an axis; `made` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_strides(
    map: *const reblock_map,
    strides: *const i64,
    made: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { change(map, made, |map, axes| map.with_strides(list(strides, axes, "strides")?)) }
}

/// # Safety
/// `made` has room for a handle; what `change` reads is there.
unsafe fn change(
    map: *const reblock_map,
    made: *mut *mut reblock_map,
    change: impl FnOnce(&hpf::Map, usize) -> Result<hpf::Map, Failure>,
) -> i32 {
    answer(|| {
        // SAFETY: the caller's promise.
        unsafe {
            place(made, "made")?;
            let map: Map = object(map)?;
            give(made, Arc::new(change(&map, map.map().axes().len())?))
        }
    })
}

/// Frees a map; what was made with it lives on. The handle is NULL afterwards.
///
/// # Safety
/// `map` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_map_free(map: *mut *mut reblock_map) -> i32 {
    // SAFETY: the caller's promise.
    answer(|| unsafe { release::<Map, _>(map).map(drop) })
}
