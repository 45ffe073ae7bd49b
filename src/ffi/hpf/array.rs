//! Arrays whose storage the library owns.

use super::super::outcome::{
    clear_handle, count, optional, read_handle, release, status_of, wide, write_handle, write_values,
};
use super::{Map, collective, object, reblock_array, reblock_map};
use crate::arrays;
use crate::arrays::Array;
use crate::collective::refuse::refuse;
use std::ffi::c_void;
use std::sync::Arc;

/// Makes an array of zeros, with elements of `element` bytes. Storage of large arrays is in shared memory of the node.
/// Collective over the communicator of the map's arrangement.
///
/// # Safety
/// `array` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_create(
    map: *const reblock_map,
    element: i64,
    array: *mut *mut reblock_array,
) -> i32 {
    status_of(|| {
        let map: Map = collective(map)?;
        // SAFETY: `array` is NULL or has room for a handle.
        let given =
            unsafe { clear_handle(array, "array") }.and_then(|()| Ok((&*map, count(element, "element")?)));
        let made = Array::of_map(&map, given)?;
        // SAFETY: `array` has room for a handle.
        unsafe { write_handle(array, made) }
    })
}

/// Gets the calling process's storage: its address, its extents with the shadow, the index of its first element, and
/// its strides in elements. `*data` is the address of the element at position 0 of each axis, shadow included. The
/// address changes with reblock_template_redistribute and reblock_array_realign. If reblock_map_local fails for the
/// array's map, only the address is available. Fails while another thread moves, saves or loads the array.
///
/// # Safety
/// `data` is NULL or has room for a pointer; the others are NULL or have room for one number per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_data(
    array: *const reblock_array,
    data: *mut *mut c_void,
    extents: *mut i64,
    lower: *mut i64,
    strides: *mut i64,
) -> i32 {
    status_of(|| {
        let array: Arc<Array> = object(array)?;
        let (map, address) = (array.map(), array.address()?);
        // Every array has an address, but some arrays in boxes have no local axes: they are read only if the program
        // asks for them.
        let none = extents.is_null() && lower.is_null() && strides.is_null();
        let axes = if none { &[] } else { map.local_axes()? };
        // SAFETY: `data`, `extents`, `lower` and `strides` are NULL or have room for the results.
        unsafe {
            write_values(data, [address.cast()])?;
            write_values(extents, axes.iter().map(|axis| wide(axis.extent())))?;
            write_values(lower, axes.iter().map(|axis| axis.lower))?;
            write_values(strides, axes.iter().map(|axis| axis.stride))?;
        }
        Ok(())
    })
}

/// Gets the bytes per element of an array.
///
/// # Safety
/// `element` is NULL or has room for a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_element(array: *const reblock_array, element: *mut i64) -> i32 {
    status_of(|| {
        let array: Arc<Array> = object(array)?;
        // SAFETY: `element` is NULL or has room for the results.
        unsafe { write_values(element, [wide(array.element() as u64)]) }
    })
}

/// Gets the present map of an array.
///
/// # Safety
/// `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_map(array: *const reblock_array, map: *mut *mut reblock_map) -> i32 {
    status_of(|| {
        // SAFETY: `map` is NULL or has room for a handle.
        unsafe {
            clear_handle(map, "map")?;
            write_handle(map, Arc::new(object::<Arc<Array>, _>(array)?.map()))
        }
    })
}

/// Frees an array with its storage, and sets the handle to NULL. It is an error if the handle is NULL already, since
/// other ranks may be waiting. Collective over the communicator of the array's arrangement.
///
/// # Safety
/// `array` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_free(array: *mut *mut reblock_array) -> i32 {
    status_of(|| {
        // SAFETY: this fn's contract.
        let freed: Arc<Array> = collective(unsafe { read_handle(array, "array").map_err(refuse)? })?;
        freed.free()?;
        // SAFETY: `array` is NULL or the address of a handle.
        unsafe { release::<Arc<Array>, _>(array).map(drop) }
    })
}

/// HPF's REALIGN: changes the map of `array` to `map`. `map` must have the same bounds, and an arrangement of ranks of
/// the same communicator. If the layout changes, the array moves to new storage; if `dead` is not 0, its values are not
/// moved. On failure nothing has changed. Collective over the communicator of the array's arrangement.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_array_realign(
    array: *mut reblock_array,
    map: *const reblock_map,
    dead: i32,
) -> i32 {
    status_of(|| {
        let array: Arc<Array> = collective(array)?;
        match object::<Map, _>(map) {
            Ok(map) => arrays::realign(&array, &map, dead != 0),
            Err(failure) => arrays::fail_realign(&array, failure),
        }
    })
}

/// Sets whether reblock_template_redistribute and reblock_array_realign fill the shadows of `array` from now on. If
/// `filled` is not 0, they fill all shadows of the array's new map, with `periodic` and `corners` as in
/// reblock_plan_shadow. They do so even if the array does not move, but not if it is dead. If the shadows cannot be
/// filled, that call fails on all ranks and nothing has moved. If `filled` is 0, shadows of new storage are zeros. Not
/// collective, but all ranks must make the same setting before the array moves.
///
/// # Safety
/// `periodic` is NULL or has one entry per axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_array_fill_shadows(
    array: *mut reblock_array,
    filled: i32,
    periodic: *const i32,
    corners: i32,
) -> i32 {
    status_of(|| {
        let array: Arc<Array> = object(array.cast_const())?;
        if filled == 0 {
            return array.leave_shadows();
        }
        // SAFETY: `periodic` is NULL or has as many entries as are read.
        let periodic = unsafe { optional(periodic, array.map().map().axes().len(), "periodic")? };
        let periodic: Option<Vec<bool>> = periodic.map(|axes| axes.iter().map(|&axis| axis != 0).collect());
        array.fill_shadows(periodic.as_deref(), corners != 0)
    })
}
