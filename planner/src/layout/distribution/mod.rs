//! Distribution of an array over a process grid.
//!
//! A distribution format ([`Dist`]) maps each global index of one dimension to its owner along a grid dimension, and to
//! its local index there. A [`Grid`] maps places of the process grid to ranks. Units are elements.

mod axis;
mod count;
mod cyclic;
mod dist;
mod floor_sum;
mod gen_block;
mod grid;
mod indirect;
mod nodes;
mod part;
mod partners;
mod walk;

pub use axis::{Axis, RoundRobin};
pub use cyclic::Cyclic;
pub use dist::Dist;
pub(crate) use floor_sum::floor_sum;
pub use gen_block::GenBlock;
pub use grid::put_place;
pub use grid::{Grid, Rank, RankMap, View, nearly_cubic, nearly_square, number, place, places};
pub use indirect::{AllRuns, Indirect, RunsOf};
pub use nodes::{NodePlace, Nodes};
pub use part::checksum_term;
pub use part::{OwnIndices, PartialOwners};
pub use partners::{PartnerRuns, ReceivedSection, SharedCount};
pub use walk::AxisWalk;

/// 0-based index into the whole array along one dimension, in elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Global(pub u64);

/// 0-based index into one rank's local array along one dimension, in elements.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Local(pub u64);
