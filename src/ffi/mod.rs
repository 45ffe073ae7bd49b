//! What other languages call: ScaLAPACK's names, and the few of reblock's own. Nothing imports this folder.
//!
//! Nothing unwinds into C; ScaLAPACK's routines have no error channel, so an error there ends the job, with one line.
#![allow(unsafe_code)]

mod blacs;
mod handles;
mod hpf;
mod job;
mod native;
mod objects;
mod outcome;
mod scalapack;
mod versioned;
