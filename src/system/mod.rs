//! The ground: settings from the environment, limits of memory, worker threads, digests and lines of output. These modules know
//! nothing of MPI or of arrays, and every room may use them.

pub mod budget;
pub(crate) mod crew;
pub(crate) mod digest;
pub(crate) mod group;
pub(crate) mod held;
pub mod machine;
pub mod one_line;
pub mod room;
pub mod settings;
#[cfg(feature = "mpi")]
pub(crate) mod stderr;
