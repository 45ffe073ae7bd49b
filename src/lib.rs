//! reblock moves distributed arrays from one layout to another over MPI.
//!
//! Programs in Rust use three modules: [`arrays`] (layouts of arrays, plans, moves, files), [`resize`] (jobs that grow
//! and shrink while they run) and [`mpi`] (only [`mpi::Comm`], the communicator that both take). As a shared library,
//! reblock also replaces ScaLAPACK's `p?gemr2d`, `p?trmr2d`, `p?tran`, `p?geadd`, `p?tradd` and `p?lacpy`. Programs in
//! C, C++, Fortran and Python have the interface of arrays, too.
//!
//! ```no_run
//! use reblock::arrays::{Failure, Map, Options, Plan, Side};
//! use reblock::mpi::Comm;
//!
//! /// Moves a matrix of 1000 rows from blocks of rows to blocks of columns. Each element holds the rank that sent it.
//! fn columns(world: &Comm) -> Result<Vec<f64>, Failure> {
//!     let extents = [1000, 600];
//!     let from = Map::from_text(world, &extents, "(BLOCK, *)")?;
//!     let to = Map::from_text(world, &extents, "(*, CYCLIC(8))")?;
//!     let plan = Plan::create(world, Side::whole(&from), Side::whole(&to), size_of::<f64>(), &Options::default())?;
//!     let source = vec![f64::from(world.rank()?); from.elements()? as usize];
//!     let mut target = vec![-1.0; to.elements()? as usize];
//!     plan.execute(&source, &mut target)?; // as often as needed, for any arrays of these layouts
//!     Ok(target)
//! }
//!
//! # unsafe extern "C" {
//! #     fn MPI_Init(argc: *mut std::ffi::c_int, argv: *mut *mut *mut std::ffi::c_char) -> std::ffi::c_int;
//! #     fn MPI_Finalize() -> std::ffi::c_int;
//! # }
//! # fn initialize() { unsafe { MPI_Init(std::ptr::null_mut(), std::ptr::null_mut()); } }
//! # fn finalize() { unsafe { MPI_Finalize(); } }
//! fn main() {
//!     initialize(); // MPI, by any binding: reblock neither initializes nor finalizes it
//!     let target = columns(&Comm::world()).expect("the layouts are valid");
//!     assert!(target.chunks(1000).all(|column| column.is_sorted() && column[0] == 0.0));
//!     finalize();
//! }
//! ```
//!
//! By default, arrays are stored column by column, as in Fortran. A call that fails on one rank fails on all ranks with
//! the same code, and changes nothing. The folder `examples` has whole programs.
//!
//! # With rsmpi
//!
//! reblock takes the communicators of [rsmpi](https://docs.rs/mpi) (the crate `mpi`). Both crates must be built with
//! one MPI, which the environment variable `MPICC` selects:
//!
//! ```ignore
//! use mpi::traits::{AsRaw, Communicator};
//! use reblock::arrays::Map;
//! use reblock::mpi::Comm;
//!
//! fn main() {
//!     let universe = mpi::initialize().expect("MPI starts once");
//!     let world = universe.world();
//!     // SAFETY: the communicator is not freed while `comm`, or anything made with it, is in use.
//!     let comm = unsafe { Comm::from_handle(world.as_raw().0) };
//!     let map = Map::from_text(&comm, &[1000, 600], "(BLOCK, *)").expect("a valid layout");
//!     println!("rank {} has {} elements", world.rank(), map.elements().expect("a map of this process"));
//! }
//! ```
//!
//! # Building
//!
//! The build calls MPI's C compiler: `mpicc`, or the command that the environment variable `MPICC` names. libclang is
//! not needed. Tools and simulations that plan without MPI use the crate [`reblock_plan`].
//!
//! # How it works
//!
//! The planner (layouts, schedules, messages) is a crate of its own, [`reblock_plan`]. This table lists the top-level
//! modules of this crate, lowest first. A module imports only the planner and modules in rows above its own.
//! `tests/layers` checks this against the table:
//!
//! | module | contents |
//! |---|---|
//! | `system` | settings, memory limits, worker threads, lines of output, NVIDIA's driver |
//! | [`mpi`] | a thin layer over the program's MPI and BLACS |
//! | `pack` | kernels that copy strided runs in and out of messages |
//! | `transport` | ways for messages to travel: MPI, shared memory of a node, XPMEM |
//! | `plan` | a rank's plan: the planner's messages, with everything that their execution needs |
//! | `exec` | execution of a plan: packing and transport meet here |
//! | `runtime` | sessions kept per communicator, setup of a node's shared memory, agreement of ranks, waiting |
//! | `collective` | collective calls of the interfaces: all ranks make the same call, or get the same failure |
//! | `trial` | traces of calls, trials beside ScaLAPACK, and their report |
//! | `scalapack` | interface: ScaLAPACK's routines |
//! | [`arrays`] | interface: arrays of any dimension, HPF's directives, files |
//! | [`resize`] | interface: jobs that grow and shrink |
//! | `ffi` | entry points for C and Fortran; `build/entries.rs` writes those of ScaLAPACK's routines |
//!
//! The sources of `crate::layout`, `crate::schedule` and `system::{budget, digest, machine}` are in `planner/src`. The
//! folders `ffi/hpf` and `ffi/job`, whose names are older, have the C interfaces of [`arrays`] and [`resize`]. The
//! command `reblock` is in `src/bin/reblock`; its `main.rs` lists its files.
//!
//! A call from C or Fortran enters through `ffi`. An interface checks the call's arguments and agrees on the call with
//! the other ranks (`collective`, `runtime`). The planner computes which elements each pair of ranks shares and orders
//! the messages, `plan` has this rank's messages, and `exec` carries them out.
//!
//! `tests/public_items.txt` lists all public items. The feature `internals` makes more modules public, for the command
//! `reblock`, the benchmarks, and programs that must not compile (`tests/refused`).
//!
//! Without the feature `mpi`, only modules that do not need MPI are built. Apart from tests, `unsafe` is only in
//! `system::room`, `system::cuda`, `mpi`, `pack`, `transport::shm`, `scalapack::raw`, `scalapack::trial` and `ffi`.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]
// Without MPI no code executes plans, so `exec`, `pack` and `transport` are partly unused.
#![cfg_attr(not(feature = "mpi"), allow(dead_code, unused_imports))]
// Without `internals`, sealed public traits of `arrays` name types of private modules.
#![cfg_attr(not(feature = "internals"), allow(unnameable_types))]

