//! WHAT do handles stand for? C knows these types by name only.
#![allow(non_camel_case_types, reason = "names in C")]

/// A processor arrangement.
pub struct reblock_procs;
/// A template.
pub struct reblock_template;
/// A map: which element of an array is where.
pub struct reblock_map;
/// A plan: how an array is moved.
pub struct reblock_plan;
/// A request: a non-blocking move that has been started.
pub struct reblock_request;
/// An array whose storage reblock owns.
pub struct reblock_array;
/// A scope: names, and the objects for which they stand.
pub struct reblock_scope;
/// A job that can change its number of ranks.
pub struct reblock_job;
