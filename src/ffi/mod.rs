//! The C interface: ScaLAPACK's routines and reblock's own functions. Nothing imports this folder.
//!
//! No panic unwinds into C. ScaLAPACK's routines return no code: an error in a routine ends the job, with one line on
//! standard error.
//!
//! | file | contents |
//! |---|---|
//! | `scalapack` | ScaLAPACK's routines; `build/entries.rs` writes their entry points |
//! | `hpf`, `job` | functions of `arrays` and `resize` |
//! | `blacs`, `native` | arrays in shared memory for BLACS programs; version of the library and size of its buffers |
//! | `device` | the CUDA stream of a program that uses GPUs |
//! | `fortran` | functions that take Fortran's MPI handles; `build/fortran.rs` generates more |
//! | `outcome`, `handles`, `objects`, `versioned` | codes and messages; handles and their types; versioned structures |
//! | `place` | checks whether the program's memory belongs to the host or to a device |
//! | `at_exit` | exit handler of a program under `reblock run` |
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
