//! Entry to a job's collective calls: the ranks exchange their values. A rank that waits long for others, which may
//! never come, prints a warning.

use crate::collective::call::CollectiveCall;
use crate::collective::facts::Facts;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::runtime::patience::Patience;
use crate::runtime::session::Session;

/// Agrees on a call of `operation`, with this rank's `values` or its failure. Returns the facts of all ranks.
/// Collective over the active ranks.
pub fn agree_on_call(
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
