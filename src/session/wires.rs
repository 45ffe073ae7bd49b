//! WHAT does one call send its messages with? Windows of MPI messages with tags of its own, and its own messages in the
//! slots that ranks of a node share. So several calls can be in progress on one communicator, and none takes another's
//! messages. Calls are numbered in the order in which they begin, which is the same on all ranks.

use super::Neighbours;
use super::neighbours::NodeSlots;
use crate::agreement;
use crate::error::Error;
use crate::layout::Rank;
use crate::mpi::{Comm, MpiError};
use crate::transport::Pace;
use crate::transport::joined::Joined;
use crate::transport::mpi::{PointToPoint, Window};
use crate::transport::shm::{Channel, Lane};

/// Calls whose tags differ; no more are ever under way at a time.
const TAGS: u64 = 1 << 13;
/// The first tag, of the data of call 0; odd ones are those of agreements. All of them are below 2^15, which MPI grants.
const FIRST_TAG: i32 = 16;

/// What a communicator's calls share: its links to other ranks.
pub struct Links<'a> {
    /// reblock's own communicator.
    pub comm: Comm<'a>,
    /// What this node's ranks share, once they know each other.
    pub node: Option<&'a mut NodeSlots>,
}

/// What one call has for itself.
pub struct Wires {
    call: u64,
    /// Messages of MPI under way at a time, in each direction.
    window: usize,
    /// Whether data goes by MPI also within a node.
    by_mpi: bool,
    data: Window,
    agreement: Window,
    lanes: Option<Lanes>,
}

/// Through the slots of the node.
struct Lanes {
    data: Lane,
    agreement: Lane,
}

impl Wires {
    /// For a communicator of `ranks` ranks, with up to `window` messages under way in each direction.
    pub fn new(ranks: u32, window: usize) -> Self {
        let agreement = Window::new(agreement::rounds(ranks) + 1);
        Self { call: 0, window, by_mpi: false, data: Window::new(window), agreement, lanes: None }
    }

    /// From now on these are call number `call`'s; messages of its agreement have `known` bytes.
    pub fn open(&mut self, call: u64, known: usize, links: &mut Links<'_>) {
        let tag = tag(call);
        (self.call, self.by_mpi) = (call, false);
        self.data.open(tag, 0, Pace::AtOnce);
        self.agreement.open(tag + 1, known, Pace::AtOnce);
        self.meet(links);
    }

    /// Takes part in the slots of the node, as soon as there are some.
    pub fn meet(&mut self, links: &mut Links<'_>) {
        let Some(shared) = &mut links.node else { return };
        let new = || Lanes { data: Lane::new(&shared.data), agreement: Lane::new(&shared.agreement) };
        let lanes = self.lanes.get_or_insert_with(new);
        lanes.data.open(&mut shared.data, self.call);
        lanes.agreement.open(&mut shared.agreement, self.call);
    }

    /// From now on messages of data have at most so many bytes where MPI carries them, and that pace.
    pub fn fit(&mut self, capacity: usize, pace: Pace) {
        self.data.open(tag(self.call), capacity, pace);
    }

    /// Makes sure of memory for what MPI carries, where this rank sends or receives any: a call that has it can be carried out.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        self.data.provide(sends, receives)
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

    /// The call is over.
    pub fn close(&mut self, links: &mut Links<'_>) {
        self.data.close();
        self.agreement.close();
        if let Some((lanes, shared)) = self.lanes.as_mut().zip(links.node.as_mut()) {
            lanes.data.close(&mut shared.data);
            lanes.agreement.close(&mut shared.agreement);
        }
    }

    /// Whether nothing of it is left on its way.
    pub fn is_idle(&self) -> bool {
        self.data.is_idle() && self.agreement.is_idle()
    }

    /// For data.
    pub fn data<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        let ends = links.node.as_mut().zip(self.lanes.as_mut()).filter(|_| !self.by_mpi);
        let node = ends.map(|(shared, lanes)| Channel::new(&mut shared.data, &mut lanes.data));
        Joined::new(node, PointToPoint::new(links.comm, &mut self.data))
    }

    /// For what ranks tell each other to agree.
    pub fn agreement<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        let ends = links.node.as_mut().zip(self.lanes.as_mut());
        let node = ends.map(|(shared, lanes)| Channel::new(&mut shared.agreement, &mut lanes.agreement));
        Joined::new(node, PointToPoint::new(links.comm, &mut self.agreement))
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
}
