//! The stand-in for NVIDIA's driver: built once, preloaded into tests in processes of their own, and called by them.

use std::ffi::{CStr, c_void};
use std::process::Command;
use std::sync::OnceLock;

/// Builds the stand-in. Returns its path; `None` if there is no compiler.
fn build_stand_in() -> Option<String> {
    let (root, out) = (env!("CARGO_MANIFEST_DIR"), env!("OUT_DIR"));
    let (object, library) = (format!("{out}/driver.o"), format!("{out}/libcuda.so.1"));
    let kernels = format!("{root}/src/pack/backend/device/kernels/kernels_on_cpu.cc");
    let driver = format!("{root}/ctest/cuda/driver.c");
    let compilers: [(&str, &[&str]); 2] = [
        ("cc", &["-O1", "-std=gnu11", "-fPIC", "-c", "-o", &object, &driver]),
        (
            "c++",
            &[
                "-O1",
                "-std=c++17",
                "-ffp-contract=off",
                "-fsanitize=alignment",
                "-fsanitize-undefined-trap-on-error",
                "-shared",
                "-fPIC",
                "-o",
                &library,
                "-Wl,-soname,libcuda.so.1",
                &object,
                &kernels,
                "-pthread",
            ],
        ),
    ];
    for (compiler, arguments) in compilers {
        let done = match Command::new(compiler).args(arguments).output() {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("SKIPPED: copies of device memory: there is no {compiler}");
                return None;
            }
            done => done.unwrap(),
        };
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    Some(library)
}

/// Runs the test `name` of `module` in a process of its own, with the stand-in.
pub fn run_with_stand_in(module: &str, name: &str) {
    static LIBRARY: OnceLock<Option<String>> = OnceLock::new();
    let Some(library) = LIBRARY.get_or_init(build_stand_in) else { return };
    let name = format!("{}::{name}", module.split_once("::").unwrap().1);
    let done = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", &name])
        .env("LD_PRELOAD", library)
        .output()
        .unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success() && out.contains("1 passed"), "{out}{err}");
}

/// Returns the function `name` of the stand-in.
pub fn function(name: &CStr) -> *mut c_void {
    // SAFETY: a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    assert!(!found.is_null(), "{name:?}");
    found
}

/// Calls a function of the stand-in with arguments of 64 or 32 bits.
macro_rules! stand_in {
    ($name:literal, $($value:expr => $t:ty),*) => {{
        // SAFETY: the stand-in declares these parameters.
        let f: unsafe extern "C" fn($($t),*) -> libc::c_long = unsafe { std::mem::transmute(function($name)) };
        // SAFETY: the caller's pointers have room for what the function writes.
        unsafe { f($($value),*) as i32 }
    }};
}

/// Makes the `nth` call from now on of a function of the stand-in fail with `code`; 0: no call.
pub fn let_fail(name: &CStr, nth: libc::c_long, code: i32) {
    stand_in!(c"standin_fail", name.as_ptr() => *const libc::c_char, nth => libc::c_long, code => i32);
}

/// Makes the primary context of device `ordinal` current.
pub fn enter(ordinal: i32) {
    let mut context: *mut c_void = std::ptr::null_mut();
    assert_eq!(
        stand_in!(c"cuDevicePrimaryCtxRetain", &raw mut context => *mut *mut c_void, ordinal => i32),
        0
    );
    assert_eq!(stand_in!(c"cuCtxPushCurrent_v2", context => *mut c_void), 0);
}

/// Restores the context before `enter`.
pub fn leave() {
    let mut context: *mut c_void = std::ptr::null_mut();
    assert_eq!(stand_in!(c"cuCtxPopCurrent_v2", &raw mut context => *mut *mut c_void), 0);
}
