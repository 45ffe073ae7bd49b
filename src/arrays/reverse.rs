//! Reverse plans, from a plan's target back to its source.

use super::draft::Draft;
use super::kinds::ShadowExchange;
use super::options::Options;
use super::plan::{Plan, PlanKind};
use super::planning::{Planning, plan_collectively};
use crate::collective::call::confirm_step;
use crate::collective::failure::Failure;
use crate::collective::operations::Operation;
use crate::collective::record::CallRecord;
use crate::runtime::session::Session;
use std::sync::Arc;

impl Plan {
    /// Plans the reverse move, from the section of the target to the section of the source, with the same options
    /// `scheduler`, `shared`, `buffer`, `window` and `overlap`. If the target was relabelled, the reverse starts from
    /// its new map. It writes all copies of a replicated source, and does not combine copies of the target. An error
    /// for a plan that spreads its source, gathers or scatters. For a plan of shadows, see [`Plan::shadow`]. Collective
    /// over the plan's communicator.
    pub fn reverse(&self) -> Result<Arc<Self>, Failure> {
        self.reverse_if(Ok(()))
    }

    /// Plans as [`Self::reverse`] does; `Err` makes all ranks fail.
    pub fn reverse_if(&self, able: Result<(), Failure>) -> Result<Arc<Self>, Failure> {
        let session = &self.session()?;
        let able = able.and_then(|()| self.check_reversible());
        let permutation = self.move_options().and_then(|options| options.permutation.as_deref());
        let options = Options::for_reverse(permutation.filter(|_| able.is_ok()), self.overlap);
        plan_collectively(session, Operation::Reverse, able, |()| {
            let [source, target] = self.ends.clone().map(Some);
            let shadow = self.shadow_exchange().map(ShadowExchange::reversed);
            let draft = Draft::of_ends([target, source], self.element, &options, self.settings.clone());
            Ok(ReverseDraft { plan: self, draft: Draft { shadow, ..draft } })
        })
    }

    fn check_reversible(&self) -> Result<(), Failure> {
        if self.move_options().is_some_and(|options| options.spreads) {
            return Err(Failure::argument("a plan that spreads its source has no reverse"));
        }
        if matches!(self.kind, PlanKind::Listed) {
            return Err(Failure::argument(
                "a plan with a list of indices has no reverse: make a plan of the opposite direction with the same list",
            ));
        }
        Ok(())
    }
}

struct ReverseDraft<'p, 'a> {
    plan: &'p Plan,
    draft: Draft<'a>,
}

impl Planning<1> for ReverseDraft<'_, '_> {
    type Output = Arc<Plan>;

    fn values(&self) -> [Option<i64>; 1] {
        [Some(self.plan.number())]
    }

    fn start(&mut self, session: &Arc<Session>, _: &[Option<i64>; 1]) -> Result<(), Failure> {
        match self.plan.kind {
            PlanKind::Shift { .. } | PlanKind::ShiftLines(_) => Ok(()),
            _ => self.draft.start(session, &self.draft.values()),
        }
    }

    fn finish(
        &mut self,
        session: &Arc<Session>,
        record: &CallRecord,
        number: i64,
    ) -> Result<Arc<Plan>, Failure> {
        let Plan { ends, kind, .. } = self.plan;
        match kind {
            PlanKind::ShiftLines(lines) => lines.plan_reverse(session, &self.draft, number),
            PlanKind::Shift { options, shift, .. } => {
                let options = Options { axes: options.permutation.clone(), ..Options::default() };
                let back = confirm_step(session, shift.reversed(ends, &options))?;
                back.plan(session, &self.draft, number)
            }
            _ => self.draft.finish(session, record, number),
        }
    }
}
