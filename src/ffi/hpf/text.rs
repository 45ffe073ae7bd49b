//! HPF's directives as text, and the names that they declare.
#![cfg(feature = "text")]

use super::super::outcome::{clear_handle, count, release, status_of, text, write_handle};
use super::{collective, object, reblock_array, reblock_map, reblock_procs, reblock_scope, reblock_template};
use crate::arrays::Scope;
use crate::collective::failure::Failure;
use crate::mpi::Comm;
use mpi_sys::MPI_Comm;
use std::ffi::c_char;
use std::sync::Arc;

/// Makes an empty scope: a table of the names that directives declare. Collective over `comm`.
///
/// # Safety
/// `scope` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_create(comm: MPI_Comm, scope: *mut *mut reblock_scope) -> i32 {
    status_of(|| {
        // SAFETY: `comm` is a communicator or MPI_COMM_NULL.
        let comm = unsafe { Comm::from_handle(comm) };
        // SAFETY: `scope` is NULL or has room for a handle.
        let failure = unsafe { clear_handle(scope, "scope") }.err();
        let made = Scope::create_if(&comm, failure)?;
        // SAFETY: `scope` has room for a handle.
        unsafe { write_handle(scope, made) }
    })
}

/// Executes a line of HPF, with or without a sentinel such as !HPF$: PROCESSORS, TEMPLATE, DIMENSION (which declares an
/// array), DISTRIBUTE, ALIGN, SHADOW, REDISTRIBUTE, REALIGN or DYNAMIC (which has no effect). All ranks must pass the
/// same line. A line with several names stops at the first name that fails. Collective over the scope's communicator.
///
/// # Safety
/// `line` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_directive(scope: *mut reblock_scope, line: *const c_char) -> i32 {
    status_of(|| {
        let scope: Arc<Scope> = collective(scope)?;
        // SAFETY: `line` is NULL or a C string.
        let line = unsafe { text(line, "line") };
        scope.directive_if(
            line.and_then(|line| line.ok_or_else(|| Failure::argument("line is NULL, expected a text"))),
        )
    })
}

/// Gets the processor arrangement with the given name.
///
/// # Safety
/// `name` is a C string; `procs` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_procs(
    scope: *const reblock_scope,
    name: *const c_char,
    procs: *mut *mut reblock_procs,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe {
        clear_handle(procs, "procs")?;
        write_handle(procs, object::<Arc<Scope>, _>(scope)?.procs(name_of(name)?)?)
    })
}

/// Gets the template with the given name; it must be distributed.
///
/// # Safety
/// `name` is a C string; `tmpl` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_template(
    scope: *const reblock_scope,
    name: *const c_char,
    tmpl: *mut *mut reblock_template,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe {
        clear_handle(tmpl, "template")?;
        write_handle(tmpl, object::<Arc<Scope>, _>(scope)?.template(name_of(name)?)?)
    })
}

/// Gets the present map of the array with the given name.
///
/// # Safety
/// `name` is a C string; `map` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_map(
    scope: *const reblock_scope,
    name: *const c_char,
    map: *mut *mut reblock_map,
) -> i32 {
    // SAFETY: this fn's contract.
    status_of(|| unsafe {
        clear_handle(map, "map")?;
        write_handle(map, Arc::new(object::<Arc<Scope>, _>(scope)?.map(name_of(name)?)?))
    })
}

/// Gets the array with the given name, with storage for elements of `element` bytes. The first call for a name makes
/// the array. REDISTRIBUTE and REALIGN move it, and reblock_array_free frees it. Collective over the scope's
/// communicator.
///
/// # Safety
/// `name` is a C string; `array` has room for a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_array(
    scope: *mut reblock_scope,
    name: *const c_char,
    element: i64,
    array: *mut *mut reblock_array,
) -> i32 {
    status_of(|| {
        let scope: Arc<Scope> = collective(scope)?;
        // SAFETY: this fn's contract.
        let given = unsafe {
            clear_handle(array, "array").and_then(|()| Ok((name_of(name)?, count(element, "element")?)))
        };
        let made = scope.array_if(given)?;
        // SAFETY: `array` has room for a handle.
        unsafe { write_handle(array, made) }
    })
}

/// Frees a scope; objects with handles in the program stay valid. Sets the handle to NULL.
///
/// # Safety
/// `scope` is the address of a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn reblock_scope_free(scope: *mut *mut reblock_scope) -> i32 {
    // SAFETY: `scope` is NULL or the address of a handle.
    status_of(|| unsafe { release::<Arc<Scope>, _>(scope).map(drop) })
}

/// # Safety
/// `name` is NULL or a C string.
unsafe fn name_of<'a>(name: *const c_char) -> Result<&'a str, Failure> {
    // SAFETY: `name` is NULL or a C string.
    let name = unsafe { text(name, "name")? };
    name.ok_or_else(|| Failure::argument("name is NULL, expected a text"))
}
