//! WHICH elements does a pair of processes exchange, along one dimension?
//!
//! Source and destination deal the same section out differently; the indices that source process `p` and
//! destination process `q` share are a periodic set, held as [`Runs`]: families of equal runs at equal distances,
//! never lists of elements or of blocks. This folder knows indices; it never knows a second dimension or MPI.

mod blocks;
mod comb;
mod cyclic;
mod dimension;
mod family;
mod runs;
mod side;

pub use dimension::Overlap;
pub use family::Family;
pub use runs::Runs;
