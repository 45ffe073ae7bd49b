//! Resize point of a job: ranks report their times, the policy of rank 0 decides, and all ranks follow.

use super::goal::Decision;
use super::meeting::agree_on_call;
use super::policy::Now;
use super::variables::Allocation;
use super::{Job, Outcome};
use crate::collective::call::with_valid_settings;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::system::stderr;
use std::time::Instant;

impl<M: Allocation> Job<M> {
    /// Runs a resize point: asks the policy for the number of ranks and resizes the job, or advances a resize in
    /// progress. On a rank that is parked, it returns when the rank is needed again. Collective over the active ranks.
    pub fn step(&mut self) -> Result<Outcome, Failure> {
        let begin = Instant::now();
        let outcome = match self.ongoing.is_some() {
            true => self.advance_resize(),
            false => self.ask_policy(begin).and_then(|decision| match decision.ranks == self.ranks() {
                true => Ok(Outcome::Same),
                false => self.resize_to(decision, begin),
            }),
        };
        (self.logged, self.since) = ((0.0, 0), Instant::now());
        outcome
    }

    /// Returns the decision of rank 0. Collective over the active ranks.
    fn ask_policy(&mut self, begin: Instant) -> Result<Decision, Failure> {
        let session = self.session()?;
        let mine = with_valid_settings(Ok(()))
            .and_then(|()| self.collect_freed_hosts())
            .and_then(|()| self.refresh(&session));
        let (seconds, count) = self.logged;
        let taken = if count > 0 {
            seconds / f64::from(count)
        } else {
            begin.duration_since(self.since).as_secs_f64()
        };
        let failure = mine.as_ref().err().cloned();
        let values = [mine.ok(), Some(nanoseconds(taken))];
        let known = agree_on_call(&session, Operation::Step, &values, failure)?;
        let slowest = known.max(1).unwrap_or(0);
        let mut decision = None;
        if session.rank == 0 {
            #[allow(clippy::cast_precision_loss, reason = "times are far below 2^52 ns")]
            let now = Now { ranks: session.ranks, seconds: slowest as f64 * 1e-9 };
            let answer = self.policy.ask_on_hosts(&now, &self.placement);
            let ranks = answer.unwrap_or_else(|why| {
                stderr::line(format_args!("{why}: the job continues with {} ranks", session.ranks));
                None
            });
            let again = self.unreachable == ranks;
            self.unreachable = self.unreachable.filter(|_| again);
            decision = Some(self.decide(ranks.filter(|_| !again)));
        }
        Decision::share(&session, decision)
    }
}

#[allow(clippy::cast_possible_truncation, reason = "times are far below 2^63 ns, and `as` saturates")]
fn nanoseconds(seconds: f64) -> i64 {
    (seconds * 1e9) as i64
}
