//! State that outlives a call: sessions (kept as attributes of the program's communicators), the agreement of all
//! ranks on a call, and the ways in which a rank waits for others.

#[cfg(feature = "mpi")]
pub(crate) mod agreement;
#[cfg(feature = "mpi")]
pub(crate) mod patience;
#[cfg(feature = "mpi")]
pub(crate) mod session;
pub(crate) mod waiting;
