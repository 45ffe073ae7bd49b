//! The interface for HPF-like compilers and for programs with arrays of any dimension: processor arrangements, templates,
//! maps, plans, arrays.
//!
//! A program declares its layouts as a [`mapping`](crate::layout::mapping). Here the mapping gets a communicator, and ranks agree on every
//! collective call before anything is written. A call that fails on one rank fails on all ranks of its communicator, with the same
//! code; it changes nothing, and the next call works. No call ends the job.
//!
//! ```no_run
//! # use reblock::arrays::{Failure, Map, move_section, Side};
//! # use reblock::mpi::Comm;
//! # fn example(comm: &Comm) -> Result<(), Failure> {
//! // 100 x 100 x 100 elements, in pencils along the first axis, and then along the last one.
//! let first = Map::from_text(comm, &[100; 3], "(*, BLOCK, BLOCK) ONTO P(2, 2)")?;
//! let last = Map::from_text(comm, &[100; 3], "(BLOCK, BLOCK, *) ONTO P(2, 2)")?;
//! let source = vec![1.5_f32; first.elements()? as usize];
//! let mut target = vec![0.0; last.elements()? as usize];
//! // The library keeps the plan of the move for the next call.
//! move_section(comm, Side::whole(&first), Side::whole(&last), size_of::<f32>(), &source, &mut target)?;
//! # Ok(())
//! # }
//! ```
//!
//! | to | begin with |
//! |---|---|
//! | describe a layout | [`Map::from_text`], [`Map::block_cyclic`]; step by step: [`Procs`], [`Template`], [`Map`] |
//! | move arrays | [`move_section`]; with a plan of the program's own: [`Plan::create`], [`Plan::execute`], [`Plan::start`] |
//! | fill shadows, or add them to what they show | [`Plan::shadow`] |
//! | combine elements with those that are there | [`Update`] |
//! | save and load arrays | [`save`], [`load`] |
//!
//! ```text
//! procs → template → map → plan → transfer → request
//!                     └─ array → redistribute
//! ```

// What the files of this folder are for.
//
// | file | the question it answers |
// |---|---|
// | `procs`, `template`, `map` | what did the program declare? |
// | `plain` | which map do extents, processes and block sizes mean? |
// | `boxes` | which map do boxes and their owners mean, and who shares what between boxes? |
// | `format` | how is an axis distributed, as a program sees it? |
// | `owners` | who owns which indices, if each rank gives the owners of a part? |
// | `rendezvous`, `handover`, `dereference` | who owns an index, if each process knows only its own? |
// | `end`, `draft`, `plan`, `seat`, `options`, `places` | how does one array get from one map to another? |
// | `reverse` | how does it get back? |
// | `shadow` | how do shadows get what they show, and how are owners' elements combined with them? |
// | `irregular` | how do elements get to the ranks that name them by lists of indices, and back? |
// | `moves` | which plans does the library keep? |
// | `same` | do two maps mean the same? |
// | `shift`, `boundary` | which plans is a shift made of, and what comes in where nothing is moved to? |
// | `cargo`, `parts` | may arrays travel? |
// | `transfer` | when have they arrived? |
// | `request` | what travels while the program does other things? |
// | `array`, `redistribute` | which arrays move when a template changes? |
// | `filled` | which of them have their shadows filled then? |
// | `file`, `save`, `load` | how does an array get into a file, and out of it? |
// | `explain` | what was planned? |
// | `blacs` | which map is a ScaLAPACK descriptor? |
// | `scope`, `names` | what do directives stand for? |
// | `update` | what becomes of elements that are not just copied? |
// | `filling` | what is carried out in one array of a Rust program? |
// | `slices` | how do slices travel? |
// | `vectors` | how do vectors travel while the program does other things? |
// | `failure` | why was nothing done? |

mod array;
mod blacs;
mod boundary;
mod boxes;
mod cargo;
mod dereference;
mod distribute;
mod draft;
mod end;
mod explain;
mod file;
mod filled;
mod filling;
mod format;
mod handover;
mod irregular;
mod load;
mod map;
mod moves;
#[cfg(feature = "text")]
mod names;
mod needs;
pub(crate) mod npy;
mod options;
mod owners;
mod parts;
mod places;
mod plain;
mod plan;
mod procs;
mod redistribute;
mod rendezvous;
mod repeat;
mod request;
mod reverse;
mod same;
mod save;
#[cfg(feature = "text")]
mod scope;
mod seat;
mod shadow;
mod shift;
mod slices;
mod template;
mod transfer;
mod update;
mod vectors;

pub use crate::plan::planned::Volume;
pub use crate::scalapack::Descriptor;
pub use array::Array;
pub(crate) use blacs::dealt;
pub(crate) use boxes::boxes_map;

pub(crate) use cargo::Cargo;
pub(crate) use dereference::dereference_elements;
pub use dereference::{Whereabouts, dereference};
pub use end::Side;

pub use crate::collective::failure::{Code, Failure};
pub use file::{Filed, Loaded, Saved};
pub use filling::Filling;
pub use format::AxisFormat;
pub use irregular::LineShifts;
pub(crate) use irregular::{Direction, Given as GivenList};
pub use load::load;
pub use map::{Map, PartAxis};
pub(crate) use moves::moved;
pub use moves::{move_section, move_section_update};

pub use options::Options;
pub(crate) use plain::agreed_map;
pub use plan::Plan;
pub use procs::Procs;
pub use redistribute::{realign, realign_not, redistribute, redistribute_not};

pub(crate) use request::{Request, none_open};
pub use save::save;
#[cfg(feature = "text")]
pub use scope::Scope;
pub use seat::Seat;
pub use shadow::Shadow;
pub(crate) use shadow::shadow_plan;
pub(crate) use shift::{Incoming, Shift};
pub use slices::Load;
pub use template::Template;
pub(crate) use transfer::execute;
pub(crate) use update::update_of;
pub use update::{Combine, Numeric, Update};
pub use vectors::{Given, Moving, MovingMany, Vectors};
