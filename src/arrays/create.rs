//! Plans of moves from a section of one array to a section of another.

use super::draft::Draft;
use super::end::Side;
use super::options::Options;
use super::plan::Plan;
use super::planning::plan_collectively;
use crate::collective::call::session;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::mpi::Comm;
use crate::runtime::session::Session;
use std::sync::Arc;

impl Plan {
    /// Plans to move a section of one array to a section of another, with elements of `element` bytes. Collective
    /// over `comm`. Both arrangements may consist of any ranks of `comm`: equal, nested, overlapping or disjoint. A
    /// rank that does not have an array's map passes [`Side::default`].
    pub fn create(
        comm: &Comm,
        from: Side<'_>,
        to: Side<'_>,
        element: usize,
        options: &Options,
    ) -> Result<Arc<Self>, Failure> {
        Self::of_result(comm, Ok((from, to, element, options)))
    }

    /// Plans as [`Self::create`] does; `Err` makes all ranks fail.
    pub fn of_result(
        comm: &Comm,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        let session = session(comm)?;
        Self::create_in_session(&session, given)
    }

    pub(super) fn create_in_session(
        session: &Arc<Session>,
        given: Result<(Side<'_>, Side<'_>, usize, &Options), Failure>,
    ) -> Result<Arc<Self>, Failure> {
        plan_collectively(session, Operation::Plan, given, |given| Draft::new(session, given))
    }
}