#[cfg(feature = "mpi")]
pub mod arrays;
#[cfg(feature = "mpi")]
mod collective;
mod exec;
#[cfg(feature = "mpi")]
mod ffi;
#[cfg(feature = "mpi")]
pub mod mpi;
#[cfg(not(feature = "internals"))]
mod pack;
#[cfg(feature = "internals")]
pub mod pack;
#[cfg(not(feature = "internals"))]
mod plan;
#[cfg(feature = "internals")]
pub mod plan;
#[cfg(feature = "mpi")]
pub mod resize;
mod runtime;
#[cfg(feature = "mpi")]
mod scalapack;
#[cfg(not(feature = "internals"))]
mod system;
#[cfg(feature = "internals")]
pub mod system;
#[cfg(not(feature = "internals"))]
mod transport;
#[cfg(feature = "internals")]
pub mod transport;
// The command `reblock` reads reports and judges trials; the library itself only writes reports.
#[cfg(all(feature = "trial", not(feature = "internals")))]
#[allow(dead_code, unused_imports)]
mod trial;
#[cfg(all(feature = "trial", feature = "internals"))]
pub mod trial;

#[cfg(not(feature = "internals"))]
use reblock_plan::{layout, schedule};
#[cfg(feature = "internals")]
pub use reblock_plan::{layout, schedule};

/// Former name of [`arrays`].
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use arrays as hpf;
/// Former name of [`resize`].
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use resize as job;
