//! Results of C calls, and access to the memory that a program passes. A call returns a code; the thread keeps the text
//! of its last failure.

use super::handles::{self, Handled};
use super::place::on_host;
use crate::collective::failure::{Code, Failure, set_reason};
use crate::layout::mapping::count_text;
use crate::pack::place::check_host;
use std::any::type_name;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The call has succeeded.
pub const REBLOCK_OK: i32 = 0;
/// A handle is NULL, freed, or of another kind of object.
pub const REBLOCK_ERR_HANDLE: i32 = 1;
/// An argument has an invalid value.
pub const REBLOCK_ERR_ARGUMENT: i32 = 2;
/// The object's state does not allow the call, or MPI is not running.
pub const REBLOCK_ERR_STATE: i32 = 3;
/// Ranks passed different arguments, or called different functions.
pub const REBLOCK_ERR_DIFFERS: i32 = 4;
/// There is not enough memory.
pub const REBLOCK_ERR_MEMORY: i32 = 5;
/// MPI failed on some rank, or other ranks did not arrive within REBLOCK_WAIT_SECONDS.
pub const REBLOCK_ERR_MPI: i32 = 6;
/// Source and target overlap in memory.
pub const REBLOCK_ERR_OVERLAP: i32 = 7;
/// A text has a syntax error.
pub const REBLOCK_ERR_TEXT: i32 = 8;
/// The environment or the options have an invalid value.
pub const REBLOCK_ERR_SETTINGS: i32 = 9;
/// An earlier failure of MPI, or of reblock itself, made the communicator unusable for reblock.
pub const REBLOCK_ERR_BROKEN: i32 = 10;
/// An error in reblock itself.
pub const REBLOCK_ERR_INTERNAL: i32 = 11;
/// A file cannot be read or written, or does not have the expected contents.
pub const REBLOCK_ERR_FILE: i32 = 12;
/// A copy from or to the memory of a GPU failed on some rank. The target may be half written; the communicator stays
/// usable.
pub const REBLOCK_ERR_DEVICE: i32 = 13;
/// Only reblock_job_init: the resize for which this process was started has failed or was cancelled. The job does not
/// need the process, which must call MPI_Finalize and end with status 0.
pub const REBLOCK_ERR_CANCELLED: i32 = 14;

/// A call that failed: its function, if known, and the text of the failure.
#[derive(Default)]
struct FailedCall {
    function: CString,
    text: CString,
}

thread_local! {
    static LAST: RefCell<FailedCall> = RefCell::default();
}

/// Runs `body`, a closure of a C function, and returns its status code; catches panics.
pub fn status_of<F: FnOnce() -> Result<(), Failure>>(body: F) -> i32 {
    status_around::<F>(body)
}

/// Runs `body` as [`status_of`] does. `C` is the type of a closure of the C function.
pub fn status_around<C>(body: impl FnOnce() -> Result<(), Failure>) -> i32 {
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return REBLOCK_OK,
        Ok(Err(failure)) => failure,
        Err(_) => Failure::new(Code::Internal, "internal error, see above"),
    };
    let function = function_around(type_name::<C>());
    let [function, text] = [function, &failure.text].map(|text| CString::new(text).unwrap_or_default());
    // A thread that is ending has no storage for the text.
    let _ = LAST.try_with(|last| last.replace(FailedCall { function, text }));
    code_of(failure.code)
}

/// Returns the C function that contains the closure with this type name; empty if another function contains it.
fn function_around(closure: &str) -> &str {
    let function = closure.trim_end_matches("::{{closure}}").rsplit("::").next().unwrap_or_default();
    if function.starts_with("reblock_") && !function.contains('>') { function } else { "" }
}

fn code_of(code: Code) -> i32 {
    match code {
        Code::Handle => REBLOCK_ERR_HANDLE,
        Code::Argument => REBLOCK_ERR_ARGUMENT,
        Code::State => REBLOCK_ERR_STATE,
        Code::Differs => REBLOCK_ERR_DIFFERS,
        Code::Memory => REBLOCK_ERR_MEMORY,
        Code::Mpi => REBLOCK_ERR_MPI,
        Code::Overlap => REBLOCK_ERR_OVERLAP,
        Code::Text => REBLOCK_ERR_TEXT,
        Code::Settings => REBLOCK_ERR_SETTINGS,
        Code::Broken => REBLOCK_ERR_BROKEN,
        Code::Internal => REBLOCK_ERR_INTERNAL,
        Code::File => REBLOCK_ERR_FILE,
        Code::Device => REBLOCK_ERR_DEVICE,
        Code::Cancelled => REBLOCK_ERR_CANCELLED,
    }
}

