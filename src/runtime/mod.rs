//! State that outlives a call: sessions (kept as attributes of the program's communicators), the agreement of all
//! ranks on a call, and the ways in which a rank waits for others.

#[cfg(feature = "mpi")]
pub(crate) mod agreement;
pub(crate) mod backoff;
#[cfg(feature = "mpi")]
pub(crate) mod session;
#[cfg(feature = "mpi")]
pub(crate) mod slow_wait;
