//! Arrays of any dimension with HPF-like layouts: processor arrangements, templates, maps, plans, moves and files.
//!
//! In every collective call, the ranks agree before anything is written. A call that fails on one rank fails on all
//! ranks of its communicator with the same code. Such a call changes nothing, with few exceptions: the target may be
//! half written after a failure of MPI, a failed copy in a device's memory ([`Code::Device`]) or a panic, or if a file
//! changes while it is loaded. The next call works, except after a failure of MPI or a panic in the middle of a call:
//! then all later calls on the communicator fail with [`Code::Broken`]. No call ends the job.
//!
//! ```no_run
//! # use reblock::arrays::{Failure, Map, move_section, Side};
//! # use reblock::mpi::Comm;
//! # fn example(comm: &Comm) -> Result<(), Failure> {
//! // 100 x 100 x 100 elements, in pencils along the first axis, and then along the last axis.
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
//! | move arrays | [`move_section`]; with an explicit plan: [`Plan::create`], [`Plan::execute`], [`Plan::start`] |
//! | fill shadows, or add their values to the owners' elements | [`Plan::shadow`] |
//! | combine moved elements with those of the target | [`Update`] |
//! | save and load arrays | [`save()`], [`load()`]; [`report_progress`] |
//!
//! ```text
//! procs → template → map → plan → transfer → request
//!                     └─ array → redistribute
//! ```

// The files of this folder.
//
// | file | contents |
// |---|---|
// | `procs`, `template`, `distribute`, `map` | declarations: arrangements, templates and their formats, maps |
// | `plain`, `blacs`, `boxes` | maps from extents and block sizes, from ScaLAPACK descriptors, from boxes with owners |
// | `format`, `same` | inquiries: the format of one axis; equality and keys of maps |
// | `owners` | `INDIRECT` axes: collects the owners of indices from the ranges that ranks give |
// | `rendezvous`, `handover`, `dereference` | `INDIRECT` axes if each process knows only its own indices |
// | `options`, `end`, `kinds`, `plan` | plans: options, source and target, arguments of each kind, the plan |
// | `planning`, `draft`, `create`, `node` | collective planning: driver, moves and their entry points, node memory |
// | `seat`, `places` | position of a local array in its storage; relabelling of the target's ranks |
// | `reverse`, `explain` | the reverse plan, from target to source; a plan as JSON |
// | `shadow` | exchange of shadows, and their combination with the owners' elements |
// | `irregular` | gather and scatter by lists of indices |
// | `moves` | moves whose plans the library keeps |
// | `shift`, `boundary` | shifts as several plans, and the boundary value of end-off shifts |
// | `operands`, `parts` | source, destination and update of each array of a call; the parts of a shift |
// | `transfer`, `needs`, `last_call` | state machine of a call, its channels, and the state that a repeated call reuses |
// | `request` | transfers in progress while the program computes |
// | `array`, `redistribute`, `filled` | arrays with storage, and `REDISTRIBUTE` and `REALIGN`, which move them |
// | `file`, `save`, `load`, `npy`, `progress` | arrays in `.npy` files |
// | `scope`, `names` | names and directives of HPF |
// | `update` | combinations of moved elements with those of the target |
// | `slices`, `vectors`, `filling` | slices and vectors of Rust programs as local arrays |

mod array;
mod blacs;
mod boundary;
mod boxes;
mod create;
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
mod kinds;
mod last_call;
mod load;
mod map;
mod moves;
#[cfg(feature = "text")]
mod names;
mod needs;
mod node;
pub(crate) mod npy;
mod operands;
mod options;
mod owners;
mod parts;
mod places;
mod plain;
mod plan;
mod planning;
mod procs;
mod progress;
mod redistribute;
mod rendezvous;
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

pub use crate::pack::Element;
pub use crate::plan::rank_plan::Volume;
pub use crate::scalapack::Descriptor;
pub use array::Array;
pub(crate) use blacs::matrix_template;
pub(crate) use boxes::boxes_map;
#[doc(inline)]
pub use reblock_plan::layout::mapping::{Align, BoxList, Format, LocalAxis, Range, Rest};

pub use boxes::Whereabouts;
pub use dereference::dereference;
pub(crate) use dereference::dereference_elements;
pub use end::Side;
pub(crate) use operands::MoveOperands;

pub use crate::collective::failure::{Code, Failure};
pub use file::{Filed, Loaded, Saved};
pub use filling::Filling;
pub use format::AxisFormat;
pub use irregular::LineShifts;
pub(crate) use irregular::{ListArguments, ListDirection};
pub use load::load;
pub use map::{Map, PartAxis};
pub(crate) use moves::move_if;
pub use moves::{move_section, move_section_update};

pub use options::Options;
pub(crate) use plain::agreed_map;
pub use plan::Plan;
pub use procs::Procs;
pub use progress::{ProgressFunction, report_progress};
pub use redistribute::{fail_realign, fail_redistribute, realign, redistribute};

pub(crate) use kinds::{IncomingValues, Shift};
pub(crate) use request::{Request, check_none_open};
pub use save::save;
#[cfg(feature = "text")]
pub use scope::Scope;
pub use seat::Seat;
pub use shadow::Shadow;
pub(crate) use shadow::shadow_plan;
pub use slices::Load;
pub use template::Template;
pub(crate) use transfer::execute;
pub(crate) use update::update_of;
pub use update::{Combine, Numeric, Update};
pub use vectors::{Given, Moving, MovingMany, Vectors};
