//! Collective calls of the interfaces: checks that all ranks make the same call and that all can carry it out. A call
//! that fails on one rank fails on all ranks of its communicator, before anything is written.

pub(crate) mod attempt;
pub(crate) mod call;
pub(crate) mod exchange;
pub(crate) mod failure;
pub(crate) mod operations;
mod participation;
pub(crate) mod record;
pub(crate) mod refuse;
