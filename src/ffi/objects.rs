//! Incomplete types of the objects behind handles.
#![allow(non_camel_case_types, reason = "names in C")]

/// A processor arrangement: a grid of ranks of a communicator.
pub struct reblock_procs;
/// A template: an index space that is distributed over an arrangement.
pub struct reblock_template;
/// A map: the position of each element of an array.
pub struct reblock_map;
/// A plan: the description of a move.
pub struct reblock_plan;
/// A request: a non-blocking move that has been started.
pub struct reblock_request;
/// An array whose storage reblock owns.
pub struct reblock_array;
/// A scope: a table of the objects that HPF's directives have named.
pub struct reblock_scope;
/// A job that can change its number of ranks.
pub struct reblock_job;
