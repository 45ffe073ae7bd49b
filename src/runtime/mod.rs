//! State kept with the program's communicators between calls (sessions), agreement of ranks on a call, and waits.

#[cfg(feature = "mpi")]
pub(crate) mod agreement;
pub(crate) mod backoff;
#[cfg(feature = "mpi")]
pub(crate) mod session;
#[cfg(feature = "mpi")]
pub(crate) mod slow_wait;
