//! One rank's plan of a redistribution: the planner's messages ([`reblock_plan::plan`]) with everything that their
//! execution needs.

pub(crate) mod aliasing;
pub(crate) mod interleaved;
mod phase_runs;
pub mod rank_plan;
mod stages;

pub use phase_runs::{MessageRuns, PhaseRuns, PhaseRunsCache};
pub(crate) use reblock_plan::plan::*;
pub use stages::{Combining, Stages, Writing};
