//! The HPF interface in C: pointers and integers in, calls of [`crate::arrays`] out, codes back.
//!
//! Every function returns REBLOCK_OK or the code of a failure, of which [`super::outcome::reblock_message`] has the text. A
//! function that is collective is called by all ranks of the communicator that it names, and returns the same code on all.

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

/// The object of a handle.
pub(super) fn object<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    handles::get(handle.cast())
}

/// The object of a handle that a collective call is about. Where it is none, other ranks may be waiting for this one: it
/// takes part in their call, which fails for all of them then.
fn collective<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    object(handle).map_err(refuse)
}

type Template = Arc<arrays::Template>;
pub(super) type Map = Arc<arrays::Map>;
