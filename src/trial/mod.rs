//! Traces and trials of a program's calls. A trace writes a line for each call, or a report of the whole run. In a
//! trial, reblock and ScaLAPACK both make each call, and the report compares them.
//!
//! The ledger counts calls by their [`CallShape`]s. When the program ends, the ranks add up their counts, and one rank
//! writes the [`Report`]. The command `reblock` reads reports with the same code, built without MPI.

mod call_shape;
mod chance;
#[cfg(feature = "mpi")]
mod compare;
mod ledger;
#[cfg(feature = "mpi")]
mod line;
mod options;
mod origin;
#[cfg(feature = "mpi")]
mod pairing;
#[cfg(feature = "mpi")]
mod peak;
#[cfg(feature = "mpi")]
mod preparation;
mod program_arrays;
#[cfg(feature = "mpi")]
mod progress;
mod quantiles;
mod report;
#[cfg(feature = "mpi")]
mod report_writer;
#[cfg(feature = "mpi")]
mod rounding;
mod run;
#[cfg(feature = "mpi")]
mod run_end;
mod statistics;
mod table;
mod timeline;
#[cfg(feature = "mpi")]
mod trace;
mod traced_job;
mod units;
mod verdict;
mod versus;

pub use call_shape::{CallLayout, CallShape};
#[cfg(feature = "mpi")]
pub(crate) use compare::{Columns, Difference, difference};
pub(crate) use ledger::{Measured, ledger};
pub use options::{ROUTINES, TraceOptions, Trial};
pub use origin::{Cores, Node, Origin, is_launcher, launch_of_process, now};
#[cfg(feature = "mpi")]
pub(crate) use pairing::{Obstacle, Pairing};
#[cfg(feature = "mpi")]
pub(crate) use peak::measure_growth;
#[cfg(feature = "mpi")]
pub(crate) use preparation::Preparation;
pub use program_arrays::ProgramArrays;
#[cfg(feature = "mpi")]
pub(crate) use progress::print_progress;
pub use quantiles::Quantiles;
pub use report::{Entry, Report};
#[cfg(feature = "mpi")]
pub(crate) use report_writer::{ensure_own_report, ensure_report, set_aside};
#[cfg(feature = "mpi")]
pub(crate) use rounding::{ResultRelation, Rounding};
pub use run::{Run, free_names, numbered_name};
#[cfg(feature = "mpi")]
pub(crate) use run_end::show_report;
pub use statistics::{Scheduled, Statistics, Transports, Ways};
pub use table::table;
pub use timeline::RankCall;
#[cfg(feature = "mpi")]
pub(crate) use trace::{Trace, record_own, transports};
pub use traced_job::{Made, TracedJob};
pub use units::{bytes, count_text, duration};
pub use verdict::{Verdict, percent};
pub use versus::Versus;
