//! Inquiries about maps.

use crate::{count, functions, list, put};
use reblock::arrays::Map;
use std::ffi::c_char;

functions! {
    fn rust_map_axes(map: *const Map, axes: *mut i64) {
        put(axes, [(*map).map().axes().len()]);
        Ok(())
    }

    fn rust_map_bounds(map: *const Map, lower: *mut i64, upper: *mut i64) {
        put(lower, (*map).map().axes().iter().map(|axis| axis.lower));
        put(upper, (*map).map().axes().iter().map(|axis| axis.upper));
        Ok(())
    }

    fn rust_map_local(
        map: *const Map, extents: *mut i64, lower: *mut i64, before: *mut i64, after: *mut i64, strides: *mut i64,
        has: *mut i32,
    ) {
        let axes = (*map).local_axes()?;
        put(extents, axes.iter().map(|axis| axis.len));
        put(lower, axes.iter().map(|axis| axis.lower));
        put(before, axes.iter().map(|axis| axis.shadow.0));
        put(after, axes.iter().map(|axis| axis.shadow.1));
        put(strides, axes.iter().map(|axis| axis.stride));
        put(has, [i32::from((*map).has_part())]);
        Ok(())
    }

    fn rust_map_elements(map: *const Map, elements: *mut i64) {
        put(elements, [(*map).elements()?]);
        Ok(())
    }

    fn rust_map_owners(map: *const Map, index: *const i64, most: i64, ranks: *mut i64, owners: *mut i64) {
        let found = (*map).owners(list(index, (*map).map().axes().len()))?;
        put(ranks, found.iter().copied().take(count(most)));
        put(owners, [found.len()]);
        Ok(())
    }

    fn rust_map_local_index(map: *const Map, index: *const i64, local: *mut i64, here: *mut i32) {
        let found = (*map).local_index(list(index, (*map).map().axes().len()))?;
        put(here, [i32::from(found.is_some())]);
        put(local, found.into_iter().flatten());
        Ok(())
    }

    fn rust_map_global_index(map: *const Map, local: *const i64, index: *mut i64, own: *mut i32) {
        let found = (*map).global_index(list(local, (*map).map().axes().len()))?;
        put(own, [i32::from(found.is_some())]);
        put(index, found.into_iter().flatten());
        Ok(())
    }

    fn rust_map_text(map: *const Map, text: *mut c_char, size: i64, length: *mut i64) {
        let all = (*map).map().to_string();
        put(length, [all.len()]);
        let shown = all.bytes().take(count(size) - 1).chain([0]);
        put(text, shown.map(|byte| c_char::from_ne_bytes([byte])));
        Ok(())
    }
}
