//! Arrays whose storage the library allocates.

use crate::{count, functions, give, list, put, take};
use reblock::arrays::{Array, Code, Failure, Map, Template};
use std::sync::Arc;

functions! {
    fn rust_array_create(map: *const Map, element: i64, array: *mut *mut Arc<Array>) {
        give(array, Array::create(&*map, count(element))?)
    }

    fn rust_array_map(array: *const Arc<Array>, map: *mut *mut Map) {
        give(map, (*array).map())
    }

    fn rust_array_data(
        array: *const Arc<Array>, data: *mut *mut u8, extents: *mut i64, lower: *mut i64, strides: *mut i64,
    ) {
        let array = &*array;
        let map = array.map();
        let axes = &map.local().axes;
        put(extents, axes.iter().map(|axis| axis.extent()));
        put(lower, axes.iter().map(|axis| axis.lower));
        put(strides, axes.iter().map(|axis| axis.stride));
        let bytes = count(i64::try_from(map.elements()?).expect("a count")) * array.element();
        let lent = array.write(|storage| (storage.as_mut_ptr(), storage.len()))?;
        let same = array.read(|storage| (storage.as_ptr().cast_mut(), storage.len()))?;
        if lent != same || lent.1 != bytes || (bytes > 0 && array.address()? != lent.0) {
            return Err(Failure::new(Code::Internal, format!("a slice of {} bytes, expected {bytes}", lent.1)));
        }
        data.write(lent.0);
        Ok(())
    }

    fn rust_array_free(array: *mut *mut Arc<Array>) {
        take(array).map_or(Ok(()), |array| array.free())
    }

    fn rust_template_redistribute(
        template: *const Arc<Template>, like: *const Arc<Template>, arrays: i64, dead: *const *const Arc<Array>,
    ) {
        let dead: Vec<Arc<Array>> = list(dead, count(arrays)).iter().map(|&array| Arc::clone(&*array)).collect();
        reblock::arrays::redistribute(&*template, &*like, &dead)
    }

    fn rust_array_realign(array: *const Arc<Array>, map: *const Map, dead: i32) {
        reblock::arrays::realign(&*array, &*map, dead != 0)
    }
}
