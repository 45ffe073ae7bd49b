//! The HPF interface in C: pointers and integers in, calls of [`crate::hpf`] out, codes back.
//!
//! Every function returns REBLOCK_OK or the code of a failure, of which [`super::outcome::reblock_message`] has the text. A
//! function that is collective is called by all ranks of the communicator that it names, and returns the same code on all.

mod array;
mod declared;
mod dereference;
mod execute;
mod file;
mod grid;
mod inquire;
mod map;
mod plan;
mod procs;
mod template;
#[cfg(feature = "text")]
mod text;

use super::handles::{self, Handled};
use crate::hpf::{self, Failure, refuse};
use std::sync::Arc;

/// A processor arrangement.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_procs;
/// A template.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_template;
/// A map: which element of an array is where.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_map;
/// A plan: how an array is moved.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_plan;
/// A request: a non-blocking move that has been started.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_request;
/// An array whose storage reblock owns.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_array;

/// A scope: names, and the objects for which they stand.
#[allow(non_camel_case_types, reason = "names in C")]
pub struct reblock_scope;

/// The object of a handle.
pub(super) fn object<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    handles::get(handle.cast())
}

/// The object of a handle that a collective call is about. Where it is none, other ranks may be waiting for this one: it
/// takes part in their call, which fails for all of them then.
fn collective<T: Handled, H>(handle: *const H) -> Result<T, Failure> {
    object(handle).map_err(refuse)
}

type Template = Arc<hpf::Template>;
pub(super) type Map = Arc<hpf::Map>;
