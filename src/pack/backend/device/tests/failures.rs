//! Failures of the driver, and resets of a device.

use super::super::*;
use super::Array;
use super::stand_in::{enter, function, leave, let_fail};
use crate::layout::intersect::Family;
use crate::layout::strides::Shape;
use crate::pack::{BufferReader, copy};
use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

#[test]
#[ignore = "run by a_failure_of_the_driver_is_kept, with the stand-in"]
fn failures() {
    let shape = Shape::dense(8, &[100]);
    let data: Vec<u8> = (0..800).map(|k| k as u8).collect();
    let dims = [vec![Family::one_run([3], 50)].into()];
    let fail = |name: &CStr| {
        let array = Array::new(Some(0), &data);
        let_fail(name, 1, 2);
        let mut out = [9; 400];
        assert_eq!(array.source(0, &shape).pack(&dims, &mut out, BufferReader::NearCore), 400);
        array
    };
    let functions = [
        c"cuStreamCreate",
        c"cuMemAlloc_v2",
        c"cuModuleLoadDataEx",
        c"cuLaunchKernel",
        c"cuStreamSynchronize",
        c"cuMemcpyHtoDAsync_v2",
        c"cuMemcpyDtoHAsync_v2",
    ];
    for name in functions {
        // After a failure the context's state is made anew, so each function is called.
        fail(c"cuLaunchKernel");
        let (array, mut out) = (fail(name), [9; 400]);
        let source = array.source(0, &shape);
        let device = source.device().unwrap();
        let fault = device.fault().unwrap_or_else(|| panic!("{name:?}")).clone();
        assert!(fault.to_string().contains("OUT_OF_MEMORY"), "{fault}");
        assert_eq!(stand_in!(c"standin_pending",), 0);
        // Another array is not concerned, and this one is not copied again.
        let_fail(name, 0, 0);
        let other = Array::new(Some(0), &data);
        assert_eq!(other.source(0, &shape).pack(&dims, &mut out, BufferReader::NearCore), 400);
        assert!(out == data[24..424], "{name:?}");
        out.fill(9);
        source.pack(&dims, &mut out, BufferReader::NearCore);
        assert_eq!((out, device.fault()), ([9; 400], Some(&fault)));
        // Nothing is written from an array that could not be read.
        let to = Array::new(None, &data);
        copy(&source, &mut to.destination(0, &shape), &[vec![Family::one_run([0; 2], 3)].into()]);
        assert!(to.contents() == data);
    }
}

#[test]
#[ignore = "run by a_reset_frees_events, with the stand-in"]
fn resets() {
    let shape = Shape::dense(8, &[100]);
    let data: Vec<u8> = (0..800).map(|k| k as u8).collect();
    let driver = Driver::loaded().unwrap();
    let after_program = |array: &Array| {
        let Ok(Memory::Device(memory)) = driver.describe(array.address) else { panic!("device memory") };
        Arc::new(DeviceArray::new(driver, memory).after(ProgramStream::LEGACY).ok().unwrap())
    };
    let lost = Array::new(Some(0), &data);
    let of_lost = after_program(&lost);
    assert_eq!(stand_in!(c"cuDevicePrimaryCtxReset_v2", 0 => i32), 0);
    std::mem::forget(lost);
    // This array's event gets the handle of the lost array's.
    let mut array = Array::new(Some(0), &data);
    array.device = Some((0, after_program(&array)));
    drop(of_lost);
    let mut out = [9; 800];
    array.source(0, &shape).pack(&[vec![Family::one_run([0], 100)].into()], &mut out, BufferReader::NearCore);
    assert!(out == data[..]);
    assert_eq!(array.device().unwrap().fault(), None);

    // The array's stream is of the other device, which is reset.
    let mut stream = std::ptr::null_mut();
    enter(1);
    assert_eq!(stand_in!(c"cuStreamCreate", &raw mut stream => *mut *mut c_void, 1 => u32), 0);
    leave();
    let Ok(Memory::Device(memory)) = driver.describe(array.address) else { panic!("device memory") };
    // SAFETY: the stream exists.
    let stream = unsafe { ProgramStream::of_handle(stream) };
    let of_stream = DeviceArray::new(driver, memory).after(stream).ok().unwrap();
    assert_eq!(stand_in!(c"cuDevicePrimaryCtxReset_v2", 1 => i32), 0);
    let mut array = Array::new(Some(1), &data);
    array.device = Some((1, after_program(&array)));
    drop(of_stream);
    out.fill(9);
    array.source(0, &shape).pack(&[vec![Family::one_run([0], 100)].into()], &mut out, BufferReader::NearCore);
    assert!(out == data[..]);
    assert_eq!(array.device().unwrap().fault(), None);
}

#[test]
#[ignore = "run by a_panic_waits_for_the_device, with the stand-in"]
fn panics() {
    let shape = Shape::dense(8, &[100]);
    let array = Array::new(Some(0), &[7; 800]);
    let (input, all) = ([1; 800], [vec![Family::one_run([0], 100)].into()]);
    let mut to = array.destination(0, &shape);
    // The driver copies the input before the elements are named.
    let copies = || stand_in!(c"standin_calls", c"cuMemcpyHtoDAsync_v2".as_ptr() => *const libc::c_char);
    let before = copies();
    let done = catch_unwind(AssertUnwindSafe(|| {
        to.unpack_together(&[Packed::Host(&input)], &mut |_, _| panic!("no elements"));
    }));
    assert!(done.is_err() && copies() == before + 1);
    assert_eq!(stand_in!(c"standin_pending",), 0);
    assert_eq!(to.unpack(&all, &input), 800);
    assert!(array.contents() == input);
}
