//! Arrays of an execution, each with its plan.

use super::Load;
use super::stream::Packet;
use crate::pack::Destination;
use crate::pack::place::DeviceArray;
use crate::plan::{PhaseRuns, RankPhase};
use std::sync::Arc;

/// Minimum bytes of a run that is written as fast as a longer one: for copies, and for updates that read the target.
const COPY_RUN_BYTES: usize = 512;
const UPDATE_RUN_BYTES: usize = 4 << 10;

/// Arrays of an execution, with the phase that it executes.
pub(super) struct Items<'a> {
    pub loads: Vec<Load<'a>>,
    pub runs_of_items: Vec<Option<Arc<PhaseRuns>>>,
    pub phase: usize,
}

impl<'a> Items<'a> {
    pub fn new(loads: Vec<Load<'a>>, phase: usize) -> Self {
        Self { runs_of_items: loads.iter().map(Load::list_repeated_runs).collect(), loads, phase }
    }

    /// Reuses `runs_of_items`, which were listed for arrays of the same shapes.
    pub fn reuse(loads: Vec<Load<'a>>, phase: usize, mut runs_of_items: Vec<Option<Arc<PhaseRuns>>>) -> Self {
        assert_eq!(loads.len(), runs_of_items.len(), "other arrays");
        for (runs, load) in runs_of_items.iter_mut().zip(&loads).filter(|(runs, _)| runs.is_none()) {
            *runs = load.list_repeated_runs();
        }
        Self { loads, runs_of_items, phase }
    }

    pub fn phase(&self, item: usize) -> &RankPhase {
        &self.loads[item].plan.phases.list[self.phase]
    }

    /// Returns the number of rows of a piece, if messages of this array are cut in two dimensions.
    pub fn rows(&self, item: usize) -> Option<u64> {
        let load = &self.loads[item];
        let run = if load.reads_target() { UPDATE_RUN_BYTES } else { COPY_RUN_BYTES };
        self.phase(item).problem.is_transposed.then(|| elements(run, load.plan.element))
    }

    /// Returns the device that has the source of each fragment of `packet`; `None` for a source in the host's memory,
    /// or one that is read through a view.
    pub fn sources<'s>(&'s self, packet: &'s Packet) -> impl Iterator<Item = Option<&'s Arc<DeviceArray>>> {
        packet.fragments().map(|fragment| {
            let sends = &self.phase(fragment.item).sends;
            let device = self.loads[fragment.item].read().device()?;
            sends.view(&sends.messages[fragment.message]).is_none().then_some(device)
        })
    }

    /// Returns the devices as [`Self::sources`] does, of the destinations.
    pub fn destinations<'s>(
        &'s self,
        packet: &'s Packet,
    ) -> impl Iterator<Item = Option<&'s Arc<DeviceArray>>> {
        packet.fragments().map(|fragment| {
            let receives = &self.phase(fragment.item).receives;
            let device = self.loads[fragment.item].destination.as_ref().and_then(Destination::device)?;
            receives.view(&receives.messages[fragment.message]).is_none().then_some(device)
        })
    }

    pub fn phase_runs(&self, item: usize) -> Option<&PhaseRuns> {
        self.runs_of_items[item].as_deref()
    }
}

/// Returns the first of the arrays of a packet if devices have all of them, in one context.
pub fn in_one_context<'d>(
    mut arrays: impl Iterator<Item = Option<&'d Arc<DeviceArray>>>,
) -> Option<&'d Arc<DeviceArray>> {
    let first = arrays.next()??;
    arrays.all(|array| array.is_some_and(|array| array.shares_context_with(first))).then_some(first)
}

/// Returns the number of elements that fit in `capacity` bytes, at least 1.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}
