//! Kernels that copy elements between local arrays and message buffers.
//!
//! Most kernels copy a product of index sets between two arrays of any number of dimensions. A message buffer is an
//! array without gaps. `gather` writes an array from several sources, and `rows` copies rows by lists of row numbers.
//! This folder has no ranks, no MPI, and no element types except in updates.
//!
//! A local array ([`Source`], [`Destination`]) is a shape and a memory. `backend` checks indices against shapes and
//! passes addresses to kernels. All other files work with shapes only or, as kernels, with addresses only.
//!
//! ```text
//! backend → nest (loops) → rectangle → column (list of runs, families of short runs) → runs · short → block
//!                                    → listed (irregular runs, as the plan stores them)          → block
//!                        → tiled (source and destination contiguous along different dimensions; updates)
//!                                 → tile → transpose (in registers) → block
//!                                        → combine (updates of rows of numbers)
//!         → copy_runs (a few runs, as a list) → runs → block
//!                                             → combine
//!         → rows                         → block · combine
//!         → gather                       → block
//!         → device (arrays in the memory of a GPU, with their own kernels)
//! ```
#![allow(unsafe_code)]

mod arithmetic;
mod array;
mod backend;
mod block;
mod column;
mod combine;
mod copy_runs;
mod gather;
mod instructions;
mod level;
mod listed;
#[cfg(test)]
mod naive;
mod nest;
mod owned;
pub(crate) mod place;
mod portion;
mod prefetch;
mod rectangle;
mod rows;
mod runs;
mod short;
mod slice;
mod square;
mod stage;
mod tile;
mod tiled;
mod transpose;
mod untouched;
mod update;
mod uses;
mod view;

pub use array::{Destination, Footprint, Source};
pub use backend::{BufferReader, LineInput, copy};
pub(crate) use backend::{DevicePart, MessageMemory, PackRoom, Packed, Selection, copy_runs};
pub use copy_runs::CopyRuns;
pub use gather::{GatherLine, LineBuilder};

pub use crate::layout::strides::Shape;
pub use owned::OwnedArray;
pub(crate) use portion::Portion;
pub use rows::{RowNumbers, RowPairs, RowPart, RowTargets};

pub(crate) use slice::in_place;
pub use slice::{Element, Loan};
pub(crate) use slice::{bytes_of, elements_of, elements_to_read};
pub use update::{Combine, Number, Scalar, Update};
pub(crate) use uses::Uses;
