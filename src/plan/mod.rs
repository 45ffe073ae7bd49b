//! One rank's plan of a redistribution: the planner's messages ([`reblock_plan::plan`]) with everything that their
//! execution needs.

pub(crate) mod aliasing;
mod flats;
pub(crate) mod interleaved;
pub mod rank_plan;
mod stages;

pub use flats::{FlatMessage, Flats, KnownFlats};
pub(crate) use reblock_plan::plan::*;
pub use stages::{Combining, Stages, Writing};
