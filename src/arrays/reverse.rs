//! Reverse plans, which move data from a plan's target back to its source.

use super::draft::Draft;
use super::options::Options;
use super::plan::{Plan, agreed};
use super::shadow::ShadowWay;
use crate::collective::call::{CollectiveCall, confirmed};
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use std::sync::Arc;

impl Plan {
    /// Plans the way back, from the section of the target to the section of the source, with the same scheduler,
    /// transport and memory. If the target was relabelled, the way back starts from its new map. It writes all copies
    /// of a replicated source, and does not combine copies of the target. A plan that spreads its source, gathers or
    /// scatters has no way back: that is an error. For a plan of shadows, see [`Plan::shadow`]. Collective over the
    /// plan's communicator.
    pub fn reverse(&self) -> Result<Arc<Self>, Failure> {
        self.reverse_if(Ok(()))
    }

    /// Plans as [`Self::reverse`] does; `Err` makes all ranks fail.
    pub fn reverse_if(&self, able: Result<(), Failure>) -> Result<Arc<Self>, Failure> {
        let session = &self.session()?;
        let _intact = session.intact();
        let mut call = CollectiveCall::begin(session);
        let able = crate::collective::call::able(able).and_then(|()| self.check_reversible());
        let permutation = self.permutation.as_deref().filter(|_| able.is_ok());
        let options = Options::for_reverse(permutation, self.overlap);
        let [source, target] = self.ends.clone();
        let draft = able.map(|()| Draft {
            from: Some(target),
            to: Some(source),
            element: self.element,
            options: &options,
            settings: self.settings.clone(),
            shadow: self.shadow.as_ref().map(ShadowWay::reversed),
        });
        let shifts = self.shift.is_some() || self.lines.is_some();
        let started = draft.as_ref().ok().filter(|_| !shifts).and_then(|draft| draft.started(session));
        let value = draft.as_ref().ok().map(|_| self.number());
        let known = agreed(&mut call, Operation::Reverse, &[value], &draft, started.as_ref())?;
        let number = call.number();
        drop(call);
        if let Some(lines) = &self.lines {
            return lines.plan_reverse(session, &draft?, number);
        }
        let Some(shift) = &self.shift else {
            return Self::finished(session, draft?, started, &known, number);
        };
        let options = Options { axes: self.permutation.clone(), ..Options::default() };
        let back = confirmed(session, shift.reversed(&self.ends, &options))?;
        back.plan(session, &draft?, number)
    }

    /// Returns an error if the plan has no way back, because it spreads its source or names elements by lists.
    fn check_reversible(&self) -> Result<(), Failure> {
        if self.spreads {
            return Err(Failure::argument("a plan that spreads its source has no reverse"));
        }
        if self.planned.stages.is_some() && self.lines.is_none() {
            return Err(Failure::argument(
                "a plan with a list of indices has no reverse: make a plan of the opposite direction with the same list",
            ));
        }
        Ok(())
    }
}
