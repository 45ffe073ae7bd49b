//! Joins the transports: shared memory to ranks of this node, if available, and MPI to all others.
//!
//! Both ranks of a pair choose the same transport. Slots in shared memory have the first numbers, then those of MPI,
//! then early messages, which travel in the exchange between nodes.

use super::mpi::PointToPoint;
use super::shm::NodeSlots;
use super::shm::exchange::ExchangeCall;
use super::{Length, Slot, Transport};
use crate::layout::distribution::Rank;
use crate::mpi::Comm;
use crate::pack::place::DeviceArray;
use crate::pack::{BufferReader, Destination, MessageMemory, Source};
use crate::transport::error::Error;

/// The transport of a call to all ranks, for one kind of messages: data or agreement.
pub struct Joined<'a> {
    node: Option<NodeSlots<'a>>,
    /// Number of the first MPI slot.
    first: usize,
    comm: Comm<'a>,
    network: &'a mut PointToPoint,
    exchange: Option<ExchangeCall<'a>>,
}

impl<'a> Joined<'a> {
    /// Joins MPI on `comm` and, if given, the shared memory of this node. `comm` must carry reblock's messages only.
    #[inline]
    pub fn new(node: Option<NodeSlots<'a>>, comm: Comm<'a>, network: &'a mut PointToPoint) -> Self {
        let first = node.as_ref().map_or(0, NodeSlots::slots);
        Self { node, first, comm, network, exchange: None }
    }

    /// Adds the exchange between nodes, for early messages.
    #[inline]
    pub fn with_exchange(self, exchange: Option<ExchangeCall<'a>>) -> Self {
        Self { exchange, ..self }
    }

    fn first_early(&self) -> usize {
        self.first + self.network.slots()
    }

    /// Returns the exchange and the number of the early message in `slot`, if it is one.
    fn early(&self, Slot(slot): Slot) -> Option<(&ExchangeCall<'a>, usize)> {
        let exchange = self.exchange.as_ref()?;
        Some((exchange, slot.checked_sub(self.first_early())?))
    }
}

/// Returns the node's transport if `rank` is on this node.
fn node_of<'n, 'a>(node: &'n mut Option<NodeSlots<'a>>, rank: Rank) -> Option<&'n mut NodeSlots<'a>> {
    node.as_mut().filter(|node| node.reaches(rank))
}

/// Returns the node's transport if `slot` is below `first`; otherwise the slot's number among those of MPI.
fn node_or_network<N>(node: Option<N>, first: usize, Slot(slot): Slot) -> Result<N, Slot> {
    node.filter(|_| slot < first).ok_or(Slot(slot.wrapping_sub(first)))
}

impl From<Length> for Error {
    #[inline]
    fn from(Length { came, expected }: Length) -> Self {
        Self::Length { came, expected }
    }
}

