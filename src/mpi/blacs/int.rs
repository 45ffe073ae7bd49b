//! Integers of the program's BLACS.

/// Integer of the host's BLACS: 32 bits, or 64 in the ILP64 build.
#[cfg(not(feature = "ilp64"))]
pub type Int = i32;
/// Integer of the host's BLACS: 32 bits, or 64 in the ILP64 build.
#[cfg(feature = "ilp64")]
pub type Int = i64;
