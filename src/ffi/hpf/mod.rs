//! C functions for arrays: convert pointers and integers to calls of [`crate::arrays`], and results to codes.
//!
//! Every function returns REBLOCK_OK or the code of a failure; [`super::outcome::reblock_message`] returns its text. A
//! collective function is called by all ranks of a communicator, and returns the same code on all of them.

mod array;
pub(super) mod boxes;
mod dereference;
mod distribute;
mod execute;
pub(super) mod file;
mod format;
mod grid;
mod inquire;
pub(super) mod irregular;
pub(super) mod lines;
pub(super) mod map;
pub(super) mod moves;
pub(super) mod options;
pub(super) mod plain;
pub(super) mod plain_text;
pub(super) mod plan;
pub(super) mod procs;
mod redistribute;
mod request;
mod reverse;
mod same;
pub(super) mod shadow;
pub(super) mod shift;
mod template;
pub(super) mod text;
pub(super) mod update;

use super::handles::{self, Handled};
use crate::arrays;
use crate::collective::failure::Failure;
use crate::collective::refuse::refuse;
use std::sync::Arc;

pub(super) use super::objects::{
    reblock_array, reblock_map, reblock_plan, reblock_procs, reblock_request, reblock_scope, reblock_template,
};

pub(super) fn object<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    handles::get(handle.cast())
}

/// Returns the object of a handle in a collective call over the object's communicator. If the handle is invalid, this
/// rank takes part in the call of the ranks that may be waiting for it, which then fails on all ranks.
fn collective<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    object(handle).map_err(refuse)
}

type Template = Arc<arrays::Template>;
pub(super) type Map = Arc<arrays::Map>;
