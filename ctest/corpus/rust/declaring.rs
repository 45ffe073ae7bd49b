//! Arrangements, templates and maps.

use crate::{count, functions, give, list, optional, take};
use reblock::arrays::{Align, BoxList, Map, Procs, Rest, Template};
use reblock::mpi::Comm;
use std::ffi::{CStr, c_char};
use std::sync::Arc;

/// Has the layout of `reblock_align`.
#[repr(C)]
struct Aligned {
    axis: i64,
    stride: i64,
    offset: i64,
}

impl Aligned {
    fn align(&self) -> Align {
        match usize::try_from(self.axis) {
            Ok(axis) => Align::With { axis, stride: self.stride, offset: self.offset },
            Err(_) => Align::Collapsed,
        }
    }
}

fn unsigned(numbers: &[i64]) -> Vec<u64> {
    numbers.iter().map(|&n| u64::try_from(n).expect("a count")).collect()
}

fn owners(numbers: &[i64]) -> Vec<u32> {
    numbers.iter().map(|&n| u32::try_from(n).expect("a coordinate")).collect()
}

/// Returns the bounds and alignments of axes.
fn bounds(lower: &[i64], upper: &[i64], aligns: Option<&[Aligned]>) -> Vec<(i64, i64, Align)> {
    let plain = |axis| Align::With { axis, stride: 1, offset: 0 };
    let aligned = |k| aligns.map_or_else(|| plain(k), |aligns| aligns[k].align());
    (0..lower.len()).map(|k| (lower[k], upper[k], aligned(k))).collect()
}

functions! {
    fn rust_procs_create(
        comm: i32, axes: i64, shape: *const i64, ranks: *const i64, procs: *mut *mut Arc<Procs>,
    ) {
        let shape = list(shape, count(axes));
        let places = count(shape.iter().product());
        give(procs, Procs::create(&Comm::from_fortran(comm), shape, optional(ranks, places))?)
    }

    fn rust_procs_free(procs: *mut *mut Arc<Procs>) {
        drop(take(procs));
        Ok(())
    }

    fn rust_template_create(
        procs: *const Arc<Procs>, axes: i64, lower: *const i64, upper: *const i64, made: *mut *mut Arc<Template>,
    ) {
        let n = count(axes);
        give(made, Template::create(&*procs, list(lower, n), list(upper, n))?)
    }

    fn rust_template_dist_collapsed(template: *const Arc<Template>, axis: i64) {
        (*template).collapsed(count(axis))
    }

    fn rust_template_dist_block(template: *const Arc<Template>, axis: i64, onto: i64, block: i64) {
        let block = u64::try_from(block).expect("a block");
        (*template).block(count(axis), count(onto), (block > 0).then_some(block))
    }

    fn rust_template_dist_cyclic(template: *const Arc<Template>, axis: i64, onto: i64, block: i64) {
        (*template).cyclic(count(axis), count(onto), u64::try_from(block).expect("a block"))
    }

    fn rust_template_dist_gen_block(template: *const Arc<Template>, axis: i64, onto: i64, processes: i64, sizes: *const i64) {
        (*template).gen_block(count(axis), count(onto), &unsigned(list(sizes, count(processes))))
    }

    fn rust_template_dist_indirect(template: *const Arc<Template>, axis: i64, onto: i64, indices: i64, of: *const i64) {
        (*template).indirect(count(axis), count(onto), &owners(list(of, count(indices))))
    }

    fn rust_template_dist_indirect_local(
        template: *const Arc<Template>, axis: i64, onto: i64, lower: i64, indices: i64, of: *const i64,
    ) {
        (*template).indirect_local(count(axis), count(onto), lower, &owners(list(of, count(indices))))
    }

    fn rust_template_dist_text(template: *const Arc<Template>, line: *const c_char) {
        let line = CStr::from_ptr(line).to_str().expect("ASCII");
        (*template).distribute_text(line)
    }

    fn rust_template_commit(template: *const Arc<Template>) {
        (*template).commit()
    }

    fn rust_template_free(template: *mut *mut Arc<Template>) {
        drop(take(template));
        Ok(())
    }

    fn rust_map_create(
        template: *const Arc<Template>, axes: i64, lower: *const i64, upper: *const i64, aligns: *const Aligned,
        rest: *const i64, map: *mut *mut Map,
    ) {
        let n = count(axes);
        let axes = bounds(list(lower, n), list(upper, n), optional(aligns, n));
        let template = &*template;
        let at = |&at: &i64| if at == i64::MIN { Rest::Replicated } else { Rest::At(at) };
        let entries = template.described()?.axes().len();
        let rest = optional(rest, entries).map(|rest| rest.iter().map(at).collect::<Vec<_>>());
        give(map, Map::create(template, &axes, rest.as_deref())?)
    }

    fn rust_map_whole(template: *const Arc<Template>, map: *mut *mut Map) {
        give(map, Map::whole(&*template)?)
    }

    fn rust_map_shadow(map: *const Map, before: *const i64, after: *const i64, made: *mut *mut Map) {
        let axes = (*map).map().axes().len();
        let [before, after] = [before, after].map(|widths| unsigned(list(widths, axes)));
        give(made, (*map).with_shadow(&before.into_iter().zip(after).collect::<Vec<_>>())?)
    }

    fn rust_map_row_major(map: *const Map, made: *mut *mut Map) {
        give(made, (*map).row_major())
    }

    fn rust_map_order(map: *const Map, order: *const i64, made: *mut *mut Map) {
        let order: Vec<usize> = list(order, (*map).map().axes().len()).iter().map(|&axis| count(axis)).collect();
        give(made, (*map).with_order(&order)?)
    }

    fn rust_map_strides(map: *const Map, strides: *const i64, made: *mut *mut Map) {
        give(made, (*map).with_strides(list(strides, (*map).map().axes().len()))?)
    }

    fn rust_map_from_boxes(
        comm: i32, axes: i64, extents: *const i64, boxes: i64, starts: *const i64, sizes: *const i64, row_major: i32,
        offsets: *const i64, strides: *const i64, map: *mut *mut Map,
    ) {
        let (axes, boxes) = (count(axes), count(boxes));
        let given = BoxList {
            count: boxes, starts: list(starts, axes * boxes), sizes: list(sizes, axes * boxes), row_major: row_major != 0,
            offsets: optional(offsets, boxes), strides: optional(strides, axes * boxes),
        };
        give(map, Map::from_boxes(&Comm::from_fortran(comm), list(extents, axes), &given)?)
    }

    fn rust_map_free(map: *mut *mut Map) {
        drop(take(map));
        Ok(())
    }
}
