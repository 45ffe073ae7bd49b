//! The C interface: ScaLAPACK's routines and reblock's own functions. Nothing imports this folder.
//!
//! No panic unwinds into C. ScaLAPACK's routines return no code, so an error in one ends the job, with one line.
#![allow(unsafe_code)]

#[cfg(target_env = "gnu")]
mod at_exit;
mod blacs;
mod fortran;
mod handles;
mod hpf;
mod job;
mod native;
mod objects;
mod outcome;
mod scalapack;
mod versioned;
