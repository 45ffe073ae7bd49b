//! Entry to a job's collective calls: the ranks exchange their values. A rank that waits long for others, which may
//! never come, prints a warning.

use crate::collective::call::CollectiveCall;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::runtime::session::Session;
use crate::runtime::slow_wait::SlowWait;

/// Agrees on a call of `operation`, with this rank's `values` or its failure. Returns the record of all ranks.
/// Collective over the active ranks.
pub fn agree_on_call(
    session: &Session,
    operation: Operation,
    values: &[Option<i64>],
    failure: Option<Failure>,
) -> Result<CallRecord, Failure> {
    let mut slow_wait = SlowWait::new(session.rank);
    let record = CallRecord::new(session.rank, operation, values, failure);
    let call = operation.name();
    CollectiveCall::begin(session).agree_while(record, || {
        slow_wait.report(&format_args!("the job to call reblock_{call}"));
    })
}
