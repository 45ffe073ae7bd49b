//! Channels of one call, for data and for agreement messages.
//!
//! Each has its own MPI tag and its own messages in the node's slots, so several calls can be in progress on a
//! communicator. Calls are numbered as they begin, equally on all ranks.

use super::Neighbours;
use super::neighbours::NodeEnds;
use crate::layout::distribution::Rank;
use crate::mpi::{Comm, MpiError};
use crate::runtime::agreement;
use crate::transport::Pace;
use crate::transport::error::Error;
use crate::transport::joined::Joined;
use crate::transport::mpi::PointToPoint;
use crate::transport::shm::exchange::{CallExchange, ExchangeCall, NodeExchange};
use crate::transport::shm::{CallSlots, Endpoint, NodeSlots};

/// Number of tags per channel: more than calls are ever under way.
const TAGS: u64 = 1 << 13;
/// Tag of call 0's data. Its agreement and its exchange between nodes have the next two tags, then the next call
/// follows. All tags are below 2^15, which MPI guarantees.
const FIRST_TAG: i32 = 16;
const AGREEMENT: i32 = 1;
const EXCHANGE: i32 = 2;

/// Links to other ranks, shared by all calls on a communicator.
pub struct Links<'a> {
    pub comm: Comm<'a>,
    /// The node's slots, once they are set up.
    pub node: Option<&'a mut NodeEnds>,
    /// Exchanges between nodes, once their memory is set up.
    exchange: Option<&'a mut NodeExchange>,
}

pub struct Channels {
    call: u64,
    /// Maximum number of MPI messages in flight in each direction.
    window: usize,
    /// Whether data goes by MPI even within a node.
    by_mpi: bool,
    data: Channel,
    agreement: Channel,
    exchange: CallExchange,
    /// Whether the call has an exchange between nodes that is not closed.
    by_nodes: bool,
}

struct Channel {
    network: PointToPoint,
    /// The call's messages in the node's slots, once these are set up.
    slots: Option<CallSlots>,
}

impl Channel {
    fn new(window: usize) -> Self {
        Self { network: PointToPoint::new(window), slots: None }
    }

    fn open_slots(&mut self, end: &mut Endpoint, call: u64) {
        self.slots.get_or_insert_with(|| CallSlots::new(end)).open(end, call);
    }

    fn close(&mut self, end: Option<&mut Endpoint>) {
        self.network.close();
        if let Some((slots, end)) = self.slots.as_mut().zip(end) {
            slots.close(end);
        }
    }

    /// Returns the transport: MPI, and the slots of `end`, if any.
    fn join_transports<'a>(&'a mut self, comm: Comm<'a>, end: Option<&'a mut Endpoint>) -> Joined<'a> {
        let node = end.zip(self.slots.as_mut()).map(|(end, slots)| NodeSlots::new(end, slots));
        Joined::new(node, comm, &mut self.network)
    }
}

impl Channels {
    /// Creates channels for `ranks` ranks, with up to `window` MPI messages in flight in each direction.
    pub fn new(ranks: u32, window: usize) -> Self {
        let agreement = Channel::new(agreement::rounds(ranks) + 1);
        Self {
            call: 0,
            window,
            by_mpi: false,
            data: Channel::new(window),
            agreement,
            exchange: CallExchange::default(),
            by_nodes: false,
        }
    }

    /// Opens the channels for call number `call`. Agreement messages have `known` bytes. `by_nodes`: the ranks agree by
    /// an exchange between nodes once its memory is set up.
    pub fn open(&mut self, call: u64, known: usize, by_nodes: bool, links: &mut Links<'_>) {
        let tag = tag(call);
        (self.call, self.by_mpi) = (call, false);
        self.by_nodes = false;
        if by_nodes {
            self.begin_exchange(links);
        }
        self.data.network.open(tag, 0, Pace::AtOnce);
        self.agreement.network.open(tag + AGREEMENT, known, Pace::AtOnce);
        self.join_node_slots(links);
    }

    /// Joins the node's slots if they are set up.
    pub fn join_node_slots(&mut self, links: &mut Links<'_>) {
        let Some(shared) = &mut links.node else { return };
        self.data.open_slots(&mut shared.data, self.call);
        self.agreement.open_slots(&mut shared.agreement, self.call);
    }

    /// Ends this call's exchange, if any, and begins another. Does nothing without memory for exchanges. All ranks must
    /// do it in the same order of calls.
    pub fn begin_exchange(&mut self, links: &mut Links<'_>) {
        self.close_exchange(links);
        self.by_nodes = links.exchange.is_some();
        let exchange = links.exchange.as_mut();
        exchange.into_iter().for_each(|all| self.exchange.begin(all, tag(self.call) + EXCHANGE));
    }

    /// Sets the maximum message size and the pacing of the MPI data channel.
    pub fn fit(&mut self, capacity: usize, pace: Pace) {
        self.data.network.open(tag(self.call), capacity, pace);
    }

