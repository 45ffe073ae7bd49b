//! HOW do bytes get in and out of local arrays?
//!
//! One kernel copies a rectangle between two column-major arrays; a message buffer is the special case of an array
//! without gaps. This folder knows bytes and positions; it never knows ranks, types beyond their size, or MPI.
#![allow(unsafe_code)]

mod array;
mod kernel;

pub use array::{Destination, Owned, Shape, Source, copy};
