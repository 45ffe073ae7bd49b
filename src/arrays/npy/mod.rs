//! NumPy's file format `.npy`: a header with element type, order and extents, then the elements without gaps. reblock
//! appends a second array of this format with a checksum, which NumPy's `load` ignores.
//!
//! Source: NumPy Enhancement Proposal 1, and the documentation of `numpy.lib.format`. This code does no I/O and has no
//! ranks.

mod cut;
mod dtype;
mod header;
mod literal;
mod trailer;

pub use cut::{Cut, FileWindow};
pub use dtype::Dtype;
pub use header::{FileHeader, PRELUDE};
pub use trailer::{TRAILER, sum_of, trailer};
