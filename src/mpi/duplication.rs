//! Nonblocking duplication of a program's communicator: a rank that cannot go on can still report its failure through
//! the duplicate.

use super::comm::{Comm, Duplicate, return_errors};
use super::count;
use super::error::MpiError;
use super::first_failure::FirstFailure;
use super::handler::Handler;
use super::pending::Pending;
use mpi_sys::*;

/// A duplication under way. Until it ends, errors on the program's communicator are codes; then its own error handler
/// is restored.
pub struct Duplication<'h> {
    host: Comm<'h>,
    before: Handler,
    under_way: Pending<Box<MPI_Comm>>,
}

impl<'h> Duplication<'h> {
    /// Starts the duplication. Collective over `host`.
    pub fn start(host: Comm<'h>, first_failure: &mut FirstFailure) -> Result<Self, MpiError> {
        let before = first_failure.retry_once(|| Handler::from_comm(&host))?;
        first_failure.retry_once(|| return_errors(&host))?;
        // SAFETY: the place for the communicator is kept until the call is complete.
        let begin = |own: &mut Box<MPI_Comm>, request: &mut MPI_Request| unsafe {
            MPI_Comm_idup(host.0, &raw mut **own, request)
        };
        // SAFETY: a constant of mpi-sys.
        let null = || Box::new(unsafe { RSMPI_COMM_NULL });
        let under_way = first_failure.retry_once(|| Pending::start("MPI_Comm_idup", null(), begin));
        if under_way.is_err() {
            first_failure.retry_once(|| before.set(&host))?;
        }
        Ok(Self { host, before, under_way: under_way? })
    }

    /// Returns the duplicate, once it exists.
    pub fn test(&mut self, first_failure: &mut FirstFailure) -> Result<Option<Duplicate>, MpiError> {
        let made = first_failure.retry_once(|| self.under_way.test());
        if !matches!(made, Ok(None)) {
            first_failure.retry_once(|| self.before.set(&self.host))?;
        }
        let Some(own) = made? else { return Ok(None) };
        count::add();
        let own = Duplicate(Comm::from_raw(*own));
        first_failure.retry_once(|| return_errors(&own.comm()))?;
        Ok(Some(own))
    }
}
