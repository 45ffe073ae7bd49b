//! WHO else is on this node, and what do they share? Found out once for a communicator, by all its ranks together.

use crate::held::Held;
use crate::mpi::{Comm, Duplicate, MpiError, all, gather};
use crate::transport::shm::{Endpoint, Segment, lay_out};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::SystemTime;

/// Shared memory and cores.
pub struct Neighbours {
    /// Slots in memory that this node's ranks share, if there are several and there is such memory.
    pub shared: Option<Shared>,
    facts: Facts,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Whether all ranks of the communicator share one memory: the same answer on all of them.
    pub one_node: bool,
    /// Cores that are this rank's to use.
    pub cores: usize,
}

impl Facts {
    /// Of the only rank of a communicator: it knows its cores to be its own only if there is no other rank at all.
    pub fn alone() -> Result<Self, MpiError> {
        let cores = if Comm::world().size()? == 1 { available_cores() } else { 1 };
        Ok(Self { one_node: true, cores })
    }
}

/// As long as nothing is known.
impl Default for Facts {
    fn default() -> Self {
        Self { one_node: false, cores: 1 }
    }
}

/// The slots of one rank.
pub struct Shared {
    /// For data.
    pub data: Endpoint,
    /// For what ranks tell each other to agree.
    pub agreement: Endpoint,
    _held: Held,
}

/// Slots and bytes a slot, for data and for agreement.
pub type Sizes = [(usize, usize); 2];

/// What a rank of a node tells the others.
struct Told {
    rank: u64,
    /// Tells apart the sets of cores that ranks may run on.
    mask: u64,
    /// Of the first rank: makes the name of the shared memory.
    name: u64,
    /// Of the first rank: whether it made that memory.
    made: u64,
}

impl Told {
    const COUNT: usize = 4;

    fn of(numbers: &[u64]) -> Self {
        Self { rank: numbers[0], mask: numbers[1], name: numbers[2], made: numbers[3] }
    }
}

impl Neighbours {
    /// What they found out.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Collective over `comm`, whose ranks ask for the same; `share` asks for shared memory.
    pub fn of(comm: Comm, share: bool, sizes: Sizes) -> Result<Self, MpiError> {
        let node = Duplicate::of_node(&comm)?;
        let (me, ranks) = (node.comm().rank()? as usize, node.comm().size()? as usize);
        let (_, part) = lay_out(sizes);
        let share = share && ranks > 1;
        let name = fresh_name();
        let made = share && me == 0 && Segment::create(&path(name), part * ranks).is_ok();
        let told = [comm.rank()?.into(), mask(), name, made.into()];
        let all_told: Vec<Told> =
            gather(node.comm(), &told)?.chunks_exact(Told::COUNT).map(Told::of).collect();
        let shared = share && all_told[0].made == 1;
        let shared = if shared { shared_with(&node, &all_told, sizes, (me, made))? } else { None };
        let one_node = all(comm, shared.is_some() && ranks == comm.size()? as usize)?;
        let rivals = all_told.iter().filter(|told| told.mask == all_told[me].mask).count();
        let cores = available_cores() / rivals;
        Ok(Self { shared, facts: Facts { one_node, cores: cores.max(1) } })
    }
}

/// Maps the memory that the first rank made: all ranks of the node do, or none.
fn shared_with(
    node: &Duplicate,
    told: &[Told],
    sizes: Sizes,
    (me, made): (usize, bool),
) -> Result<Option<Shared>, MpiError> {
    let ([data, agreement], part) = lay_out(sizes);
    let name = path(told[0].name);
    let mapped = Segment::open(&name, part * told.len(), me * part..(me + 1) * part);
    let everywhere = all(node.comm(), mapped.is_ok());
    if made {
        Segment::unlink(&name);
    }
    let Some(segment) = mapped.ok().filter(|_| everywhere == Ok(true)) else {
        return everywhere.map(|_| None);
    };
    let segment = Arc::new(segment);
    let ranks: Arc<[u32]> = told.iter().map(|t| u32::try_from(t.rank).expect("a rank")).collect();
    let end = |ring| Endpoint::new(segment.clone(), ring, part, me, ranks.clone());
    Ok(Some(Shared { data: end(data), agreement: end(agreement), _held: Held::new(part) }))
}

fn path(name: u64) -> CString {
    CString::new(format!("/reblock-{name:016x}")).expect("no zero byte")
}

/// A name that no other shared memory has; if one has it all the same, making it fails.
fn fresh_name() -> u64 {
    let mut hasher = DefaultHasher::new();
    (std::process::id(), SystemTime::now(), std::thread::current().id()).hash(&mut hasher);
    hasher.finish()
}

fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// A number for the set of cores that this process may run on.
fn mask() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut hasher = DefaultHasher::new();
    status.lines().find(|line| line.starts_with("Cpus_allowed:")).hash(&mut hasher);
    hasher.finish()
}
