//! Foundations: settings, memory limits, worker threads, lines of output and NVIDIA's driver, without MPI and arrays.
//! Every module may import them. `budget`, `digest` and `machine` are the planner's.

pub(crate) mod buffer_memory;
pub(crate) mod cuda;
pub(crate) mod group;
pub mod one_line;
// `reblock doctor` uses functions that the library does not need.
#[cfg_attr(not(feature = "internals"), allow(dead_code))]
pub mod room;
pub mod settings;
#[cfg(feature = "mpi")]
pub(crate) mod stderr;
pub(crate) mod workers;

pub(crate) use reblock_plan::{budget, digest, machine};
