//! NumPy's file format `.npy`: a header with element type, order and extents, then the elements without gaps. After
//! them reblock writes a second array of this format, with a checksum. NumPy's `load` reads the first array and
//! ignores the second.
//!
//! Source: NumPy Enhancement Proposal 1, and the documentation of `numpy.lib.format`. The code here handles bytes and
//! indices only, without ranks, MPI or I/O.

mod cut;
mod dtype;
mod header;
mod literal;
mod trailer;

pub use cut::{Cut, FileWindow};
pub use dtype::Dtype;
pub use header::{FileHeader, PRELUDE};
pub use trailer::{TRAILER, sum_of, trailer};
