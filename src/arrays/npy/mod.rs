//! WHERE in a file does each element of an array live, and how does the file say so? NumPy's format `.npy`: a header that
//! names element type, order and extents, then the elements without gaps. After them reblock writes a second array of that
//! format, with a checksum; NumPy's `load` reads the first array and ignores the second.
//!
//! Source: NumPy Enhancement Proposal 1, and the documentation of `numpy.lib.format`. It knows bytes and indices; it never
//! knows ranks, MPI, or how files are read.

mod cut;
mod dtype;
mod header;
mod literal;
mod trailer;

pub use cut::{Cut, FileWindow};
pub use dtype::Dtype;
pub use header::{FileHeader, PRELUDE};
pub use trailer::{TRAILER, sum_of, trailer};
