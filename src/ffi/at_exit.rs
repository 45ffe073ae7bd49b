//! Exit handler of a program under `reblock run`. The loader registers the handler when it loads the library, because
//! the program may never call the library.

use crate::trial::show_report;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// Id of the process that registered the handler. A forked child inherits the handler, but is not a rank.
static PROCESS: OnceLock<u32> = OnceLock::new();

/// Function that the loader calls when it has loaded the library.
#[used]
#[unsafe(link_section = ".init_array")]
static REGISTER: extern "C" fn() = register;

extern "C" fn register() {
    if std::env::var_os("REBLOCK_RUN").is_some() && PROCESS.set(std::process::id()).is_ok() {
        // SAFETY: `handle_exit` takes these arguments, ignores the second, and stays loaded: the library is linked with
        // -z nodelete. `handle_exit` returns, or calls `exit`, which glibc allows in a handler.
        unsafe { on_exit(handle_exit, std::ptr::null_mut()) };
    }
}

extern "C" fn handle_exit(status: c_int, _: *mut c_void) {
    if PROCESS.get() != Some(&std::process::id()) {
        return;
    }
    // After a panic, which prints its own message, the program keeps its exit status.
    if let Some(status) = std::panic::catch_unwind(|| show_report(status)).ok().flatten() {
        // SAFETY: glibc runs the remaining handlers of the program, flushes its files, and exits with this status.
        unsafe { libc::exit(status) };
    }
}

unsafe extern "C" {
    /// Adds `handler` to the exit handlers, as `atexit` does. `handler` receives the exit status and `argument`.
    fn on_exit(handler: extern "C" fn(c_int, *mut c_void), argument: *mut c_void) -> c_int;
}
