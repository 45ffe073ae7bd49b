//! Survey of the node: finds the ranks on it and sets up their shared memory. Collective; made once for each session,
//! and again if [`Session::share_memory`] asks for memory that the settings do not.

use super::memory::{Common, alone, share};
use super::neighbours::{Neighbours, NodeEnds, NodeInfo, NodeRanks};
use super::programs::programs_arrays;
use super::{Collectives, Session};
use crate::layout::distribution::{Nodes, Rank};
use crate::mpi::{Comm, Duplicate, MpiError};
use crate::runtime::slow_wait::limit;
use crate::system::budget::Budget;
use crate::system::buffer_memory::BytesInUse;
use crate::system::room::Room;
use crate::system::settings::{Medium, Settings};
use crate::system::workers::cores;
use crate::transport::error::Error;
use crate::transport::shm::exchange::{Layout, MAX_NODES, NodeExchange, NodeMap};
use crate::transport::shm::{Endpoint, lay_out};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Number of slots, and bytes of each.
pub type Size = (usize, usize);

/// Number of small calls on a communicator that go by MPI, before shared memory is set up. On 2 ranks the setup takes
/// 0.4 ms and saves 2 µs a call, on 4 ranks 1 ms and 7 µs; so it pays off after 200 and 140 calls. Many communicators
/// are used once or some dozens of times.
const MAX_MPI_CALLS: u64 = 64;
/// Minimum total bytes of the calls so far that cause the setup of shared memory: moving that many bytes through shared
/// memory saves about the time of the setup.
const MIN_SETUP_BYTES: u64 = 8 << 20;

/// Returns whether the ranks should survey the node before call number `calls`, which moves `bytes` bytes. Assumes that
/// each call before it has moved as many bytes.
pub fn is_survey_due(bytes: u64, calls: u64, medium: Medium) -> bool {
    medium == Medium::Shm || calls > MAX_MPI_CALLS || bytes.saturating_mul(calls) >= MIN_SETUP_BYTES
}

impl Neighbours {
    /// Returns the ranks of this node, if MPI has a communicator for them.
    pub fn collectives<'s>(&self, session: &'s Session) -> Option<Collectives<'s>> {
        self.node.as_ref().map(|node| node.collectives(session))
    }

    /// Surveys the node and sets up shared memory. Collective over the communicator of `session`, which must outlive
    /// the result. `agreement` is the number and the size of the slots for agreement messages.
    pub fn survey(session: &Session, settings: &Settings, agreement: Size) -> Result<Self, Error> {
        let NodeSurvey { node, nodes, map } = NodeSurvey::gather(session)?;
        let Some(node) = node else { return Self::without_node(settings) };
        match NodeMemory::set_up(session, settings, agreement, (&node, map)) {
            Ok(memory) => Self::with_memory(session, settings, (node, nodes), memory),
            Err(why) => {
                // Other ranks may have sent messages on the node's communicator, which MPI would match with those of a
                // new communicator that gets the same number.
                node.own.into_iter().for_each(Duplicate::keep);
                Err(why)
            }
        }
    }

    fn with_memory(
        session: &Session,
        settings: &Settings,
        (node, nodes): (NodeRanks, Nodes),
        NodeMemory { shared, exchange }: NodeMemory,
    ) -> Result<Self, Error> {
        // Equal on all ranks: either all ranks of a node share memory or none does, and either the node has all ranks
        // or no node does.
        let one_node = shared.is_some() && node.numbers.len() == session.ranks as usize;
        if settings.medium == Medium::Shm && !one_node {
            return Err(no_memory());
        }
        let own = cores() / node.masks.iter().filter(|&&mask| mask == node.masks[node.me]).count().max(1);
        let nodes = if one_node { Nodes::default() } else { nodes };
        let early = exchange.as_ref().map_or(0, |exchange| exchange.limit() as u64);
        let node_info = NodeInfo { one_node, cores: own, early };
        Ok(Self { shared, exchange, node: Some(node), nodes, node_info })
    }

    /// Returns the survey if MPI cannot make a communicator for each node: each rank takes all others to be remote.
    fn without_node(settings: &Settings) -> Result<Self, Error> {
        if settings.medium == Medium::Shm {
            return Err(no_memory());
        }
        Ok(Self {
            shared: None,
            exchange: None,
            node: None,
            nodes: Nodes::default(),
            node_info: NodeInfo::default(),
        })
    }
}

/// Memory that the ranks of this node share.
struct NodeMemory {
    shared: Option<NodeEnds>,
    exchange: Option<NodeExchange>,
}

impl NodeMemory {
    /// Sets up slots, and the memory for exchanges between nodes. Collective over the communicator of `session`.
    fn set_up(
        session: &Session,
        settings: &Settings,
        agreement: Size,
        (node, map): (&NodeRanks, NodeMap),
    ) -> Result<Self, Error> {
        let (numbers, ranks): (Arc<[u32]>, usize) = (node.numbers.as_slice().into(), node.numbers.len());
        let collectives = node.collectives(session);
        let mut shared = None;
        if settings.medium != Medium::Mpi && ranks > 1 {
            for data in Budget::node_slots(settings.buffer, ranks as u64) {
                shared = slots(collectives, [data, agreement], &numbers, settings.streamed)?;
                if shared.is_some() {
                    break;
                }
            }
        }
        if let Some((shared, arrays)) = shared.as_mut().zip(settings.arrays) {
            programs_arrays(collectives, arrays)?.into_iter().for_each(|arrays| shared.data.know(arrays));
        }
        Ok(Self { shared, exchange: exchange(session, settings, node, map)? })
    }
}

fn no_memory() -> Error {
    let why = "REBLOCK_TRANSPORT is shm, but there is no memory that all ranks of the call can share";
    Error::Host(why.into())
}

