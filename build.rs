//! Compiles the C shim with the MPI that `mpi-sys` binds to, writes out the ScaLAPACK entry points, the C headers and
//! the Fortran modules that declare functions, and names the shared library.
//!
//! | file | writes | from |
//! |---|---|---|
//! | `build/entries.rs` | entry points of ScaLAPACK's routines (`declared.rs`, `aliases.rs`), `reblock.f90` | `src/scalapack/family.rs` |
//! | `build/fortran.rs` | functions `..._fortran` (`fortran.rs`), `calls.f90` | `src/ffi` |
//! | `build/header.rs` | `reblock.h`, `reblock_scalapack.h` | `src/ffi`, `declared.rs` |
//!
//! They write into the folder of the build. `make headers` copies headers and modules from there into `include` and
//! `fortran`.

use std::path::PathBuf;

#[path = "build/entries.rs"]
mod entries;
#[path = "build/fortran.rs"]
mod fortran;
#[path = "build/header.rs"]
mod header;

fn main() {
    for input in [
        "src/mpi/shim.c",
        "build/entries.rs",
        "build/fortran.rs",
        "build/header.rs",
        "build/example.c",
        "src/ffi",
        "src/scalapack/family.rs",
        "cbindgen.toml",
    ] {
        println!("cargo:rerun-if-changed={input}");
    }
    if std::env::var_os("CARGO_FEATURE_MPI").is_none() {
        return;
    }
    println!("cargo:rerun-if-env-changed=MPICC");
    println!("cargo:rerun-if-env-changed=REBLOCK_SUFFIX");
    let mpicc = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let mut shim = cc::Build::new();
    // Set by the build script of mpi-sys.
    if std::env::var("DEP_REBLOCK_MPI_FAMILY").is_ok_and(|family| family == "abi") {
        shim.define("STANDARD_ABI", None);
    }
    shim.file("src/mpi/shim.c").compiler(mpicc).compile("reblock_shim");

    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write = |name: &str, text: String| {
        let path = out.join(name);
        std::fs::write(&path, text).expect("OUT_DIR can be written");
        path
    };
    let declared = write("declared.rs", entries::declared());
    write("aliases.rs", entries::aliases());
    write("reblock.f90", entries::module());
    let sources = header::sources();
    let twins = fortran::twins(&sources);
    write("calls.f90", fortran::calls(&[sources, vec![twins.clone()]].concat()));
    let twins = write("fortran.rs", twins);
    let version = std::env::var("CARGO_PKG_VERSION").expect("cargo sets the version");
    write("reblock.h", header::reblock(&version, &twins));
    write("reblock_scalapack.h", header::scalapack(&version, &declared));

    let wide = if std::env::var_os("CARGO_FEATURE_ILP64").is_some() { "_ilp64" } else { "" };
    let suffix = std::env::var("REBLOCK_SUFFIX").unwrap_or_else(|_| wide.into());
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libreblock{suffix}.so.{}", compatible(&version));
    // MPI keeps pointers to attribute callbacks until it is finalized: the library must not be unloaded before.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

/// The part of a version that programs depend on: while the first number is 0, the second one changes with the ABI.
fn compatible(version: &str) -> &str {
    let numbers = if version.starts_with("0.") { 2 } else { 1 };
    version.match_indices('.').nth(numbers - 1).map_or(version, |(at, _)| &version[..at])
}
