//! The Rust interface for callers with C's arguments: defines the functions of `binding.h` by [`reblock::arrays`]
//! alone. A handle is the address of a Rust value. Local arrays become slices, or vectors for requests, of a type whose
//! size divides that of the elements.
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

/// Returns the text of the last failure.
#[unsafe(no_mangle)]
extern "C" fn rust_message() -> *const c_char {
    MESSAGE.with(|message| message.borrow().as_ptr())
}

/// Runs `body`; returns its status code and stores the text of a failure.
fn status_of(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let Err(failure) = body() else { return 0 };
    MESSAGE.with(|message| message.replace(CString::new(failure.text).expect("a text without zero bytes")));
    i32::from(failure.code as u8)
}

/// Defines functions that C calls; each returns a status code.
macro_rules! functions {
    ($(fn $name:ident($($argument:ident: $type:ty),* $(,)?) $body:block)*) => { $(
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name($($argument: $type),*) -> i32 {
            // SAFETY: the caller passes the addresses and lengths that binding.h describes.
            $crate::status_of(|| unsafe { $body })
        }
    )* };
}
use functions;

/// Returns the `count` entries from `at` on.
///
/// # Safety
/// The entries are readable, and nothing writes them during the lifetime `'a`.
unsafe fn list<'a, T>(at: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller's promise.
    if count == 0 { &[] } else { unsafe { std::slice::from_raw_parts(at, count) } }
}

/// Returns the `count` entries from `at` on; `None` if `at` is NULL.
///
/// # Safety
/// As for [`list`], unless `at` is NULL.
unsafe fn optional<'a, T>(at: *const T, count: usize) -> Option<&'a [T]> {
    // SAFETY: the caller's promise.
    (!at.is_null()).then(|| unsafe { list(at, count) })
}

/// Writes numbers from `to` on.
///
/// # Safety
/// There is room for all numbers.
unsafe fn put<T, N: TryInto<T>>(to: *mut T, numbers: impl IntoIterator<Item = N>) {
    for (k, number) in numbers.into_iter().enumerate() {
        let Ok(number) = number.try_into() else { panic!("a number that C's integers hold") };
        // SAFETY: the caller's promise.
        unsafe { to.add(k).write(number) };
    }
}

/// Moves `value` to the heap; `handle` receives its address.
///
/// # Safety
/// `handle` has room for an address.
unsafe fn give<T>(handle: *mut *mut T, value: T) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    unsafe { handle.write(Box::into_raw(Box::new(value))) };
    Ok(())
}

/// Takes an object back and sets the handle to NULL; returns `None` if it is NULL already.
///
/// # Safety
/// The handle is NULL or comes from [`give`].
unsafe fn take<T>(handle: *mut *mut T) -> Option<Box<T>> {
    // SAFETY: the caller's promise.
    let at = unsafe { handle.replace(std::ptr::null_mut()) };
    // SAFETY: as above.
    (!at.is_null()).then(|| unsafe { Box::from_raw(at) })
}

/// Converts a count from C.
fn count(number: i64) -> usize {
    usize::try_from(number).expect("a count")
}
