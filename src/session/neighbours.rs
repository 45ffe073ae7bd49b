//! WHICH other ranks are on this node, and what do they share? Found once for each communicator, by all its ranks together.

use super::memory::{Common, share};
use crate::budget::Budget;
use crate::crew::cores;
use crate::error::Error;
use crate::held::Held;
use crate::layout::Nodes;
use crate::mpi::{Comm, Duplicate, MpiError, all, gather};
use crate::settings::{Settings, Way};
use crate::transport::shm::{Endpoint, Room, lay_out};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Shared memory and cores.
pub struct Neighbours {
    /// Slots in memory that this node's ranks share, if there are several and there is such memory.
    pub shared: Option<Shared>,
    /// The ranks of this node, if MPI has a communicator for them.
    node: Option<Node>,
    /// Which ranks of the communicator share a node.
    pub nodes: Nodes,
    facts: Facts,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Whether all ranks of the communicator share one memory: the same answer on all of them.
    pub one_node: bool,
    /// Cores that are this rank's to use; 0 if it shares one with other ranks.
    pub cores: usize,
}

impl Facts {
    /// Of the only rank of a communicator: it knows its cores to be its own only if there is no other rank at all.
    pub fn alone() -> Result<Self, MpiError> {
        let own = if Comm::world().size()? == 1 { cores() } else { 1 };
        Ok(Self { one_node: true, cores: own })
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

/// Slots and bytes a slot.
pub type Size = (usize, usize);

/// Calls on a communicator for which MPI does, where they are small: memory of the node saves with so many of them, on 2 to 4
/// ranks, about what it takes to make. Programs have communicators that are used once, or a few times.
const FEW_CALLS: u64 = 16;
/// Bytes of so many calls as there were, all taken to be like the one under way, for which it pays at once: what it saves with
/// them is again about what it takes.
const WORTH_MEETING: u64 = 8 << 20;

/// Whether ranks of a node should get to know each other for call number `calls`, of so many bytes, all calls before it taken
/// to have been like it.
pub fn worth_meeting(bytes: u64, calls: u64, way: Way) -> bool {
    way == Way::Shm || calls > FEW_CALLS || bytes.saturating_mul(calls) >= WORTH_MEETING
}

impl Neighbours {
    /// What they found out.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// The communicator of this node's ranks, if MPI has one for them.
    pub fn comm(&self) -> Option<Comm> {
        self.node.as_ref().map(|node| node.comm)
    }

    /// Collective over `comm`, which lives longer than what is made. `agreement` is the size of the slots by which ranks agree.
    pub fn of(comm: Comm, settings: &Settings, agreement: Size) -> Result<Self, Error> {
        let Some(node) = Node::of(comm)? else { return Self::strangers(settings) };
        let (number, size) = (comm.rank()?, comm.size()? as usize);
        let (numbers, ranks): (Arc<[u32]>, usize) = (node.numbers.as_slice().into(), node.numbers.len());
        let me = numbers.binary_search(&number).expect("a rank of its own node");
        let mut shared = None;
        if settings.way != Way::Mpi && ranks > 1 {
            for data in Budget::node_slots(settings.buffer, ranks as u64) {
                shared = slots(node.comm, [data, agreement], (me, &numbers), settings.streamed)?;
                if shared.is_some() {
                    break;
                }
            }
        }
        // The same on all ranks: those of a node share memory or none of them does, and it has all ranks or there are others.
        let one_node = shared.is_some() && ranks == size;
        if settings.way == Way::Shm && !one_node {
            return Err(no_memory());
        }
        let own = cores() / node.masks.iter().filter(|&&mask| mask == node.masks[me]).count().max(1);
        let nodes = if one_node { Nodes::default() } else { nodes(comm, numbers[0].into())? };
        Ok(Self { shared, node: Some(node), nodes, facts: Facts { one_node, cores: own } })
    }

    /// Where MPI has no communicator left for the ranks of a node, all of them take each other for ranks of other nodes.
    fn strangers(settings: &Settings) -> Result<Self, Error> {
        if settings.way == Way::Shm {
            return Err(no_memory());
        }
        Ok(Self { shared: None, node: None, nodes: Nodes::default(), facts: Facts::default() })
    }
}

fn no_memory() -> Error {
    let why = "REBLOCK_TRANSPORT is shm, but there is no memory that all ranks of the call can share";
    Error::Host(why.into())
}

/// The ranks of a communicator that are on this node, in their order.
struct Node {
    /// Theirs.
    comm: Comm,
    /// Keeps it, unless it is the whole communicator's.
    _own: Option<Duplicate>,
    /// Their ranks in the whole communicator.
    numbers: Vec<u32>,
    /// Which cores each of them may run on.
    masks: Vec<u64>,
}

impl Node {
    /// Those of `comm`, if MPI has a communicator for them on all nodes. Collective over `comm`.
    fn of(comm: Comm) -> Result<Option<Self>, MpiError> {
        // All ranks answer alike: those of one world are all of it, and those of several see strangers.
        if comm.ranks_in(&Comm::world())?.iter().all(Option::is_some) {
            let node = Self::of_world(comm);
            return if all(comm, node.is_ok())? { node.map(Some) } else { Ok(None) };
        }
        // Ranks that were spawned and those that spawned them are told different things by Open MPI 4's split_type.
        let mine = machine();
        let told = gather(comm, &[mine, mask()])?;
        let here = (0u32..).zip(told.chunks_exact(2)).filter(|(_, told)| told[0] == mine);
        let (numbers, masks): (Vec<u32>, _) = here.map(|(rank, told)| (rank, told[1])).unzip();
        if told.chunks_exact(2).all(|other| other[0] == told[0]) {
            return Ok(Some(Self { comm, _own: None, numbers, masks }));
        }
        let own = Duplicate::of_color(&comm, numbers[0]);
        if !all(comm, own.is_ok())? {
            return Ok(None);
        }
        let own = own?;
        Ok(Some(Self { comm: own.comm(), _own: Some(own), numbers, masks }))
    }

    /// The same where all ranks are of one world.
    fn of_world(comm: Comm) -> Result<Self, MpiError> {
        let narrow = |number: u64| u32::try_from(number).expect("a rank");
        let own = Duplicate::of_node(&comm)?;
        let told = gather(own.comm(), &[comm.rank()?.into(), mask()])?;
        let (numbers, masks) = told.chunks_exact(2).map(|told| (narrow(told[0]), told[1])).unzip();
        Ok(Self { comm: own.comm(), _own: Some(own), numbers, masks })
    }
}

/// A number for the machine that this process runs on.
fn machine() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let mut hasher = DefaultHasher::new();
        ["/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/hostname"]
            .map(|name| std::fs::read_to_string(name).unwrap_or_default())
            .hash(&mut hasher);
        hasher.finish()
    })
}

