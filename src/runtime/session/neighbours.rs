//! WHICH other ranks are on this node, and what do they share? Found once for each communicator, by all its ranks together.

use super::memory::{Common, share};
use super::programs::programs_arrays;
use super::{Circle, Session};
use crate::layout::distribution::Nodes;
use crate::mpi::{Comm, Duplicate, MpiError};
use crate::runtime::patience::limit;
use crate::system::budget::Budget;
use crate::system::crew::cores;
use crate::system::held::Held;
use crate::system::room::Room;
use crate::system::settings::{Medium, Settings};
use crate::transport::error::Error;
use crate::transport::shm::{Endpoint, lay_out};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Shared memory and cores.
pub struct Neighbours {
    /// Slots in memory that this node's ranks share, if there are several and there is such memory.
    pub shared: Option<NodeEnds>,
    /// The ranks of this node, if MPI has a communicator for them.
    node: Option<NodeRanks>,
    /// Which ranks of the communicator share a node.
    pub nodes: Nodes,
    node_info: NodeInfo,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub struct NodeInfo {
    /// Whether all ranks of the communicator share one memory: the same answer on all of them.
    pub one_node: bool,
    /// Cores that are this rank's to use; 0 if it shares one with other ranks.
    pub cores: usize,
}

impl NodeInfo {
    /// Of the only rank of a communicator: it knows its cores to be its own only if there is no other rank at all.
    pub fn alone() -> Result<Self, MpiError> {
        let own = if Comm::world().size()? == 1 { cores() } else { 1 };
        Ok(Self { one_node: true, cores: own })
    }
}

/// As long as nothing is known.
impl Default for NodeInfo {
    fn default() -> Self {
        Self { one_node: false, cores: 1 }
    }
}

/// The slots of one rank.
pub struct NodeEnds {
    /// For data.
    pub data: Endpoint,
    /// For what ranks tell each other to agree.
    pub agreement: Endpoint,
    _held: Held,
}

/// Slots and bytes a slot.
pub type Size = (usize, usize);

/// Calls on a communicator for which MPI does, where they are small. Memory of the node takes about 0.4 ms to make on 2 ranks and 1 ms
/// on 4, and saves 2 and 7 µs a call: what it takes is saved after 200 calls and 140. Programs have communicators that are used once, or
/// some dozens of times.
const FEW_CALLS: u64 = 64;
/// Bytes of so many calls as there were, all taken to be like the one under way, for which it pays at once: what it saves with
/// them is again about what it takes.
const WORTH_MEETING: u64 = 8 << 20;

/// Whether ranks of a node should get to know each other for call number `calls`, of so many bytes, all calls before it taken
/// to have been like it.
pub fn worth_meeting(bytes: u64, calls: u64, medium: Medium) -> bool {
    medium == Medium::Shm || calls > FEW_CALLS || bytes.saturating_mul(calls) >= WORTH_MEETING
}

impl Neighbours {
    /// What they found out.
    pub fn node_info(&self) -> NodeInfo {
        self.node_info
    }

    /// Whether all ranks of the communicator are on this node.
    pub fn has_all_ranks(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.own.is_none())
    }

    /// The ranks of this node, if MPI has a communicator for them.
    pub fn circle<'s>(&self, session: &'s Session) -> Option<Circle<'s>> {
        self.node.as_ref().map(|node| node.circle(session))
    }

    /// The communicator of the node stays, whatever becomes of these.
    pub fn keep(&mut self) {
        self.node.take().and_then(|node| node.own).into_iter().for_each(Duplicate::keep);
    }

    /// Collective over the communicator of `session`, which lives longer than what is made. `agreement` is the size of the slots by
    /// which ranks agree.
    pub fn of(session: &Session, settings: &Settings, agreement: Size) -> Result<Self, Error> {
        let NodeSurvey { node, nodes } = NodeSurvey::of(session)?;
        let Some(node) = node else { return Self::strangers(settings) };
        let (numbers, ranks): (Arc<[u32]>, usize) = (node.numbers.as_slice().into(), node.numbers.len());
        let circle = node.circle(session);
        let mut shared = None;
        if settings.medium != Medium::Mpi && ranks > 1 {
            for data in Budget::node_slots(settings.buffer, ranks as u64) {
                shared = slots(circle, [data, agreement], &numbers, settings.streamed)?;
                if shared.is_some() {
                    break;
                }
            }
        }
        if let Some((shared, arrays)) = shared.as_mut().zip(settings.arrays) {
            programs_arrays(circle, arrays)?.into_iter().for_each(|arrays| shared.data.know(arrays));
        }
        // The same on all ranks: those of a node share memory or none of them does, and it has all ranks or there are others.
        let one_node = shared.is_some() && ranks == session.ranks as usize;
        if settings.medium == Medium::Shm && !one_node {
            return Err(no_memory());
        }
        let own = cores() / node.masks.iter().filter(|&&mask| mask == node.masks[node.me]).count().max(1);
        let nodes = if one_node { Nodes::default() } else { nodes };
        Ok(Self { shared, node: Some(node), nodes, node_info: NodeInfo { one_node, cores: own } })
    }

    /// Where MPI has no communicator left for the ranks of a node, all of them take each other for ranks of other nodes.
    fn strangers(settings: &Settings) -> Result<Self, Error> {
        if settings.medium == Medium::Shm {
            return Err(no_memory());
        }
        Ok(Self { shared: None, node: None, nodes: Nodes::default(), node_info: NodeInfo::default() })
    }
}

