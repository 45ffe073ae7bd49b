//! Jobs that grow and shrink while they run (Sudarsan and Ribbens 2007, sections 3.1 to 3.3).
//!
//! At resize points, which the program chooses, a policy decides on the number of ranks. Processes join or leave, and
//! all registered data moves to the new set of ranks. A resize that fails on one rank fails on all ranks, and the job
//! continues unchanged. A process that joins runs the same program from its start; the arrays and values that it
//! registers already have their contents. The first ranks stay until the job ends. Ranks that joined last leave first,
//! unless the program names others.
//!
//! ```no_run
//! # use reblock::arrays::{Failure, Map};
//! # use reblock::resize::{Job, Options, Outcome, of_environment};
//! # use reblock::mpi::Comm;
//! # fn example(world: &Comm) -> Result<(), Failure> {
//! // The policy that REBLOCK_RESIZE names decides how many ranks there are.
//! let mut job = Job::start(world, Options { unit: 1, ..Options::default() }, of_environment()?)?;
//! // A process that joins gets map and elements from the job.
//! let map = if job.has_joined() { None } else { Some(Map::from_text(world, &[10_000], "(BLOCK)")?) };
//! let elements = map.as_ref().map_or(Ok(0), Map::elements)?;
//! let array = job.add_array(map.as_ref(), &vec![0.0; elements as usize])?;
//! let done = job.add_value(0_u32)?;
//! while done.get() < 100 {
//!     array.with(|local| local.iter_mut().for_each(|element| *element += 1.0));
//!     done.set(done.get() + 1);
//!     if job.step()? == Outcome::Leave {
//!         return Ok(());
//!     }
//! }
//! job.end()
//! # }
//! ```

// The files of this folder.
//
// | file | contents |
// |---|---|
// | `world`, `supply` | processes of a job, active and parked; the source of new ones |
// | `registry`, `variables` | registered arrays and values; traits for the program's memory |
// | `spans` | registered memory, and the check for overlaps |
// | `relocation` | moves of registered arrays from the old ranks to the new ones |
// | `grid` | process grid of the matrices |
// | `join_info` | message to ranks that join |
// | `members` | start of a job, joining, registration, end |
// | `meeting` | entry to the job's collective calls |
// | `step`, `decision`, `goal`, `transition` | resize point, decision of rank 0, its goal, and the steps of a resize |
// | `policy` | policies for the number of ranks |
// | `placement` | hosts of the ranks; the program's requests for ranks that start or leave |
// | `price`, `times` | cost of a resize by the model; durations of the last resize |
// | `rust` | vectors of Rust programs in a job |

mod decision;
mod goal;
mod grid;
mod join_info;
mod meeting;
mod members;
mod placement;
mod policy;
mod price;
mod registry;
mod relocation;
mod rust;
mod spans;
mod step;
mod supply;
mod times;
mod transition;
mod variables;
mod world;

use crate::arrays::Map;
use crate::collective::call::session;
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::count_text;
use crate::mpi::Comm;
use crate::runtime::session::Session;
use goal::OngoingResize;
pub use members::Begin;
pub use placement::Placement;
pub use policy::{File, List, MAX_RANKS, Now, Policy, Slurm, Stay, SweetSpot, of_environment, of_text};
pub use price::Price;
pub use registry::{DealtArray, JobGrid, Registered, Value};
pub use rust::{Array, Copied, Storage};
pub use spans::{Purpose, Span};
use std::sync::Arc;
use std::time::Instant;
pub use supply::{Spawn, Supply};
pub use times::Times;
pub use variables::{Allocate, Allocation, ArrayVariables, Formats, ValueVariable};
use world::World;

/// A job that can change its number of ranks, as seen by one process.
pub struct Job<M> {
    world: World,
    options: Options,
    /// Process grid of the registered matrices.
    grid: Option<JobGrid>,
    items: Vec<Registered<M>>,
    joined: bool,
    allocate: Box<Allocate<M>>,
    policy: Box<dyn Policy>,
    placement: Placement,
    /// Seconds of all iterations since the last resize point, and the number of iterations.
    logged: (f64, u32),
    /// End of the last resize point; before the first one, start of the job.
    since: Instant,
    times: Times,
    /// A size that could not be reached. It is not tried again until the policy requests another size.
    unreachable: Option<u32>,
    /// A resize whose constant arrays are moving.
    ongoing: Option<Box<OngoingResize<M>>>,
}