    /// Allocates the MPI buffers for this rank's sends and receives, so that the call cannot lack memory later.
    pub fn provide(&mut self, sends: bool, receives: bool) -> Result<(), Error> {
        self.data.network.provide(sends, receives)
    }

    /// Makes all data go by MPI, on all ranks.
    pub fn by_mpi(&mut self) {
        self.by_mpi = true;
    }

    pub fn window(&self) -> usize {
        self.window
    }

    /// Returns the call's number, equal on all ranks.
    pub fn call(&self) -> u64 {
        self.call
    }

    /// Discards data that other ranks sent for a failed call before this rank posted a receive.
    pub fn discard(&mut self, links: &mut Links<'_>) {
        if let Some((node, slots)) = links.node.as_ref().zip(self.data.slots.as_ref()) {
            slots.discard(&node.data);
        }
    }

    pub fn close(&mut self, links: &mut Links<'_>) {
        let (data, agreement) = links.node.as_mut().map(|node| (&mut node.data, &mut node.agreement)).unzip();
        self.data.close(data);
        self.agreement.close(agreement);
        self.close_exchange(links);
    }

    /// Ends a complete exchange between nodes, if any, so that later calls need not wait for it. The call must be done
    /// with its messages.
    pub fn close_exchange(&mut self, links: &mut Links<'_>) {
        self.exchange(links).into_iter().for_each(|mut exchange| exchange.close());
        self.by_nodes = false;
    }

    /// Returns whether an exchange between nodes is not closed.
    pub fn has_exchange(&self) -> bool {
        self.by_nodes
    }

    /// Returns whether the exchange between nodes has stopped after a long message since this was last asked.
    pub fn take_pause(&mut self) -> bool {
        self.by_nodes && self.exchange.take_pause()
    }

    /// Returns whether no MPI message is in flight.
    pub fn is_idle(&self) -> bool {
        self.data.network.is_idle() && self.agreement.network.is_idle() && self.exchange.is_idle()
    }

    pub fn data<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        let exchange = links.exchange.as_deref().filter(|_| self.by_nodes && !self.by_mpi);
        let exchange = exchange.map(|all| ExchangeCall::new(all, &mut self.exchange, links.comm));
        let node = links.node.as_mut().filter(|_| !self.by_mpi);
        self.data.join_transports(links.comm, node.map(|shared| &mut shared.data)).with_exchange(exchange)
    }

    /// Returns the exchange between nodes, if the ranks agree by it.
    pub fn exchange<'a>(&'a mut self, links: &'a mut Links<'_>) -> Option<ExchangeCall<'a>> {
        let all = links.exchange.as_deref().filter(|_| self.by_nodes)?;
        Some(ExchangeCall::new(all, &mut self.exchange, links.comm))
    }

    /// Returns whether the exchange between nodes may carry small messages before the ranks have agreed.
    pub fn carries_early(&self) -> bool {
        self.by_nodes && !self.by_mpi
    }

    pub fn agreement<'a>(&'a mut self, links: &'a mut Links<'_>) -> Joined<'a> {
        self.agreement.join_transports(links.comm, links.node.as_mut().map(|shared| &mut shared.agreement))
    }
}

/// Returns whether a message of call number `call` has arrived from rank `from`; with exchanges between nodes, from any
/// rank.
pub fn is_agreement_here(call: u64, from: Rank, links: &Links<'_>) -> Result<bool, MpiError> {
    if let Some(exchange) = &links.exchange {
        // Messages from other nodes reach leaders only. A leader that finds one begins the call, which the other ranks
        // of its node see.
        if exchange.is_begun() {
            return Ok(true);
        }
        for rank in exchange.far() {
            if links.comm.has_message(rank.0, tag(call) + EXCHANGE)? {
                return Ok(true);
            }
        }
        return Ok(false);
    }
    let node = links.node.as_ref().filter(|shared| shared.agreement.reaches(from));
    match node {
        Some(shared) => Ok(shared.agreement.holds(call, from)),
        None => links.comm.has_message(from.0, tag(call) + AGREEMENT),
    }
}

fn tag(call: u64) -> i32 {
    FIRST_TAG + 3 * i32::try_from(call % TAGS).expect("a few thousand")
}

impl<'a> Links<'a> {
    /// Creates the links, also before a survey.
    pub fn new(comm: Comm<'a>, neighbours: &'a mut Option<Neighbours>) -> Self {
        let (node, exchange) = match neighbours {
            Some(Neighbours { shared, exchange, .. }) => (shared.as_mut(), exchange.as_mut()),
            None => (None, None),
        };
        Self { comm, node, exchange }
    }

    /// Returns whether a rank of this node has raised the abort flag.
    pub fn is_aborted(&self) -> bool {
        self.node.as_ref().is_some_and(|node| node.agreement.abort_flag().raised().is_some())
    }
}
