//! WHAT does one call send its messages with? Two channels, one for data and one for what ranks tell each other to agree, each with
//! a tag of its own in MPI, and its own messages in the slots that ranks of a node share. So several calls can be in progress on one
//! communicator, and none takes another's messages. Calls are numbered in the order in which they begin, which is the same on all
//! ranks.

use super::Neighbours;
use super::neighbours::NodeEnds;
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, MpiError};
use crate::runtime::agreement;
use crate::transport::Pace;
use crate::transport::error::Error;
use crate::transport::joined::Joined;
use crate::transport::mpi::PointToPoint;
use crate::transport::shm::{Endpoint, Lane, NodeSlots};

/// Calls whose tags differ; no more are ever under way at a time.
const TAGS: u64 = 1 << 13;
/// The first tag, of the data of call 0; odd ones are those of agreements. All of them are below 2^15, which MPI grants.
const FIRST_TAG: i32 = 16;

/// What a communicator's calls share: its links to other ranks.
pub struct Links<'a> {
    /// reblock's own communicator.
    pub comm: Comm<'a>,
    /// What this node's ranks share, once they know each other.
    pub node: Option<&'a mut NodeEnds>,
}

/// What one call has for itself.
pub struct Channels {
    call: u64,
    /// Messages of MPI under way at a time, in each direction.
    window: usize,
    /// Whether data goes by MPI also within a node.
    by_mpi: bool,
    data: Channel,
    agreement: Channel,
}

/// One call's messages of one kind.
struct Channel {
    network: PointToPoint,
    /// Through the slots of the node, once the ranks share some.
    lane: Option<Lane>,
}

impl Channel {
    fn new(window: usize) -> Self {
        Self { network: PointToPoint::new(window), lane: None }
    }

    /// Takes part in the slots of `end` as call number `call`.
    fn meet(&mut self, end: &mut Endpoint, call: u64) {
        self.lane.get_or_insert_with(|| Lane::new(end)).open(end, call);
    }

    fn close(&mut self, end: Option<&mut Endpoint>) {
        self.network.close();
        if let Some((lane, end)) = self.lane.as_mut().zip(end) {
            lane.close(end);
        }
    }

    /// By MPI, and through the slots of `end` if there are any.
    fn joined<'a>(&'a mut self, comm: Comm<'a>, end: Option<&'a mut Endpoint>) -> Joined<'a> {
        let node = end.zip(self.lane.as_mut()).map(|(end, lane)| NodeSlots::new(end, lane));
        Joined::new(node, comm, &mut self.network)
    }
}

impl Channels {
    /// For a communicator of `ranks` ranks, with up to `window` messages under way in each direction.
    pub fn new(ranks: u32, window: usize) -> Self {
        let agreement = Channel::new(agreement::rounds(ranks) + 1);
        Self { call: 0, window, by_mpi: false, data: Channel::new(window), agreement }
    }

    /// From now on these are call number `call`'s; messages of its agreement have `known` bytes.
    pub fn open(&mut self, call: u64, known: usize, links: &mut Links<'_>) {
        let tag = tag(call);
        (self.call, self.by_mpi) = (call, false);
        self.data.network.open(tag, 0, Pace::AtOnce);
        self.agreement.network.open(tag + 1, known, Pace::AtOnce);
        self.meet(links);
    }

    /// Takes part in the slots of the node, as soon as there are some.
    pub fn meet(&mut self, links: &mut Links<'_>) {
        let Some(shared) = &mut links.node else { return };
        self.data.meet(&mut shared.data, self.call);
        self.agreement.meet(&mut shared.agreement, self.call);
    }

    /// From now on messages of data have at most so many bytes where MPI carries them, and that pace.
    pub fn fit(&mut self, capacity: usize, pace: Pace) {
        self.data.network.open(tag(self.call), capacity, pace);
    }

    /// Makes sure of memory for what MPI carries, where this rank sends or receives any: a call that has it can be carried out.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        self.data.network.provide(sends, receives)
    }

    /// From now on data goes by MPI only, on all ranks.
    pub fn by_mpi(&mut self) {
        self.by_mpi = true;
    }

    /// Messages of MPI under way at a time, in each direction.
    pub fn window(&self) -> usize {
        self.window
    }

    /// Number of the call: the same on all ranks.
    pub fn call(&self) -> u64 {
        self.call
    }

    /// Gives back what others have sent of a call that comes to nothing, before this rank expected anything.
    pub fn discard(&mut self, links: &mut Links<'_>) {
        if let Some((node, lane)) = links.node.as_ref().zip(self.data.lane.as_ref()) {
            lane.discard(&node.data);
        }
    }

    /// The call is over.
    pub fn close(&mut self, links: &mut Links<'_>) {
        let (data, agreement) = links.node.as_mut().map(|node| (&mut node.data, &mut node.agreement)).unzip();
        self.data.close(data);
        self.agreement.close(agreement);
    }

    /// Whether nothing of it is left on its way.
    pub fn is_idle(&self) -> bool {
        self.data.network.is_idle() && self.agreement.network.is_idle()
    }

    /// For data.
    pub fn data<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        let node = links.node.as_mut().filter(|_| !self.by_mpi);
        self.data.joined(links.comm, node.map(|shared| &mut shared.data))
    }

    /// For what ranks tell each other to agree.
    pub fn agreement<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        self.agreement.joined(links.comm, links.node.as_mut().map(|shared| &mut shared.agreement))
    }
}

/// Whether what rank `from` tells first in call number `call` is there.
pub fn is_told(call: u64, from: Rank, links: &Links<'_>) -> Result<bool, MpiError> {
    let node = links.node.as_ref().filter(|shared| shared.agreement.reaches(from));
    match node {
        Some(shared) => Ok(shared.agreement.holds(call, from)),
        None => links.comm.holds(from.0, tag(call) + 1),
    }
}

/// The tag of a call's data.
fn tag(call: u64) -> i32 {
    FIRST_TAG + 2 * i32::try_from(call % TAGS).expect("a few thousand")
}

impl<'a> Links<'a> {
    /// The links of a communicator whose ranks may know each other.
    pub fn new(comm: Comm<'a>, neighbours: &'a mut Option<Neighbours>) -> Self {
        Self { comm, node: neighbours.as_mut().and_then(|n| n.shared.as_mut()) }
    }

    /// Whether a rank of this node has said that it cannot go on.
    pub fn is_alarmed(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.agreement.alarm().raised().is_some())
    }
}