/// Options of a job. All ranks pass equal options.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// Maximum number of ranks that one spawn call adds. Ranks of one call leave together.
    pub unit: u32,
    /// Parks ranks that cannot leave until they are needed again. Otherwise a resize that would park ranks is refused.
    pub park: bool,
    /// Maximum ratio of the sides of the process grid. A resize takes the grid within this ratio that the matrices
    /// reach at the lowest cost. 0: always the grid that is as nearly square as possible.
    pub skew: u32,
}

/// One spawn call for all new ranks, no parking, and grids as nearly square as possible.
impl Default for Options {
    fn default() -> Self {
        Self { unit: u32::MAX, park: false, skew: 0 }
    }
}

/// Result of a resize point for the calling process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The job is unchanged.
    Same,
    /// The number of ranks has changed, and data has moved.
    Resized,
    /// A resize is in progress: constant arrays ([`Job::set_constant`]) move, and the ranks have not changed yet. The
    /// resize point that completes it returns [`Outcome::Resized`] or [`Outcome::Leave`].
    Moving,
    /// The process has left the job: it must call MPI_Finalize and end.
    Leave,
}

impl<M: Allocation> Job<M> {
    /// Returns whether this process joined a running job.
    pub fn has_joined(&self) -> bool {
        self.joined
    }

    /// Returns the communicator of the active ranks, which is valid until they change.
    pub fn comm(&self) -> Result<Comm<'_>, Failure> {
        self.world.active_comm()
    }

    /// Returns the number of active ranks.
    pub fn ranks(&self) -> u32 {
        self.world.active()
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        session(&self.comm()?)
    }

    /// Returns the durations of the last resize; zeros before the first one. Resize points without a resize keep them.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Records the seconds of an iteration on this rank. The policy receives their mean on the slowest rank.
    pub fn set_seconds(&mut self, seconds: f64) {
        self.logged = (self.logged.0 + seconds, self.logged.1 + 1);
    }

    /// Sets the policy. Only the policy of rank 0 is asked.
    pub fn set_policy(&mut self, policy: Box<dyn Policy>) {
        self.policy = policy;
    }

    /// Returns the hosts of the ranks, and the program's requests for hosts of new ranks and for ranks that leave.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// Returns the map of item number `k`, if it is an array.
    pub fn map(&self, k: usize) -> Option<&Map> {
        match self.items.get(k)? {
            Registered::Array(array) => array.map.as_ref(),
            Registered::Value(_) => None,
        }
    }

    fn check_no_resize(&self) -> Result<(), Failure> {
        let why = "a resize is under way: call reblock_job_step until it is over";
        self.ongoing.as_ref().map_or(Ok(()), |_| Err(Failure::new(Code::State, why)))
    }

    /// Checks without communication that the job can have `ranks` ranks. A resize may still fail, for example to start
    /// processes.
    pub fn can_resize(&self, ranks: impl Into<i64>) -> Result<(), Failure> {
        let ranks = size_of_job(ranks.into())?;
        self.check_no_resize()?;
        let total = self.world.roster().total();
        if ranks > total || self.options.park {
            return Ok(());
        }
        let sizes = self.world.roster().sizes();
        if sizes.contains(&ranks) {
            return Ok(());
        }
        let list: Vec<String> = sizes.iter().map(u32::to_string).collect();
        let why = format!(
            "the job cannot shrink to {}: processes of one spawn call leave together, and those of the first world do not leave; expected {}, or more than {total}, or the option park",
            count_text(ranks, "rank", "ranks"),
            list.join(" or ")
        );
        Err(Failure::new(Code::State, why))
    }
}

fn size_of_job(ranks: i64) -> Result<u32, Failure> {
    let why = || Failure::argument(format!("the number of ranks is {ranks}, expected 1 to {MAX_RANKS}"));
    u32::try_from(ranks).ok().filter(|ranks| (1..=MAX_RANKS).contains(ranks)).ok_or_else(why)
}