/// Returns the text of the last call that failed on this thread; empty if none has failed. The text is valid until the
/// next call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_message() -> *const c_char {
    LAST.try_with(|last| last.borrow().text.as_ptr()).unwrap_or(c"".as_ptr())
}

/// Returns the name of the function that set the text of reblock_message, for instance "reblock_plan_execute"; empty if
/// no call has failed on this thread, or if the name is unknown. A binding can put it before the text. The name is
/// valid as long as that text.
#[unsafe(no_mangle)]
pub extern "C" fn reblock_failed_function() -> *const c_char {
    LAST.try_with(|last| last.borrow().function.as_ptr()).unwrap_or(c"".as_ptr())
}

/// Sets the text of this thread's next failure in a collective call, in place of the library's own text; all ranks read
/// it. A binding that finds a mistake which the library cannot see sets the text, and then makes the call with invalid
/// arguments. NULL: removes the text.
///
/// # Safety
/// `text` is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_set_reason(text: *const c_char) {
    // SAFETY: this fn's contract.
    let text = (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned());
    set_reason(text);
}

/// Returns the name of a code, for instance "REBLOCK_ERR_ARGUMENT".
#[unsafe(no_mangle)]
pub extern "C" fn reblock_code_name(code: i32) -> *const c_char {
    let name = match code {
        REBLOCK_OK => c"REBLOCK_OK",
        REBLOCK_ERR_HANDLE => c"REBLOCK_ERR_HANDLE",
        REBLOCK_ERR_ARGUMENT => c"REBLOCK_ERR_ARGUMENT",
        REBLOCK_ERR_STATE => c"REBLOCK_ERR_STATE",
        REBLOCK_ERR_DIFFERS => c"REBLOCK_ERR_DIFFERS",
        REBLOCK_ERR_MEMORY => c"REBLOCK_ERR_MEMORY",
        REBLOCK_ERR_MPI => c"REBLOCK_ERR_MPI",
        REBLOCK_ERR_OVERLAP => c"REBLOCK_ERR_OVERLAP",
        REBLOCK_ERR_TEXT => c"REBLOCK_ERR_TEXT",
        REBLOCK_ERR_SETTINGS => c"REBLOCK_ERR_SETTINGS",
        REBLOCK_ERR_BROKEN => c"REBLOCK_ERR_BROKEN",
        REBLOCK_ERR_INTERNAL => c"REBLOCK_ERR_INTERNAL",
        REBLOCK_ERR_FILE => c"REBLOCK_ERR_FILE",
        REBLOCK_ERR_DEVICE => c"REBLOCK_ERR_DEVICE",
        REBLOCK_ERR_CANCELLED => c"REBLOCK_ERR_CANCELLED",
        _ => c"not a code of reblock",
    };
    name.as_ptr()
}

/// Returns a program's list as a slice. Fails if the list is NULL, unless `count` is 0, or if the host cannot access
/// the list.
///
/// # Safety
/// `list` is NULL or has `count` entries, which do not change while the result is used.
pub unsafe fn list<'a, T>(list: *const T, count: usize, name: &str) -> Result<&'a [T], Failure> {
    match (count, list.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Failure::argument(format!(
            "{name} is NULL, expected {}",
            count_text(count, "entry", "entries")
        ))),
        (_, false) => {
            check_entries::<T>(count, name)?;
            on_host(name, list.cast(), count)?;
            // SAFETY: `list` has `count` entries, which do not change while the result is used, by this fn's contract.
            // `check_entries` has checked that a slice may have this many bytes.
            Ok(unsafe { std::slice::from_raw_parts(list, count) })
        }
    }
}

/// Returns the list that a program points to, or `None` for NULL.
///
/// # Safety
/// As [`list`].
pub unsafe fn optional<'a, T>(list: *const T, count: usize, name: &str) -> Result<Option<&'a [T]>, Failure> {
    // SAFETY: this fn's contract.
    (!list.is_null()).then(|| unsafe { self::list(list, count, name) }).transpose()
}