impl NodeRanks {
    fn collectives<'s>(&self, session: &'s Session) -> Collectives<'s> {
        // The lifetime can be removed: the session outlives its survey, or never frees the node's communicator.
        let comm = self.own.as_ref().map_or(session.comm(), |own| own.comm().unbound());
        session.collectives_of(comm, self.me, self.numbers.len())
    }
}

struct NodeSurvey {
    /// The ranks of this node, if MPI has communicators for all nodes.
    node: Option<NodeRanks>,
    nodes: Nodes,
    map: NodeMap,
}

impl NodeSurvey {
    /// Gathers the machine and the core set of all ranks. Creates a communicator for each node if there are several
    /// nodes. Collective over the communicator of `session`. Ranks of one machine may still have no memory in common,
    /// and find that out when they map it.
    ///
    /// MPI_Comm_split_type is not used: in Open MPI 4 it gives different answers to spawned ranks and to those that
    /// spawned them, and if it fails on one rank, others wait inside MPI.
    fn gather(session: &Session) -> Result<Self, Error> {
        let mine = machine();
        let gathered = session.collectives().gather(&[mine, mask()])?;
        let machines: Vec<u64> = gathered.chunks_exact(2).map(|rank| rank[0]).collect();
        let map = NodeMap::new(&machines);
        let here = (0u32..).zip(gathered.chunks_exact(2)).filter(|(_, rank)| rank[0] == mine);
        let (numbers, masks): (Vec<u32>, _) = here.map(|(rank, place)| (rank, place[1])).unzip();
        let me = numbers.binary_search(&session.rank).expect("a rank of its own node");
        if numbers.len() == session.ranks as usize {
            let node = Some(NodeRanks { own: None, numbers, masks, me });
            return Ok(Self { node, nodes: Nodes::new(&vec![0; machines.len()]), map });
        }
        let nodes = Nodes::new(&first_ranks(&machines));
        let own = split(&session.comm(), numbers[0]);
        if !session.collectives().all(own.is_ok())? {
            return Ok(Self { node: None, nodes, map });
        }
        Ok(Self { node: Some(NodeRanks { own: Some(own?), numbers, masks, me }), nodes, map })
    }
}

/// Returns, for each rank, the first rank on its machine.
fn first_ranks(machines: &[u64]) -> Vec<u32> {
    let mut first = HashMap::new();
    (0u32..).zip(machines).map(|(rank, machine)| *first.entry(machine).or_insert(rank)).collect()
}

/// Creates the communicator of the node whose first rank is `first`. Collective over `comm`. Waits inside MPI, which
/// has no nonblocking call for this.
fn split(comm: &Comm, first: u32) -> Result<Duplicate, MpiError> {
    let _limit = limit("other nodes");
    Duplicate::of_color(comm, first)
}

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

/// Sets up the slots of the `ranks` of a node; `None` if there is no memory for them. `streamed` as for
/// [`Endpoint::new`].
fn slots(
    node: Collectives<'_>,
    sizes: [Size; 2],
    ranks: &Arc<[u32]>,
    streamed: Option<bool>,
) -> Result<Option<NodeEnds>, Error> {
    let ([data, agreement], part) = lay_out(sizes);
    let Some(Common { segment, .. }) = share(node, part)? else { return Ok(None) };
    let segment = Arc::new(segment);
    let end =
        |area, streamed| Endpoint::new(segment.clone(), (area, part), (node.me, ranks.clone()), streamed);
    // Agreement messages are read at once, so they are written with cached stores.
    let (data, agreement) = (end(data, streamed), end(agreement, Some(false)));
    Ok(Some(NodeEnds { data, agreement, _bytes_in_use: BytesInUse::new(part) }))
}

/// Sets up the memory of this node for exchanges between nodes; `None` if some node has none for them, if the ranks are
/// on one node or on too many, or if `REBLOCK_TRANSPORT` or `REBLOCK_EARLY` excludes exchanges. Collective over
/// `session`.
fn exchange(
    session: &Session,
    settings: &Settings,
    node: &NodeRanks,
    map: NodeMap,
) -> Result<Option<NodeExchange>, Error> {
    if settings.medium != Medium::Best || settings.early == Some(0) || !(2..=MAX_NODES).contains(&map.count())
    {
        return Ok(None);
    }
    let (map, me) = (Arc::new(map), Rank(session.rank));
    let own = map.place(me).0;
    let ranks = (map.ranks() as u64, map.count() as u64);
    for limit in Budget::early_limits(settings.buffer, settings.early, ranks) {
        let layout = Layout::new(&map, own, limit);
        let part = layout.bytes().div_ceil(node.numbers.len());
        let collectives = node.collectives(session);
        let segment = match node.numbers.len() {
            1 => alone(None, part)?,
            _ => share(collectives, part)?.map(|common| common.segment),
        };
        if session.collectives().all(segment.is_some())? {
            let segment = Arc::new(segment.expect("all ranks have memory"));
            return Ok(Some(NodeExchange::new(segment, layout, map, me)));
        }
    }
    Ok(None)
}

/// Returns a digest of the cores that this process may run on, as of the first call.
fn mask() -> u64 {
    static NUMBER: OnceLock<u64> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut hasher = DefaultHasher::new();
        status.lines().find(|line| line.starts_with("Cpus_allowed:")).hash(&mut hasher);
        hasher.finish()
    })
}

/// Reads the facts that a survey needs, while this rank has to wait for others anyway. The numbers of machine and cores
/// are kept. The memory limits are read again in the survey; the system then has their files cached.
pub fn look_around() {
    let _ = (machine(), mask(), cores(), Room::now());
}