/// Which ranks share a node, of which this one's has `number`.
fn nodes(comm: Comm, number: u64) -> Result<Nodes, MpiError> {
    let of_each = gather(comm, &[number])?;
    let narrow = |&number: &u64| u32::try_from(number).expect("a rank");
    Ok(Nodes::new(&of_each.iter().map(narrow).collect::<Vec<u32>>()))
}

/// The slots of number `me` of the `ranks` of a node, if there is memory for them; `streamed` as for [`Endpoint::new`].
fn slots(
    node: Comm,
    sizes: [Size; 2],
    (me, ranks): (usize, &Arc<[u32]>),
    streamed: Option<bool>,
) -> Result<Option<Shared>, MpiError> {
    let ([data, agreement], part) = lay_out(sizes);
    let Some(Common { segment, .. }) = share(node, part)? else { return Ok(None) };
    let segment = Arc::new(segment);
    let end = |ring, streamed| Endpoint::new(segment.clone(), (ring, part), (me, ranks.clone()), streamed);
    // What ranks agree by is read at once.
    let (data, agreement) = (end(data, streamed), end(agreement, Some(false)));
    Ok(Some(Shared { data, agreement, _held: Held::new(part) }))
}

/// A number for the set of cores that this process may run on, as they were at first.
fn mask() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        status.lines().find(|line| line.starts_with("Cpus_allowed:")).hash(&mut hasher);
        hasher.finish()
    })
}

/// Looks at what this rank is to tell others: for one that has to wait for them anyway. Cores and machine are known from then on;
/// of the limits of memory, which are looked at again, the system has the files at hand.
pub fn look_around() {
    let _ = (machine(), mask(), cores(), Room::now());
}