/// Refuses a number of entries that take more than isize::MAX bytes, the maximum size of a slice.
pub fn check_entries<T>(count: usize, name: &str) -> Result<(), Failure> {
    let most = isize::MAX.unsigned_abs() / size_of::<T>().max(1);
    if count <= most {
        return Ok(());
    }
    Err(Failure::argument(format!("{count} entries of {name} are more than memory can hold")))
}

/// Collects all items, or returns the first error. `name` describes the items. A lack of memory is an error, too,
/// whereas `Iterator::collect` would end the process.
pub fn collect<T>(
    name: &str,
    items: impl ExactSizeIterator<Item = Result<T, Failure>>,
) -> Result<Vec<T>, Failure> {
    let (mut all, len) = (Vec::new(), items.len());
    let none = |_| Failure::new(Code::Memory, format!("no memory for {len} {name}"));
    all.try_reserve_exact(len).map_err(none)?;
    for item in items {
        all.push(item?);
    }
    Ok(all)
}

/// Writes `values` to `out`, unless it is NULL.
///
/// # Safety
/// `out` is NULL or has room for all values.
pub unsafe fn write_values<T>(out: *mut T, values: impl IntoIterator<Item = T>) -> Result<(), Failure> {
    check_result_memory(out)?;
    if !out.is_null() {
        for (k, value) in values.into_iter().enumerate() {
            // SAFETY: this fn's contract.
            unsafe { out.add(k).write(value) };
        }
    }
    Ok(())
}

/// Checks that the host can write results to `out`, which may be NULL. Collective calls check it before they begin, so
/// that all ranks receive the error.
pub fn check_result_memory<T>(out: *mut T) -> Result<(), Failure> {
    if out.is_null() {
        return Ok(());
    }
    on_host("the memory for a result", out.cast(), 1)
}

/// Writes a handle of `object` to `out`, which must not be NULL.
///
/// # Safety
/// `out` has room for a handle.
pub unsafe fn write_handle<T: Handled, H>(out: *mut *mut H, object: T) -> Result<(), Failure> {
    let handle = handles::insert(object)?;
    // SAFETY: `out` has room for a handle, by this fn's contract.
    unsafe { out.write(handle.cast()) };
    Ok(())
}

/// Checks that `out` is not NULL, and sets the handle there to NULL.
///
/// # Safety
/// `out` is NULL or has room for a handle.
pub unsafe fn clear_handle<H>(out: *mut *mut H, name: &str) -> Result<(), Failure> {
    if out.is_null() {
        return Err(Failure::argument(format!("{name} is NULL, expected the address of a handle")));
    }
    on_host(name, out.cast(), 1)?;
    // SAFETY: this fn's contract.
    unsafe { out.write(std::ptr::null_mut()) };
    Ok(())
}

/// Frees the handle at the address `handle`: takes the object out of the table, sets the handle to NULL and returns the
/// object; `None` if the handle is NULL already.
///
/// # Safety
/// `handle` is NULL or the address of a handle.
pub unsafe fn release<T: Handled, H>(handle: *mut *mut H) -> Result<Option<T>, Failure> {
    // SAFETY: this fn's contract.
    let held = unsafe { read_handle(handle, "handle")? };
    if held.is_null() {
        return Ok(None);
    }
    let object = handles::remove::<T>(held.cast::<c_void>())?;
    // SAFETY: this fn's contract.
    unsafe { handle.write(std::ptr::null_mut()) };
    Ok(Some(object))
}

/// Returns the handle at the address `handle`; an error if the address is NULL. `name` is the kind of object, for the
/// error's text.
///
/// # Safety
/// `handle` is NULL or the address of a handle.
pub unsafe fn read_handle<H>(handle: *mut *mut H, name: &str) -> Result<*mut H, Failure> {
    if handle.is_null() {
        return Err(Failure::argument(format!("the address of the {name} is NULL")));
    }
    check_host(handle.cast())
        .map_err(|why| Failure::argument(format!("the variable with the {name} {why}")))?;
    // SAFETY: this fn's contract.
    Ok(unsafe { handle.read() })
}

