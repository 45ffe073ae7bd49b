//! Start of a job's collective calls, in which the ranks exchange their arguments. A rank that waits long prints a
//! line.

use crate::collective::call::CollectiveCall;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::runtime::session::Session;
use crate::runtime::slow_wait::SlowWait;

/// Starts a call of `operation`: exchanges its `values` (`None` for one that this rank lacks), or this rank's failure.
/// Returns the merged record of all ranks, or the common failure. Collective over the active ranks.
pub fn agree_on_call(
    session: &Session,
    operation: Operation,
    values: &[Option<i64>],
    failure: Option<Failure>,
) -> Result<CallRecord, Failure> {
    let mut slow_wait = SlowWait::new(session.rank);
    let record = CallRecord::new(session.rank, operation, values, failure);
    let name = operation.name();
    CollectiveCall::begin(session).agree_while(record, || {
        slow_wait.report(&format_args!("the job to call reblock_{name}"));
    })
}
