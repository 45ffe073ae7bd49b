//! Survey of the node: finds its ranks and sets up their shared memory. Collective; once for each session, and again if
//! [`Session::share_memory`] needs memory despite the settings.

use super::memory::{SharedParts, allocate_private, allocate_shared};
use super::neighbours::{Neighbours, NodeEnds, NodeInfo, NodeRanks};
use super::programs::programs_arrays;
use super::{Collectives, Session};
use crate::layout::distribution::{Nodes, Rank};
use crate::system::budget::Budget;
use crate::system::buffer_memory::BytesInUse;
use crate::system::room::Room;
use crate::system::settings::{Medium, Settings};
use crate::system::workers::cores;
use crate::transport::error::Error;
use crate::transport::shm::exchange::{Layout, NodeExchange, NodeMap, is_worthwhile};
use crate::transport::shm::{Endpoint, lay_out};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Number of slots, and bytes of each.
pub type Size = (usize, usize);

/// Number of small calls on a communicator that go by MPI before shared memory is set up. On 2 ranks the setup takes
/// 0.4 ms and saves 2 µs a call, on 4 ranks 1 ms and 7 µs: it pays off after 200 and 140 calls. Many communicators are
/// used once or some dozens of times.
const MAX_MPI_CALLS: u64 = 64;
/// Total bytes of calls that cause the setup: moving as many through shared memory saves about the time that it takes.
const MIN_SETUP_BYTES: u64 = 8 << 20;

/// Returns whether the ranks should survey the node before call number `calls`, of `bytes` bytes. Assumes that earlier
/// calls moved as many.
pub fn is_survey_due(bytes: u64, calls: u64, medium: Medium) -> bool {
    medium == Medium::Shm || calls > MAX_MPI_CALLS || bytes.saturating_mul(calls) >= MIN_SETUP_BYTES
}

impl Neighbours {
    /// Surveys the node and sets up shared memory. `agreement` is the number and the size of the slots for agreement
    /// messages. Collective over the communicator of `session`.
    pub fn survey(session: &Session, settings: &Settings, agreement: Size) -> Result<Self, Error> {
        let NodeSurvey { node, nodes, map } = NodeSurvey::gather(session)?;
        let shared = node_ends(session, settings, agreement, &node)?;
        // Equal on all ranks: the ranks of a node share memory or none does, and the node has all ranks or no node
        // does.
        let one_node = shared.is_some() && node.numbers.len() == session.ranks as usize;
        if settings.medium == Medium::Shm && !one_node {
            return Err(no_memory());
        }
        let own = cores() / node.masks.iter().filter(|&&mask| mask == node.masks[node.me]).count().max(1);
        let nodes = if one_node { Nodes::default() } else { nodes };
        let exchange = exchange(session, settings, &node, map)?;
        let early = exchange.as_ref().map_or(0, |exchange| exchange.limit() as u64);
        let node_info = NodeInfo { one_node, cores: own, early };
        Ok(Self { shared, exchange, node, nodes, node_info })
    }
}

fn no_memory() -> Error {
    let why = "REBLOCK_TRANSPORT is shm, but there is no memory that all ranks of the call can share";
    Error::Host(why.into())
}

impl NodeRanks {
    pub(super) fn collectives<'s>(&'s self, session: &'s Session) -> Collectives<'s> {
        session.collectives_of(&self.numbers, self.me)
    }
}

struct NodeSurvey {
    node: NodeRanks,
    nodes: Nodes,
    map: NodeMap,
}

impl NodeSurvey {
    /// Gathers machine and core set of all ranks. Ranks of one machine may still share no memory, which they find when
    /// they map it. Collective over `session`.
    fn gather(session: &Session) -> Result<Self, Error> {
        let gathered = session.collectives().gather(&[machine(), mask()])?;
        let machines: Vec<u64> = gathered.chunks_exact(2).map(|rank| rank[0]).collect();
        let map = NodeMap::new(&machines);
        let (node, me) = map.place(Rank(session.rank));
        let numbers: Arc<[u32]> = map.of_node(node).into();
        let masks = numbers.iter().map(|&rank| gathered[2 * rank as usize + 1]).collect();
        // For each rank, the first rank on its node.
        let first = (0..session.ranks).map(|rank| map.of_node(map.place(Rank(rank)).0)[0]);
        let nodes = Nodes::new(&first.collect::<Vec<_>>());
        Ok(Self { node: NodeRanks { numbers, masks, me }, nodes, map })
    }
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

/// Sets up the slots of this node's ranks, and maps the programs' own arrays; `None` with one rank, without memory for
/// slots, or with `REBLOCK_TRANSPORT=mpi`. Collective over the node.
fn node_ends(
    session: &Session,
    settings: &Settings,
    agreement: Size,
    node: &NodeRanks,
) -> Result<Option<NodeEnds>, Error> {
    let (collectives, ranks) = (node.collectives(session), node.numbers.len());
    if settings.medium == Medium::Mpi || ranks == 1 {
        return Ok(None);
    }
    for data in Budget::node_slots(settings.buffer, ranks as u64) {
        if let Some(mut shared) = slots(collectives, [data, agreement], &node.numbers, settings.streamed)? {
            if let Some(arrays) = settings.arrays {
                programs_arrays(collectives, arrays)?.into_iter().for_each(|arrays| shared.data.know(arrays));
            }
            return Ok(Some(shared));
        }
    }
    Ok(None)
}

/// Sets up the slots of the `ranks` of a node; `None` without memory. `streamed` as for [`Endpoint::new`].
fn slots(
    node: Collectives<'_>,
    sizes: [Size; 2],
    ranks: &Arc<[u32]>,
    streamed: Option<bool>,
) -> Result<Option<NodeEnds>, Error> {
    let ([data, agreement], part) = lay_out(sizes);
    let Some(SharedParts { segment, .. }) = allocate_shared(node, part)? else { return Ok(None) };
    let segment = Arc::new(segment);
    let end =
        |area, streamed| Endpoint::new(segment.clone(), (area, part), (node.me, ranks.clone()), streamed);
    // Agreement messages are read at once, so they are written with cached stores.
    let (data, agreement) = (end(data, streamed), end(agreement, Some(false)));
    Ok(Some(NodeEnds { data, agreement, _bytes_in_use: BytesInUse::new(part) }))
}

/// Sets up this node's memory for exchanges between nodes; `None` if some node has none, if there is one node or too
/// many, or if `REBLOCK_TRANSPORT` or `REBLOCK_EARLY` excludes exchanges. Collective over `session`.
fn exchange(
    session: &Session,
    settings: &Settings,
    node: &NodeRanks,
    map: NodeMap,
) -> Result<Option<NodeExchange>, Error> {
    if settings.medium != Medium::Best || settings.early == Some(0) || !is_worthwhile(&map) {
        return Ok(None);
    }
    let (map, me) = (Arc::new(map), Rank(session.rank));
    let own = map.place(me).0;
    for limit in Budget::early_limits(settings.buffer, settings.early, map.ranks() as u64) {
        let layout = Layout::new(&map, own, limit);
        let part = layout.bytes().div_ceil(node.numbers.len());
        let segment = match node.numbers.len() {
            1 => allocate_private(None, part)?,
            _ => allocate_shared(node.collectives(session), part)?.map(|common| common.segment),
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

/// Reads the facts that a survey needs, while this rank has to wait anyway. Machine and cores are kept; the survey
/// reads memory limits again, from files that the system has cached.
pub fn read_node_facts() {
    let _ = (machine(), mask(), cores(), Room::now());
}
