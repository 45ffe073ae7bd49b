//! reblock moves distributed arrays from one layout to another over MPI.
//!
//! Programs in Rust use three modules: [`hpf`] (layouts of arrays, plans, moves, files), [`job`] (jobs that get and give back processes
//! while they run) and [`mpi`] ([`mpi::Comm`], the communicator that both take). As a shared library reblock also replaces ScaLAPACK's
//! `p?gemr2d`, `p?trmr2d`, `p?tran`, `p?geadd`, `p?tradd` and `p?lacpy`; programs in C, C++, Fortran and Python have the same arrays.
//!
//! ```no_run
//! use reblock::arrays::{Failure, Map, Options, Plan, Side};
//! use reblock::mpi::Comm;
//!
//! /// Moves a matrix of 1000 rows from blocks of rows to blocks of columns; each element is the rank that had it.
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
//! Arrays are stored column by column, as in Fortran. A call that fails on one rank fails on all of them with the same code, and changes
//! nothing. The folder `examples` has whole programs.
//!
//! # With rsmpi
//!
//! reblock takes the communicators of [rsmpi](https://docs.rs/mpi) (the crate `mpi`). Both must be built with the same MPI, which
//! `MPICC` names for both:
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
//! The build calls the MPI's C compiler: `mpicc`, or the command that the environment variable `MPICC` names. libclang is not needed.
//! Without MPI, `default-features = false` leaves the modules that plan: layouts, schedules and messages, for tools and simulations.
//!
//! # How it works
//!
//! Data passes through the modules once, in one direction:
//!
//! ```text
//! layout → overlap → problem → schedule → plan → planned → exec (with pack and transport) → travel → scalapack, hpf, job → abi
//! ```
//!
//! | module | question |
//! |---|---|
//! | [`layout`] | WHERE does each element live? |
//! | [`overlap`] | WHICH elements does a pair of processes exchange, along one dimension? |
//! | [`mapping`] | WHICH layout does a program declare, in HPF's terms? |
//! | [`text`] | WHAT does a line of HPF say? Parsed and printed |
//! | [`problem`] | WHAT is to be moved? Validated, without pointers, equal on all ranks |
//! | [`relabel`] | ON WHICH ranks should the target's places lie, so that most data stays where it is? |
//! | [`schedule`] | IN WHICH ORDER do messages go? |
//! | [`plan`] | what does this rank send, receive and copy? |
//! | [`pack`] | HOW do bytes get in and out of local arrays? |
//! | [`transport`] | HOW do messages travel? |
//! | [`budget`], `held` | how much memory may buffers take, and how much do they? |
//! | `crew` | who packs, unpacks and copies: one thread, or several? |
//! | [`planned`] | how does this rank do its part, on this machine? |
//! | `exec` | carries legs out: plan, pack and transport meet here |
//! | `agreement` | do all ranks make the same call, and what do some have to learn? |
//! | `travel` | carries redistributions out, leg by leg |
//! | `session` | what is kept between calls, and what is in progress, as attributes of the program's communicators |
//! | [`topology`] | ON WHICH grid should a number of processes be arranged? |
//! | `npy` | WHERE in a file does each element live? |
//! | `digest` | which number stands for a value, for ranks to compare? |
//! | [`settings`] | what the environment asks for |
//! | `scalapack` | an interface: what ScaLAPACK's callers ask for, and how it passes through the modules |
//! | [`hpf`] | an interface: what programs declare in HPF's terms, and what they ask for |
//! | [`job`] | an interface: how does a job change its number of ranks, and move its data? |
//! | `error`, `stderr`, `one_line` | WHY can a call not be carried out? HOW does reblock speak to the user? |
//! | `waiting`, `patience` | HOW does a rank wait for others, and WHEN does it say so? |
//! | [`mpi`], `blacs` | thin layers over the program's MPI and BLACS |
//! | [`trial`] | traces and trials: what a user can turn on to measure reblock on a job |
//! | `abi` | what C and Fortran call; nothing imports it |
//!
//! Programs in Rust use [`hpf`] and [`job`]. The modules that plan are public for the command `reblock` and the benchmarks, and
//! some types of the others for the programs that must not compile (`tests/refused`). `tests/public_items.txt` lists what is
//! public.
//!
//! Planning (the modules from `layout` to `plan`) is pure: no MPI, no clock, no pointers. Without the feature `mpi`, only
//! modules that do not need MPI are built. `unsafe` is in `pack`, `mpi`, `blacs`, `transport::shm` and `abi` only.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_possible_wrap, clippy::cast_sign_loss)
)]
// Without MPI nothing carries plans out.
#![cfg_attr(not(feature = "mpi"), allow(dead_code, unused_imports))]

#[cfg(feature = "mpi")]
pub mod arrays;
#[cfg(feature = "mpi")]
pub(crate) mod collective;
mod exec;
#[cfg(feature = "mpi")]
pub(crate) mod ffi;
pub mod layout;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod pack;
pub mod plan;
#[cfg(feature = "mpi")]
pub mod resize;
pub(crate) mod runtime;
#[cfg(feature = "mpi")]
mod scalapack;
pub mod schedule;
pub mod system;
pub mod transport;
#[cfg(feature = "trial")]
pub mod trial;

/// Former name of [`arrays`].
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use arrays as hpf;
/// Former name of [`resize`].
#[cfg(feature = "mpi")]
#[doc(hidden)]
pub use resize as job;
