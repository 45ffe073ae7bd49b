//! The Rust interface, for callers with C's arguments: what `door.h` declares, by [`reblock::arrays`] alone. A handle is the
//! address of a Rust value. Local arrays become slices, or vectors where they are lent, of any type whose size divides the
//! elements'.
#![allow(unsafe_code, reason = "C calls this")]

mod arrays;
mod declaring;
mod filling;
mod inquiring;
mod listing;
mod moving;
mod shifting;
mod slices;
mod updating;

use reblock::arrays::Failure;
use std::cell::RefCell;
use std::ffi::{CString, c_char};

thread_local! {
    static MESSAGE: RefCell<CString> = RefCell::default();
}

/// The text of the last failure.
#[unsafe(no_mangle)]
extern "C" fn rust_message() -> *const c_char {
    MESSAGE.with(|message| message.borrow().as_ptr())
}

/// The code that C has for how `body` ends; the text is kept.
fn told(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let Err(failure) = body() else { return 0 };
    MESSAGE.with(|message| message.replace(CString::new(failure.text).expect("a text without zero bytes")));
    i32::from(failure.code as u8)
}

/// Defines functions that C calls, each with the code of a result.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            // SAFETY: addresses and lengths are as door.h says.
            $crate::told(|| unsafe { $body })
        }
    )* };
}
use functions;

/// `count` entries from `at` on.
///
/// # Safety
/// They are there, and nobody writes them meanwhile.
unsafe fn list<'a, T>(at: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, count) } }
}

/// The same; nothing where there is NULL.
///
/// # Safety
/// As [`list`].
unsafe fn optional<'a, T>(at: *const T, count: usize) -> Option<&'a [T]> {
    // SAFETY: the caller's promise.
    (!at.is_null()).then(|| unsafe { list(at, count) })
}

/// Writes numbers from `to` on.
///
/// # Safety
/// There is room for them.
unsafe fn put<T, N: TryInto<T>>(to: *mut T, numbers: impl IntoIterator<Item = N>) {
    for (k, number) in numbers.into_iter().enumerate() {
        let Ok(number) = number.try_into() else { panic!("a number that C's integers hold") };
        // SAFETY: the caller's promise.
        unsafe { to.add(k).write(number) };
    }
}

/// Makes `value` an object of the caller's.
///
/// # Safety
/// `handle` has room for its address.
unsafe fn give<T>(handle: *mut *mut T, value: T) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    unsafe { handle.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// Takes an object back, if there is one; the handle is NULL then.
///
/// # Safety
/// It is one of [`give`].
unsafe fn take<T>(handle: *mut *mut T) -> Option<Box<T>> {
    // SAFETY: the caller's promise.
    let at = unsafe { handle.replace(std::ptr::null_mut()) };
    // SAFETY: as above.
    (!at.is_null()).then(|| unsafe { Box::from_raw(at) })
}

/// A number that counts something.
fn count(number: i64) -> usize {
    usize::try_from(number).expect("a count")
}
