//! HAVE all ranks entered one of a job's calls? They exchange what they know of it; a rank that waits long for others, which
//! may never come, says so.

use crate::collective::call::CollectiveCall;
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::runtime::patience::Patience;
use crate::runtime::session::Session;

/// Collective over the ranks that work: what all of them come to in a call of `operation`, where each gives `values`, or cannot
/// go on.
pub fn met(
    session: &Session,
    operation: Operation,
    values: &[Option<i64>],
    failure: Option<Failure>,
) -> Result<Facts, Failure> {
    let mut patience = Patience::new(session.rank);
    let facts = Facts::new(session.rank, operation, values, failure);
    let call = operation.name();
    CollectiveCall::begin(session).agree_while(facts, || {
        patience.complain(&format_args!("the job to call reblock_{call}"));
    })
}
