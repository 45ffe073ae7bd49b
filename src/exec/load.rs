//! A plan together with the local arrays of one execution.

use crate::pack::place::DeviceArray;
use crate::pack::{Destination, Source, Update};
use crate::plan::PhaseRuns;
use crate::plan::rank_plan::RankPlan;
use std::sync::Arc;

/// An array to move by a plan, on one rank. `P` points to the plan: this rank's plan, or an interface's plan that
/// contains it.
pub struct Load<'a, P = Arc<RankPlan>> {
    pub plan: P,
    /// The local array to read; `None` outside the source's grid. It holds all elements that the phases name.
    pub source: Option<Source<'a>>,
    /// The local array to write; `None` outside the destination's grid. It holds all elements that the phases name.
    pub destination: Option<Destination<'a>>,
    /// Update of the written elements; `None` copies them. Equal on all ranks.
    pub update: Option<Update>,
}

impl<'a, P> Load<'a, P> {
    /// Replaces the plan by the result of `plan`; keeps the arrays.
    #[inline]
    pub fn with_plan<Q>(self, plan: impl FnOnce(&P) -> Q) -> Load<'a, Q> {
        let Self { plan: given, source, destination, update } = self;
        Load { plan: plan(&given), source, destination, update }
    }
}

impl<'a> Load<'a> {
    /// Returns whether the update reads the old values of the target; equal on all ranks.
    pub(super) fn reads_target(&self) -> bool {
        self.update.as_ref().is_some_and(|update| !update.ignores_target())
    }

    /// Returns source and destination as far as they are in devices' memory.
    pub(super) fn devices(&self) -> impl Iterator<Item = &Arc<DeviceArray>> {
        let from = self.source.as_ref().and_then(Source::device);
        from.into_iter().chain(self.destination.as_ref().and_then(Destination::device))
    }

    /// Returns the runs of the plan for these arrays, as [`RankPlan::list_repeated_runs`] does.
    pub(super) fn list_repeated_runs(&self) -> Option<Arc<PhaseRuns>> {
        let (from, to) = (self.source.as_ref(), self.destination.as_ref());
        self.plan.list_repeated_runs([from.map(Source::shape), to.map(Destination::shape)])
    }

    /// Returns the source, on a rank that sends or keeps elements.
    pub(super) fn read(&self) -> &Source<'a> {
        self.source.as_ref().expect("a rank that sends or keeps something has a source")
    }

    /// Returns the plan, the source and the destination, on a rank that receives or keeps elements.
    pub(super) fn ends(&mut self) -> (&RankPlan, Option<&Source<'a>>, &mut Destination<'a>) {
        let destination = self.destination.as_mut();
        let destination = destination.expect("a rank that receives or keeps something has a destination");
        (&self.plan, self.source.as_ref(), destination)
    }
}
