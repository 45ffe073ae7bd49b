//! The interface for jobs that grow and shrink while they run (Sudarsan and Ribbens 2007, sections 3.1 to 3.3).
//!
//! HOW does a job change its number of ranks, and move its data? At points that the program chooses, a policy says how many
//! ranks there should be. Processes join or leave, and everything that is registered moves to the new set of ranks. A call
//! that fails on one rank fails on all ranks, and the job continues as it was. A process that joins runs the same program
//! from its start; the arrays and values that it registers already have their contents. The first ranks stay as long as the
//! job lasts. Those that joined last leave first, unless the program names others.
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

// What the files of this folder are for.
//
// | file | the question it answers |
// |---|---|
// | `world`, `supply` | which processes are there, and where do they come from? |
// | `registry` | what moves? |
// | `apart` | may something be registered beside what is registered already? |
// | `carry` | how does it move from the old ranks to the new ones? |
// | `grid` | on which process grid are matrices? |
// | `welcome` | what does a rank that joins have to know? |
// | `members` | how do ranks begin, join, and leave? |
// | `meeting` | have all ranks entered a call? |
// | `transition`, `step`, `wanted` | when is what done? |
// | `policy` | how many ranks should there be? |
// | `placement` | on which hosts are they, and who is to leave? |
// | `price`, `times` | what would a resize take, and what has it taken? |
// | `rust` | how do vectors move with a job? |

mod apart;
mod carry;
mod grid;
mod home;
mod meeting;
mod members;
mod placement;
mod policy;
mod price;
mod registry;
mod rust;
mod step;
mod supply;
mod times;
mod transition;
mod wanted;
mod welcome;
mod world;

use crate::arrays::Map;
use crate::collective::call::session;
use crate::collective::failure::{Code, Failure};
use crate::layout::mapping::counted;
use crate::mpi::Comm;
use crate::resize::transition::UnderWay;
use crate::runtime::session::Session;
pub use apart::{Purpose, Span};
pub use carry::Allocate;
pub use home::{Allocation, Formats, Home, ValueHome};
pub use members::Begin;
pub use placement::Placement;
pub use policy::{File, List, MOST, Now, Policy, Slurm, Stay, SweetSpot, of_environment, of_text};
pub use price::Price;
pub use registry::{DealtArray, JobGrid, Registered, Value};
pub use rust::{Array, Copied, Storage};
use std::sync::Arc;
use std::time::Instant;
pub use supply::{Spawn, Supply};
pub use times::Times;
use world::World;

/// A job that can change its size, as one of its processes sees it.
pub struct Job<M> {
    world: World,
    options: Options,
    /// Of the matrices that are registered.
    grid: Option<JobGrid>,
    items: Vec<Registered<M>>,
    joined: bool,
    allocate: Box<Allocate<M>>,
    policy: Box<dyn Policy>,
    placement: Placement,
    /// Seconds that iterations took since the last resize point, and how many there were.
    logged: (f64, u32),
    /// When the last resize point was over.
    since: Instant,
    times: Times,
    /// A size for which the policy has asked and that could not be reached: not tried again as long as it asks for nothing else.
    unreachable: Option<u32>,
    /// A resize whose constant arrays are on their way.
    under_way: Option<Box<UnderWay<M>>>,
}

/// What a job may do; all ranks give the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Options {
    /// The most ranks that one spawn call adds: they leave together.
    pub unit: u32,
    /// Whether ranks that cannot leave wait until they are needed again; where not, such a size is refused.
    pub park: bool,
    /// How many times the shorter side of the process grid the longer one may be, where the grid is to be one to which the
    /// matrices come cheaply; 0: as nearly square as can be.
    pub skew: u32,
}

/// Options that ask for nothing: one spawn call for all that come, and sizes that would need ranks to wait are refused.
impl Default for Options {
    fn default() -> Self {
        Self { unit: u32::MAX, park: false, skew: 0 }
    }
}

/// What a resize point has come to for the calling process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Nothing has changed.
    Same,
    /// There are other ranks now, and data has moved.
    Resized,
    /// A resize is under way: arrays that the program does not write now ([`Job::set_constant`]) are on their way, and the ranks are
    /// those that there were. Later resize points let it go on; the one at which it is over says so.
    Moving,
    /// The process is no longer in the job: it is to call MPI_Finalize and end.
    Leave,
}

impl<M: Allocation> Job<M> {
    /// Whether this process came to a job that ran already.
    pub fn has_joined(&self) -> bool {
        self.joined
    }

    /// The communicator of the ranks that work, which lives until they change.
    pub fn comm(&self) -> Result<Comm<'_>, Failure> {
        self.world.now()
    }

    /// Ranks that work.
    pub fn ranks(&self) -> u32 {
        self.world.active()
    }

    fn session(&self) -> Result<Arc<Session>, Failure> {
        session(&self.comm()?)
    }

    /// What the last resize took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// An iteration has taken so many seconds on this rank.
    pub fn set_seconds(&mut self, seconds: f64) {
        self.logged = (self.logged.0 + seconds, self.logged.1 + 1);
    }

    /// From now on this says how many ranks there should be. Only that of rank 0 is asked.
    pub fn set_policy(&mut self, policy: Box<dyn Policy>) {
        self.policy = policy;
    }

    /// On which hosts the job's ranks are, and where the program says who is to come and to leave.
    pub fn placement(&self) -> &Placement {
        &self.placement
    }

    /// The map of the `k`-th thing that was registered, if it is an array.
    pub fn map(&self, k: usize) -> Option<&Map> {
        match self.items.get(k)? {
            Registered::Array(array) => array.map.as_ref(),
            Registered::Value(_) => None,
        }
    }

    /// Refuses what cannot be while a resize is under way.
    fn steady(&self) -> Result<(), Failure> {
        let why = "a resize is under way: call reblock_job_step until it is over";
        self.under_way.as_ref().map_or(Ok(()), |_| Err(Failure::new(Code::State, why)))
    }

    /// Whether the job can have so many ranks, as far as this can be known before it is tried; or why not.
    pub fn can_resize(&self, ranks: impl Into<i64>) -> Result<(), Failure> {
        let ranks = size_of_job(ranks.into())?;
        self.steady()?;
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
            "the job cannot shrink to {}: processes of one spawn call leave together, and those of the first world not at all; \
             expected {}, or more than {total}, or the option park",
            counted(ranks, "rank", "ranks"),
            list.join(" or ")
        );
        Err(Failure::new(Code::State, why))
    }
}

/// A number of ranks that a job can have.
fn size_of_job(ranks: i64) -> Result<u32, Failure> {
    let why = || Failure::argument(format!("a job of {ranks} ranks, expected 1 to {MOST}"));
    u32::try_from(ranks).ok().filter(|ranks| (1..=MOST).contains(ranks)).ok_or_else(why)
}
