//! Layouts: the process that has each element of an array, and the elements that two processes share. No MPI, no
//! pointers.
//!
//! | module | contents |
//! |---|---|
//! | [`distribution`] | distribution formats of an axis, process grids, local indices |
//! | [`intersect`] | index sets that two processes share along one dimension |
//! | [`mapping`] | layouts in HPF's terms: processor arrangements, templates, alignments, shadows |
//! | [`notation`] | layouts as text in HPF's syntax |
//! | [`problem`] | a redistribution: validated, equal on all ranks |
//! | [`shared_bytes`] | tests whether two strided sets share a byte in memory |
//! | [`strides`] | shapes of local arrays in memory |

pub mod distribution;
pub mod intersect;
pub mod mapping;
#[cfg(feature = "text")]
pub mod notation;
pub mod problem;
pub mod shared_bytes;
pub mod strides;
