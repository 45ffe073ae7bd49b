//! Compiles the C shim with the MPI that `mpi-sys` binds to, writes out the ScaLAPACK entry points, the C header and the
//! Fortran module that declare them, and names the shared library.

use std::path::{Path, PathBuf};

#[path = "build/entries.rs"]
mod entries;

fn main() {
    for input in ["src/shim.c", "build/entries.rs", "src/abi", "cbindgen.toml"] {
        println!("cargo:rerun-if-changed={input}");
    }
    if std::env::var_os("CARGO_FEATURE_MPI").is_none() {
        return;
    }
    println!("cargo:rerun-if-env-changed=MPICC");
    let mpicc = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    cc::Build::new().file("src/shim.c").compiler(mpicc).compile("reblock_shim");

    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let write = |name: &str, text: String| {
        let path = out.join(name);
        std::fs::write(&path, text).expect("OUT_DIR can be written");
        path
    };
    let declared = write("declared.rs", entries::declared());
    write("aliases.rs", entries::aliases());
    write("reblock.f90", entries::module());
    header(&declared, &out.join("reblock.h"));

    let name =
        if std::env::var_os("CARGO_FEATURE_ILP64").is_some() { "libreblock_ilp64" } else { "libreblock" };
    let version = std::env::var("CARGO_PKG_VERSION_MAJOR").expect("cargo sets the version");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,{name}.so.{version}");
    // MPI keeps pointers to attribute callbacks until it is finalized: the library must not be unloaded before.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}

/// The C header of what the shared library exports; a test compares it with include/reblock.h.
fn header(entries: &Path, out: &Path) {
    let config = cbindgen::Config::from_file("cbindgen.toml").expect("cbindgen.toml is valid");
    cbindgen::Builder::new()
        .with_config(config)
        .with_src("src/abi/native.rs")
        .with_src("src/abi/outcome.rs")
        .with_src("src/abi/hpf/mod.rs")
        .with_src("src/abi/job/mod.rs")
        .with_src(entries)
        .generate()
        .expect("the exported functions can be declared in C")
        .write_to_file(out);
}
