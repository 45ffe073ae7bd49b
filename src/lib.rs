//! reblock moves distributed arrays from one layout to another over MPI.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]

mod abi;
pub mod blacs;
pub mod call;
pub mod error;
pub mod exec;
pub mod layout;
pub mod mpi;
pub mod overlap;
pub mod pack;
pub mod plan;
pub mod problem;
pub mod redistribute;
pub mod schedule;
pub mod session;
pub mod transport;
pub mod trial;
pub mod waiting;
