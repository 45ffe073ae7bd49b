//! Arrays of an execution, each with its plan.

use super::Load;
use crate::plan::{Flats, RankPhase};
use std::sync::Arc;

/// Minimum bytes of a run that is written as fast as a longer one: for copies, and for updates that read the target.
const COPY_RUN_BYTES: usize = 512;
const UPDATE_RUN_BYTES: usize = 4 << 10;

/// Arrays of an exchange, with the phase that it executes.
pub(super) struct Items<'a> {
    pub loads: Vec<Load<'a>>,
    pub flats: Vec<Option<Arc<Flats>>>,
    pub phase: usize,
}

impl<'a> Items<'a> {
    pub fn new(loads: Vec<Load<'a>>, phase: usize) -> Self {
        Self { flats: loads.iter().map(Load::flats).collect(), loads, phase }
    }

    /// Reuses the runs `flats` that were listed for arrays of the same shapes.
    pub fn reuse(loads: Vec<Load<'a>>, phase: usize, mut flats: Vec<Option<Arc<Flats>>>) -> Self {
        assert_eq!(loads.len(), flats.len(), "other arrays");
        for (flats, load) in flats.iter_mut().zip(&loads).filter(|(flats, _)| flats.is_none()) {
            *flats = load.flats();
        }
        Self { loads, flats, phase }
    }

    pub fn phase(&self, item: usize) -> &RankPhase {
        &self.loads[item].plan.phases.list[self.phase]
    }

    /// Returns the number of rows of a piece, if messages of this array are cut in two dimensions.
    pub fn rows(&self, item: usize) -> Option<u64> {
        let load = &self.loads[item];
        let run = if load.reads_target() { UPDATE_RUN_BYTES } else { COPY_RUN_BYTES };
        self.phase(item).problem.turned.then(|| elements(run, load.plan.element))
    }

    pub fn flats(&self, item: usize) -> Option<&Flats> {
        self.flats[item].as_deref()
    }
}

/// Returns the number of elements that fit in `capacity` bytes, at least 1.
pub fn elements(capacity: usize, element: usize) -> u64 {
    u64::try_from((capacity / element).max(1)).expect("usize fits in u64")
}
