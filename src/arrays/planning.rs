//! Collective planning: the ranks check their arguments, agree on them in one call, and finish the plan together.

use crate::collective::call::{CollectiveCall, with_valid_settings};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::runtime::session::Session;
use std::sync::Arc;

/// Draft of a plan: the checked arguments of a planning call. `N` of its values must be equal on all ranks. The methods
/// borrow the draft, so it is not moved until the plan is made.
pub(super) trait Planning<const N: usize> {
    type Output;

    /// Returns the values that must be equal on all ranks; `None` for a value that this rank lacks.
    fn values(&self) -> [Option<i64>; N];

    /// Plans without messages, before the agreement, which reports a failure to all ranks. `values` is from
    /// [`Planning::values`].
    fn start(&mut self, _session: &Arc<Session>, _values: &[Option<i64>; N]) -> Result<(), Failure> {
        Ok(())
    }

    /// Finishes the plan after the agreement. `record` is the merged record of all ranks, `number` the number of the
    /// call. Collective.
    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Self::Output, Failure>;
}

/// Makes a plan in a call of `operation`, from the draft that `check` makes of the arguments `given`. A failure of one
/// rank makes all ranks fail. Collective over `session`.
pub(super) fn plan_collectively<G, D: Planning<N>, const N: usize>(
    session: &Arc<Session>,
    operation: Operation,
    given: Result<G, Failure>,
    check: impl FnOnce(G) -> Result<D, Failure>,
) -> Result<D::Output, Failure> {
    let _guard = session.panic_guard();
    let mut call = CollectiveCall::begin(session);
    let mut draft = with_valid_settings(given).and_then(check);
    let values = draft.as_ref().map_or([None; N], D::values);
    let failure = match &mut draft {
        Ok(draft) => draft.start(session, &values).err(),
        Err(failure) => Some(failure.clone()),
    };
    let record = call.agree(CallRecord::new(session.rank, operation, &values, failure))?;
    let number = call.number();
    drop(call);
    draft.as_mut().map_err(|failure| failure.clone())?.finish(session, &record, number)
}
