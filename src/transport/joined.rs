//! Two transports as one: shared memory to ranks of this node, if available, and MPI to all others.
//!
//! Both ranks of a pair choose the same transport. Slots of shared memory are numbered first, then those of MPI.

use super::mpi::PointToPoint;
use super::shm::{Channel, Endpoint, Lane};
use super::{Length, Slot, Transport};
use crate::error::Error;
use crate::layout::Rank;
use crate::pack::{BufferReader, Source};

/// The way within a node.
type Node<'a> = Channel<&'a mut Endpoint, &'a mut Lane>;

/// Both ways.
pub struct Joined<'a> {
    node: Option<Node<'a>>,
    network: PointToPoint<'a>,
}

/// The transport that a rank or a slot belongs to.
enum Way<'t, 'a> {
    Node(&'t mut Node<'a>),
    Network(&'t mut PointToPoint<'a>),
}

impl<'a> Joined<'a> {
    /// `network` alone, or with the shared memory of this node.
    pub fn new(node: Option<Node<'a>>, network: PointToPoint<'a>) -> Self {
        Self { node, network }
    }

    fn way_of(&mut self, rank: Rank) -> Way<'_, 'a> {
        match self.node.as_mut().filter(|node| node.reaches(rank)) {
            Some(node) => Way::Node(node),
            None => Way::Network(&mut self.network),
        }
    }

    /// The first slot of MPI.
    fn shared(&self) -> usize {
        self.node.as_ref().map_or(0, |node| node.slots())
    }

    /// The transport of a slot, and its number there.
    fn of_slot(&mut self, Slot(slot): Slot) -> (Way<'_, 'a>, Slot) {
        let shared = self.shared();
        match self.node.as_mut().filter(|_| slot < shared) {
            Some(node) => (Way::Node(node), Slot(slot)),
            None => (Way::Network(&mut self.network), Slot(slot - shared)),
        }
    }
}

impl From<Length> for Error {
    fn from(Length { came, expected }: Length) -> Self {
        Self::Length { came, expected }
    }
}

impl Transport for Joined<'_> {
    type Error = Error;

    fn capacity(&self, peer: Rank) -> usize {
        match self.node.as_ref().filter(|node| node.reaches(peer)) {
            Some(node) => node.capacity(peer),
            None => self.network.capacity(peer),
        }
    }

    fn room(&self) -> usize {
        self.node.as_ref().map_or(0, Transport::room)
    }

    fn under_way(&mut self, to: Rank) -> usize {
        match self.way_of(to) {
            Way::Node(node) => node.under_way(to),
            Way::Network(network) => network.under_way(to),
        }
    }

    fn free_slot(&mut self, to: Rank, spare: usize) -> Result<Option<Slot>, Error> {
        let shared = self.shared();
        match self.way_of(to) {
            Way::Node(node) => Ok(node.free_slot(to, spare)?),
            Way::Network(network) => Ok(network.free_slot(to, spare)?.map(|Slot(slot)| Slot(shared + slot))),
        }
    }

    fn fill(&mut self, slot: Slot) -> &mut [u8] {
        match self.of_slot(slot) {
            (Way::Node(node), slot) => node.fill(slot),
            (Way::Network(network), slot) => network.fill(slot),
        }
    }

    fn reader(&self, Slot(slot): Slot) -> BufferReader {
        let shared = self.shared();
        match self.node.as_ref().filter(|_| slot < shared) {
            Some(node) => node.reader(Slot(slot)),
            None => self.network.reader(Slot(slot - shared)),
        }
    }

    fn send(&mut self, slot: Slot, to: Rank, bytes: usize) -> Result<(), Error> {
        match self.of_slot(slot) {
            (Way::Node(node), slot) => Ok(node.send(slot, to, bytes)?),
            (Way::Network(network), slot) => network.send(slot, to, bytes),
        }
    }

    fn expect(&mut self, from: Rank, bytes: usize) -> Result<Option<Slot>, Error> {
        let shared = self.shared();
        match self.way_of(from) {
            Way::Node(node) => Ok(node.expect(from, bytes)?),
            Way::Network(network) => Ok(network.expect(from, bytes)?.map(|Slot(slot)| Slot(shared + slot))),
        }
    }

    fn arrived(&mut self) -> Result<Option<Slot>, Error> {
        if let Some(node) = &mut self.node {
            if let Some(slot) = node.arrived()? {
                return Ok(Some(slot));
            }
        }
        let shared = self.shared();
        Ok(self.network.arrived()?.map(|Slot(slot)| Slot(shared + slot)))
    }

    fn received(&self, Slot(slot): Slot) -> &[u8] {
        let shared = self.shared();
        match self.node.as_ref().filter(|_| slot < shared) {
            Some(node) => node.received(Slot(slot)),
            None => self.network.received(Slot(slot - shared)),
        }
    }

    fn lend(&mut self, slot: Slot, to: Rank, bytes: usize, source: &Source) -> Result<bool, Error> {
        match self.of_slot(slot) {
            (Way::Node(node), slot) => Ok(node.lend(slot, to, bytes, source)?),
            (Way::Network(network), slot) => network.lend(slot, to, bytes, source),
        }
    }

    fn lent(&self, Slot(slot): Slot) -> Option<Source<'_>> {
        let shared = self.shared();
        self.node.as_ref().filter(|_| slot < shared)?.lent(Slot(slot))
    }

    fn release(&mut self, slot: Slot) {
        match self.of_slot(slot) {
            (Way::Node(node), slot) => node.release(slot),
            (Way::Network(network), slot) => network.release(slot),
        }
    }

    fn all_sent(&mut self) -> Result<bool, Error> {
        if let Some(node) = &mut self.node {
            if !node.all_sent()? {
                return Ok(false);
            }
        }
        self.network.all_sent()
    }
}
