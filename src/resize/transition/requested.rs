//! Resizes that the program requests, without a policy. All ranks agree on the size.

use super::super::goal::Decision;
use super::super::meeting::agree_on_call;
use super::super::variables::Allocation;
use super::super::{Job, Outcome, size_of_job};
use crate::collective::call::with_valid_settings;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use std::time::Instant;

impl<M: Allocation> Job<M> {
    /// Grows the job to `ranks` ranks. Collective over the active ranks.
    pub fn expand(&mut self, ranks: impl Into<i64>) -> Result<Outcome, Failure> {
        let (ranks, now) = (ranks.into(), self.ranks());
        let more = (ranks > i64::from(now)).then_some(ranks);
        let why = || {
            Failure::argument(format!(
                "cannot expand to {ranks} ranks, expected more than {now}, the current number"
            ))
        };
        self.resize_on_request(Operation::Expand, ranks, more.map(drop).ok_or_else(why))
    }

    /// Shrinks the job to `ranks` ranks. Collective over the active ranks.
    pub fn shrink(&mut self, ranks: impl Into<i64>) -> Result<Outcome, Failure> {
        let (ranks, now) = (ranks.into(), self.ranks());
        let fewer = (ranks < i64::from(now)).then_some(ranks);
        let why = || {
            Failure::argument(format!(
                "cannot shrink to {ranks} ranks, expected fewer than {now}, the current number"
            ))
        };
        self.resize_on_request(Operation::Shrink, ranks, fewer.map(drop).ok_or_else(why))
    }

    fn resize_on_request(
        &mut self,
        operation: Operation,
        ranks: i64,
        allowed: Result<(), Failure>,
    ) -> Result<Outcome, Failure> {
        let (session, begin) = (self.session()?, Instant::now());
        let mine =
            with_valid_settings(self.check_no_resize().and(allowed)).and_then(|()| self.refresh(&session));
        let mine = mine.and_then(|digest| self.collect_freed_hosts().map(|()| digest));
        agree_on_call(&session, operation, &[mine.as_ref().ok().copied(), Some(ranks)], mine.err())?;
        let outcome = size_of_job(ranks).and_then(|ranks| {
            let decision = (session.rank == 0).then(|| self.decide(Some(ranks)));
            let decision = Decision::share(&session, decision)?;
            self.resize_to(decision, begin)
        });
        // Only sizes of the policy are recorded as unreachable: the program's requests are always tried.
        self.unreachable = None;
        outcome
    }
}
