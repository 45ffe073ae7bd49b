//! The planner of [reblock](https://docs.rs/reblock): layouts of distributed arrays, and the messages from one layout
//! to another.
//!
//! Planning is pure: no MPI, no clock, no pointers, no environment, and no `unsafe` code. Equal arguments give equal
//! results, so ranks plan alone and their messages match. The library `reblock` carries plans out; the command
//! `reblock` and the benchmarks plan for all ranks in one process.
//!
//! This crate is a part of reblock and has its version. It promises no stable interface: any item may change in any
//! version. Programs use the items that `reblock` re-exports.
//!
//! The top-level modules, lowest first. A module imports only modules in rows above its own (`tests/layers` checks this
//! against the table):
//!
//! | module | contents |
//! |---|---|
//! | [`digest`] | digests and a fast hasher |
//! | [`machine`] | the parameters of a machine, for the prices of schedules |
//! | [`budget`] | memory for the buffers of a call, and its division |
//! | [`layout`] | distribution formats, HPF's mappings, notation, strides, and the elements that two processes share |
//! | [`schedule`] | schedulers in one table, their price, and the choice among them |
//! | [`plan`] | one rank's messages in order; relabelling of ranks; process grids |
//!
//! `layout` computes the elements that each pair of ranks shares, `schedule` orders the messages, and `plan` builds one
//! rank's messages.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

pub mod budget;
pub mod digest;
pub mod layout;
pub mod machine;
pub mod plan;
pub mod schedule;
