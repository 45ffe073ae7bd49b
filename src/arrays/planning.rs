//! Collective planning: the ranks of a communicator check their arguments, agree on them in one call, and finish the
//! plan together. The driver does not depend on the kind of the plan.

use crate::collective::call::{CollectiveCall, able};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::runtime::session::Session;
use std::sync::Arc;

/// Checked arguments of a planning call: the draft of a plan. `N` values of them must be equal on all ranks. The
/// methods borrow the draft, so it is not moved until the plan is made.
pub(super) trait Planning<const N: usize> {
    /// The result: usually an `Arc<Plan>`.
    type Output;

    /// Returns the values that all ranks must pass alike; a value that this rank does not know is `None`.
    fn values(&self) -> [Option<i64>; N];

    /// Does the part of planning that needs no other rank. It comes before the agreement, which reports its failure to
    /// all ranks.
    fn start(&mut self, _session: &Arc<Session>) -> Result<(), Failure> {
        Ok(())
    }

    /// Finishes the plan in call `number`, on which all ranks have agreed with the merged `record`. Collective.
    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Self::Output, Failure>;
}

/// Plans in a call of `operation`; `check` makes the draft from `given`. An `Err` on any rank makes all ranks fail.
/// Collective over `session`.
pub(super) fn plan_collectively<G, D: Planning<N>, const N: usize>(
    session: &Arc<Session>,
    operation: Operation,
    given: Result<G, Failure>,
    check: impl FnOnce(G) -> Result<D, Failure>,
) -> Result<D::Output, Failure> {
    let _intact = session.intact();
    let mut call = CollectiveCall::begin(session);
    let mut draft = able(given).and_then(check);
    let (values, failure) = match &mut draft {
        Ok(draft) => (draft.values(), draft.start(session).err()),
        Err(failure) => ([None; N], Some(failure.clone())),
    };
    let record = call.agree(CallRecord::new(session.rank, operation, &values, failure))?;
    let number = call.number();
    drop(call);
    draft.as_mut().map_err(|failure| failure.clone())?.finish(session, &record, number)
}
