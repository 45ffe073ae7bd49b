//! Index sets that a source and a destination process share along one dimension.
//!
//! Source and destination distribute the same section differently. The indices that source process `p` and destination
//! process `q` share form a periodic set, stored as [`Runs`]: families of equal runs at equal distances. Only irregular
//! owners need lists of runs. All files of this folder except `boxes` handle one dimension at a time.

mod blocks;
mod boxes;
mod builder;
mod comb;
mod cyclic;
mod dimension;
mod division;
mod families;
mod family;
mod list;
mod merge;
mod paired;
mod periodic;
mod process_set;
mod rounds;
mod runs;
mod set;
mod side;
mod singles;

pub use boxes::{Boxes, each_pair, intersect_boxes};
pub use builder::Builder;
pub use comb::inverse;
pub use dimension::Overlap;
pub use family::Family;
pub use list::{ListSlice, Narrow, NarrowLens};
pub use runs::{Runs, Slice};
pub use side::{runs_of, stretches};
