//! The C interface: ScaLAPACK's routines and reblock's own functions. Nothing imports this folder.
//!
//! No panic unwinds into C. ScaLAPACK's routines return no code, so an error in one ends the job, with one line.
//!
//! | file | contents |
//! |---|---|
//! | `scalapack` | ScaLAPACK's routines; `build/entries.rs` writes their entry points |
//! | `hpf`, `job` | functions of `arrays` and `resize` |
//! | `blacs`, `native` | arrays in memory of the node for BLACS programs; version, size of buffers |
//! | `device` | the stream of a program that uses GPUs |
//! | `fortran` | functions with MPI's handles of Fortran; `build/fortran.rs` writes more |
//! | `outcome`, `handles`, `objects`, `versioned` | codes and texts; handles of objects; structures that grow |
//! | `place` | checks whether the program's memory is the host's or a device's |
//! | `at_exit` | the end of a program under `reblock run` |
//!
//! `build/header.rs` makes `include/reblock.h` from this folder, with its comments: `make headers`.
#![allow(unsafe_code)]

#[cfg(target_env = "gnu")]
mod at_exit;
mod blacs;
mod device;
mod fortran;
mod handles;
mod hpf;
mod job;
mod native;
mod objects;
mod outcome;
mod place;
mod scalapack;
mod versioned;