fn no_memory() -> Error {
    let why = "REBLOCK_TRANSPORT is shm, but there is no memory that all ranks of the call can share";
    Error::Host(why.into())
}

/// The ranks of a session that are on this node, in their order.
struct NodeRanks {
    /// Their own communicator, unless they are all ranks of the session.
    own: Option<Duplicate>,
    /// Their ranks in the session.
    numbers: Vec<u32>,
    /// Which cores each of them may run on.
    masks: Vec<u64>,
    /// Which of them this one is.
    me: usize,
}

impl NodeRanks {
    fn circle<'s>(&self, session: &'s Session) -> Circle<'s> {
        // The session keeps its node as long as it lives, or never frees the node's communicator.
        let comm = self.own.as_ref().map_or(session.comm(), |own| own.comm().unbound());
        session.circle_of(comm, self.me, self.numbers.len())
    }
}

/// What the ranks of a session tell each other of where they are.
struct NodeSurvey {
    /// Those of this node, if MPI has communicators for all nodes.
    node: Option<NodeRanks>,
    /// Which ranks share a node.
    nodes: Nodes,
}

impl NodeSurvey {
    /// Collective over the communicator of `session`. Ranks on machines with one name may have no memory in common all the same: they
    /// find out when they try. (MPI_Comm_split_type of Open MPI 4 tells spawned ranks other things than those that spawned them; and
    /// where one rank fails in it, others wait inside MPI.)
    fn of(session: &Session) -> Result<Self, Error> {
        let mine = machine();
        let told = session.circle().gather(&[mine, mask()])?;
        let machines: Vec<u64> = told.chunks_exact(2).map(|told| told[0]).collect();
        let here = (0u32..).zip(told.chunks_exact(2)).filter(|(_, told)| told[0] == mine);
        let (numbers, masks): (Vec<u32>, _) = here.map(|(rank, told)| (rank, told[1])).unzip();
        let me = numbers.binary_search(&session.rank).expect("a rank of its own node");
        if numbers.len() == session.ranks as usize {
            let node = Some(NodeRanks { own: None, numbers, masks, me });
            return Ok(Self { node, nodes: Nodes::new(&vec![0; machines.len()]) });
        }
        let nodes = Nodes::new(&firsts(&machines));
        let own = split(&session.comm(), numbers[0]);
        if !session.circle().all(own.is_ok())? {
            return Ok(Self { node: None, nodes });
        }
        Ok(Self { node: Some(NodeRanks { own: Some(own?), numbers, masks, me }), nodes })
    }
}

/// Of each rank the first one on its machine.
fn firsts(machines: &[u64]) -> Vec<u32> {
    let mut first = HashMap::new();
    (0u32..).zip(machines).map(|(rank, machine)| *first.entry(machine).or_insert(rank)).collect()
}

/// The ranks of a node of which `first` is the first one: collective over `comm`. MPI has no call for it in which ranks do not wait.
fn split(comm: &Comm, first: u32) -> Result<Duplicate, MpiError> {
    let _limit = limit("other nodes");
    Duplicate::of_color(comm, first)
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

/// The slots of the `ranks` of a node, if there is memory for them; `streamed` as for [`Endpoint::new`].
fn slots(
    node: Circle<'_>,
    sizes: [Size; 2],
    ranks: &Arc<[u32]>,
    streamed: Option<bool>,
) -> Result<Option<NodeEnds>, Error> {
    let ([data, agreement], part) = lay_out(sizes);
    let Some(Common { segment, .. }) = share(node, part)? else { return Ok(None) };
    let segment = Arc::new(segment);
    let end =
        |area, streamed| Endpoint::new(segment.clone(), (area, part), (node.me, ranks.clone()), streamed);
    // What ranks agree by is read at once.
    let (data, agreement) = (end(data, streamed), end(agreement, Some(false)));
    Ok(Some(NodeEnds { data, agreement, _held: Held::new(part) }))
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
