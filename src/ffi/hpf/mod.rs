//! C functions for arrays: convert pointers and integers to calls of [`crate::arrays`], and results to codes.
//!
//! Every function returns REBLOCK_OK or the code of a failure; [`super::outcome::reblock_message`] has the text. All
//! ranks of the named communicator call a collective function, and it returns one code on all of them.

mod array;
mod boxes;
mod dereference;
mod distribute;
mod execute;
mod file;
mod format;
mod grid;
mod inquire;
mod irregular;
mod lines;
mod map;
mod moves;
mod options;
mod plain;
#[cfg(feature = "text")]
mod plain_text;
mod plan;
mod procs;
mod redistribute;
mod request;
mod reverse;
mod same;
mod shadow;
mod shift;
mod template;
#[cfg(feature = "text")]
mod text;
mod update;

use super::handles::{self, Handled};
use crate::arrays;
use crate::collective::failure::Failure;
use crate::collective::refuse::refuse;
use std::sync::Arc;

pub(super) use super::objects::{
    reblock_array, reblock_map, reblock_plan, reblock_procs, reblock_request, reblock_scope, reblock_template,
};

/// Returns the object of a handle.
pub(super) fn object<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    handles::get(handle.cast())
}

/// Returns the object of the handle that names the communicator of a collective call. If the handle is invalid, other
/// ranks may be waiting for this one: it then takes part in their call, which fails on all ranks.
fn collective<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    object(handle).map_err(refuse)
}

type Template = Arc<arrays::Template>;
pub(super) type Map = Arc<arrays::Map>;