/// Returns the text of a C string, or `None` for NULL.
///
/// # Safety
/// `text` is NULL or a C string.
pub unsafe fn text<'a>(text: *const c_char, name: &str) -> Result<Option<&'a str>, Failure> {
    if text.is_null() {
        return Ok(None);
    }
    on_host(name, text.cast(), 1)?;
    // SAFETY: this fn's contract.
    let text = unsafe { CStr::from_ptr(text) }.to_str();
    text.map(Some).map_err(|_| Failure::argument(format!("{name} is not UTF-8")))
}

/// Writes to `out` as many whole characters of `text` as fit in `size` bytes together with a zero byte at the end.
/// Writes the length of the whole text to `length`, in bytes without the zero byte.
///
/// # Safety
/// `out` is NULL or has room for `size` bytes; `length` is NULL or has room for a number.
pub unsafe fn put_text(text: &str, out: *mut c_char, size: i64, length: *mut i64) -> Result<(), Failure> {
    // SAFETY: `length` is NULL or has room for the results.
    unsafe { write_values(length, [i64::try_from(text.len()).unwrap_or(i64::MAX)])? };
    let Some(room) =
        usize::try_from(size).ok().and_then(|size| size.checked_sub(1)).filter(|_| !out.is_null())
    else {
        return Ok(());
    };
    let end = (0..=room.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    let bytes = text.as_bytes()[..end].iter().chain([&0]).map(|byte| c_char::from_ne_bytes([*byte]));
    // SAFETY: `out` has room for `size` bytes, by this fn's contract, and `end` + 1 is at most `size`.
    unsafe { write_values(out, bytes) }
}

/// Checks a number of axes, which is 0 for a scalar.
pub fn axis_count(axes: i64, what: &str) -> Result<usize, Failure> {
    let most = crate::layout::mapping::MAX_AXES;
    let bad = || Failure::argument(format!("{what} has {axes} axes, expected 0 to {most}"));
    usize::try_from(axes).ok().filter(|&axes| axes <= most).ok_or_else(bad)
}

/// Converts a number to `T`; an error if it is negative or too large.
pub fn count<T: TryFrom<i64>>(n: i64, what: &str) -> Result<T, Failure> {
    T::try_from(n).map_err(|_| {
        let most = (1i128 << (8 * size_of::<T>() - usize::from(size_of::<T>() == 8))) - 1;
        Failure::argument(format!("{what} is {n}, expected a number from 0 to {most}"))
    })
}

/// Converts the entries of the list `name` as [`count`] does; an error names the first invalid entry.
pub fn numbers<T: TryFrom<i64>>(name: &str, list: &[i64]) -> Result<Vec<T>, Failure> {
    // Formats an entry's name only if the entry is invalid, since lists are long.
    let number = |(k, &n): (usize, &i64)| T::try_from(n).or_else(|_| count(n, &format!("{name}[{k}]")));
    collect(name, list.iter().enumerate().map(number))
}

/// Converts a length or an extent to C's type; i64::MAX if it is too large.
pub fn wide(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ffi::hpf::{map, options, plan};
    use std::ptr::{null, null_mut};

    /// Returns the name of the function that failed last. `code` is its status code.
    fn failed(code: i32) -> String {
        assert_eq!(code, REBLOCK_ERR_ARGUMENT);
        // SAFETY: a C string that stays until the next failure of this thread.
        unsafe { CStr::from_ptr(reblock_failed_function()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_failure_has_the_name_of_the_c_function_also_if_it_calls_a_helper() {
        // SAFETY: all functions return an error for NULL, and do not access it.
        unsafe {
            assert_eq!(failed(map::reblock_map_free(null_mut())), "reblock_map_free");
            assert_eq!(failed(map::reblock_map_row_major(null(), null_mut())), "reblock_map_row_major");
            let shadow = map::reblock_map_shadow(null(), null(), null(), null_mut());
            assert_eq!(failed(shadow), "reblock_map_shadow");
            assert_eq!(failed(plan::reblock_plan_info_init(null_mut())), "reblock_plan_info_init");
            assert_eq!(
                failed(options::reblock_plan_options_init_2(null_mut())),
                "reblock_plan_options_init_2"
            );
        }
    }
}
