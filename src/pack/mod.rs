//! HOW do bytes get in and out of local arrays?
//!
//! One kernel copies a rectangle between two column-major arrays; a message buffer is the special case of an array
//! without gaps. This folder knows bytes and positions; it never knows ranks, types beyond their size, or MPI.
//!
//! ```text
//! array → rectangle → column (list of runs, families of short runs) → runs · short → block
//! ```
#![allow(unsafe_code)]

mod ahead;
mod array;
mod block;
mod column;
mod rectangle;
mod runs;
mod short;
mod stage;

pub use array::{Destination, Owned, Reader, Shape, Source, copy};