impl Transport for Joined<'_> {
    type Error = Error;

    #[inline]
    fn capacity(&self, peer: Rank) -> usize {
        match self.node.as_ref().filter(|node| node.reaches(peer)) {
            Some(node) => node.capacity(peer),
            None => self.network.capacity(),
        }
    }

    #[inline]
    fn early_limit(&self) -> usize {
        self.exchange.as_ref().map_or(0, ExchangeCall::limit)
    }

    #[inline]
    fn fill_early(&mut self, to: Rank, bytes: usize) -> Result<Option<&mut [u8]>, Error> {
        Ok(self.exchange.as_mut().and_then(|exchange| exchange.pack(to, bytes)))
    }

    #[inline]
    fn expect_early(&mut self, from: Rank, bytes: usize) -> Slot {
        let first = self.first_early();
        let exchange = self.exchange.as_mut().expect("early messages need an exchange");
        Slot(first + exchange.expect(from, bytes))
    }

    #[inline]
    fn room(&self) -> usize {
        self.node.as_ref().map_or(0, Transport::room)
    }

    #[inline]
    fn under_way(&mut self, to: Rank) -> usize {
        node_of(&mut self.node, to).map_or(0, |node| node.under_way(to))
    }

    #[inline]
    fn free_slot(&mut self, to: Rank, spare: usize) -> Result<Option<Slot>, Error> {
        match node_of(&mut self.node, to) {
            Some(node) => Ok(node.free_slot(to, spare)?),
            None => Ok(self.network.free_slot(to)?.map(|Slot(slot)| Slot(self.first + slot))),
        }
    }

    #[inline]
    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        match node_or_network(self.node.as_mut(), self.first, slot) {
            Ok(node) => node.fill(slot),
            Err(slot) => self.network.fill(slot),
        }
    }

    fn hold(&mut self, slot: Slot, to: Rank) -> bool {
        node_or_network(self.node.as_mut(), self.first, slot).is_ok_and(|node| node.hold(slot, to))
    }

    fn fill_held(&mut self, slots: &[Slot]) -> Vec<&mut [u8]> {
        self.node.as_mut().map_or_else(Vec::new, |node| node.fill_held(slots))
    }

    #[inline]
    fn reader(&self, slot: Slot) -> BufferReader {
        node_or_network(self.node.as_ref(), self.first, slot)
            .map_or(BufferReader::NearCore, |node| node.reader(slot))
    }

    #[inline]
    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        match node_or_network(self.node.as_mut(), self.first, slot) {
            Ok(node) => Ok(node.send(slot, to, bytes)?),
            Err(slot) => self.network.send(self.comm, slot, to, bytes),
        }
    }

    fn fill_on_device(&mut self, slot: Slot, array: &DeviceArray) -> Option<MessageMemory> {
        node_or_network(self.node.as_ref(), self.first, slot).err()?;
        self.network.device_memory(array)
    }

    fn send_from_device(
        &mut self,
        Slot(slot): Slot,
        to: Rank,
        bytes: usize,
        memory: MessageMemory,
    ) -> Result<(), Error> {
        self.network.send_from_device(self.comm, Slot(slot - self.first), to, bytes, memory)
    }

    fn received_on_device(&self, slot: Slot) -> Option<&MessageMemory> {
        if self.early(slot).is_some() {
            return None;
        }
        let slot = node_or_network(self.node.as_ref(), self.first, slot).err()?;
        self.network.received_on_device(slot)
    }

    #[inline]
    fn expect(
        &mut self,
        from: Rank,
        bytes: usize,
        array: Option<&DeviceArray>,
    ) -> Result<Option<Slot>, Error> {
        match node_of(&mut self.node, from) {
            Some(node) => Ok(node.expect(from, bytes, array)?),
            None => {
                let slot = self.network.expect(self.comm, from, bytes, array)?;
                Ok(slot.map(|Slot(slot)| Slot(self.first + slot)))
            }
        }
    }

    #[inline]
    fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        if let Some(node) = &mut self.node {
            if let Some(slot) = node.arrived()? {
                return Ok(Some(slot));
            }
        }
        if let Some(exchange) = &mut self.exchange {
            if let Some(number) = exchange.arrived()? {
                return Ok(Some(Slot(self.first_early() + number)));
            }
        }
        Ok(self.network.arrived()?.map(|Slot(slot)| Slot(self.first + slot)))
    }

    #[inline]
    fn received(&self, slot: Slot) -> &[u8] {
        if let Some((exchange, number)) = self.early(slot) {
            return exchange.received(number);
        }
        match node_or_network(self.node.as_ref(), self.first, slot) {
            Ok(node) => node.received(slot),
            Err(slot) => self.network.received(slot),
        }
    }

    #[inline]
    fn expose(&mut self, slot: Slot, to: Rank, bytes: usize, source: &Source) -> Result<bool, Error> {
        match node_or_network(self.node.as_mut(), self.first, slot) {
            Ok(node) => Ok(node.expose(slot, to, bytes, source)?),
            Err(_) => Ok(false),
        }
    }

    #[inline]
    fn exposed(&self, slot: Slot) -> Option<Source<'_>> {
        node_or_network(self.node.as_ref(), self.first, slot).ok()?.exposed(slot)
    }

    #[inline]
    fn answer(&mut self, slot: Slot, destination: &Destination) {
        if let Ok(node) = node_or_network(self.node.as_mut(), self.first, slot) {
            node.answer(slot, destination);
        }
    }

    #[inline]
    fn release(&mut self, slot: Slot) {
        // Early messages stay until the exchange is closed.
        if self.early(slot).is_some() {
            return;
        }
        match node_or_network(self.node.as_mut(), self.first, slot) {
            Ok(node) => node.release(slot),
            Err(slot) => self.network.release(slot),
        }
    }

    #[inline]
    fn all_sent(&mut self) -> Result<bool, Error> {
        if let Some(node) = &mut self.node {
            if !node.all_sent()? {
                return Ok(false);
            }
        }
        self.network.all_sent()
    }
}
