//! Collective calls of the interfaces: checks that all ranks make the same call and that all can carry it out. A call
//! that fails on one rank fails on all ranks of its communicator, before anything is written.
//!
//! | file | contents |
//! |---|---|
//! | `call` | driver: all ranks exchange records and reach one verdict |
//! | `record` | a rank's record, its merge with others, and the verdict with its text (`CallRecord::verdict`) |
//! | `failure` | code and text of a failure |
//! | `operations` | names of the operations and of the arguments that must be equal |
//! | `refuse`, `participation`, `attempt` | calls that a rank refuses, because it has an invalid handle |
//! | `exchange` | lists of numbers between all pairs of ranks |

pub(crate) mod attempt;
pub(crate) mod call;
pub(crate) mod exchange;
pub(crate) mod failure;
pub(crate) mod operations;
mod participation;
pub(crate) mod record;
pub(crate) mod refuse;
