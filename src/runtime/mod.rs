//! Sessions: the state that is kept with the program's communicators between calls; agreement of all ranks on a call;
//! waits.

#[cfg(feature = "mpi")]
pub(crate) mod agreement;
pub(crate) mod backoff;
#[cfg(feature = "mpi")]
pub(crate) mod session;
#[cfg(feature = "mpi")]
pub(crate) mod slow_wait;
